"""Owns the question whether this process may be forked once per mutant."""

from __future__ import annotations

from collections.abc import Collection


def process_refusal(allowed_fds: Collection[int]) -> str:
    """Why forking this process is unsound; empty when it is not.

    Threads, children, file descriptors outside `allowed_fds`, writable shared memory, a running
    event loop, a timer, a tracer or profiler.
    """
    raise NotImplementedError
