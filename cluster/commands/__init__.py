"""The commands of `killgrid`, one file each.

What a command needs beyond click is imported when it runs, so that `killgrid --help` is quick.
"""
