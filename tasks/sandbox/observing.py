"""What is noted about a suite on the correct code: what collecting it runs, what each test runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from . import controls, session, views
from .journal import Journal
from .recorder import RanKey, RunRecorder
from .session import Collected, Key
from .watch import SourceReads, Watch


@dataclass(frozen=True)
class Collecting:
    """`ran` are target functions that ran, `names` the same as path::name; None: cannot be told.

    `reads_source` says whether the text of a target was read as data.
    """

    ran: frozenset[RanKey] | None
    names: list[str] | None
    reads_source: bool


class CollectionObserver:
    """Observes collection, from before pytest starts until its loop over the tests."""

    def __init__(self, targets: Sequence[str]) -> None:
        self._targets = list(targets)
        self._reads = SourceReads(targets)
        self._recorder = RunRecorder(targets, unseen=True)
        self._recorder.start()

    def stop(self) -> Collecting:
        """What was seen."""
        reads, ran = self._reads.seen, self._recorder.stop()
        if ran is None:
            return Collecting(None, None, reads)
        names = []
        for target in self._targets:
            with open(target, "rb") as file:
                found = controls.ran_functions(file.read(), target, ran)
            names += [f"{target}::{name}" for name in found]
        return Collecting(ran, names, reads)


def run_watched(
    collected: Collected,
    wanted: Sequence[int],
    journal: Journal,
    places: dict[Key, int],
    targets: Sequence[str],
) -> None:
    """As `session.run`, recording also what each test executes and the modules they import."""
    watch = Watch(targets)
    collected.session.config.pluginmanager.register(watch)
    before = set(sys.modules)
    session.run(collected, wanted, journal, places, watch=watch)
    journal.record("modules", sorted(_lazily_imported(before)))
    journal.end()


def _lazily_imported(before: set[str]) -> list[str]:
    """Modules of the environment (not of the subject's tree) that came since."""
    found = []
    for name in set(sys.modules) - before:
        file = getattr(sys.modules.get(name), "__file__", None)
        if isinstance(file, str) and not file.startswith((views.WORK, views.TMP)):
            found.append(name)
    return found
