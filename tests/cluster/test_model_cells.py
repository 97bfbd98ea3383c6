"""Cells whose suites models write: a real server, a real Ray, a stand-in for the engine."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from cluster.ray_session import RaySession
from configs.errors import ConfigError
from tests.cluster.asked import ask, asking_plan, fenced
from tests.cluster.plans import Stored
from tests.fake_provider import Script, running

GOOD = {"default": {"reply": {"text": fenced(tests=2)}}}


def stored(store: Path) -> Stored:
    return Stored(store, asking_plan("http://127.0.0.1:1"))


def test_a_reply_becomes_a_suite_that_is_measured_and_paid_for(
    tmp_path: Path, local_ray: RaySession
) -> None:
    asked, board, resume = ask(GOOD, tmp_path, subjects=2, replicates=2)
    found = stored(tmp_path)
    assert len(asked) == 4
    assert board.cells_done == 4
    calls = found.rows("calls")
    assert [(call["verdict"], call["attempt"]) for call in calls] == [("stop", 1)] * 4
    assert len({call["call_id"] for call in calls}) == 4
    suites = found.rows("suites")
    assert {(suite["origin"], suite["model"], suite["condition"]) for suite in suites} == {
        ("model", "fake/m", "spec_only")
    }
    assert {suite["prompt_sha256"] for suite in suites} == {call["prompt_sha256"] for call in calls}
    costs = {row["cell_id"]: row["cost_usd"] for row in found.rows("cells")}
    assert costs == {call["cell_id"]: call["cost_usd"] for call in calls}
    assert board.spent_usd == pytest.approx(sum(costs.values()))
    assert len(found.rows("executions")) == 4 * 4 * 2
    assert resume.calls.unreceipted() == []


@pytest.mark.parametrize(
    ("doing", "reason"),
    [
        ("length", "length"),
        ("stop_at_cap", "length"),
        ("refusal", "refused"),
        ("empty", "empty"),
        ("no_usage", "unknown"),
        ("odd_finish", "unknown"),
        ("reasoning_only", "length"),
        ("cut_below", "unclosed_fence"),
    ],
)
def test_a_reply_that_may_not_be_used_is_no_suite_and_is_never_asked_for_again(
    doing: str, reason: str, tmp_path: Path, local_ray: RaySession
) -> None:
    script = {"default": {"do": doing, "reply": {"text": fenced(tests=2)}}}
    asked, board, _ = ask(script, tmp_path, [{}, {}])
    found = stored(tmp_path)
    (cell,) = found.rows("cells")
    assert (cell["status"], cell["verdict"], cell["reason"]) == ("done", "no_suite", reason)
    assert cell["suite_id"] == ""
    assert len(asked) == len(found.rows("calls")) == 1
    assert found.rows("suites") == found.rows("executions") == []
    assert board.cells_done == 1


def test_a_complete_reply_without_code_is_no_suite(tmp_path: Path, local_ray: RaySession) -> None:
    ask({"default": {"reply": {"text": "I would rather not say."}}}, tmp_path)
    (cell,) = stored(tmp_path).rows("cells")
    assert (cell["status"], cell["verdict"], cell["reason"]) == ("done", "no_suite", "no_code")


def test_a_provider_that_fails_makes_a_cell_missing_that_the_next_run_asks_for(
    tmp_path: Path, local_ray: RaySession
) -> None:
    script = {"rules": [{"nth": [1, 2], "do": "error_500"}], **GOOD}
    asked, board, resume = ask(script, tmp_path / "once")
    assert len(asked) == 2
    assert board.cells_missing == 1
    assert list(resume.missing()) == ["s0/a/0"]
    asked, board, resume = ask(script, tmp_path / "twice", [{}, {}])
    assert len(asked) == 3
    assert resume.missing() == {}
    calls = stored(tmp_path / "twice").rows("calls")
    assert sorted((call["attempt"], call["verdict"]) for call in calls) == [
        (1, "error"),
        (2, "error"),
        (3, "stop"),
    ]


def test_a_budget_stops_new_calls_and_a_larger_one_goes_on(
    tmp_path: Path, local_ray: RaySession
) -> None:
    """Each call may cost what its cap allows, over 0.001 dollars, and costs far less."""
    small, large = {"calls": {"budget_usd": 0.0015}}, {"calls": {"budget_usd": 1.0}}
    asked, board, resume = ask(GOOD, tmp_path, [small], subjects=30)
    assert 0 < len(asked) < 30
    assert board.cells_unpaid == 30 - len(asked)
    assert board.spent_usd <= 0.0015
    assert resume.missing() == {}
    again, board, _ = ask(GOOD, tmp_path, [large], subjects=30)
    assert len(asked) + len(again) == 30
    assert board.cells_done == 30


@pytest.mark.parametrize(
    ("replies", "draws", "chosen"),
    [
        ([fenced(tests=2)], 1, 0),
        ([fenced(tests=3, wrong=1), fenced(tests=2)], 2, 1),
        (["no code", fenced(tests=2)], 2, 1),
        ([fenced(tests=3, wrong=1), fenced(tests=2, wrong=1), "no code"], 3, 0),
        (["no code", "no code", fenced(tests=2, wrong=1)], 3, 2),
    ],
)
def test_the_first_draw_that_passes_counts_else_the_first_with_a_suite(
    replies: list[str], draws: int, chosen: int, tmp_path: Path, local_ray: RaySession
) -> None:
    rules = [{"nth": [n + 1], "reply": {"text": text}} for n, text in enumerate(replies)]
    asked, _, _ = ask({"rules": rules}, tmp_path, [{}, {}], writer={"best_of": 3})
    found = stored(tmp_path)
    assert len(asked) == len(found.rows("calls")) == draws
    assert sorted(call["draw"] for call in found.rows("calls")) == list(range(draws))
    (cell,) = found.rows("cells")
    suites = {suite["suite_id"]: suite["draw"] for suite in found.rows("suites")}
    assert suites[cell["suite_id"]] == chosen
    assert len(suites) == sum("python" in reply for reply in replies)
    assert {row["suite_id"] for row in found.rows("executions")} == {cell["suite_id"]}


def test_draws_of_a_cell_are_sent_seeds_of_their_own(tmp_path: Path, local_ray: RaySession) -> None:
    script = {"default": {"reply": {"text": fenced(tests=2, wrong=1)}}}
    ask(script, tmp_path, writer={"best_of": 3}, replicates=2)
    sent = [call["parameters"] for call in stored(tmp_path).rows("calls")]
    assert len(set(sent)) == len(sent) == 6


MENDED = "DECISION: fix tests\n\n" + fenced(tests=2)
REPAIRS = {
    "fixed_tests": (MENDED, 1, "1 tests failed on the correct code before, 0 after"),
    "asks_code_change": ("DECISION: change code\n\nThe code is wrong.", 0, ""),
    "no_decision": (fenced(tests=2), 1, "1 tests failed on the correct code before, 0 after"),
}


@pytest.mark.parametrize("decision", list(REPAIRS))
def test_a_repair_is_asked_with_the_failures_and_its_decision_is_kept(
    decision: str, tmp_path: Path, local_ray: RaySession
) -> None:
    reply, round, note = REPAIRS[decision]
    wrong = fenced(tests=3, wrong=1)
    rules = [
        {"prompt": "DECISION", "reply": {"text": reply}},
        {"nth": [1], "reply": {"text": wrong}},
    ]
    asked, _, _ = ask({"rules": rules}, tmp_path, [{}, {}], writer={"repair": 2})
    found = stored(tmp_path)
    assert len(asked) == 2
    repair = next(call for call in found.rows("calls") if call["round"] == 1)
    assert repair["role"] == "repair"
    assert "assert 1 == 2" in repair["prompt"]
    (kept,) = found.rows("rounds")
    assert (kept["status"], kept["note"]) == (decision, note)
    (cell,) = found.rows("cells")
    suites = {suite["suite_id"]: suite["round"] for suite in found.rows("suites")}
    assert suites[cell["suite_id"]] == round
    assert (kept["suite_id"] == cell["suite_id"]) == (round == 1)


def test_a_suite_that_passes_is_not_repaired(tmp_path: Path, local_ray: RaySession) -> None:
    asked, _, _ = ask(GOOD, tmp_path, writer={"repair": 2})
    assert len(asked) == 1
    assert stored(tmp_path).rows("rounds") == []


def test_a_model_without_a_price_is_refused_before_any_call(tmp_path: Path) -> None:
    from cluster.estimates import check_prices

    plan = asking_plan("http://127.0.0.1:1", prices=None)
    with pytest.raises(ConfigError, match="model fake/m: "):
        check_prices(plan)
    check_prices(asking_plan("http://127.0.0.1:1"))


def test_a_run_that_is_stopped_waits_for_calls_on_their_way_and_begins_no_other(
    tmp_path: Path, local_ray: RaySession
) -> None:
    script = {"default": {"delay_s": 0.5, "reply": {"text": fenced(tests=2)}}}
    asked, board, resume = ask(script, tmp_path, [{}, {}], subjects=20, stop_after=3)
    calls = stored(tmp_path).rows("calls")
    assert {call["verdict"] for call in calls} == {"stop"}
    assert len(asked) == len(calls) == 20
    assert resume.calls.unreceipted() == []
    assert board.cells_done == 20
    # Eight at once: the first run had those on their way, the second all others.
    first = sorted(call["started_at"] for call in calls)[:9]
    assert (first[8] - first[7]).total_seconds() > 0.4


def test_a_call_cut_off_with_its_driver_is_unreceipted_and_asked_again_only_on_demand(
    tmp_path: Path, local_ray: RaySession
) -> None:
    store = tmp_path / "store"
    with running(Script.model_validate({"default": {"do": "hang"}}), tmp_path) as server:
        command = [sys.executable, "-m", "tests.cluster.cut_off", server.base_url, str(store)]
        with subprocess.Popen(command) as driver:
            until = time.monotonic() + 60
            while not server.lines() and time.monotonic() < until:
                time.sleep(0.05)
            driver.kill()
        assert len(server.lines()) == 1
    asked, board, resume = ask(GOOD, store)
    assert asked == []
    assert board.cells_missing == 1
    assert "may have been billed" in resume.missing()["s0/a/0"]
    (call,) = stored(store).rows("calls")
    assert (call["verdict"], call["cost_usd"], call["model"]) == ("unreceipted", None, "m")
    asked, board, resume = ask(GOOD, store, ask_lost=True)
    assert len(asked) == 1
    assert board.cells_done == 1
    found = [(call["attempt"], call["verdict"]) for call in stored(store).rows("calls")]
    assert sorted(found) == [(1, "unreceipted"), (2, "stop")]
