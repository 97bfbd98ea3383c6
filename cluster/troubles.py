"""What ends an attempt, and by whose fault: exceptions in the words of the ledger."""

from __future__ import annotations

from typing import Any, Literal

from configs.errors import InfraError, KillgridError, SandboxError

Trouble = Literal["infra", "lost", "memory", "bug", "queue"]
# Where another node may do better. A bug is one anywhere.
NODES_FAULT = ("infra", "lost", "memory")


class Failed(Exception):
    """An attempt that brought nothing: the message is one line, `detail` may be many."""

    def __init__(self, trouble: Trouble, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.trouble = trouble
        self.detail = detail or reason


def translated(error: BaseException) -> Exception:
    """What an exception of a task means to the ledger."""
    import ray.exceptions as rx

    if isinstance(error, rx.RayTaskError):
        return _of_our_code(error)
    if isinstance(error, rx.LocalRayletDiedError | rx.RaySystemError):
        return InfraError(f"Ray on this node has ended: {_line(error)}")
    if isinstance(error, rx.OutOfMemoryError):
        return Failed("memory", f"node out of memory: {_line(error)}", str(error))
    if isinstance(error, rx.WorkerCrashedError | rx.NodeDiedError | rx.ObjectLostError):
        return Failed("lost", f"{type(error).__name__}: {_line(error)}", str(error))
    if isinstance(error, rx.RayError | StopAsyncIteration):
        return Failed("infra", f"{type(error).__name__}: {_line(error)}", str(error))
    return Failed("bug", f"{type(error).__name__}: {_line(error)}")


def _of_our_code(error: Any) -> Exception:
    import ray.exceptions as rx

    cause = error.cause
    reason = f"{type(cause).__name__}: {_line(cause)}"
    if isinstance(cause, SandboxError):
        return SandboxError(str(cause))
    if isinstance(cause, rx.OutOfMemoryError | MemoryError):
        return Failed("memory", reason, str(error))
    if isinstance(cause, InfraError | rx.RayError | OSError):
        return Failed("infra", reason, str(error))
    if isinstance(cause, KillgridError):
        return Failed("bug", str(cause))
    return Failed("bug", reason, str(error))


def _line(error: BaseException | None) -> str:
    return (str(error).strip().splitlines() or ["no message"])[0][:300]
