"""The worker's side of a warm host: starting it in its sandbox, sending it jobs, ending it."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from configs.errors import InfraError, SandboxError
from tasks import bwrap, namespaces
from tasks.bytecode import ensure_sandbox_code
from tasks.environments import BuiltEnvironment
from tasks.sandbox import messages

_START_S = 120.0
_HASH_SEED = "0"


def variables(extra: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    """The child's whole environment, built from nothing: no key or credential can leak into it."""
    fixed = {
        "PATH": f"{bwrap.ENVIRONMENT}/bin:/usr/local/bin:/usr/bin:/bin",
        "HOME": "/tmp/home",
        "USER": "runner",
        "LOGNAME": "runner",
        "SHELL": "/bin/sh",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "CI": "1",  # Hypothesis: deterministic, no deadline, no data base
        "PYTHONHASHSEED": _HASH_SEED,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "VIRTUAL_ENV": bwrap.ENVIRONMENT,
    }
    return list((fixed | dict(extra)).items())


class Host:
    """One sandboxed process that forks stations: for suites, or in the role `tool` for a tool."""

    def __init__(
        self,
        environment: BuiltEnvironment,
        cache: Path,
        extra: tuple[tuple[str, str], ...] = (),
        role: Literal["host", "tool"] = "host",
    ) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        ours, theirs = socket.socketpair()
        python = f"{bwrap.ENVIRONMENT}/bin/python"
        argv = [python, "/killgrid/boot.py", role, str(theirs.fileno())]
        code = ensure_sandbox_code(environment.bare_python, environment.python_version, cache)
        trees = cache.absolute() / "trees"
        trees.mkdir(parents=True, exist_ok=True)
        seen = bwrap.mounts(environment.path, environment.base_prefix, code, trees)
        line = bwrap.command(seen, variables(extra), argv, _stage())
        self._connection = ours
        self._process = subprocess.Popen(
            line,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
            env={},
        )
        theirs.close()
        self.versions = self._greeting()

    def _greeting(self) -> dict[str, str]:
        try:
            self._connection.settimeout(_START_S)
            hello = messages.receive(self._connection)
        except (messages.ClosedError, TimeoutError) as error:
            reason = self._complaint() or str(error)
            self.close()
            raise SandboxError(
                f"the sandbox does not start: {reason}; {namespaces.remedy()}"
            ) from error
        if "failed" in hello:
            self.close()
            raise SandboxError(
                f"the sandbox does not work: {hello['failed']}; {namespaces.remedy()}"
            )
        versions: dict[str, str] = hello["versions"]
        return versions

    def run(self, job: dict[str, Any], silence_s: float) -> Iterator[dict[str, Any]]:
        """Send a job and yield what it reports until it is done.

        InfraError when the host ends, fails, or says nothing for `silence_s` seconds; it is closed.
        """
        done = False
        try:
            self._connection.settimeout(silence_s)
            messages.send(self._connection, job)
            while not done:
                message = messages.receive(self._connection)
                if "failed" in message:
                    raise InfraError(str(message["failed"]))
                done = "done" in message
                yield message
        except messages.ClosedError as error:
            raise InfraError(f"the host ended: {self._complaint() or error}") from error
        except TimeoutError as error:
            raise InfraError(f"the host was silent for {silence_s:.0f} s") from error
        finally:
            if not done:
                self.close()

    @property
    def alive(self) -> bool:
        """Whether it can take another job."""
        return self._process.poll() is None

    def _complaint(self) -> str:
        """Last line of what it wrote to its standard error."""
        with contextlib.suppress(ValueError, OSError):
            self._errors.seek(0)
            lines = self._errors.read()[-4000:].decode("utf-8", "replace").strip().splitlines()
            return lines[-1] if lines else ""
        return ""

    def close(self) -> None:
        """End it and everything in its sandbox."""
        self._connection.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._errors.close()


def _stage() -> Path:
    """An empty folder for the launcher's mounts, which exist in its own namespace alone.

    One for all hosts of a user: a worker that is killed could not remove one of its own.
    """
    path = Path("/tmp") / f"killgrid-stage-{os.geteuid()}"
    path.mkdir(mode=0o755, exist_ok=True)
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise SandboxError(f"{path} belongs to somebody else; remove it")
    return path
