"""The store's tables: one explicit, versioned Arrow schema each. No type is ever inferred.

Ids are short text, times are in seconds, instants are UTC without a zone, costs are US dollars.
`escaped` names the columns of a row whose text was escaped (see storage/text.py).
"""

from __future__ import annotations

import pyarrow as pa

SCHEMA_VERSION = 3

TEXT = pa.string()
# Repeated text: a code a row while rows wait in the driver's memory, and in the Parquet file.
CODE = pa.dictionary(pa.int32(), pa.string())
TEXTS = pa.list_(pa.string())
FLAG = pa.bool_()
COUNT = pa.int32()
LARGE = pa.int64()
REAL = pa.float64()
# Durations of single runs: 24 bits are finer than the clock, and half the bytes of a large table.
SECONDS = pa.float32()
INSTANT = pa.timestamp("us")

COLUMNS: dict[str, dict[str, pa.DataType]] = {
    "subjects": {
        "experiment_id": CODE,
        "subject_id": TEXT,
        "name": TEXT,
        "kind": CODE,
        "family": CODE,
        "split": CODE,
        "module": TEXT,
        "targets": TEXTS,
        "tree_sha256": TEXT,
        "source_sha256": TEXT,
        "mutant_set_sha256": TEXT,
        "environment_id": CODE,
        "docstring": TEXT,
        "licence": CODE,
        "escaped": CODE,
    },
    "mutants": {
        "experiment_id": CODE,
        "subject_id": CODE,
        "mutant_id": TEXT,
        "ordinal": COUNT,
        "engine": CODE,
        "engine_version": CODE,
        "name": TEXT,
        "operator": CODE,
        "category": CODE,
        "path": CODE,
        "line": COUNT,
        "column": COUNT,
        "diff": TEXT,
        "source_sha256": TEXT,
        "status": CODE,
        "planted": FLAG,
        "escaped": CODE,
    },
    "cells": {
        "experiment_id": CODE,
        "cell_id": TEXT,
        "subject_id": CODE,
        "arm": CODE,
        "replicate": COUNT,
        "suite_id": TEXT,
        "status": CODE,
        "verdict": CODE,
        "attempts": COUNT,
        "reason": TEXT,
        "seed_sha256": TEXT,
        "cost_usd": REAL,
        "cpu_s": REAL,
        "wall_s": REAL,
        "escaped": CODE,
    },
    "suites": {
        "experiment_id": CODE,
        "suite_id": TEXT,
        "subject_id": CODE,
        "cell_id": TEXT,
        "arm": CODE,
        "replicate": COUNT,
        "round": COUNT,
        "role": CODE,
        "origin": CODE,
        "model": CODE,
        "condition": CODE,
        "draw": COUNT,
        "prompt_sha256": CODE,
        "source": TEXT,
        "source_sha256": TEXT,
        "status": CODE,
        "reason": TEXT,
        "flags": TEXTS,
        "tests_collected": COUNT,
        "tests_kept": COUNT,
        "baseline_s": REAL,
        "escaped": CODE,
    },
    "validations": {
        "experiment_id": CODE,
        "subject_id": CODE,
        "cell_id": CODE,
        "suite_id": TEXT,
        "environment": CODE,
        "primary": FLAG,
        "status": CODE,
        "reason": TEXT,
        "tests_collected": COUNT,
        "tests_kept": COUNT,
        "baseline_s": REAL,
        "escaped": CODE,
    },
    "tests": {
        "experiment_id": CODE,
        "subject_id": CODE,
        "cell_id": CODE,
        "suite_id": CODE,
        "test_id": TEXT,
        "environment": CODE,
        "ordinal": COUNT,
        "nodeid": TEXT,
        "kept": FLAG,
        "dropped_reason": CODE,
        "baseline_outcomes": TEXTS,
        "duration_s": SECONDS,
        "cpu_s": SECONDS,
        "executed": TEXTS,
        "always_run": FLAG,
        "uses_hypothesis": FLAG,
        "exception": CODE,
        "message": TEXT,
        "escaped": CODE,
    },
    "executions": {
        "experiment_id": CODE,
        "subject_id": CODE,
        "cell_id": CODE,
        "suite_id": CODE,
        "mutant_id": CODE,
        "test_id": CODE,
        "ordinal": COUNT,
        "nodeid": CODE,
        "may_kill": FLAG,
        "outcome": CODE,
        "executed": FLAG,
        "duration_s": SECONDS,
        "exception": CODE,
        "message": CODE,
        "strategy": CODE,
        "environment": CODE,
        "escaped": CODE,
    },
    "calls": {
        "experiment_id": CODE,
        "call_id": TEXT,
        "cell_id": CODE,
        "subject_id": CODE,
        "arm": CODE,
        "condition": CODE,
        "replicate": COUNT,
        "draw": COUNT,
        "round": COUNT,
        "role": CODE,
        "attempt": COUNT,
        "provider": CODE,
        "model": CODE,
        "parameters": CODE,
        "prompt_sha256": TEXT,
        "prompt": TEXT,
        "reply": TEXT,
        "raw": TEXT,
        "raw_sha256": TEXT,
        "http_status": COUNT,
        "response_id": TEXT,
        "answered_by": CODE,
        "finish": CODE,
        "verdict": CODE,
        "input_tokens": LARGE,
        "output_tokens": LARGE,
        "reasoning_tokens": LARGE,
        "cached_tokens": LARGE,
        "cost_usd": REAL,
        "started_at": INSTANT,
        "ended_at": INSTANT,
        "error": TEXT,
        "escaped": CODE,
    },
    "rounds": {
        "experiment_id": CODE,
        "cell_id": CODE,
        "round": COUNT,
        "role": CODE,
        "suite_id": TEXT,
        "survivors_before": COUNT,
        "survivors_after": COUNT,
        "kills": COUNT,
        "status": CODE,
        "note": TEXT,
        "dropped_tests": TEXTS,
        "escaped": CODE,
    },
    "events": {
        "experiment_id": CODE,
        "at": INSTANT,
        "kind": CODE,
        "subject_id": CODE,
        "cell_id": CODE,
        "suite_id": CODE,
        "detail": TEXT,
        "escaped": CODE,
    },
}

NAMES: tuple[str, ...] = tuple(COLUMNS)


def schema(table: str) -> pa.Schema:
    """Arrow schema of a table, with its name and version in the metadata; KeyError if unknown."""
    metadata = {"killgrid.table": table, "killgrid.schema_version": str(SCHEMA_VERSION)}
    return pa.schema(list(COLUMNS[table].items()), metadata=metadata)
