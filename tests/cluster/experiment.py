"""A driver of its own, as a program: `python tests/cluster/experiment.py STORE SUITES [ADDRESS]`.

SUITES is a JSON list of what `work.measure` is told; it prints the summary, or how it ended.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from cluster import batches, matrices, sizes
from cluster.driver import run_plan
from cluster.options import RunOptions
from configs.errors import KillgridError
from tests.cluster import work
from tests.cluster.plans import QUICK, plan_of

MUTANTS = 30


def main() -> int:
    batches.MIN_AGE_S = 0.3
    matrices.FIRST_BUDGET_S = 0.2
    sizes.SHARD_S = 0.3
    store, told = sys.argv[1], json.loads(sys.argv[2])
    options = RunOptions(
        address=sys.argv[3] if len(sys.argv) > 3 else None,
        store=store,
        cache=Path(store) / ".cache",
        cpus=2,
        progress=False,
        retry=QUICK,
        run_job=work.measure,
    )
    try:
        summary = run_plan(plan_of(*told, mutants=MUTANTS), options)
    except KillgridError as error:
        print(error, flush=True)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    print(f"done {summary.done} of {summary.cells}, {summary.done_before} before", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
