"""One task of a run: a suite against mutants, through a warm host of this worker process."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from configs.errors import InfraError
from tasks.bytecode import ensure_bytecode
from tasks.environments import BuiltEnvironment, ensure_environment
from tasks.host import Host
from tasks.records import Environment, ExecutionSettings, Subject, Suite
from tasks.results import Event, Execution, Job, JobResult, Row, Test, Validation
from tasks.trees import ensure_tree

_SILENCE_S = 3600.0  # the host keeps tighter limits itself; this one catches a host that hangs
_LOADS = {b"hypothesis": "hypothesis", b"mock": "unittest.mock", b"doctest": "doctest"}
_hosts: dict[tuple[Path, tuple[tuple[str, str], ...]], Host] = {}


def run_job(job: Job, cache: Path) -> JobResult:
    """Validate the suite where that is not done yet, then fill its rows.

    InfraError when the instrument failed, SandboxError when this node has no working sandbox.
    """
    started, cpu, inside = time.monotonic(), _cpu_s(), 0.0
    built = ensure_environment(job.subject.environment, cache)
    ensure_tree(job.subject, cache)
    bytecode = ensure_bytecode(job.subject, built.bare_python, built.python_version, cache)
    host = _host(built, job.settings, cache)
    validation, rows, events = job.validation, [], []
    for message in host.run(_message(job, bytecode), _SILENCE_S):
        if "validation" in message and validation is None:
            validation = _validation(job.suite.suite_id, message["validation"], host.versions)
        elif "row" in message:
            rows.append(_row(message["row"]))
        elif "event" in message:
            events.append(Event(**message["event"]))
        elif "done" in message:
            inside = message["cpu_s"]
    used = _cpu_s() - cpu + inside
    return JobResult(validation, tuple(rows), tuple(events), used, time.monotonic() - started)


def _cpu_s() -> float:
    """CPU time of this process alone; the host tells what its sandbox took."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _host(built: BuiltEnvironment, settings: ExecutionSettings, cache: Path) -> Host:
    """A live host for this environment, started when there is none."""
    key = (built.path, settings.variables)
    host = _hosts.get(key)
    if host is None or not host.alive:
        host = _hosts[key] = Host(built, cache, settings.variables)
    return host


def close_hosts() -> None:
    """End every warm host of this process."""
    while _hosts:
        _hosts.popitem()[1].close()


def check_sandbox(cache: Path) -> dict[str, str]:
    """Start a host in a default environment and end it; its versions. SandboxError if it fails."""
    host = Host(ensure_environment(Environment(), cache), cache)
    host.close()
    return host.versions


def _latin(data: bytes) -> str:
    return data.decode("latin-1")


def _message(job: Job, bytecode: str) -> dict[str, Any]:
    subject, suite, settings = job.subject, job.suite, job.settings
    args = {
        "paths": suite.paths,
        "plugins": subject.plugins,
        "extra": subject.pytest_args,
        "import_roots": subject.import_roots,
        "owned": tuple(owned_names(subject)),
    }
    fields = asdict(settings)
    return {
        "tree_id": subject.tree_sha256,
        "bytecode_id": bytecode,
        "suite_id": suite.suite_id,
        "files": {file.path: _latin(file.data) for file in suite.files},
        "args": args,
        "settings": fields,
        "originals": {path: _latin(subject.source(path)) for path in subject.targets},
        "mutants": [
            {
                "mutant_id": m.mutant_id,
                "path": m.path,
                "source": _latin(m.source),
                "planted": m.planted,
            }
            for m in job.mutants
            if m.status == "ok"
        ],
        "validation": _recalled(job.validation) if job.validation else None,
        "budget_s": job.budget_s,
        "loads": _loads(subject, suite),
    }


def _loads(subject: Subject, suite: Suite) -> list[str]:
    """What the host does well to import first: a file of the suite, or a test file of the tree it
    uses, speaks of it. A host that imports less forks faster.
    """
    texts = [file.data for file in suite.files]
    texts += [file.data for file in subject.files if file.path.startswith(suite.paths)]
    return [name for word, name in _LOADS.items() if any(word in text for text in texts)]


def owned_names(subject: Subject) -> Iterator[str]:
    """Top-level module names that the subject's tree provides on its import roots."""
    seen = set()
    for root in subject.import_roots:
        prefix = f"{root}/" if root else ""
        for file in subject.files:
            if file.path.startswith(prefix) and file.path.endswith(".py"):
                first, _, rest = file.path[len(prefix) :].partition("/")
                name = first if rest else first.removesuffix(".py")
                if name.isidentifier() and name not in seen:
                    seen.add(name)
                    yield name


def _validation(suite_id: str, told: dict[str, Any], versions: dict[str, str]) -> Validation:
    tests = tuple(
        Test(
            test_id=f"{suite_id}:{fields['ordinal']:05d}",
            suite_id=suite_id,
            ordinal=fields["ordinal"],
            nodeid=fields["key"][0],
            kept=not fields["dropped_reason"],
            dropped_reason=fields["dropped_reason"],
            baseline_outcomes=tuple(fields["outcomes"]),
            duration_s=fields["duration_s"],
            cpu_s=fields["cpu_s"],
            executed=tuple(fields["executed"]),
            always_run=fields["always_run"],
            uses_hypothesis=fields["uses_hypothesis"],
            exception=fields["exception"],
            message=fields["message"],
        )
        for fields in told["tests"]
    )
    return Validation(
        suite_id=suite_id,
        status=told["status"],
        reason=told["reason"],
        tests=tests,
        baseline_s=sum(test.duration_s for test in tests),
        import_executed=tuple(told["ran"]),
        everywhere=tuple(told["everywhere"]),
        modules=tuple(told["modules"]),
        swap_refusal=told["swap_refusal"],
        versions=tuple(sorted(versions.items())),
    )


def _recalled(validation: Validation) -> dict[str, Any]:
    """The same in the host's words, for a job that goes on from an earlier validation."""
    seen: dict[str, int] = {}
    tests = []
    for test in validation.tests:
        count = seen.get(test.nodeid, 0)
        seen[test.nodeid] = count + 1
        tests.append(
            {
                "key": [test.nodeid, count],
                "ordinal": test.ordinal,
                "outcomes": list(test.baseline_outcomes),
                "duration_s": test.duration_s,
                "cpu_s": test.cpu_s,
                "executed": list(test.executed),
                "always_run": test.always_run,
                "uses_hypothesis": test.uses_hypothesis,
                "dropped_reason": test.dropped_reason,
                "exception": test.exception,
                "message": test.message,
            }
        )
    return {
        "status": validation.status,
        "reason": validation.reason,
        "tests": tests,
        "everywhere": list(validation.everywhere),
        "ran": list(validation.import_executed),
        "modules": list(validation.modules),
        "swap_refusal": validation.swap_refusal,
    }


def _row(told: dict[str, Any]) -> Row:
    executions = tuple(Execution(*values) for values in told["executions"])
    if not executions:
        raise InfraError(f"the host sent an empty row for {told['mutant_id']}")
    return Row(told["mutant_id"], told["strategy"], executions)
