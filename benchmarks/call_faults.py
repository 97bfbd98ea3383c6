"""Every fault of a model server in every wire format, as one whole run; its table from the store.

    python -m benchmarks.call_faults [FOLDER]

The server is the tests' own, on loopback. Exit status 1 when a fault ended in a suite that may be
used, or when the store and the server do not count the same requests.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from storage.database import connect
from tests.fake_provider import WIRES, Running, Script, running
from tests.tasks.call_faults import CASES, PAIRS, TEXT, model_of, rules_of

PRICES = {"input_mtok": 3.0, "output_mtok": 15.0}
TABLE = Path(__file__).with_suffix(".sql")
SOUND = ("normal", "reasoned")


def main() -> int:
    """0 when no fault passes for a suite and no request is lost or made up."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", help="default: a temporary one")
    given = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as temporary:
        folder = given or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        return _measure(folder)


def _measure(folder: Path) -> int:
    script = Script.model_validate({"rules": rules_of(CASES), "default": {"reply": {"text": TEXT}}})
    with running(script, folder) as server:
        config = folder / "faults.yaml"
        config.write_text(yaml.safe_dump(_config(server, folder), sort_keys=False))
        killgrid = Path(sys.executable).with_name("killgrid")
        # Exit status 1 is right: calls that failed leave their cells missing.
        subprocess.run([killgrid, "run", config, "--quiet"], check=False)
        requests = len(server.lines())
    with connect(str(folder / "store")) as database:
        rows = database.query(TABLE.read_text()).rows()
        attempts = database.query("SELECT count(*) AS n FROM calls").rows()[0]["n"]
    for row in [dict(zip(rows[0], rows[0], strict=True)), *rows]:
        print("  ".join(f"{_shown(cell):<25.25}" for cell in row.values()).rstrip())
    usable = sorted({row["fault"] for row in rows if row["suites"]} - set(SOUND))
    print(f"{requests} requests at the server, {attempts} attempts in the store")
    print(f"faults that ended in a suite: {', '.join(usable) or 'none'}")
    return int(bool(usable) or requests != attempts)


def _shown(cell: Any) -> str:
    return "" if cell is None else str(cell)


def _config(server: Running, folder: Path) -> dict[str, Any]:
    prices = {model_of(wire, case.name): PRICES for wire, case in PAIRS}
    return {
        "experiment": "faults",
        "store": str(folder / "store"),
        "subjects": [{"problems": "green_tests", "only": ["count_leap_years"]}],
        "mutants": [{"engine": "variants"}],
        "models": [f"fake-{wire}/{model_of(wire, case.name)}" for wire, case in PAIRS],
        "providers": {
            f"fake-{wire}": {"wire": wire, "base_url": server.url(wire), "prices": prices}
            for wire in WIRES
        },
        "arms": [
            {
                "name": "m",
                "writer": {"model": "each", "prompt": "spec_only", "max_output_tokens": 400},
            }
        ],
        "calls": {"attempts": 3, "attempt_s": 2.0, "deadline_s": 20.0},
    }


if __name__ == "__main__":
    sys.exit(main())
