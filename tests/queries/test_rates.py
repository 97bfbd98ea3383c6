from __future__ import annotations

import pytest

from tests.queries.macros import macro_connection, value


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("mutation_score(3, 4)", 0.75),
        ("mutation_score(0, 4)", 0.0),
        ("mutation_score(0, 0)", None),
        ("mutation_score(NULL, 4)", None),
        ("validity(1, 2)", 0.5),
        ("validity(0, 0)", None),
        ("cost_per_kill(3.0, 4)", 0.75),
        ("cost_per_kill(0.0, 4)", 0.0),
        ("cost_per_kill(3.0, 0)", None),
        ("cost_per_kill(NULL, 4)", None),
    ],
)
def test_a_rate_that_cannot_be_measured_is_null(expression: str, expected: float | None) -> None:
    assert value(expression) == expected


def test_a_sum_with_an_unknown_term_is_unknown() -> None:
    sql = "SELECT known_sum(x) FROM (VALUES (1.0), (NULL)) AS t (x)"
    assert macro_connection().execute(sql).fetchall() == [(None,)]
    sql = "SELECT known_sum(x) FROM (VALUES (1.0), (2.5)) AS t (x)"
    assert macro_connection().execute(sql).fetchall() == [(3.5,)]


def test_four_outcomes_kill() -> None:
    outcomes = "passed failed error skipped xfailed xpassed timeout crashed not_collected".split()  # noqa: SIM905
    kills = [outcome for outcome in outcomes if value("is_kill(?)", outcome)]
    assert kills == ["failed", "error", "timeout", "crashed"]
    assert [o for o in outcomes if value("is_cut_off(?)", o)] == ["timeout", "crashed"]
