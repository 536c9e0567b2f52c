"""What a law or an expectation reads, and the mismatches it yields before causes and consequences are sorted out."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import force_setattr

from agent_conformance.adapter.contract import CodePlace
from agent_conformance.adapter.types import Feature
from agent_conformance.scenario.derived.half_characters import texts_in
from agent_conformance.scenario.model import Scenario, ToolSpec
from agent_conformance.transcripts.finding import Level, Place, Subject
from agent_conformance.transcripts.transcript import CONVERSATION, RecordedRequest, Transcript, TurnRecord
from fake_providers.wire_facts import WIRE_FACTS

MismatchKind = Literal[
    "ending",
    "bound",
    "tolerated",
    "request",
    "prefix",
    "execution",
    "silence",
    "shown",
    "failure",
    "survival",
    "expectation",
]
"""`ending`: a refusal or a crash. What comes later in the case follows from it, as from the `bound`. From a breach that
is `tolerated` nothing follows but what a law finds in the same messages. A mismatch in a `request` explains what is
missing later in the turn, and that a request does not begin with the one before (`prefix`). One in an `execution`
explains what ran, one in what is `shown` the reply. The `silence` in which a turn ends follows from what happened
before it. A controlled `failure` where a reply was expected explains what is missing after it."""

END = 1_000_000
"""The position of what is known only when the turn has ended."""


class Mismatch(Struct, frozen=True):
    """One way in which a case run differs from a law or an expectation.

    `request` is the number in the turn, or `END`; `path` a place in that request; `origin` one in the agent's code.
    `detail` is what it shares with others of its subject, where that is neither of these nor one of its texts.
    """

    subject: Subject
    kind: MismatchKind
    level: Level
    turn: int
    request: int
    expected: str
    got: str
    path: str = ""
    refused: str = ""
    detail: str = ""
    origin: CodePlace | None = None

    @property
    def place(self) -> Place:
        return Place(self.turn, 0 if self.request == END else self.request, self.path)


def unmet(
    record: TurnRecord,
    field: str,
    expected: str,
    got: str,
    *,
    request: int = END,
    number: int | None = None,
    part: str = "",
    detail: str = "",
) -> Mismatch:
    """A turn that differs from this field of `expect`, or from the item with this `number` of it."""
    subject = Subject("expectation", field, turn=record.number, number=number, part=part)
    return Mismatch(subject, "expectation", "must", record.number, request, expected, got, detail=detail)


class CaseEvidence(Struct, frozen=True):
    """One case run that is over, and the scenario, wire, provider and features of the agent that it ran with."""

    scenario: Scenario
    transcript: Transcript
    wire: str
    features: frozenset[Feature] | frozenset[str]
    provider: str = ""
    turns: tuple[TurnRecord, ...] = ()
    """Those of the transcript that are the scenario's own, without one that never started. Not given: they follow."""

    def __post_init__(self) -> None:
        turns = (record for record in self.transcript.turns if not record.is_follow_up and not record.never_started)
        force_setattr(self, "turns", tuple(turns))  # every law reads them

    def has(self, feature: Feature) -> bool:
        return feature in self.features

    @property
    def follow_up(self) -> TurnRecord | None:
        last = self.transcript.turns[-1] if self.transcript.turns else None
        return last if last is not None and last.is_follow_up and not last.never_started else None

    def model_requests(self) -> Iterator[tuple[TurnRecord, RecordedRequest]]:
        """The requests whose conversation a law reads."""
        for record in self.turns:
            for request in record.requests:
                if request.kind in CONVERSATION:
                    yield record, request

    def tool(self, name: str) -> ToolSpec | None:
        return next((tool for tool in self.scenario.tools if tool.name == name), None)

    def acts(self, name: str) -> bool:
        """Whether the scenario says that this tool has an effect."""
        return name in self.scenario.effects

    def schema_of(self, name: str) -> Mapping[str, Any]:
        """The schema of this tool's arguments; empty for a tool that the scenario does not have."""
        tool = self.tool(name)
        return tool.parameters if tool is not None else {}

    @property
    def text_level(self) -> Level:
        """The level of a mismatch in protocol that the model wrote as text."""
        return "must" if WIRE_FACTS[self.wire].serves_open_models else "should"


def quoted(text: str, most: int = 160) -> str:
    """A text in one line; a long one is cut in the middle, and its length given."""
    line = text.replace("\n", "\\n")
    if len(line) <= most:
        return line
    half = most // 2
    return f"{line[:half]} ... {line[-half // 2 :]} ({len(text)} characters)"


def flat(text: str) -> str:
    """The text with every run of white space as one blank, for comparing texts whose layout may differ."""
    return " ".join(text.split())


def dense(text: str) -> str:
    """The text without white space: texts are joined and laid out in many ways."""
    return "".join(text.split())


LEAST = 16
"""Characters; shorter lines of the agent's own may be words that anybody would use."""


def known_texts(evidence: CaseEvidence) -> str:
    """Everything that somebody other than the agent wrote in this case, joined by zero bytes."""
    scenario = evidence.scenario
    parts: list[str] = [scenario.system]
    for tool in scenario.tools:
        parts += [tool.name, tool.description, *texts_in(tool.parameters)]
        parts += [*texts_in([tool.returns, tool.structured, tool.results]), tool.raises or ""]
        parts += [part.text for part in tool.content or () if part.text]
    for message in scenario.history:
        parts += texts_in(message.data())
    for record in evidence.transcript.turns:
        parts.append(record.turn.user_text)
        parts += [attempt.result for attempt in record.attempts]
        for request in record.requests:
            if request.reply is not None and request.kind != "side":
                parts += [request.said, request.reply.thinking or ""]
                parts += [call.arguments_text or "" for call in request.reply.calls]
            if request.violation is not None:
                parts.append(request.violation.message)
            if request.spec is not None:
                parts += texts_in(request.spec.data(only_given=True))
    return "\0".join(parts)


def agents_own_texts(evidence: CaseEvidence, known: Callable[[], str]) -> list[str]:
    """Lines that the agent put into requests as system, user or result text, and that nobody else wrote.

    What it sends as the assistant's words is what it showed to its user, and may be shown.
    """
    lines: dict[str, None] = {}
    read: set[str] = set()  # each request repeats the texts of those before
    shown = "\n".join(f"{record.reply}\n{''.join(record.deltas)}" for record in evidence.transcript.turns)
    for _, request in evidence.transcript.requests():
        texts = [request.view.system]
        for message in request.view.messages:
            if message.role == "user":
                texts.append(message.text)
            texts += [result.text for result in message.results]
        for text in texts:
            if len(text) < LEAST or text in read:
                continue
            read.add(text)
            for line in map(str.strip, text.splitlines()):
                if len(line) >= LEAST and line in shown and line not in known():
                    lines[line] = None
    return list(lines)
