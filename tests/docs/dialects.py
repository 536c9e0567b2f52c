"""What docs/dialects.yaml says of calls as text, and the table that docs/dialects.md has of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import yaml

from agent_conformance.scenario.model import ReplySpec, Scenario
from tests.bundled import bundled_files
from tests.docs.documents import ROOT
from tests.docs.known_failures import mutants_of

MOST_MUTANTS = 3


@dataclass(frozen=True, slots=True)
class Dialect:
    """`markers` are texts of which each sample has one; `played` and `look_alikes` are examples: `area/name[row]`."""

    id: str
    form: str
    markers: tuple[str, ...]
    played: tuple[str, ...]
    look_alikes: tuple[str, ...]

    @property
    def mutants(self) -> list[str]:
        """The mutants that the scenarios of its samples must catch."""
        return list(dict.fromkeys(name for example in self.played for name in mutants_of(example.partition("[")[0])))


def dialects() -> list[Dialect]:
    written = yaml.safe_load((ROOT / "docs" / "dialects.yaml").read_text(encoding="utf-8"))
    return [
        Dialect(**{key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()})
        for entry in written["dialects"]
    ]


@cache
def examples() -> dict[str, Scenario]:
    """All examples of the corpus by id."""
    files = bundled_files()
    return {f"{file.id}[{row}]": scenario for file in files for row, scenario in file.rows.items()}


def text_of(example: str) -> ReplySpec:
    """The reply of an example whose text has a meaning."""
    turns = examples()[example].conversation
    return next(reply for turn in turns for reply in turn.model if reply.means is not None)


def dialect_lines(rows: Iterable[Dialect]) -> list[tuple[str, str, str, str, str]]:
    return [
        (
            row.id,
            f"{_escaped(row.form)} ({_links(row)})",
            _names(row.played),
            _names(row.look_alikes),
            _names(row.mutants[:MOST_MUTANTS]),
        )
        for row in rows
    ]


def _links(row: Dialect) -> str:
    """The sources of its samples, numbered where there are several."""
    sources = list(dict.fromkeys(source for name in row.played if (source := examples()[name].source)))
    if len(sources) == 1:
        return f"[source]({sources[0]})"
    return "sources " + ", ".join(f"[{number}]({source})" for number, source in enumerate(sources, start=1))


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
