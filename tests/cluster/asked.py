"""Plans whose suites are written by models of a scripted server, and runs of them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cluster.board import Board
from cluster.conduct import conduct
from cluster.options import RunOptions
from cluster.plan import Cell, Plan
from cluster.resume import Resume
from cluster.stopping import Stopping
from configs.arms import expand_arms
from configs.errors import Interrupted
from configs.loading import make_config
from storage.objects import open_store
from storage.units import Index, read_index
from tasks.model_records import Message
from tasks.records import ExecutionSettings
from tests.cluster import work
from tests.cluster.plans import QUICK, subject_of
from tests.fake_provider import FakeProvider, Script

PRICES = {"input_mtok": 1.0, "output_mtok": 2.0}


def fenced(**told: Any) -> str:
    """A reply whose suite tells `work.measure` what to do."""
    return f"Here it is.\n\n```python\n{json.dumps(told)}\n```\n"


def asking_plan(
    base_url: str,
    *,
    subjects: int = 1,
    replicates: int = 1,
    writer: dict[str, Any] | None = None,
    calls: dict[str, Any] | None = None,
    prices: dict[str, Any] | None = PRICES,
) -> Plan:
    """One arm of one model, some subjects and replicates; the prompt names the cell's subject."""
    given = {"model": "fake/m", "prompt": "spec_only", "max_output_tokens": 500} | (writer or {})
    config = make_config(
        {
            "experiment": "asked",
            "subjects": [{"problems": "green_tests"}],
            "mutants": [{"engine": "mutmut"}],
            "models": [{"model": "fake/m", "prices": prices}],
            "providers": {"fake": {"wire": "chat", "base_url": f"{base_url}/v1"}},
            "arms": [{"name": "a", "writer": given}],
            "calls": {"attempts": 2, "deadline_s": 20.0} | (calls or {}),
        },
        Path(),
    )
    made = {f"s{n}": subject_of(f"s{n}") for n in range(subjects)}
    prompts = {name: (Message("user", f"Write for {name}."),) for name in made}
    cells = tuple(
        Cell(f"{name}/a/{n}", name, "a", n, None, prompts[name])
        for name in made
        for n in range(replicates)
    )
    arms = {arm.name: arm for arm in expand_arms(config)}
    return Plan("asked-12345678", config, Path(), arms, (ExecutionSettings(),), made, cells)


def ask(
    script: Script | dict[str, Any],
    store: Path,
    runs: Sequence[dict[str, Any]] = ({},),
    *,
    ask_lost: bool = False,
    stop_after: int = 0,
    **planned: Any,
) -> tuple[list[dict[str, Any]], Board, Resume]:
    """Run a plan as often as there are `runs`, each with its own part of the plan's settings.

    What the server was asked, and board and resume of the last run. With `stop_after` the first run
    gets the signal to stop when the server was asked so often.
    """

    async def go() -> tuple[list[dict[str, Any]], Board, Resume]:
        board, resume = Board(cells=0), Resume(Index())
        async with FakeProvider(script) as server:
            for number, part in enumerate(runs):
                plan = asking_plan(server.base_url, **planned | part)
                place = open_store(str(store))
                resume = Resume(read_index(place, plan.experiment_id))
                options = RunOptions(
                    progress=False, retry=QUICK, run_job=work.measure, ask_lost=ask_lost
                )
                signals = Stopping()
                after = 0 if number else stop_after
                stop = asyncio.ensure_future(_stop(signals, server, after))
                with contextlib.suppress(Interrupted):
                    board = await conduct(plan, place, resume, options, signals)
                stop.cancel()
            return [vars(each) for each in server.asked], board, resume

    return asyncio.run(go())


async def _stop(signals: Stopping, server: FakeProvider, after: int) -> None:
    while not after or len(server.asked) < after:
        await asyncio.sleep(0.01)
    signals._heard(signal.SIGTERM, None)
