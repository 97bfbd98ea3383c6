"""A few tests of every common kind, which the host runs before it meets its first suite."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def three() -> int:
    return 3


@pytest.mark.parametrize("value", [1, 2, 3, 4])
def test_passes(value: int) -> None:
    assert value + 1 == 1 + value


@pytest.mark.parametrize("value", [1, 2])
def test_fails(value: int) -> None:
    assert value == 0


def test_raises() -> None:
    with pytest.raises(ValueError, match="no"):
        raise ValueError("no")


def test_fixture(three: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    print(three)
    assert capsys.readouterr().out == "3\n"
    assert pytest.approx(3.0) == three


def test_skips() -> None:
    pytest.skip("no")


class TestGroup:
    def test_method(self) -> None:
        assert sorted([2, 1]) == [1, 2]
