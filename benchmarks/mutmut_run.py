"""`mutmut run` on a scratch copy of a case, as its user would run it, inside plain bubblewrap."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cases import Case, with_mutmut, write_tree
from benchmarks.jail import ENVIRONMENT, PYTHON, Jail
from benchmarks.meter import Measured, Meter
from configs.errors import InfraError
from tasks.environments import ensure_environment

VERSION = "3.8.1"
# Exit codes of its children as `mutmut results` names them.
_STATUS = {0: "survived", 1: "killed", 3: "killed", 5: "no tests", 33: "no tests"}
_STATUS |= dict.fromkeys((36, 24, -24, 152, 255), "timeout") | {-11: "segfault", -9: "segfault"}
# A test with `ids=str` and a character beyond ASCII in its id gets another id when one process
# collects it again: pytest escapes what it has escaped. mutmut does so, finds no such test, and
# takes the error for a kill. With this option nothing is escaped, and mutmut works.
_PLAIN_IDS = "disable_test_id_escaping_and_forfeit_all_rights_to_community_support=true"


@dataclass(frozen=True)
class MutmutResult:
    """Status by mutant name, seconds by mutant name, and the tests that it chose by function."""

    statuses: dict[str, str]
    seconds: dict[str, float]
    tests: dict[str, frozenset[str]]

    def chosen(self, name: str) -> frozenset[str]:
        """Node ids of the tests that its own record of calls assigns to a mutant."""
        return self.tests.get(name.rpartition("__mutmut_")[0], frozenset())


def prepare(case: Case, folder: Path) -> None:
    """Write tree, suite and mutmut's settings into an empty folder."""
    write_tree(case, folder)
    settings = folder / "pyproject.toml"
    text = settings.read_text() if settings.exists() else ""
    if "mutmut" in tomllib.loads(text).get("tool", {}):
        raise InfraError(f"{case.name}: its pyproject.toml has settings for mutmut already")
    settings.write_text(f"{text}\n{_settings(case)}")


def _settings(case: Case) -> str:
    """Same target, same tests, same plugins; everything else as mutmut has it by default."""
    sources = sorted({target.partition("/")[0] for target in case.subject.targets})
    entries = {file.path.partition("/")[0] for file in (*case.subject.files, *case.suite.files)}
    plugins = [word for plugin in case.subject.plugins for word in ("-p", plugin)]
    options = ["-o", "addopts=", "-o", _PLAIN_IDS, *plugins, *case.subject.pytest_args]
    lists = {
        "source_paths": sources,
        "only_mutate": list(case.subject.targets),
        "also_copy": sorted(entries - set(sources)),
        "pytest_add_cli_args": options,
        "pytest_add_cli_args_test_selection": list(case.suite.paths),
    }
    lines = [f"{name} = {json.dumps(values)}" for name, values in lists.items()]
    return "\n".join(["[tool.mutmut]", *lines, ""])


def jail(case: Case, cache: Path) -> Jail:
    """The sandbox with the subject's environment and mutmut in it; built when it is not there."""
    return Jail(ensure_environment(with_mutmut(case.subject.environment, VERSION), cache), {})


def run(case: Case, cage: Jail, folder: Path, meter: Meter, timeout_s: float) -> Measured:
    """One `mutmut run` of exactly the case's mutants, one at a time, in a prepared folder."""
    names = [mutant.name for mutant in case.mutants]
    argv = [PYTHON, f"{ENVIRONMENT}/bin/mutmut", "run", "--max-children", "1", *names]
    measured = meter.run(cage.command(folder, argv, {}), timeout_s=timeout_s)
    if measured.returncode != 0:
        raise InfraError(f"{case.name}: mutmut run failed: {measured.output[-2000:]}")
    return measured


def read(case: Case, folder: Path) -> MutmutResult:
    """What it left in `mutants/`; InfraError when a mutant of the case has no result there."""
    codes: dict[str, int | None] = {}
    seconds: dict[str, float] = {}
    for target in case.subject.targets:
        meta = json.loads((folder / "mutants" / f"{target}.meta").read_text())
        codes |= meta["exit_code_by_key"]
        seconds |= meta["durations_by_key"]
    stats = json.loads((folder / "mutants" / "mutmut-stats.json").read_text())
    tests = {
        function: frozenset(map(_escaped, nodeids))
        for function, nodeids in stats["tests_by_mangled_function_name"].items()
    }
    statuses = {m.name: _status(codes.get(m.name)) for m in case.mutants}
    lost = _named(name for name, status in statuses.items() if status == "not checked")
    if lost:
        raise InfraError(f"{case.name}: mutmut has no result for {lost}")
    return MutmutResult(statuses, seconds, tests)


def _status(code: int | None) -> str:
    return "not checked" if code is None else _STATUS.get(code, "suspicious")


def _escaped(nodeid: str) -> str:
    """A node id as pytest gives it by default."""
    return nodeid.encode("ascii", "backslashreplace").decode()


def _named(names: Iterable[str]) -> str:
    return ", ".join(list(names)[:5])
