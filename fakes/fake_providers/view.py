"""The wire-neutral view of a request: what every law and expectation reads."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, Literal

from fake_providers.values.pictures import Picture

Role = Literal["user", "assistant", "tool"]
AnswerFormat = Literal["text", "json", "enum"]
"""What the answer must be: any text, a JSON value, or one of the words of the schema, bare."""


@dataclass(frozen=True, slots=True)
class ViewCall:
    """A tool call in a request. `arguments` is the JSON value, or None if `arguments_text` is not JSON."""

    id: str | None
    name: str
    arguments: Any
    arguments_text: str


@dataclass(frozen=True, slots=True)
class ViewResult:
    """A native tool result in a request, rendered as text. `name` is set only if the wire has one.

    `pictures` are those that stand in the result itself.
    """

    id: str | None
    name: str | None
    text: str
    is_error: bool = False
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class ViewMessage:
    """A run of messages of one role, joined. `tool` has native results, whatever role the wire gives them.

    `at` is the place in the body where the run begins, as the provider spells it: `messages[3]`, `contents[0]`. `text`
    has the texts joined by a line break, and pieces of one answer joined by nothing; reasoning is in `thinking`.
    `pictures` are those beside the texts, not those of results. `signed`: it has Google's signature of the reasoning
    before it, which stands for that; what Google documents for calls without one is none.
    """

    role: Role
    at: str
    text: str = ""
    thinking: str = ""
    calls: tuple[ViewCall, ...] = ()
    results: tuple[ViewResult, ...] = ()
    pictures: tuple[Picture, ...] = ()
    signed: bool = False


@dataclass(frozen=True, slots=True)
class ViewTool:
    name: str
    description: str
    parameters: Any


@dataclass(frozen=True, slots=True)
class View:
    """One request. `messages` has no system messages; their text is `system`, wherever they were.

    `fields` are the neutral names of wire fields that are present: `tools`, `tool_choice`, `parallel_tool_calls`.
    `forbids_calls`: the request offers tools, and says that the model must not call any, as every provider promises; or
    it constrains the answer in a way that leaves no room for calls.
    `forces`: the tools one of which the model must call, before it can answer. `thinks`: the request asks for reasoning
    that excludes such force. `schema`: the JSON Schema that the wire has for the answer. `window`: the tokens of
    conversation that the request has the server keep. `allows`: the only tools that the model may call; None for all
    that are offered. `answer_format`: what the request demands of a text. `max_tokens`: the longest reply.
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

    @property
    def texts(self) -> str:
        """The texts of system prompt, messages and results, without declarations."""
        return "\n".join(self._parts())

    @property
    def text_length(self) -> int:
        """The characters of `texts`, which are many, without making them."""
        lengths = [len(part) for part in self._parts()]
        return sum(lengths) + max(0, len(lengths) - 1)

    def _parts(self) -> list[str]:
        parts = [self.system]
        for message in self.messages:
            parts += (message.text, message.thinking)
            if message.results:
                parts += [result.text for result in message.results]
            if message.calls:
                parts += [call.arguments_text for call in message.calls]
        return [part for part in parts if part]


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
    if len(messages) < 2 or all(message.role != following.role for message, following in pairwise(messages)):
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
    )
