from __future__ import annotations

import os
import signal

import pytest

from cluster.stopping import stopping


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_interrupts_where_nothing_else_was_asked_for(
    number: signal.Signals,
) -> None:
    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt), stopping():
        os.kill(os.getpid(), number)
    assert signal.getsignal(number) is before


def test_the_first_signal_calls_what_was_asked_for() -> None:
    heard = []
    with stopping() as signals, signals.calling(lambda: heard.append("stop")):
        os.kill(os.getpid(), signal.SIGTERM)
    assert heard == ["stop"]


def test_a_signal_that_came_before_is_not_forgotten() -> None:
    heard = []
    with stopping() as signals:
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        with signals.calling(lambda: heard.append("stop")):
            pass
    assert heard == ["stop"]


def test_signals_taken_away_are_taken_back() -> None:
    with stopping() as signals:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signals.install()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)


def test_the_second_signal_ends_the_process() -> None:
    child = os.fork()
    if child == 0:
        try:
            with stopping() as signals, signals.calling(lambda: None):
                os.kill(os.getpid(), signal.SIGINT)
                os.kill(os.getpid(), signal.SIGINT)
        finally:
            os._exit(99)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 130
