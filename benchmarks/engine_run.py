"""One case through killgrid without Ray, as a process of its own: from the config to stored rows.

    python -m benchmarks.engine_run CONFIG SUBJECT [--limit N] [--matrix first_kill] ...

prints one line of JSON at the end: rows, events by kind, and CPU seconds of the whole process tree
and wall seconds up to the end of each phase. What Ray adds is measured apart.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.phases import Phases


def main() -> None:
    """See the module's text."""
    args = _arguments()
    phases = Phases()
    from benchmarks.cases import forget_mutants, load_cases
    from cluster.environments import environments_of
    from cluster.ray_tasks import cache_folder
    from configs.loading import load_config
    from tasks import job
    from tasks.host import Host
    from tasks.results import Job

    phases.end("python and imports")
    cache = cache_folder()
    forget_mutants(cache)
    (case,) = load_cases(args.config, cache, [args.subject], args.limit)
    settings = replace(environments_of(load_config(args.config))[0], **_overrides(args))
    phases.end("mutants")
    phases.mark(Host, "__init__", before="environment, tree, bytecode", after="host")
    phases.mark(job, "_validation", after="baselines and controls")
    result = job.run_job(Job(case.subject, case.suite, case.mutants, settings), cache)
    job.close_hosts()
    phases.end("rows")
    with tempfile.TemporaryDirectory(prefix="killgrid-store-") as folder:
        _store(folder, case, result)
    phases.end("store")
    assert result.validation is not None
    seconds: defaultdict[str, float] = defaultdict(float)
    for row in result.rows:
        for entry in row.executions:
            seconds[result.validation.tests[entry.ordinal].nodeid] += entry.duration_s
    told = {
        "status": result.validation.status,
        "tests": len(result.validation.tests),
        "planned": len(case.mutants),
        "mutants": len(result.rows),
        "executions": sum(len(row.executions) for row in result.rows),
        "outcomes": Counter(e.outcome for row in result.rows for e in row.executions),
        "not_run": sum(not e.executed for row in result.rows for e in row.executions),
        "strategies": Counter(row.strategy for row in result.rows),
        "events": Counter(event.kind for event in result.events),
        "hanging": [
            row.mutant_id
            for row in result.rows
            if any(e.outcome == "timeout" for e in row.executions)
        ],
        "seconds": seconds,
        "hanging_s": sum(
            entry.duration_s
            for row in result.rows
            for entry in row.executions
            if entry.outcome == "timeout"
        ),
        "phases": phases.ends,
    }
    print(json.dumps(told))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", type=Path)
    parser.add_argument("subject")
    parser.add_argument("--limit", type=int)
    for name in ("matrix", "strategy", "select", "isolation"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--recheck-share", type=float)
    return parser.parse_args()


def _overrides(args: argparse.Namespace) -> dict[str, Any]:
    names = ("matrix", "strategy", "select", "isolation", "recheck_share")
    given = {name: getattr(args, name) for name in names}
    return {name: value for name, value in given.items() if value is not None}


def _store(folder: str, case: Any, result: Any) -> None:
    """The same tables that a run stores."""
    from storage import rows as make
    from storage.objects import open_store
    from storage.units import commit_unit

    name, subject, validation = "bench", case.subject, result.validation
    tables = {
        "subjects": make.subject_rows(name, subject),
        "mutants": make.mutant_rows(name, case.mutants),
        "suites": make.suite_rows(name, "cell", case.suite, validation),
        "tests": make.test_rows(name, "cell", case.suite, validation, "default"),
        "executions": make.execution_rows(
            name, "cell", case.suite, validation, "default", result.rows
        ),
        "events": make.event_rows(name, result.events, cell_id="cell"),
    }
    commit_unit(open_store(folder), name, {key: [table] for key, table in tables.items()}, ["cell"])


if __name__ == "__main__":
    main()
