"""A reply that is kept is what the wire writes each time."""

import json
from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace

from fake_providers import Fault, Reply, ReplyContext, Request, Response
from fake_providers.ids import Ids
from fake_providers.provider_facts import own_provider
from fake_providers.registry import WIRES, wire_for
from fake_providers.replies import LONGEST_KEPT
from fake_providers.reply import CannotExpress, Split, Usage
from fake_providers.serving.kept_replies import FIRST_MARK, MOST_WAYS, REPEATED_MARK, SAMPLE, TIMES, written
from fake_providers.transport.connection import write_at_once
from fake_providers.transport.framing import frame
from fake_providers.view import View
from fake_providers.wire import Alike
from tests.fakes.shapes.fake_responses import MODES, TARGETS, requests_of
from tests.fakes.whole_answers import Asked, asked_of
from tests.fakes.whole_answers import written as whole_answers
from tests.tables import rows

SPLITS: tuple[Split, ...] = ("provider", "bytes")
REPLIES = (
    Reply(text="It is 7 degrees and raining in Oslo."),
    Reply(text="It is 1 or 12 or 999, or 100_007.", chunks=("It is 1 or 12 ", "or 999, or 100_007.")),
    Reply(text=""),
    Reply(text='"é" \\ \n \ud800 \0 \1 😀'),
    Reply(text="I cannot.", finish="refusal"),
    Reply(text="It is", finish="length", id="of-its-own"),
    Reply(text="It is", finish="content_filter"),
    Reply(text="Yes.", usage=Usage(input=90, output=40, cached=30, reasoning=20)),
    Reply(text="Yes.", usage=Usage(output=40)),
    Reply(text=f"A mark: {chr(ord(FIRST_MARK) + 1)} {REPEATED_MARK} {SAMPLE}"),
)
TOKENS = (5, 6, 7, 9, 10, 42, 97, 100, 999, 1, 1000, 54_321, 0, 10**10)
"""Of each length some when the reply is first written with it, and later."""
KEEPING = [(provider, wire) for provider, wire in TARGETS if hasattr(wire_for(provider, wire), "alike")]
ASKED = list(asked_of(whole_answers()["full"], KEEPING))
"""Plain and streamed, with each member that changes a reply."""


def ids(*seed: object) -> Ids:
    return Ids("/".join(map(str, seed)))


@rows("asked", ASKED, ids=lambda asked: asked.name, group=lambda asked: f"{asked.provider} {asked.wire}")
def test_reply_is_the_same_each_time_but_for_ids_and_tokens(asked: Asked) -> None:
    wire = wire_for(asked.provider, asked.wire)
    # Only streams are split; where is not decided by what else a request says.
    for reply, split in product(REPLIES, SPLITS[: 1 + (asked.mode == "stream" and not asked.is_full)]):
        for time, tokens in enumerate(TOKENS):
            one, other = (
                ReplyContext(asked.request, asked.provider, ids(asked.name, time), split, tokens=tokens)
                for _ in range(2)
            )
            try:
                expected = wire.encode(reply, one)
            except CannotExpress:
                with pytest.raises(CannotExpress):
                    written(wire, reply, other)
                continue
            found = written(wire, reply, other)
            assert found == expected
            assert wire_bytes(found) == wire_bytes(expected)
            assert one.ids.make("", 8) == other.ids.make("", 8)


class Client:
    """Notes what is written to it."""

    is_full = False

    def __init__(self) -> None:
        self.transport: Any = self
        self.written = b""

    def write(self, data: bytes) -> None:
        self.written += data


def wire_bytes(response: Response) -> list[bytes]:
    """What a connection of each version writes."""
    clients = [Client(), Client()]
    for client, version in zip(clients, ("1.0", "1.1"), strict=True):
        framed = frame(response, method="POST")
        assert write_at_once(framed, client, closing=False, version=version)  # type: ignore[arg-type]
    return [client.written for client in clients]


class Counting:
    """A wire that counts how often it writes."""

    def __init__(self, wire: Any) -> None:
        self._wire = wire
        self.times = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._wire, name)

    def encode(self, reply: Reply, context: ReplyContext) -> Any:
        self.times += 1
        return self._wire.encode(reply, context)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", WIRES)
def test_text_is_kept_on_each_wire(name: str, mode: str) -> None:
    provider = own_provider(name)
    request = next(requests_of(provider, name, mode))
    wire, reply = Counting(wire_for(provider, name)), Reply(text=f"It is kept on {name}, {mode}.")
    for tokens in (100, 101, 102):
        written(wire, reply, ReplyContext(request, provider, Ids("x"), tokens=tokens))
    often = wire.times
    for tokens in (103, 250, 700):
        written(wire, reply, ReplyContext(request, provider, Ids("x"), tokens=tokens))

    assert wire.times == often


class Noting:
    """A wire that notes how often it writes."""

    name = "noting"
    repeated = "{}"

    def __init__(self) -> None:
        self.times = 0
        self.key: Any = object()

    def view(self, request: Request) -> View:
        raise AssertionError("the tokens are known")

    def alike(self, request: Request) -> Alike | None:
        return None if self.key is None else Alike(self.key, self.repeated)

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        self.times += 1
        repeated = self.repeated if context.repeated is None else context.repeated
        return Response(200, (("x-id", context.ids.make("id_", 9)),), (self.body(reply, context, repeated).encode(),))

    def body(self, reply: Reply, context: ReplyContext, repeated: str) -> str:
        return json.dumps({"text": reply.text, "tokens": context.tokens}) + repeated


CONTEXT = ReplyContext(Request("POST", "/", {}, b"{}"), "some", Ids("x"), view=View("", False), tokens=100)


def times(wire: Any, *changes: dict[str, Any], reply: Reply | None = None) -> int:
    """How often it has written, when the reply was asked for with each change of the context."""
    for change in changes or ({},) * (TIMES + 5):
        written(wire, reply or Reply(text=f"Of {id(wire)}."), replace(CONTEXT, **change))
    return wire.times


def test_reply_is_written_twice_and_then_kept() -> None:
    noting = Noting()
    often = times(noting)

    assert often < TIMES + 5
    assert times(noting) == often


def test_texts_that_a_wire_repeats_may_differ() -> None:
    noting = Noting()
    often = times(noting)
    noting.repeated = '{"a": 7}'

    found = written(noting, Reply(text=f"Of {id(noting)}."), CONTEXT)  # type: ignore[arg-type]

    assert found.body.endswith(b'{"a": 7}')
    assert noting.times == often


@pytest.mark.parametrize(
    "reply",
    [
        Reply(text="Yes.", fault=Fault()),
        Reply(text="Yes.", thinking="Hm."),
        Reply(text="Yes.", chunks=["Yes."]),  # type: ignore[arg-type]
        Reply(text="y" * (LONGEST_KEPT + 1)),
    ],
    ids=("a fault", "thinking", "a list", "a long text"),
)
def test_other_replies_are_written_each_time(reply: Reply) -> None:
    assert times(Noting(), reply=reply) == TIMES + 5


def test_reply_is_written_each_time_where_the_wire_knows_of_nothing_alike() -> None:
    noting = Noting()
    noting.key = None

    assert times(noting) == TIMES + 5


@pytest.mark.parametrize(
    "body",
    [
        lambda reply, context, repeated: f"{context.ids.make('', 6).upper()}",
        lambda reply, context, repeated: f"{context.tokens * 2}",
        lambda reply, context, repeated: f"{min(context.tokens, 500)}",
        lambda reply, context, repeated: f"{len(repeated)}",
    ],
    ids=("an id in capitals", "twice the tokens", "so many tokens at most", "the length of a text"),
)
def test_what_is_made_of_an_id_or_a_number_is_made_each_time(body: Any) -> None:
    noting = Noting()
    noting.body = body  # type: ignore[method-assign]
    for tokens in (100, 101, 102, 103, 700, 800):
        seed = str(tokens)
        found = written(noting, Reply(text="Yes."), replace(CONTEXT, ids=Ids(seed), tokens=tokens))  # type: ignore[arg-type]

        assert found == noting.encode(Reply(text="Yes."), replace(CONTEXT, ids=Ids(seed), tokens=tokens))


def test_trying_ends() -> None:
    noting = Noting()
    noting.body = lambda reply, context, repeated: f"{context.tokens * 2}"  # type: ignore[method-assign]
    times(noting, *({"tokens": 100 + tokens} for tokens in range(TIMES + MOST_WAYS)))
    often = noting.times

    assert times(noting, {}, {}, {}) == often + 3
