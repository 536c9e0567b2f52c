"""What a law or an expectation reports, before causes and consequences are sorted out; and what it may look at."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from conformance.adapter.types import Feature
from conformance.record.finding import Level
from conformance.record.transcript import CONVERSATION, RecordedRequest, Transcript, TurnRecord
from conformance.scenario.model import Scenario, ToolSpec

Kind = Literal["ending", "bound", "request", "execution", "shown", "failure", "survival", "expectation"]
"""`ending`: a refusal or a crash; what comes later in the case follows from it, as from the `bound`. A fault of a
`request` explains what the turn then failed to show, one of an `execution` what ran, one of what is `shown` its
reply, and a controlled `failure` where a reply was due what then did not come."""

END = 1_000_000
"""The position of what is seen only when the turn has ended."""

OPEN_MODEL_WIRES = ("openai-chat", "ollama-chat")
"""Wires that serve open models, which write reasoning tags and tool calls as text; elsewhere that is advice."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that did not hold. `request` is its number in the turn, or `END`; `place` a place in that request."""

    id: str
    kind: Kind
    level: Level
    turn: int
    request: int
    expected: str
    got: str
    place: str = ""
    refused: str = ""
    cause: str = ""
    source: str = ""

    @property
    def at(self) -> str:
        parts = [f"turn {self.turn}"]
        if self.request not in (0, END):
            parts.append(f"request {self.request}")
        if self.place:
            parts.append(self.place)
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One performance and what it was a performance of."""

    scenario: Scenario
    transcript: Transcript
    wire: str
    features: frozenset[Feature] | frozenset[str]

    def has(self, feature: Feature) -> bool:
        return feature in self.features

    @property
    def turns(self) -> list[TurnRecord]:
        """The scenario's own turns, without the one that asks whether the conversation survived."""
        return [record for record in self.transcript.turns if not record.is_follow_up]

    @property
    def survival(self) -> TurnRecord | None:
        last = self.transcript.turns[-1] if self.transcript.turns else None
        return last if last is not None and last.is_follow_up else None

    def model_requests(self) -> Iterator[tuple[TurnRecord, RecordedRequest]]:
        """The requests that a portable law reads: neither side requests nor strays nor those after the bound."""
        for record in self.turns:
            for request in record.requests:
                if request.kind in CONVERSATION:
                    yield record, request

    def tool(self, name: str) -> ToolSpec | None:
        return next((tool for tool in self.scenario.tools if tool.name == name), None)

    @property
    def text_level(self) -> Level:
        """How grave it is when protocol that the model wrote as text is not read."""
        return "must" if self.wire in OPEN_MODEL_WIRES else "should"


def quoted(text: str, most: int = 160) -> str:
    """A text in one line, cut in the middle where it is long, its length said."""
    flat = text.replace("\n", "\\n")
    if len(flat) <= most:
        return flat
    half = most // 2
    return f"{flat[:half]} ... {flat[-half // 2 :]} ({len(text)} characters)"


def flat(text: str) -> str:
    """The text with every run of white space as one blank, for comparing what was only laid out otherwise."""
    return " ".join(text.split())
