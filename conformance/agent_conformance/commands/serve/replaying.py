"""Answers from a cassette: a recorded request gets its recorded response, byte for byte.

A request that is not recorded is judged: it is refused as the provider would, or gets a 404 that names the nearest
recorded request. Where a rule refuses what was recorded as accepted, or says that the provider never sends what it
sent, the recording wins, and a line says so.
"""

import threading
from dataclasses import dataclass
from pathlib import Path

from msgspec import structs

from agent_conformance.cassettes import Cassette, RecordedExchange, read_cassette
from agent_conformance.cassettes.decoding import decode_response, model_wire
from agent_conformance.cassettes.matching import NotRecorded, RecordedAnswers, RecordedQuestions
from agent_conformance.commands.shared.served import Noted
from fake_providers import Violation
from fake_providers.http import Request, Response, json_response
from fake_providers.ids import Ids
from fake_providers.registry import provider_wires, wire_for
from fake_providers.reply_rules import Unsent, why_unsent
from fake_providers.serving.conversation_store import ConversationStore
from fake_providers.wire import ReplyContext, Wire

PASSED_ON = ("content-type", "retry-after", "retry-after-ms", "x-should-retry")
"""Headers of the recorded response that change what a client does."""


@dataclass(frozen=True, slots=True)
class ReplayedWire:
    """What a base URL is printed of."""

    provider: str
    wire: Wire


Answer = tuple[Response, Violation | Noted | None]
"""The response, and what it is for the terminal."""


class ReplayingFake:
    """`provider` on its wires, or on one of them. Thread-safe. Raises `LookupError`."""

    def __init__(self, provider: str, questions: RecordedQuestions, *, wire: str | None = None) -> None:
        self.provider = provider
        wires = provider_wires(provider) if wire is None else (wire_for(provider, wire),)
        self.fakes = tuple(ReplayedWire(provider, one) for one in wires)
        self._only = wire
        self._answers = RecordedAnswers(questions)
        self._stores: dict[str, ConversationStore] = {}
        self._lock = threading.Lock()

    def answer(self, request: Request) -> Answer:
        wire = model_wire(self.provider, self._only, request)
        missing = wire.missing_key(request) if wire is not None else None
        if wire is not None and missing is not None:
            return self._refused(request, wire, missing)
        found = self._answers.answer(request, wire)
        if wire is None:
            if isinstance(found, NotRecorded):
                body = {"error": {"message": found.message, "type": "fake_provider", "code": 404}}
                return json_response(404, body, [("x-should-retry", "false")]), _note(found)
            return response_of(found), None
        with self._lock:
            store = self._stores.setdefault(wire.name, ConversationStore(wire))
        whole = store.resolve(request)
        violation = wire.judge(whole, provider=self.provider)
        if isinstance(found, NotRecorded):
            return self._refused(whole, wire, violation) if violation else self._not_recorded(whole, wire, found)
        response = response_of(found)
        if not response.cut and response.status < 300:
            store.keep(whole, response)
        if response.status >= 300:
            return response, None
        return response, _disagreement(found, violation or self._unsent(found, whole, wire))

    def _unsent(self, found: RecordedExchange, whole: Request, wire: Wire) -> Unsent | None:
        """What the provider is known never to send, and has sent here."""
        decoded = decode_response(found.response, wire.name)
        if not decoded.is_complete:
            return None
        view = wire.view(whole)
        return why_unsent(
            decoded.reply, provider=self.provider, wire=wire.name, model=view.model, request=whole, view=view
        )

    def _refused(self, request: Request, wire: Wire, violation: Violation) -> Answer:
        return wire.refuse(violation, self._context(request)), violation

    def _not_recorded(self, request: Request, wire: Wire, found: NotRecorded) -> Answer:
        """A 404 in the provider's envelope."""
        stopped = wire.stopped(f"agent-conformance serve --replay: {found.message}", self._context(request))
        chunks = tuple(chunk.replace(b'"code":400', b'"code":404') for chunk in stopped.chunks)
        return structs.replace(stopped, status=404, chunks=chunks), _note(found)

    def _context(self, request: Request) -> ReplyContext:
        return ReplyContext(request, self.provider, Ids("replay"))


def response_of(exchange: RecordedExchange) -> Response:
    """The response as it was recorded, as far as a client sees it."""
    recorded = exchange.response
    headers = tuple((name, value) for name, value in recorded.headers if name in PASSED_ON or "ratelimit-" in name)
    return Response(recorded.status, headers, recorded.chunks, cut=recorded.is_cut)


def playable(path: Path) -> Cassette:
    """Raises `ValueError` for a file with nothing to play, `UnknownFormat` for no cassette, and `OSError`."""
    cassette = read_cassette(path)
    if any(exchange.is_made_up for exchange in cassette.exchanges):
        raise ValueError(f"--replay={path}: the fixtures of aimock have no requests. Give the file to --script.")
    if not cassette.exchanges:
        problems = "".join(f"\n{problem}" for problem in cassette.problems)
        raise ValueError(f"--replay={path}: no exchange in it can be played.{problems}")
    return cassette


def _note(found: NotRecorded) -> Noted:
    return Noted((f"  not recorded: {found.message}",))


def _disagreement(found: RecordedExchange, broken: Violation | Unsent | None) -> Noted | None:
    if broken is None:
        return None
    if isinstance(broken, Unsent):
        return Noted((f"  disagreement: {found.place} was sent, and {broken.rule.id} says: {broken}",))
    at = broken.at or "the request"
    return Noted((f"  disagreement: {found.place} was accepted, and {broken.rule} refuses it at {at}",))
