from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cluster.ledger import Account, GaveUp, RetryPolicy, attempt
from cluster.ray_session import RaySession
from cluster.ray_tasks import remote
from configs.errors import SandboxError
from tests.cluster import work

QUICK = RetryPolicy(margin_s=0.0, grace_s=0.4, pause_s=0.01, queue_s=30.0)


def carry(account: Account, function: Callable[..., Any], *args: Any, **limits: Any) -> Any:
    task = remote(function)
    limit_s = limits.pop("limit_s", 30.0)
    policy = limits.pop("policy", QUICK)
    return asyncio.run(attempt(account, lambda: task.remote(*args), limit_s, policy))


def alive(pid: int) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False


def gone(pid: int) -> bool:
    """Whether it ends within some seconds."""
    until = time.monotonic() + 10
    while alive(pid) and time.monotonic() < until:
        time.sleep(0.05)
    return not alive(pid)


@pytest.mark.parametrize("kind", ["exit", "infra", "memory", "bug"])
def test_work_that_fails_once_is_done_at_the_second_attempt(
    kind: str, tmp_path: Path, local_ray: RaySession
) -> None:
    account = Account("validate")
    assert carry(account, work.trouble_then_answer, kind, 1, tmp_path / "m") == 42
    assert account.begun == 2
    trouble = {"exit": "lost"}.get(kind, kind)
    assert [event.kind for event in account.events] == [f"attempt_{trouble}"]
    assert account.events[0].detail.startswith("validate, attempt 1: ")


@pytest.mark.parametrize(
    ("kind", "most"), [("infra", 3), ("disk full", 3), ("exit", 6), ("bug", 2)]
)
def test_attempts_have_an_end_and_the_reason_is_kept(
    kind: str, most: int, tmp_path: Path, local_ray: RaySession
) -> None:
    account = Account("shard 1/4")
    with pytest.raises(GaveUp) as given_up:
        carry(account, work.trouble_then_answer, kind, 99, tmp_path / "m")
    assert given_up.value.attempts == account.begun == most
    assert (tmp_path / "m").stat().st_size == most
    words = {
        "infra": "host went away",
        "disk full": "No space left",
        "exit": "WorkerCrashedError",
        "bug": "a bug of ours",
    }
    assert words[kind] in given_up.value.reason
    assert "\n" not in given_up.value.reason


def test_memory_trouble_has_a_budget_of_its_own(tmp_path: Path, local_ray: RaySession) -> None:
    account = Account("validate")
    account.ended["infra"] = 2
    policy = RetryPolicy(infra=3, memory=2, pause_s=0.01)
    with pytest.raises(GaveUp):
        carry(account, work.trouble_then_answer, "memory", 99, tmp_path / "m", policy=policy)
    assert account.ended == {"infra": 2, "memory": 2}


def test_a_worker_without_a_sandbox_ends_the_run_and_names_the_node(
    tmp_path: Path, local_ray: RaySession
) -> None:
    with pytest.raises(SandboxError, match="node here: no user namespaces"):
        carry(Account("validate"), work.trouble_then_answer, "sandbox", 1, tmp_path / "m")


def test_what_cannot_be_had_is_said_without_a_trace(tmp_path: Path, local_ray: RaySession) -> None:
    with pytest.raises(GaveUp) as given_up:
        carry(Account("validate"), work.trouble_then_answer, "missing package", 9, tmp_path / "m")
    assert given_up.value.reason == "package nowhere==1 cannot be had on here"


@pytest.mark.parametrize("stubborn", [False, True])
def test_work_past_its_deadline_is_cancelled_and_its_answer_discarded(
    stubborn: bool, tmp_path: Path, local_ray: RaySession
) -> None:
    account = Account("shard 1/4")
    policy = RetryPolicy(infra=1, margin_s=0.0, grace_s=0.5)
    with pytest.raises(GaveUp, match="not done within 1 s on here"):
        carry(
            account, work.sleep_with_child, 60.0, stubborn, tmp_path / "m", limit_s=1, policy=policy
        )
    assert account.ended == {"infra": 1}


def test_a_worker_that_is_forced_to_end_leaves_no_child(
    tmp_path: Path, local_ray: RaySession
) -> None:
    policy = RetryPolicy(infra=1, margin_s=0.0, grace_s=0.5)
    with pytest.raises(GaveUp):
        carry(
            Account("x"),
            work.sleep_with_child,
            60.0,
            True,
            tmp_path / "m",
            limit_s=1,
            policy=policy,
        )
    assert gone(int((tmp_path / "m").read_text()))


def test_waiting_for_a_free_cpu_counts_against_nobody(
    tmp_path: Path, local_ray: RaySession
) -> None:
    async def crowded() -> tuple[Account, Any]:
        hold, answer = remote(work.hold_cpu), remote(work.trouble_then_answer)
        patient = [
            asyncio.ensure_future(
                attempt(Account("x"), lambda: hold.remote(30, tmp_path / "go"), 30, QUICK)
            )
            for _ in range(2)
        ]
        await asyncio.sleep(0.5)
        account = Account("late")
        policy = RetryPolicy(infra=1, queue_s=0.3, grace_s=0.1, pause_s=0.01)
        late = asyncio.ensure_future(
            attempt(account, lambda: answer.remote("infra", 0, tmp_path / "m"), 5, policy)
        )
        await asyncio.sleep(1.5)
        (tmp_path / "go").touch()
        await asyncio.gather(*patient)
        return account, await late

    account, result = asyncio.run(crowded())
    assert result == 42
    assert account.ended["queue"] >= 2
    assert account.ended["infra"] == 0


def test_an_attempt_that_is_called_off_ends_its_task(tmp_path: Path, local_ray: RaySession) -> None:
    async def called_off() -> int:
        task = remote(work.sleep_with_child)
        attempt_ = asyncio.ensure_future(
            attempt(Account("x"), lambda: task.remote(60.0, True, tmp_path / "m"), 60, QUICK)
        )
        while not (tmp_path / "m").exists():
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.1)
        attempt_.cancel()
        with pytest.raises(asyncio.CancelledError):
            await attempt_
        return int((tmp_path / "m").read_text())

    assert gone(asyncio.run(called_off()))
