"""The wire-neutral view of a request: what every law and expectation reads."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from operator import eq
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from fake_providers.http import spaced
from fake_providers.values.json_texts import read_json
from fake_providers.values.pictures import Picture

Role = Literal["user", "assistant", "tool"]
AnswerFormat = Literal["text", "json", "enum"]
"""What the answer must be: any text, a JSON value, or one of the words of the schema, bare."""


STORED_REASONING = "(stored reasoning)"
"""Stands for reasoning that the provider keeps, where a request names the response that has it."""


class ViewCall(Struct, frozen=True):
    """A tool call in a request. `arguments` is the JSON value, or None if `arguments_text` is not JSON."""

    id: str | None
    name: str
    arguments: Any
    arguments_text: str


def read_arguments(written: Any) -> tuple[Any, str]:
    """The arguments of a call and their text, as `ViewCall` has them.

    Half of the APIs want a text and half a value, and what a provider refuses is read all the same.
    """
    if isinstance(written, str):
        try:
            return read_json(written), written
        except ValueError:
            return None, written
    try:
        return written, spaced(written)
    except RecursionError:
        return written, ""


class ViewResult(Struct, frozen=True):
    """A native tool result in a request, rendered as text. `name` is set only if the wire has one.

    `pictures` are those that stand in the result itself.
    """

    id: str | None
    name: str | None
    text: str
    is_error: bool = False
    pictures: tuple[Picture, ...] = ()


class ViewMessage(Struct, frozen=True):
    """A run of messages of one role, joined. `tool` has native results, whatever role the wire gives them.

    `at` is the place in the body where the run begins, as the provider spells it: `messages[3]`, `contents[0]`. `text`
    has the texts joined by a line break, and pieces of one answer joined by nothing; reasoning is in `thinking`.
    `pictures` are those beside the texts, not those of results. `signed`: it has Google's signature of the reasoning
    before it, which stands for that; what Google documents for calls without one is none. `server_calls` are calls of
    tools that the provider itself has run, on Anthropic.
    """

    role: Role
    at: str
    text: str = ""
    thinking: str = ""
    calls: tuple[ViewCall, ...] = ()
    results: tuple[ViewResult, ...] = ()
    pictures: tuple[Picture, ...] = ()
    signed: bool = False
    server_calls: tuple[ViewCall, ...] = ()


class ViewTool(Struct, frozen=True):
    name: str
    description: str
    parameters: Any


class View(Struct, frozen=True):
    """One request. `messages` has no system messages; their text is `system`, wherever they were.

    `fields` are the neutral names of wire fields that are present: `tools`, `tool_choice`, `parallel_tool_calls`.
    `forbids_calls`: the request offers tools, and says that the model must not call any, as every provider promises; or
    it constrains the answer in a way that leaves no room for calls.
    `forces`: the tools one of which the model must call, before it can answer. `thinks`: the request asks for reasoning
    that excludes such force. `schema`: the JSON Schema that the wire has for the answer. `window`: the tokens of
    conversation that the request has the server keep. `allows`: the only tools that the model may call; None for all
    that are offered. `answer_format`: what the request demands of a text. `max_tokens`: the longest reply.
    `at_most_one_call`: the request says that a reply must not have several calls.
    """

    model: str
    stream: bool
    system: str = ""
    messages: tuple[ViewMessage, ...] = ()
    tools: tuple[ViewTool, ...] = ()
    fields: frozenset[str] = frozenset()
    forbids_calls: bool = False
    forces: frozenset[str] = frozenset()
    thinks: bool = False
    schema: Any = None
    window: int | None = None
    allows: frozenset[str] | None = None
    answer_format: AnswerFormat = "text"
    max_tokens: int | None = None
    at_most_one_call: bool = False

    @property
    def callable_tools(self) -> tuple[ViewTool, ...]:
        """Those that the model may call: an agent may declare more, which keeps the provider's cache of the request."""
        if self.forbids_calls:
            return ()
        return tuple(tool for tool in self.tools if self.allows is None or tool.name in self.allows)

    @property
    def texts(self) -> str:
        """The texts of system prompt, messages and results, without declarations."""
        return "\n".join(self._parts())

    @property
    def text_length(self) -> int:
        """The characters of `texts`, which are many, without making them."""
        messages = self.messages
        counted = messages.letters if isinstance(messages, Runs) else None
        letters = sum(map(_letters_of, messages)) if counted is None else counted
        return max(0, letters + (len(self.system) + 1 if self.system else 0) - 1)

    def _parts(self) -> list[str]:
        parts = [self.system, *(text for message in self.messages for text in _texts_of(message))]
        return [part for part in parts if part]


@lru_cache(maxsize=64)
def with_tools(fields: frozenset[str]) -> frozenset[str]:
    """The fields of a view with `tools`, one object for all that have the same."""
    return fields | {"tools"}


def _texts_of(message: ViewMessage) -> list[str]:
    results = [result.text for result in message.results] if message.results else ()
    calls = [call.arguments_text for call in message.calls] if message.calls else ()
    return [message.text, message.thinking, *results, *calls]


def _letters_of(message: ViewMessage) -> int:
    """The characters of its texts, and a line break after each."""
    letters = 0
    for text in _texts_of(message):
        if text:
            letters += len(text) + 1
    return letters


class Runs(tuple[ViewMessage, ...]):
    """The messages of a request, no two of one role behind each other; `letters` are those of their texts, None in a
    copy, whose texts may be others."""

    letters: int | None = None


Seen = ViewMessage | str | Sequence[ViewMessage] | None
"""What is seen of a message of a request: messages, the text of a system message, or nothing."""


class Said(NamedTuple):
    """A conversation, which may go on; `before_last` are the letters of all its messages but the last."""

    system: tuple[str, ...]
    messages: Runs
    before_last: int


def going_on(said: Said | None, seen: Iterable[Seen], *, answer_seam: str = "\n") -> Said:
    """The conversation with what comes after it; `answer_seam` is that of `join_runs`."""
    system: list[str] = []
    new: list[ViewMessage] = []
    for one in seen:
        if isinstance(one, ViewMessage):
            new.append(one)
        elif isinstance(one, str):
            system.append(one)
        else:
            new += one or ()
    before, letters = ((), 0) if said is None else (said.messages[:-1], said.before_last)
    runs = join_runs((*said.messages[-1:], *new) if said else new, answer_seam=answer_seam)
    lengths = [_letters_of(run) for run in runs]
    messages = Runs((*before, *runs))
    messages.letters = letters + sum(lengths)
    said_before = said.system if said else ()
    return Said((*said_before, *filter(None, system)), messages, letters + sum(lengths[:-1]))


DOCUMENTED_SIGNATURES = ("skip_thought_signature_validator", "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=")
"""What Google documents in place of the signature of a call that its model did not make, and the same in base64."""


def stands_for_reasoning(signature: Any) -> bool:
    """Whether this is a signature that Google's model made."""
    return isinstance(signature, str) and signature not in ("", *DOCUMENTED_SIGNATURES)


def join_runs(messages: Iterable[ViewMessage], *, answer_seam: str = "\n") -> tuple[ViewMessage, ...]:
    """Consecutive messages of one role become one; text and thinking are joined by line breaks.

    `answer_seam` is between the assistant's texts: empty on a wire whose clients send an answer back in pieces.
    """
    messages = tuple(messages)
    roles = [message.role for message in messages]
    if not any(map(eq, roles, roles[1:])):
        return messages
    runs = ([*run] for _, run in groupby(messages, key=lambda message: message.role))
    return tuple(run[0] if len(run) == 1 else _joined(run, answer_seam) for run in runs)


def _joined(run: list[ViewMessage], answer_seam: str) -> ViewMessage:
    """Joined at once and not pair by pair: a run may have as many messages as fit into a body."""
    first = run[0]
    seam = answer_seam if first.role == "assistant" else "\n"
    return ViewMessage(
        role=first.role,
        at=first.at,
        text=seam.join(message.text for message in run if message.text),
        thinking=seam.join(message.thinking for message in run if message.thinking),
        calls=tuple(call for message in run for call in message.calls),
        results=tuple(result for message in run for result in message.results),
        pictures=tuple(picture for message in run for picture in message.pictures),
        signed=any(message.signed for message in run),
        server_calls=tuple(call for message in run for call in message.server_calls),
    )
