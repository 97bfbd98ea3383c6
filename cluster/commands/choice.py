"""Which experiment of a store a question is about."""

from __future__ import annotations

import click

from configs.errors import NotFoundError

ALL = "all"
SHOWN = 5


def chosen_experiment(store_uri: str, wanted: str | None) -> str | None:
    """Id of the experiment that begins with `wanted`, or of the newest; None for all of them.

    A choice among several is said on stderr. A store without any experiment also gives None, so
    that questions get empty tables; NotFoundError when `wanted` names none.
    """
    from storage.manifest import list_experiments, read_manifest
    from storage.objects import open_store

    if wanted == ALL:
        return None
    store = open_store(store_uri, must_exist=True)
    known = list_experiments(store)
    if wanted in known:
        return wanted
    found = [name for name in known if name.startswith(wanted or "")]
    if not found and wanted:
        raise NotFoundError(
            f"store {store_uri}: no experiment begins with {wanted!r}; {_listed(known)}"
        )
    if not found:
        return None
    found.sort(key=lambda name: (read_manifest(store, name).created_at, name))
    if len(found) > 1:
        others = _listed(found[-2::-1])
        click.echo(f"killgrid: {found[-1]} is the newest; --experiment: {others} or all", err=True)
    return found[-1]


def _listed(names: list[str]) -> str:
    if not names:
        return "there is none"
    more = [f"{len(names) - SHOWN} more"] if len(names) > SHOWN else []
    return ", ".join([*names[:SHOWN], *more])
