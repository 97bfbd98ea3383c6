from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from cluster import batches
from cluster.batches import Batch, UnitWriter, due
from cluster.resume import Resume
from configs.errors import InfraError
from storage.claims import claim
from storage.objects import LocalStore
from storage.rows import event_rows
from storage.units import Index, read_index
from tasks.results import Event

ID = "made-12345678"


def events(count: int) -> dict[str, Any]:
    return {"events": event_rows(ID, [Event(1.0, "k", "d")] * count)}


def writer_at(folder: Path) -> tuple[UnitWriter, LocalStore, Resume]:
    store, resume = LocalStore(folder), Resume(Index())
    return UnitWriter(store, ID, resume), store, resume


@pytest.mark.parametrize(
    ("age", "run", "rows", "expected"),
    [
        (9.9, 100, 10_000, False),
        (10.0, 100, 1, True),
        (10.0, 5_000, 5_000, True),
        (49.0, 5_000, 4_999, False),
        (50.0, 5_000, 1, True),
        (119.0, 100_000, 1, False),
        (120.0, 100_000, 1, True),
        (0.1, 100, 200_000, True),
    ],
)
def test_a_unit_is_committed_by_age_and_rows(
    age: float, run: float, rows: int, expected: bool
) -> None:
    batch = Batch(rows=rows, began=1_000_000.0)
    assert due(batch, 1_000_000.0 + age, 1_000_000.0 + age - run) is expected


def test_an_empty_batch_is_never_due() -> None:
    assert not due(Batch(), 1e9, 0.0)


def test_work_is_done_only_once_it_is_stored(tmp_path: Path) -> None:
    async def run() -> None:
        writer, store, resume = writer_at(tmp_path)
        await writer.add(events(2), ["cell:a"], {"cell:a": {"tally": {}}})
        assert not resume.done("cell:a")
        assert read_index(store, ID).done == frozenset()
        await writer.durable()
        assert resume.done("cell:a")
        assert read_index(store, ID).done == {"cell:a"}

    asyncio.run(run())


def test_work_that_waits_to_be_durable_shares_a_unit(tmp_path: Path) -> None:
    async def run() -> int:
        writer, store, _ = writer_at(tmp_path)

        async def one(name: str) -> None:
            await writer.add(events(1), [f"cell:{name}:validated"])
            await writer.durable()
            assert f"cell:{name}:validated" in read_index(store, ID).done

        await asyncio.gather(*[one(str(n)) for n in range(50)])
        return len(read_index(store, ID).units)

    assert asyncio.run(run()) <= 2


def test_a_unit_that_is_old_enough_is_stored_while_others_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "MIN_AGE_S", 0.1)

    async def run() -> frozenset[str]:
        writer, store, _ = writer_at(tmp_path)
        serving = asyncio.ensure_future(writer.serve())
        await writer.add(events(1), ["cell:a"])
        await asyncio.sleep(0.6)
        serving.cancel()
        return read_index(store, ID).done

    assert asyncio.run(run()) == {"cell:a"}


def test_a_store_that_cannot_be_written_to_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "MIN_AGE_S", 0.01)
    monkeypatch.setattr(batches, "PAUSE_S", 0.01)
    monkeypatch.setattr(batches, "PATIENCE_S", 0.05)
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")

    async def run() -> None:
        writer, _, _ = writer_at(blocked)
        await writer.add(events(1), ["cell:a"])
        await writer.serve()

    with pytest.raises(InfraError, match="file"):
        asyncio.run(run())


def test_a_slow_store_slows_the_cells_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "MAX_ROWS", 10)
    monkeypatch.setattr(batches, "LOOK_EVERY_S", 0.01)
    commit = batches.commit_unit

    def slow(*args: Any) -> str | None:
        time.sleep(0.3)
        return commit(*args)

    monkeypatch.setattr(batches, "commit_unit", slow)

    async def run() -> tuple[float, int]:
        writer, store, _ = writer_at(tmp_path)
        serving = asyncio.ensure_future(writer.serve())
        began = time.monotonic()
        for n in range(30):
            await writer.add(events(10), [f"cell:{n}"])
        took = time.monotonic() - began
        serving.cancel()
        await writer.flush()
        return took, len(read_index(store, ID).done)

    took, done = asyncio.run(run())
    assert done == 30
    assert took > 1.0


def test_a_stop_in_mid_commit_waits_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = batches.commit_unit

    def slow(*args: Any) -> str | None:
        time.sleep(0.3)
        return commit(*args)

    monkeypatch.setattr(batches, "commit_unit", slow)

    async def run() -> tuple[bool, int]:
        writer, store, resume = writer_at(tmp_path)
        await writer.add(events(1), ["cell:a"])
        flushing = asyncio.ensure_future(writer.flush())
        await asyncio.sleep(0.1)
        flushing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await flushing
        await writer.flush()
        return resume.done("cell:a"), len(read_index(store, ID).units)

    assert asyncio.run(run()) == (True, 1)


class Gone(LocalStore):
    """A store that is gone for its first `times` puts."""

    times = 3

    def put_if_absent(self, key: str, data: bytes) -> bool:
        if self.times:
            self.times -= 1
            raise InfraError("no answer")
        return super().put_if_absent(key, data)


def test_a_store_that_comes_back_has_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "PAUSE_S", 0.01)

    async def run() -> None:
        store, resume = Gone(tmp_path), Resume(Index())
        writer = UnitWriter(store, ID, resume)
        await writer.add(events(1), ["cell:a"])
        await writer.durable()
        assert read_index(store, ID).done == {"cell:a"}
        assert writer.trouble == ""

    asyncio.run(run())


def test_a_run_that_ends_does_not_wait_for_a_store_that_is_gone(tmp_path: Path) -> None:
    async def run() -> None:
        store = Gone(tmp_path)
        store.times = 1000
        writer = UnitWriter(store, ID, Resume(Index()))
        await writer.add(events(1), ["cell:a"])
        writer.hurry()
        with pytest.raises(InfraError, match="no answer"):
            await asyncio.wait_for(writer.flush(), 5)

    asyncio.run(run())


def test_a_driver_that_was_replaced_stores_nothing_more(tmp_path: Path) -> None:
    async def run() -> None:
        store, resume = LocalStore(tmp_path), Resume(Index())
        first = UnitWriter(store, ID, resume, claim(store, ID))
        await first.add(events(1), ["cell:a"])
        await first.flush()
        second = UnitWriter(store, ID, resume, claim(store, ID))
        await first.add(events(1), ["cell:b"])
        for _ in range(2):
            with pytest.raises(InfraError, match="took the experiment over"):
                await first.durable()
        await second.add(events(1), ["cell:c"])
        await second.flush()
        assert read_index(store, ID).done == {"cell:a", "cell:c"}

    asyncio.run(run())
