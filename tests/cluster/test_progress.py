from __future__ import annotations

import asyncio
import io
import time

import pytest
from rich.console import Console

from cluster import progress
from cluster.board import Board
from cluster.progress import duration, line, render, shown


def half_way() -> Board:
    board = Board(cells=10, rows=1_000, nodes=2, cpus=8, started=time.monotonic() - 100)
    board.cells_done, board.rows_done, board.rows_begun_with = 5, 600, 100
    return board


def test_the_rate_and_the_time_left_count_this_runs_work_only() -> None:
    board = half_way()
    assert board.rate == pytest.approx(5.0, rel=0.01)
    assert board.left_s == pytest.approx(80.0, rel=0.01)
    assert Board(cells=1, rows=5).left_s is None


def test_a_line_says_it_all() -> None:
    text = line(half_way())
    assert text.startswith("[1:40] 5/10 cells, 600/1,000 mutants, 5.0/s, 1:")
    assert text.endswith("left, 2 nodes, 8 CPUs")


def test_failures_are_shown_once_there_are_any() -> None:
    board = half_way()
    board.failed, board.cells_missing, board.note = 3, 1, "s/a/0: node lost"
    assert "3 failed attempts, 1 cells missing" in line(board)
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    console.print(render(board))
    assert "node lost" in console.file.getvalue()


def test_off_a_terminal_there_are_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "LINE_EVERY_S", 0.05)
    console = Console(file=io.StringIO(), force_terminal=False, width=20)

    async def run() -> None:
        with shown(half_way(), console=console):
            await asyncio.sleep(0.3)

    asyncio.run(run())
    lines = console.file.getvalue().splitlines()
    assert len(lines) >= 2
    assert all(each.startswith("[1:40] 5/10 cells") and "\x1b" not in each for each in lines)


def test_on_a_terminal_there_is_a_display_that_goes_when_it_is_over() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=100)

    async def run() -> None:
        with shown(half_way(), console=console):
            await asyncio.sleep(0.1)

    asyncio.run(run())
    text = console.file.getvalue()
    assert "600/1,000" in text
    assert text.endswith("\x1b[2K") or "\x1b[1A" in text


def test_quiet_is_quiet() -> None:
    console = Console(file=io.StringIO(), force_terminal=True)

    async def run() -> None:
        with shown(half_way(), enabled=False, console=console):
            await asyncio.sleep(0.05)

    asyncio.run(run())
    assert console.file.getvalue() == ""


@pytest.mark.parametrize(
    ("seconds", "text"), [(None, "-"), (0, "0:00"), (59.9, "0:59"), (3_661, "1:01:01")]
)
def test_durations_read_as_a_clock_shows_them(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text
