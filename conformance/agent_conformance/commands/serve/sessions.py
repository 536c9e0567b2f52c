"""What each client of a server has for itself: fakes, script, faults, and its requests, bounded."""

import hashlib
import itertools
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from agent_conformance.commands.shared.served import LINES, OnWire, Served, sent_keys
from fake_providers import Request, Response
from fake_providers.serving.journal import Stopped
from fake_providers.serving.loopback import ProviderFake
from fake_providers.serving.reply_sources import Replies
from fake_providers.serving.scripted_fake import ScriptedFake
from fake_providers.wire import Wire

if TYPE_CHECKING:
    from agent_conformance.commands.serve.mcp_tools import ScriptedTools

TOKEN_HEADER = "x-conformance-token"
MOST = 1000
MOST_FORGOTTEN = 10_000
MOST_BYTES = 256 * 1024 * 1024
MOST_OF_ONE = 16 * 1024 * 1024
"""Sessions, those that were forgotten and are told so, and the bytes that all have sent and got; more than this of one
does not count, since its own stores are bounded."""


NewProviders = Callable[[], Mapping[str, Served]]


class Forgotten(Exception):
    """What was set for this client is no longer known."""


class Session:
    """One token's. `providers` are by the path that each is below. `is_scripted`: its next reply depends on what was
    set for it, or on what it got before."""

    def __init__(self, providers: Mapping[str, Served], *, is_scripted: bool) -> None:
        self.providers = providers
        self.log = RequestLog()
        self.bytes = 0
        self.is_scripted = is_scripted

    @property
    def fakes(self) -> list[ScriptedFake]:
        """The fakes that have replies; none where a cassette is replayed."""
        fakes = [fake for provider in self.providers.values() for fake in provider.fakes]
        return [fake for fake in fakes if isinstance(fake, ScriptedFake)]

    @property
    def has_left(self) -> bool:
        """Whether there are replies or faults that no request got yet, on the wires that the client uses."""
        return any(fake.has_left for fake in used_of(self.fakes))


def used_of(fakes: Sequence[ScriptedFake]) -> Sequence[ScriptedFake]:
    """Those that the client uses, since a script is set for each wire: all, where it has used none yet."""
    return [fake for fake in fakes if fake.count] or fakes


class Sessions:
    """Thread-safe. `new_providers` makes the fakes of a new token, `new_replies` what a fake of this wire replies: None
    unless the server `has_script`."""

    def __init__(
        self,
        new_providers: NewProviders,
        new_replies: Callable[[str], Replies | None],
        *,
        has_script: bool = False,
        most: int = MOST,
    ) -> None:
        self.new_providers = new_providers
        self.new_replies = new_replies
        self.tools: ScriptedTools | None = None
        """Those of the MCP server beside the models, which all clients share."""
        self._has_script = has_script
        self._most = most
        self._salt = secrets.token_bytes(16)
        self._sessions: OrderedDict[bytes, Session] = OrderedDict()
        self._forgotten: OrderedDict[bytes, None] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def of(self, request: Request, *, anew: bool = False) -> Session:
        """The session of the client that sends this. Raises `Forgotten` where there was one that is no longer known,
        unless the client begins `anew`."""
        token = self._digest(request)
        with self._lock:
            session = self._sessions.get(token)
            if session is None:
                if token in self._forgotten and not anew:
                    raise Forgotten(
                        f"what was set for this client was forgotten: {self._most:,} others have come since. Set its "
                        "replies anew, or start the server with a larger --clients."
                    )
                self._forgotten.pop(token, None)
                session = self._sessions[token] = Session(self.new_providers(), is_scripted=self._has_script)
                self._forget_oldest()
            self._sessions.move_to_end(token)
            return session

    def forget(self, request: Request) -> None:
        """The client's next request is its first."""
        token = self._digest(request)
        with self._lock:
            self._forgotten.pop(token, None)
            session = self._sessions.pop(token, None)
            self._bytes -= session.bytes if session else 0

    def count(self, session: Session, size: int) -> None:
        """Note that the client has sent and got so many bytes."""
        with self._lock:
            added = min(session.bytes + size, MOST_OF_ONE) - session.bytes
            session.bytes += added
            newest = next(reversed(self._sessions.values()), None)
            if added and (session is newest or any(session is one for one in self._sessions.values())):
                self._bytes += added
                if self._bytes > MOST_BYTES:
                    self._forget_oldest()

    def _forget_oldest(self) -> None:
        while len(self._sessions) > 1 and (len(self._sessions) > self._most or self._bytes > MOST_BYTES):
            older = itertools.islice(self._sessions.items(), len(self._sessions) - 1)
            oldest = next(iter(self._sessions))
            token = next((token for token, session in older if not session.has_left), oldest)
            session = self._sessions.pop(token)
            self._bytes -= session.bytes
            if not session.is_scripted:
                continue
            self._forgotten[token] = None
            if len(self._forgotten) > MOST_FORGOTTEN:
                self._forgotten.popitem(last=False)
            if session.has_left:
                LINES.print("a client was forgotten that had replies or faults left: see --clients", may_wait=False)

    def _digest(self, request: Request) -> bytes:
        return hashlib.blake2b(token_of(request).encode(errors="replace"), key=self._salt, digest_size=16).digest()


class SessionFake:
    """What the server has at one path: the provider as each client has it for itself."""

    def __init__(self, sessions: Sessions, prefix: str) -> None:
        self._sessions = sessions
        self._prefix = prefix

    def answer(self, request: Request) -> tuple[Response, object]:
        try:
            session = self._sessions.of(request)
        except Forgotten as forgotten:
            return _stopped(self._sessions.new_providers()[self._prefix], request, str(forgotten))
        provider = session.providers[self._prefix]
        fake, response, answer = _answered(provider, request)
        session.log.add(fake, request, response.status, answer)
        self._sessions.count(session, len(request.body) + sum(map(len, response.chunks)))
        return response, answer


def _answered(provider: Served, request: Request) -> tuple[OnWire, Response, object]:
    """The fake whose wire the request is of, and what it answers; the default one for any other request."""
    if isinstance(provider, ProviderFake):
        fake = provider.fake_for(request)
        return (fake or provider.fakes[0], *provider.answer_with(fake, request))
    on_wire = next((one for one in provider.fakes if one.wire.route(request) is not None), provider.fakes[0])
    return (on_wire, *provider.answer(request))


def _stopped(provider: Served, request: Request, message: str) -> tuple[Response, object]:
    """A 400 of the provider with this message."""
    assert isinstance(provider, ProviderFake)  # a cassette is never forgotten
    fake = provider.fake_for(request) or provider.fakes[0]
    return fake.stopped(request, message), Stopped(message)


def token_of(request: Request) -> str:
    """Empty for a client that names none."""
    return request.headers.get(TOKEN_HEADER) or next(iter(sent_keys(request)), "")


MOST_KEPT = 100
MOST_BYTES_KEPT = 4 * 1024 * 1024
"""Requests that are kept, and the bytes of their bodies."""


class Entry(Struct, frozen=True):
    """`number` counts the client's requests from 1, `seconds` are since 1970. `answer` is what the fake says of its
    response: see `Answers`."""

    number: int
    seconds: float
    provider: str
    wire: Wire
    request: Request
    status: int
    answer: object


class RequestLog:
    """The newest requests. Thread-safe."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque()
        self._bytes = 0
        self._count = 0
        self._lock = threading.Lock()

    def add(self, fake: OnWire, request: Request, status: int, answer: object) -> None:
        with self._lock:
            self._count += 1
            self._entries.append(Entry(self._count, time.time(), fake.provider, fake.wire, request, status, answer))
            self._bytes += len(request.body)
            while len(self._entries) > MOST_KEPT or self._bytes > MOST_BYTES_KEPT:
                self._bytes -= len(self._entries.popleft().request.body)

    @property
    def count(self) -> int:
        """How many requests there were, those that are not kept included."""
        return self._count

    def entries(self) -> list[Entry]:
        with self._lock:
            return list(self._entries)

    def clear(self) -> None:
        """Forget the requests; their numbers go on."""
        with self._lock:
            self._entries.clear()
            self._bytes = 0
