"""The program that runs inside the sandbox: standard library and pytest only.

It is loaded under a private name by `tasks/host.py`; nothing else of killgrid exists where it runs.
"""
