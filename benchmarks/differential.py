"""Checks killgrid against two other ways of running the same mutants, on real packages.

    python -m benchmarks.differential [--subject idna] [--limit 20]

For each subject of the config: the kill matrices under `auto` (which swaps live code) and `fresh`
agree, outcome by outcome, with one plain pytest process per mutant that shares nothing with the
engine; and the verdicts agree, mutant by mutant, with `mutmut run`. Every disagreement is listed
with its reason. Exit status 1 when one has none.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks import mutmut_run
from benchmarks.cases import REAL_PACKAGES, Case, load_cases
from benchmarks.explaining import LONG_S, Disagreement, compare_cells, compare_verdicts
from benchmarks.matrices import Matrix, engine_matrix
from benchmarks.meter import make_meter
from benchmarks.plain_pytest import PlainPytest, Row
from cluster.ray_tasks import cache_folder
from configs.errors import KillgridError
from tasks.job import close_hosts

_SHOWN = 20


def main() -> int:
    """0 when everything agrees or is explained."""
    args = _arguments()
    cache = cache_folder()
    unexplained = 0
    for case in load_cases(args.config, cache, args.subject, args.limit):
        with tempfile.TemporaryDirectory(prefix="killgrid-differential-") as folder:
            for title, compared, found in _comparisons(case, cache, Path(folder), args):
                unexplained += _report(title, compared, found, args.diffs)
    close_hosts()
    print(f"\n{unexplained} unexplained disagreements")
    return 1 if unexplained else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--config", type=Path, default=REAL_PACKAGES)
    parser.add_argument("--subject", action="append", default=[], help="only this one; repeatable")
    parser.add_argument("--limit", type=int, help="at most so many mutants each, evenly spread")
    parser.add_argument("--jobs", type=int, default=2, help="plain pytest processes at a time")
    parser.add_argument("--skip", action="append", default=[], choices=["plain", "mutmut"])
    parser.add_argument("--diffs", action="store_true", help="show each mutant's diff too")
    return parser.parse_args()


def _comparisons(
    case: Case, cache: Path, folder: Path, args: argparse.Namespace
) -> Iterator[tuple[str, int, list[Disagreement]]]:
    auto = engine_matrix(case, "auto", "covering", cache)
    print(f"\n{case.name}: {len(case.mutants)} mutants, {len(auto.tests)} tests")
    _tell("killgrid, auto", auto)
    mutants = {mutant.mutant_id: mutant for mutant in case.mutants}
    plain = PlainPytest(case, cache, folder / "plain")

    def again(mutant_id: str) -> Row:
        mutant = mutants[mutant_id]
        return plain.row({mutant.path: mutant.source}, LONG_S)

    if "plain" not in args.skip:
        fresh = engine_matrix(case, "fresh", "all", cache)
        _tell("killgrid, fresh", fresh)
        began = time.monotonic()
        rows = _plain_rows(case, plain, args.jobs)
        print(f"  plain pytest: {time.monotonic() - began:.0f} s")
        for name, matrix in (("auto", auto), ("fresh", fresh)):
            yield (
                f"{name} against plain pytest: cells",
                *compare_cells(matrix, rows, mutants, again),
            )
    if "mutmut" not in args.skip:
        theirs = _mutmut(case, cache, folder / "mutmut")
        yield "auto against mutmut run: mutants", *compare_verdicts(auto, theirs, mutants, again)


def _tell(title: str, matrix: Matrix) -> None:
    strategies = ", ".join(f"{n} {name}" for name, n in matrix.strategies.most_common())
    print(f"  {title}: {matrix.seconds:.0f} s; {strategies}")
    for kind, events in Counter(event.partition(":")[0] for event in matrix.events).items():
        print(f"    {events} x {kind}")


def _plain_rows(case: Case, plain: PlainPytest, jobs: int) -> dict[str, Row]:
    with ThreadPoolExecutor(jobs) as pool:
        rows = pool.map(lambda mutant: plain.row({mutant.path: mutant.source}), case.mutants)
        return dict(zip((mutant.mutant_id for mutant in case.mutants), rows, strict=True))


def _mutmut(case: Case, cache: Path, folder: Path) -> mutmut_run.MutmutResult:
    mutmut_run.prepare(case, folder)
    cage = mutmut_run.jail(case, cache)
    measured = mutmut_run.run(case, cage, folder, make_meter(), timeout_s=3 * 3600)
    result = mutmut_run.read(case, folder)
    told = ", ".join(f"{n} {status}" for status, n in Counter(result.statuses.values()).items())
    print(f"  mutmut run: {measured.wall_s:.0f} s; {told}")
    return result


def _report(title: str, compared: int, found: Sequence[Disagreement], diffs: bool) -> int:
    """Print one comparison; the number of unexplained disagreements."""
    unexplained = [each for each in found if not each.reason]
    explained = [each for each in found if each.reason]
    print(f"  {title}: {compared:,} compared, {len(found)} differ, {len(unexplained)} unexplained")
    shown = ""
    for each in [*unexplained, *explained[:_SHOWN]]:
        print(f"    {each.where}\n      {each.what}\n      {each.reason or 'UNEXPLAINED'}")
        if (diffs or not each.reason) and each.diff != shown:
            print("      " + each.diff.replace("\n", "\n      "))
            shown = each.diff
    if len(explained) > _SHOWN:
        print(f"    and {len(explained) - _SHOWN} more; reasons of all that differ:")
        for reason, times in Counter(each.reason for each in explained).most_common():
            print(f"      {times} x {reason}")
    return len(unexplained)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KillgridError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
