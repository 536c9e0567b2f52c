"""What a provider never sends: rules on scripted replies, each a row, as `rulebook.py` has those on requests.

A row says at which providers it holds, what it finds in a reply, and, where that hangs on it, in the request; with a
reply that cannot come, one that can, and the source. It knows no scenario: who scripts a reply decides what becomes of
one that cannot come.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal, NamedTuple

from msgspec import Struct, field

from fake_providers.http import Request
from fake_providers.provider_facts import facts_by_provider
from fake_providers.reply import Reply
from fake_providers.rule import Citation
from fake_providers.values.json_texts import read_json
from fake_providers.view import View

Known = Literal["recorded", "documented", "reported"]
"""`recorded`: none of the provider's stored replies is otherwise; `documented`: the provider promises it."""
Hides = Literal["", "thinking", "words", "cached"]
Where = Mapping[str, tuple[str, ...]]
"""By wire, the providers at which a row holds."""


class Sending(Struct, frozen=True, eq=False):
    """A scripted reply, and the request that it is to answer: None where only the reply is known.

    `makers` are those whose models are known to write such a text; None where nothing is known of it.
    """

    provider: str
    wire: str
    model: str
    reply: Reply
    request: Request | None = None
    view: View | None = None
    makers: frozenset[str] | None = None

    @property
    def body(self) -> dict[str, Any]:
        """The members of the request; none of one that is no object."""
        try:
            value = read_json(self.request.body) if self.request is not None else None
        except ValueError:
            value = None
        return value if isinstance(value, dict) else {}

    @property
    def headers(self) -> Mapping[str, str]:
        return self.request.headers if self.request is not None else {}

    @property
    def ends_early(self) -> bool:
        """Whether the reply was cut off or held back, so that it promises nothing of its form."""
        return self.reply.finish not in (None, "stop", "tool_calls", "none")


class Sample(Struct, frozen=True):
    """A reply to a request with these members and headers; without members, to any request. `wire` is the first of the
    row, where it is not named."""

    reply: Reply
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    makers: frozenset[str] | None = None
    wire: str = ""


class ReplyRule(Struct, frozen=True):
    """One thing that some providers never send. `wrong` and `right` are samples that differ in one place.

    `elsewhere`: gateways and servers of open models that speak the same wire send it. `instead` is what would come.
    `comes_apart`: that is one reply for each call; `hides`: it is the same reply without its thinking, without the
    words of it, while its calls are signed all the same, or without cached tokens.
    """

    id: str
    why: str
    where: Where
    says: str
    instead: str
    known: Known
    evidence: tuple[Citation, ...]
    wrong: Sample
    right: Sample
    elsewhere: bool
    comes_apart: bool
    hides: Hides
    reads_request: bool

    @property
    def wire(self) -> str:
        """That of its samples, where these have a request."""
        return self.wrong.wire or next(iter(self.where))


class Unsent(Struct, frozen=True):
    """Why a provider does not send a reply, in a sentence, and what it would send instead."""

    rule: ReplyRule
    sentence: str
    source: str

    def __str__(self) -> str:
        return f"{self.sentence} ({self.source})"


DOCUMENTS = {"openai-chat": "openai", "openai-responses": "openai", "gemini-generate": "google"}
"""Whose documents say what holds on a wire; Claude's on the others."""


def _source(rule: ReplyRule, sending: Sending) -> str:
    """That of the provider, or of the wire's own, or the first."""
    hosts = facts_by_provider()[sending.provider].hosts
    names = (*hosts, sending.provider, DOCUMENTS.get(sending.wire, "claude"))
    sources = [citation.source for citation in rule.evidence]
    return next((source for name in names for source in sources if name in source), sources[0])


class Entry(NamedTuple):
    rule: ReplyRule
    finds: Callable[[Sending], Any]


class ReplyBook:
    """Rules on replies in their order. The first that a reply breaks is reported."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    @property
    def rules(self) -> tuple[ReplyRule, ...]:
        return tuple(entry.rule for entry in self.entries)

    def row(
        self,
        id: str,
        why: str,
        where: Where,
        finds: Callable[[Sending], Any],
        says: str,
        *,
        instead: str,
        wrong: Sample,
        right: Sample,
        elsewhere: bool = False,
        comes_apart: bool = False,
        hides: Hides = "",
        recorded: Mapping[str, str] | None = None,
        documented: Mapping[str, str] | None = None,
        reported: Mapping[str, str] | None = None,
    ) -> None:
        """Add a rule at the end of the order.

        What `finds` returns refuses the reply, if it is true, and is `{found}` in `says`, where `{provider}` is the
        provider's title and `{model}` the model's name. One of the last three has the evidence: by source its decisive
        sentence. A row whose `wrong` sample has a request is asked only of replies to a request.
        """
        given: dict[Known, Mapping[str, str] | None] = {
            "recorded": recorded,
            "documented": documented,
            "reported": reported,
        }
        ((known, quotes),) = [(sure, quotes) for sure, quotes in given.items() if quotes is not None]
        evidence = tuple(Citation(source, quote) for source, quote in quotes.items())
        reads_request = wrong.body is not None
        flags = (elsewhere, comes_apart, hides, reads_request)
        rule = ReplyRule(id, why, where, says, instead, known, evidence, wrong, right, *flags)
        self.entries.append(Entry(rule, finds))

    def check(self, sending: Sending, *, anywhere: bool = False) -> Unsent | None:
        """Why this reply cannot come, or None. `anywhere`: from a server of open models or a gateway it may."""
        if sending.reply.fault is not None and sending.reply.fault.hides_reply:
            return None
        for rule, finds in self._at(sending.wire, sending.provider):
            if (anywhere and rule.elsewhere) or (rule.reads_request and sending.view is None):
                continue
            if found := finds(sending):
                title = facts_by_provider()[sending.provider].title
                sentence = rule.says.format(provider=title, model=sending.model, found=found)
                return Unsent(rule, sentence, _source(rule, sending))
        return None

    @cache  # noqa: B019 - a book lives as long as the process
    def _at(self, wire: str, provider: str) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if provider in entry.rule.where.get(wire, ()))
