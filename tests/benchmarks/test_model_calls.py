"""The benchmark of model calls finds what is lost, done twice or altered."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.model_calls import Account, Load, make_calls, table
from tasks.model_records import Receipt
from tests.fake_provider import running

LOAD = Load(calls=40, concurrency=8, faults=0.2, delay_s=0.0)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Account, list[Receipt], str]:
    folder: Path = tmp_path_factory.mktemp("calls")
    with running(LOAD.script(), folder) as server:
        last, measured = asyncio.run(make_calls(server, LOAD, folder / "kept.jsonl"))
    account = Account.read(folder / "kept.jsonl", server)
    return account, last, table(LOAD, account, last, measured)


def test_nothing_is_lost_and_faults_were_played(
    done: tuple[Account, list[Receipt], str],
) -> None:
    account, last, text = done
    assert account.differences(LOAD, last) == []
    assert len(account.asked) > LOAD.calls
    assert "40 stop" in text


def changed(account: Account, what: str, entries: list[dict[str, Any]]) -> Account:
    parts = {"intents": account.intents, "receipts": account.receipts, "asked": account.asked}
    return Account(**{**parts, what: entries})  # type: ignore[arg-type]


def test_a_loss_is_found_on_either_side(done: tuple[Account, list[Receipt], str]) -> None:
    account, last, _ = done
    altered = [json.loads(json.dumps(each)) for each in account.receipts]
    altered[-1]["raw_sha256"] = "0" * 64
    for wrong in (
        changed(account, "receipts", account.receipts[1:]),
        changed(account, "receipts", [*account.receipts, account.receipts[0]]),
        changed(account, "receipts", altered),
        changed(account, "asked", account.asked[:-1]),
        changed(account, "asked", [*account.asked, account.asked[0]]),
    ):
        assert wrong.differences(LOAD, last)
    assert account.differences(LOAD, last[1:])
