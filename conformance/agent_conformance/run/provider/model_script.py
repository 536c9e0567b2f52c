"""The model script of one turn: which reply comes next, and what answers a request with an `output_schema`."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from msgspec import Struct

from agent_conformance.scenario.derived.faults import fault_of, has_harmful_fault, usage_of
from agent_conformance.scenario.model import CallSpec, ReplySpec
from agent_conformance.transcripts.transcript import ServedCall, TurnRecord
from fake_providers import MADE_BY_PROVIDER, Call, Reply, ServerCall, Source, View
from fake_providers.values.json_texts import read_json
from fake_providers.values.minimal_value import minimal_value

ENOUGH = 40
"""So many characters of the beginning or the end of a result show that it is there, though cut."""


def says_schema(view: View, schema: Mapping[str, Any], tools: Collection[str]) -> bool:
    """Whether the request has all properties of the schema: in the wire's field for it, in the declaration of a tool
    that is none of `tools`, or in the words of the system prompt and the user.
    """
    names = list(schema.get("properties", ()))
    written = [json.dumps(one) for one in _schemas(view, tools)]
    if any(all(f'"{name}"' in one for name in names) for one in written):
        return True
    prompts = "\n".join([view.system, *(message.text for message in view.messages if message.role == "user")])
    return all(re.search(rf"\b{re.escape(name)}\b", prompts) for name in names)


def _schemas(view: View, tools: Collection[str]) -> Iterator[Any]:
    if view.schema is not None:
        yield view.schema
    yield from (tool.parameters for tool in view.tools if tool.name not in tools)


def in_words(reply: Reply) -> Reply:
    """What a model answers that was not told to write JSON: the same in a sentence."""
    value = json_object(reply.text)
    if value is None or reply.calls:
        return reply
    said = ", ".join(f"the {name} is {inner}" for name, inner in value.items())
    return replace(reply, text=f"Here is what I found: {said}.", chunks=())


def reply_call(reply: Reply, tool: str, argument: str | None) -> Call | None:
    """The answer as a call of the agent's own tool: under one argument, or as all of them if it is a JSON object."""
    if argument is not None:
        return Call(tool, {argument: reply.text})
    value = json_object(reply.text)
    return None if value is None else Call(tool, value)


def json_object(text: str | None) -> dict[str, Any] | None:
    try:
        value = read_json(text or "")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def answer_with(word: str, schema: Mapping[str, Any]) -> str:
    """A value of the schema, with the word in its first property that is a text."""
    value = minimal_value(schema)
    free = (
        name
        for name, kind in schema["properties"].items()
        if isinstance(kind, dict) and kind.get("type") == "string" and "enum" not in kind
    )
    name = next(free, None)
    return json.dumps({**value, name: word} if name else value)


OVER = "The script is over."
NO_TOOL = "I have no tool for that."
FEWEST_ROUNDS = 5
"""The lowest limit of rounds that is known of a framework: Semantic Kernel's."""


class NextReply(Struct, frozen=True):
    """`over` is past the end of the script; `repetition` counts how often this reply was sent, this time included."""

    spec: ReplySpec
    repetition: int
    over: bool = False


class Script:
    """Replies in order, each as often as it says. Call `advance` once for each request that gets one."""

    def __init__(self, replies: Sequence[ReplySpec]) -> None:
        self._replies = list(replies)
        self._at = 0
        self._repetition = 0
        self._served: tuple[ServedCall, ...] = ()
        self._faulted: tuple[ReplySpec, tuple[ServedCall, ...]] | None = None
        self._awaited: ReplySpec | None = None
        """A reply that was sent until its calls were answered."""

    def advance(
        self,
        view: View,
        ran: Collection[str] = (),
        *,
        without_calls: bool = False,
        at_fallback: bool = False,
        is_forgetful: bool = False,
    ) -> NextReply:
        """The reply for this request, or the next one without calls; `ran` are the tools that have run in this turn.

        `at_fallback`: a second provider is asked, which does not fail. If the request `is_forgetful` and has no result
        of this turn, the model calls again what it has called.
        """
        if at_fallback and is_forgetful and not without_calls and self._awaited is not None:
            return NextReply(self._awaited, 2)
        while self._at < len(self._replies) and (
            self._is_done(self._replies[self._at], view, ran)
            or (without_calls and self._replies[self._at].calls)
            or (at_fallback and has_harmful_fault(self._replies[self._at]))
        ):
            if self._replies[self._at].until is not None:
                self._awaited = self._replies[self._at]
            if self._repetition and has_harmful_fault(self._replies[self._at]):
                self._faulted = self._replies[self._at], self._served
            self._at += 1
            self._repetition = 0
            self._served = ()
        if self._at < len(self._replies):
            self._repetition += 1
            return NextReply(self._replies[self._at], self._repetition)
        last = self._replies[-1] if self._replies else None
        if last is not None and _is_prose(last):
            return NextReply(last, 1, over=True)
        if last is not None and last.means is not None and last.means.handling == "hide" and last.means.show:
            return NextReply(ReplySpec(text=last.means.show), 1, over=True)  # the same answer, said plainly
        return NextReply(ReplySpec(text=OVER), 1, over=True)

    def take_apart(self, pieces: Sequence[ReplySpec]) -> NextReply:
        """The first of these replies, which take the place of the one that was just taken."""
        self._replies[self._at : self._at + 1] = pieces
        return NextReply(self._replies[self._at], self._repetition)

    @property
    def rounds(self) -> int:
        """How many requests all replies take."""
        return sum(reply.times for reply in self._replies)

    def served(self, calls: tuple[ServedCall, ...]) -> None:
        """Remember the calls of the reply just sent, for `until: answered`."""
        self._served = calls

    def goes_on(self, rounds: int) -> bool:
        """Whether more calls follow the reply last sent, forever or after rounds that no right agent has to get; a
        guard against loops stops at the second call that is the same.
        """
        if self._at >= len(self._replies):
            return False
        reply = self._replies[self._at]
        is_repeated = self._repetition > 1 or (self._at > 0 and self._replies[self._at - 1].calls == reply.calls)
        is_spare = reply.spare and bool(reply.calls) and (rounds >= FEWEST_ROUNDS or is_repeated)
        return reply.forever or reply.until is not None or is_spare

    @property
    def unused(self) -> list[ReplySpec]:
        """Replies that no request got, except `spare` ones, for which only some correct agents send a request."""
        rest = self._replies[self._at + (1 if self._repetition else 0) :]
        return [reply for reply in rest if not reply.spare]

    def _is_done(self, reply: ReplySpec, view: View, ran: Collection[str]) -> bool:
        if reply.forever:
            return False
        if reply.until == "answered":
            return self._repetition > 0 and (not self._served or _is_answered(self._served, view))
        return self._repetition >= reply.times or self._is_needless(reply, view, ran)

    def _is_needless(self, reply: ReplySpec, view: View, ran: Collection[str]) -> bool:
        """Whether a spare reply repeats the calls of one that broke off, and the agent ran and answered those calls.

        On a wire that sends a call in one piece, it may have come whole.
        """
        if not (reply.spare and reply.calls and self._faulted):
            return False
        broken, served = self._faulted
        has_run = all(call.name in ran for call in broken.calls)
        return reply.calls == broken.calls and has_run and _is_answered(served, view)


def _is_prose(reply: ReplySpec) -> bool:
    means_calls = reply.means is not None and reply.means.handling != "show"
    return bool(reply.text) and not reply.calls and not has_harmful_fault(reply) and not means_calls


def _is_answered(served: tuple[ServedCall, ...], view: View) -> bool:
    """By id or by name; a result with neither, as Ollama's own client sends it, by its place after the call."""
    ids = {call.id for call in served if call.id is not None}
    names = {call.name for call in served} | {call.wire_name for call in served}
    answered = {call.id for message in view.messages for call in message.calls if call.name in names}
    called = False
    for message in view.messages:
        if message.role == "assistant":
            called = any(call.name in names for call in message.calls)
        for result in message.results:
            if result.id in ids or (result.name is not None and result.name in names):
                return True
            if result.id in answered if result.id is not None else called and result.name is None:
                return True
    return False


def has_no_result(view: View, record: TurnRecord) -> bool:
    """Whether tools have run in this turn, and no text of the request has a result of theirs, or a summary of them.

    A result that was cut has its beginning or its end.
    """
    said = "\n".join(text for one in view.messages for text in (one.text, *(result.text for result in one.results)))
    results = [attempt.result for attempt in record.executions]
    summaries = [request.said for request in record.requests if request.kind == "side"]
    kept = [*(end for result in results for end in (result[:ENOUGH], result[-ENOUGH:])), *filter(None, summaries)]
    return bool(results) and not any(words in said for words in kept)


def name_of(call: CallSpec, repetition: int) -> str:
    """The scenario's name of what a call calls, in this repetition of its reply."""
    return f"{call.name}_{repetition}" if call.numbered else call.name


def in_offered_names(spec: ReplySpec, names: Mapping[str, str]) -> ReplySpec:
    """The reply, in whose text a model calls a tool by the name that it was offered; prose beside the call stays."""
    means = spec.means
    changed = {name: sent for name, sent in names.items() if name != sent}
    if means is None or means.handling == "show" or not changed:
        return spec
    longest_first = sorted(changed, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])")

    def sent(text: str) -> str:
        return pattern.sub(lambda found: changed[found[0]], text)

    before, shown, after = (spec.text or "").partition(means.show) if means.show else (spec.text or "", "", "")
    text = sent(before) + shown + sent(after)
    if text == (spec.text or ""):
        return spec
    cut = {field: [sent(one) for one in getattr(spec, field)] for field in ("chunks", "blocks")}
    whole = {field: pieces if "".join(pieces) == text else [] for field, pieces in cut.items()}
    hidden = means.changed({"never_show": [sent(one) for one in means.never_show]})
    return spec.changed({**whole, "text": text, "means": hidden})


def reply_of(
    spec: ReplySpec, repetition: int, *, names: Mapping[str, str], withheld: Collection[str] = ()
) -> tuple[Reply, tuple[CallSpec, ...]]:
    """The reply in the fakes' type, and the calls that it has; `names` maps the scenario's names to those sent.

    The model does not call what is `withheld` from it. If that leaves nothing to say, it says so.
    """
    specs = tuple(call for call in spec.calls if call.name not in withheld)
    calls = tuple(_call(call, names.get(name := name_of(call, repetition), name)) for call in specs)
    reply = Reply(
        text=NO_TOOL if spec.calls and not calls and not spec.text else spec.text,
        thinking=spec.thinking,
        calls=calls,
        finish=spec.finish,
        chunks=tuple(spec.chunks),
        fault=fault_of(spec),
        quirks=tuple(spec.quirks),
        server_calls=tuple(ServerCall(**call.data()) for call in spec.server_calls),
        sources=tuple(Source(**source.data()) for source in spec.sources),
        alternatives=tuple(spec.alternatives),
        id=spec.id,
        item_ids=tuple(spec.item_ids),
        usage=usage_of(spec),
        blocks=tuple(spec.blocks),
        thoughts=tuple(spec.thoughts),
    )
    return reply, specs


def _call(call: CallSpec, wire_name: str) -> Call:
    given_id = call.id if "id" in call.given else MADE_BY_PROVIDER
    if call.arguments_text is not None:
        return Call(wire_name, None, call.arguments_text, given_id)
    return Call(wire_name, call.arguments or {}, None, given_id)
