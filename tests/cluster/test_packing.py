from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.packing import pack, unpack
from tasks.records import Mutant, SourceFile, Subject


def subject_of(source: bytes) -> Subject:
    return Subject("s", "s", "function", (SourceFile("a.py", source),), ("a.py",))


def mutant_of(source: bytes, path: str = "a.py") -> Mutant:
    return Mutant("m", "s", "edits", "1", "m", "op", "", path, 1, 0, "", source)


@given(original=st.binary(max_size=60), mutated=st.binary(max_size=60))
def test_any_mutant_arrives_as_it_was(original: bytes, mutated: bytes) -> None:
    subject = subject_of(original)
    mutants = (mutant_of(mutated),)
    assert unpack(subject, pack(subject, mutants)) == mutants


@given(original=st.binary(max_size=60), at=st.integers(0, 60), text=st.binary(max_size=3))
def test_a_repeated_or_removed_byte_arrives_as_it_was(
    original: bytes, at: int, text: bytes
) -> None:
    subject = subject_of(original)
    changed = (mutant_of(original[:at] + text + original[at:]), mutant_of(original[:at]))
    assert unpack(subject, pack(subject, changed)) == changed


def test_the_mutants_of_a_large_file_travel_without_it() -> None:
    original = b"x = 1\n" * 40_000
    subject = subject_of(original)
    mutants = [mutant_of(original[:n] + b"yy" + original[n + 1 :]) for n in range(0, 2000, 10)]
    packed = pack(subject, mutants)
    assert len(pickle.dumps(packed)) < len(original)
    assert all(len(each.middle) <= 2 for each in packed)


def test_a_mutant_of_a_file_that_is_not_there_is_refused() -> None:
    with pytest.raises(KeyError):
        pack(subject_of(b""), [mutant_of(b"", "b.py")])
