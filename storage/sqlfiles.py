"""The SQL files of queries/: where they are, in which order they load, how names are filled in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from string import Template

QUERIES = Path(__file__).parent.parent / "queries"


@dataclass(frozen=True)
class SqlFile:
    """One file of SQL; `name` is the file's, without order number and suffix."""

    name: str
    text: str


def sql_files(folder: str) -> list[SqlFile]:
    """The SQL files of a folder of queries/, in the order of their names."""
    paths = sorted((QUERIES / folder).glob("*.sql"))
    return [SqlFile(p.stem.lstrip("0123456789_"), p.read_text("utf-8")) for p in paths]


def expand(text: str, **names: str) -> str:
    """Fill `$name` in; ValueError when a name of the text is not given, or the other way round."""
    template = Template(text)
    wanted = set(template.get_identifiers())
    if wrong := wanted ^ set(names):
        raise ValueError(f"SQL template: {', '.join(sorted(wrong))} undefined or unused")
    return template.substitute(names)


def literal(value: str | int | None) -> str:
    """A value as an SQL literal."""
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'
