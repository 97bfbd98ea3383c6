"""One driver at a time for an experiment in a store, as far as one machine can tell.

Drivers on other machines are kept apart by storage/claims.py: the one that came last goes on.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from configs.errors import ConfigError
from tasks.records import sha256


@contextlib.contextmanager
def only_driver(cache: Path, store_uri: str, experiment_id: str) -> Iterator[None]:
    """Hold the experiment's lock; ConfigError names the process that has it.

    The kernel lets go of it with the process, however that ends.
    """
    name = sha256(f"{store_uri}\n{experiment_id}".encode())[:16]
    path = cache / "runs" / f"{name}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise ConfigError(
                f"experiment {experiment_id} in {store_uri} is being run by process {file.read()}"
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
