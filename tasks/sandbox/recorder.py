"""Owns the record of which functions ran while a suite was imported and collected."""

from __future__ import annotations

RanKey = tuple[str, str, int]  # co_filename, co_qualname (co_name before 3.11), co_firstlineno


class RunRecorder:
    """Records every Python function that runs between `start` and `stop`."""

    def start(self) -> None:
        raise NotImplementedError

    def stop(self) -> frozenset[RanKey] | None:
        """What ran; None when the record was cut (other code set a profiler): trust nothing then.
        Drops every reference to code objects."""
        raise NotImplementedError
