"""The correct versions of the problem set green_tests survive hostile input."""

from __future__ import annotations

import decimal
import math
import sys
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from tasks.problems import load_problem_set

ARABIC = "١٢٣"
DIGITS_5000 = "1" * 5000


def correct(name: str) -> Callable[..., Any]:
    """The correct function of a problem."""
    (problem,) = load_problem_set("green_tests", [name])
    namespace: dict[str, Any] = {"__name__": "solution"}
    exec(compile(problem.subject.source("solution.py"), name, "exec"), namespace)
    function: Callable[..., Any] = namespace[problem.function]
    return function


def test_money_of_32_digits_is_exact_in_every_decimal_context() -> None:
    round_money = correct("round_money")
    text = "98765432109876543210987654321098.765"
    for rounding in (decimal.ROUND_DOWN, decimal.ROUND_UP, decimal.ROUND_HALF_EVEN):
        for traps in ([], [decimal.Inexact, decimal.Rounded, decimal.Subnormal]):
            context = decimal.Context(prec=2, rounding=rounding, traps=traps, Emax=3, Emin=-3)
            with decimal.localcontext(context) as active:
                assert str(round_money(text)) == "98765432109876543210987654321098.77"
                assert str(round_money(Decimal(text).copy_negate()))[-3:] == ".77"
                assert not any(active.flags.values())


@pytest.mark.parametrize(
    "amount", [ARABIC, "1²", DIGITS_5000, "1\n", "", "1e5", "NaN", "-" + ARABIC]
)
def test_money_refuses_text_of_other_forms(amount: str) -> None:
    for traps in ([], [decimal.InvalidOperation]):
        with (
            decimal.localcontext(decimal.Context(traps=traps)),
            pytest.raises(ValueError, match=r"^amount"),
        ):
            correct("round_money")(amount)


def test_money_agrees_with_fractions() -> None:
    round_money = correct("round_money")
    for thousandths in range(-2005, 2006):
        exact = Fraction(thousandths, 1000) * 100
        size = math.floor(abs(exact) + Fraction(1, 2))
        expected = Decimal(size if exact > 0 else -size) / 100
        assert round_money(Decimal(thousandths) / 1000) == expected


@pytest.mark.parametrize(
    "text",
    [f"1.2.3.{DIGITS_5000}", "1.2.3.²", "١.٢.٣.٤", "1.2.3.4\n", f"0{DIGITS_5000}.1.1.1", "\x00"],
)
def test_ipv4_says_no_to_hostile_text(text: str) -> None:
    assert correct("is_ipv4")(text) is False


@pytest.mark.parametrize(
    "text", [f"{DIGITS_5000}s", "١s", "²s", "1s\n", "1h" * 5000, "\ud800", "-0s"]
)
def test_duration_refuses_hostile_text(text: str) -> None:
    with pytest.raises(ValueError, match=r"^text"):
        correct("parse_duration")(text)


def test_slug_of_any_character_is_plain() -> None:
    slugify = correct("slugify")
    allowed = set("abcdefghijklmnopqrstuvwxyz0123456789-")
    for first in range(0, sys.maxunicode, 997):
        title = "".join(map(chr, range(first, min(first + 997, sys.maxunicode))))
        slug = slugify(title, 10_000)
        assert set(slug) <= allowed
        assert not slug.startswith("-")
        assert not slug.endswith("-")


def test_business_days_of_the_whole_calendar_are_counted_at_once() -> None:
    business_days = correct("business_days")
    assert business_days(date.min, date.max) == 2_608_614
    with pytest.raises(ValueError, match=r"^end"):
        business_days(date.max, date.min)
    start = date(2023, 12, 30)
    for length in range(40):
        days = [start + timedelta(days=n) for n in range(length)]
        assert business_days(start, start + timedelta(days=length)) == sum(
            day.weekday() < 5 for day in days
        )


def test_zero_negative_and_huge_sizes() -> None:
    chunk, paginate, truncate = correct("chunk"), correct("paginate"), correct("truncate")
    for size in (0, -1, -(10**5000)):
        for call in (lambda n: chunk("abc", n), lambda n: paginate("abc", 1, n)):
            with pytest.raises(ValueError, match=r"^size"):
                call(size)
    with pytest.raises(ValueError, match=r"^width"):
        truncate("abc", -(10**5000))
    assert chunk("abc", 10**5000) == [["a", "b", "c"]]
    assert paginate("abc", 10**5000, 10**5000)["items"] == []
    assert truncate("abc", 10**5000) == "abc"


def test_percent_change_of_hostile_numbers() -> None:
    percent_change = correct("percent_change")
    for wrong in (math.nan, math.inf, -math.inf):
        for pair in ((wrong, 1), (1, wrong), (0, wrong), (wrong, wrong)):
            with pytest.raises(ValueError, match=r"^(old|new)"):
                percent_change(*pair)
    assert percent_change(10**5000, 3 * 10**5000) == 200.0
    assert percent_change(-1e308, 1e308) == 200.0
    with pytest.raises(OverflowError):
        percent_change(1, 10**5000)


def test_intervals_that_end_before_they_start_or_hold_a_nan() -> None:
    merge_intervals = correct("merge_intervals")
    for interval in ((2, 1), (math.nan, 1), (1, math.nan), (10**5000, 1)):
        with pytest.raises(ValueError, match=r"^intervals"):
            merge_intervals(iter([(0, 1), interval]))
    assert merge_intervals([(-math.inf, 0), (0, math.inf)]) == [(-math.inf, math.inf)]


def test_search_and_leap_years_at_hostile_sizes() -> None:
    find_first, count_leap_years = correct("find_first"), correct("count_leap_years")
    assert find_first(range(10**18), 10**18 - 1) == 10**18 - 1
    assert find_first([1, math.nan], math.nan) == -1
    assert count_leap_years(10**5000, -(10**5000)) == 0
    assert count_leap_years(1, 400 * 10**4999) == 97 * 10**4999
