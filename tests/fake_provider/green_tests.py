"""A script that plays writers of suites for the problems of green_tests, each with its manner."""

from __future__ import annotations

import ast

from tasks.problems import Problem, load_problem_set
from tests.fake_provider.script import Reply, Rule, Script, Suites

# Model and kind of suite: `verbose` thinks aloud between the reference suite's statements. Asked to
# mend a suite, `stubborn` says that the code is wrong; the others give the reference suite.
MODELS = {
    "careful": "reference",
    "hasty": "weak",
    "locked": "locking",
    "verbose": "verbose",
    "stubborn": "locking",
}
REPAIR = "DECISION: fix tests"
_STUBBORN = (
    "DECISION: change code\n\nThe tests say what the code was seen to do. It must do so again.\n"
)
_ALOUD = "Before the next test, consider what the docstring promises here, and what it leaves open."


def green_tests_script(
    *, times: int = 12, delay_s: float = 0.0, key: str | None = None, rules: tuple[Rule, ...] = ()
) -> Script:
    """The models of MODELS; the given rules come first, so that faults can be added.

    `verbose` says `times` as much as `careful`: with 12, the experiment's cap of 10,000 tokens cuts
    it in about half of the problems.
    """
    problems = load_problem_set("green_tests")
    return Script.model_validate(
        {
            "default": {"delay_s": delay_s},
            "key": key,
            "models": tuple(MODELS),
            "rules": (*rules, *_writers()),
            "suites": tuple(_suites(problem, times) for problem in problems),
        }
    )


def _writers() -> list[Rule]:
    return [
        Rule(model="stubborn", prompt=REPAIR, reply=Reply(text=_STUBBORN)),
        Rule(prompt=REPAIR, reply=Reply(suite="mended")),
        *(Rule(model=model, reply=Reply(suite=kind)) for model, kind in MODELS.items()),
    ]


def _suites(problem: Problem, times: int) -> Suites:
    """What each model says when a prompt holds the function's signature."""
    texts = {kind: source.decode() for kind, source in problem.suites}
    texts["verbose"] = aloud(texts["reference"], times)
    said = {kind: f"Here are the tests.\n\n```python\n{text}```\n" for kind, text in texts.items()}
    said["mended"] = f"{REPAIR}\n\n{said['reference']}"
    return Suites(find=(f"def {problem.function}(",), kinds=said)


def aloud(source: str, times: int) -> str:
    """The same statements with comments between them, about `times` as long."""
    statements = ast.parse(source).body
    lines = source.splitlines()
    each = len(source) * (times - 1) // len(statements)
    thought = [f"# {_ALOUD}"] * max(1, each // (len(_ALOUD) + 3))
    said: list[str] = []
    start = 0
    for statement in statements:
        decorators = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(d.lineno for d in decorators)]) - 1
        said += [*lines[start:first], *thought]
        start = first
    return "\n".join([*said, *lines[start:]]) + "\n"
