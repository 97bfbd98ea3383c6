"""The one exception tree, and the exit code of each of its branches.

Exit codes: 0 success, 1 the run's self-check failed or cells are missing (for want of budget,
too), 2 a mistake in the command or config, 3 something the user named cannot be had (subject,
suite, store), 4 no working sandbox, 5 trouble on our side, 130 interrupted.
"""

from __future__ import annotations


class KillgridError(Exception):
    """Anything killgrid reports in one line; `exit_code` is the process's exit status."""

    exit_code = 5


class ConfigError(KillgridError):
    """Mistakes in a config file or a command; `problems` holds one line for each, all together."""

    exit_code = 2

    def __init__(self, problems: list[str] | str) -> None:
        self.problems = [problems] if isinstance(problems, str) else list(problems)
        super().__init__("\n".join(self.problems))


class NotFoundError(KillgridError):
    """Something the user named cannot be had: a subject, target, suite, package or store."""

    exit_code = 3


class SandboxError(KillgridError):
    """No working sandbox on this node; the message says how to get one."""

    exit_code = 4


class InfraError(KillgridError):
    """Trouble on our side while measuring: retried, never scored."""


class SelfCheckError(KillgridError):
    """The run ended, but with disagreements or missing cells: its numbers are not to be used."""

    exit_code = 1


class BudgetError(KillgridError):
    """The next model call could take the spend beyond `budget_usd`; it was not begun."""

    exit_code = 1


class Interrupted(KillgridError):
    """Ctrl-C or SIGTERM: stopped cleanly, with all finished work stored."""

    exit_code = 130
