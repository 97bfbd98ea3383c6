"""How far a run is: a live display on a terminal, else a line a minute. On standard error."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from cluster.board import Board

LINE_EVERY_S = 60.0
FRAMES_PER_S = 4


@contextlib.contextmanager
def shown(board: Board, enabled: bool = True, console: Console | None = None) -> Iterator[None]:
    """Show a board for the time of a `with` block inside a running event loop."""
    console = console or Console(stderr=True)
    if not enabled:
        yield
    elif console.is_terminal:
        with Live(
            get_renderable=lambda: render(board),
            console=console,
            refresh_per_second=FRAMES_PER_S,
            transient=True,
        ):
            yield
    else:
        lines = asyncio.ensure_future(_lines(board, console))
        try:
            yield
        finally:
            lines.cancel()


async def _lines(board: Board, console: Console) -> None:
    while True:
        await asyncio.sleep(LINE_EVERY_S)
        console.print(line(board), highlight=False, soft_wrap=True)


def line(board: Board) -> str:
    """The whole state in one line."""
    parts = [
        f"{board.cells_done}/{board.cells} cells",
        f"{board.rows_done:,}/{board.rows:,} mutants",
        f"{board.rate:.1f}/s",
        f"{duration(board.left_s)} left",
        f"{board.nodes} node{'s' * (board.nodes != 1)}, {board.cpus} CPUs",
    ]
    parts += calls(board)
    if trouble(board):
        parts.append(trouble(board))
    return f"[{duration(board.elapsed_s)}] {', '.join(parts)}"


def render(board: Board) -> RenderableType:
    """The same as a display: two bars and a line."""
    table = Table.grid(padding=(0, 1))
    for name, done, total in (
        ("cells", board.cells_done + board.cells_missing, board.cells),
        ("mutants", board.rows_done, board.rows),
    ):
        bar = ProgressBar(total=max(total, 1), completed=done, width=40)
        table.add_row(name, bar, f"{done:,}/{total:,}")
    rest = [
        f"{board.rate:.1f} mutants/s",
        f"{duration(board.left_s)} left",
        f"{board.nodes} node{'s' * (board.nodes != 1)}, {board.cpus} CPUs",
        f"{duration(board.elapsed_s)} so far",
    ]
    shown_lines: list[RenderableType] = [table, Text(", ".join(rest))]
    if asked := calls(board):
        shown_lines.append(Text(", ".join(asked)))
    if trouble(board):
        text = f"{trouble(board)}: {board.note}"
        shown_lines.append(Text(text, style="yellow", overflow="ellipsis", no_wrap=True))
    return Group(*shown_lines)


def calls(board: Board) -> list[str]:
    """Model calls and what they cost; nothing where there are none."""
    if not board.calls and not board.spent_usd:
        return []
    rate = 60 * board.calls / board.elapsed_s if board.elapsed_s > 0 else 0.0
    unpriced = f" ({board.unpriced} of unknown cost)" if board.unpriced else ""
    unusable = f", {board.calls_unusable} unusable" if board.calls_unusable else ""
    return [
        f"{board.calls:,} calls ({board.calls_open} open{unusable}, {rate:.0f}/min)",
        f"${board.spent_usd:.2f} spent{unpriced}",
    ]


def trouble(board: Board) -> str:
    """What went wrong so far, in counts; empty where nothing did."""
    counts = [
        (board.failed, "failed attempts"),
        (board.cells_missing, "cells missing"),
        (board.cells_unpaid, "cells beyond the budget"),
    ]
    said = [f"{count} {noun}" for count, noun in counts if count]
    return ", ".join([*said, *filter(None, [board.store_trouble])])


def duration(seconds: float | None) -> str:
    """Seconds as h:mm:ss or m:ss; a dash when they are not known."""
    if seconds is None:
        return "-"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
