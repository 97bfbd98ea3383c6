"""The done keys: names of work that is stored, under which index entries hold their facts.

Names of arms, subjects and environments hold no colon.
"""

from __future__ import annotations


def subject_key(subject_id: str) -> str:
    return f"subject:{subject_id}"


def mutants_key(subject_id: str) -> str:
    return f"mutants:{subject_id}"


def cell_key(cell_id: str) -> str:
    """Done when the cell and all of its rows are stored."""
    return f"cell:{cell_id}"


def matrix_key(cell_id: str, environment: str) -> str:
    """Done when a suite's rows in one environment are all stored; a fact says how it went."""
    return f"matrix:{cell_id}:{environment}"


def validated_key(cell_id: str, environment: str) -> str:
    """Done when a suite is validated and its shards are laid out; a fact holds both."""
    return f"{matrix_key(cell_id, environment)}:validated"


def shard_key(cell_id: str, environment: str, number: int, shards: int) -> str:
    """Done when the rows of one shard are stored; numbers count from 1."""
    return f"{matrix_key(cell_id, environment)}:shard:{number}/{shards}"


def generated_key(cell_id: str) -> str:
    """Done when a generator has written a cell's suite; a fact holds what it wrote."""
    return f"generated:{cell_id}"


def candidate_key(cell_id: str, draw: int, round: int) -> str:
    """Done when a suite that may yet be replaced is validated; a fact holds the validation."""
    return f"candidate:{cell_id}:{draw}.{round}"


def round_key(cell_id: str, round: int) -> str:
    """Done when a repair round of a cell is stored."""
    return f"round:{cell_id}:{round}"


def begun_key(call_id: str, attempt: int) -> str:
    """Done before an attempt of a model call leaves; a fact says what was asked."""
    return f"call:{call_id}:{attempt}:begun"


def receipt_key(call_id: str, attempt: int) -> str:
    """Done when it is known what came of an attempt; a fact holds what a later run wants."""
    return f"call:{call_id}:{attempt}:receipt"


def committed_key(at: str) -> str:
    """A fact that holds nothing: its name says when its unit was committed."""
    return f"committed:{at}"


def missing_key(cell_id: str) -> str:
    """Not work done, but the fact under it says why the cell was given up."""
    return f"cell:{cell_id}:missing"
