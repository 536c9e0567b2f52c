"""What an explanation is, and its form as JSON. Knows no law and no rule."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from agent_conformance.record.finding import Level

FORMAT = 1


class UnknownId(LookupError):
    """No finding, law or rule has this id; the message names the nearest."""


Kind = Literal["law", "rule", "expectation", "other"]
"""`other`: a finding of the suite itself, `snapshot` or `foreign-host`."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where something is known from: a thread, a page or a recording, its decisive sentence, and what was wrong."""

    source: str
    quote: str = ""
    says: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A definition in the reference agent. `file` begins with `agent_conformance/`; lines count from 1."""

    symbol: str
    file: str
    first: int
    last: int
    says: str
    code: str

    def __str__(self) -> str:
        return f"{self.file}:{self.first}-{self.last}"


@dataclass(frozen=True, slots=True)
class Example:
    """Two requests that differ in one field. `change` makes the refused one accepted."""

    refused: str
    accepted: str
    change: str


@dataclass(frozen=True, slots=True)
class Scenario:
    """The bundled scenario of a finding whose id names a case. `comment` says why it matters."""

    id: str
    description: str
    comment: str
    source: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything that is known about one finding, law or rule; texts are plain and may have backticks.

    `about` is the law, the rule or the kind of expectation, and `law` the law that a broken rule breaks. `facts` are
    labelled lines of a rule. `seen` is what the provider answers and what the user would have noticed.
    """

    id: str
    kind: Kind
    about: str
    title: str
    level: Level
    demands: str
    why: str
    evidence: tuple[Source, ...]
    seen: tuple[str, ...]
    fixes: tuple[str, ...]
    reference: tuple[Place, ...]
    law: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    example: Example | None = None
    scenario: Scenario | None = None

    def as_json(self) -> dict[str, Any]:
        return {"format": FORMAT, **asdict(self), "facts": dict(self.facts)}
