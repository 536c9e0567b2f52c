"""From a scripted reply to what Gemini would answer. Knows no rule and no scenario; `stream` cuts it into events."""

import json
from dataclasses import dataclass
from typing import Any, NoReturn

from fakes.http import Response, json_response, spaced
from fakes.ids import ALPHABET, Ids
from fakes.models import traits
from fakes.reply import MADE_BY_PROVIDER, Call, CannotExpress, Fault, Reply
from fakes.tokens import count_tokens, tokens_of
from fakes.wire import ReplyContext, Route
from fakes.wires.gemini_generate import vertex
from fakes.wires.gemini_generate.errors import JSON
from fakes.wires.gemini_generate.request import route, view
from fakes.wires.gemini_generate.scripted_faults import breach, error_of, overridden
from fakes.wires.gemini_generate.stream import Chunk, stream
from fakes.wires.gemini_generate.thought_signatures import issue

FINISHES = {
    None: "STOP",
    "stop": "STOP",
    "length": "MAX_TOKENS",
    "content_filter": "SAFETY",
    "refusal": "PROHIBITED_CONTENT",
    "malformed": "MALFORMED_FUNCTION_CALL",
}
"""`STOP` ends calls too."""

SILENT = ("content_filter", "refusal", "malformed")
"""A candidate that ends so and says nothing has no `content`; one that stops has a `content` without parts."""

URL = f"{ALPHABET}-_"

CALLED = "Model generated function call(s)."
MALFORMED = "Malformed function call: the call could not be parsed."


def call_id(ids: Ids) -> str:
    """Eight letters and digits, as Gemini 3 gives them since 2026."""
    return ids.make("", 8)


def encode(reply: Reply, context: ReplyContext) -> Response:
    fault = reply.fault or Fault()
    where = route(context.request) or Route("", False)
    if fault.body is not None:
        return overridden(fault, 200)
    if fault.error_event is not None and not where.stream:
        raise CannotExpress("error-event")
    answer = _Answer.of(reply, context, where)
    if where.stream:
        response = stream(answer.chunks(), context, error=error_of(fault, context))
    else:
        response = Response(200, (("content-type", JSON),), json_response(200, answer.whole()).chunks)
    return breach(response, fault, stream=where.stream)


@dataclass(frozen=True, slots=True)
class _Answer:
    """A reply with its ids and signature, and what all of its chunks have in common."""

    reply: Reply
    calls: tuple[dict[str, Any], ...]
    signature: str | None
    prompt_tokens: int
    model: str
    response_id: str
    provider: str
    ends_itself: bool
    averages: bool
    """Whether Vertex AI tells the mean of log probabilities: of plain answers of models that sign nothing."""

    @classmethod
    def of(cls, reply: Reply, context: ReplyContext, where: Route) -> "_Answer":
        signs = "thought-signatures" in traits("gemini-generate", where.model) or bool(reply.thinking)
        averages = not where.stream and "thought-signatures" not in traits("gemini-generate", where.model)
        named = context.provider == "gemini" and "thought-signatures" in traits("gemini-generate", where.model)
        signed = signs and bool(reply.calls or reply.text)
        return cls(
            reply=reply,
            calls=tuple(_function_call(call, context.ids if named else None) for call in reply.calls),
            signature=issue(context.ids) if signed else None,
            prompt_tokens=count_tokens(context.view or view(context.request)),
            model=where.model,
            response_id=context.ids.make("", 23, URL),
            provider=context.provider,
            ends_itself="thought-signatures" not in traits("gemini-generate", where.model),
            averages=averages,
        )

    def whole(self) -> dict[str, Any]:
        parts: list[dict[str, Any]] = []
        if self.reply.thinking:
            parts.append({"text": self.reply.thinking, "thought": True})
        if self.reply.text:
            parts.append({"text": self.reply.text} | ({} if self.calls else self._signed()))
        return self._body([*parts, *self._call_parts()], self.reply.text or "", ends=True)

    def chunks(self) -> Chunk:
        """What the stream is cut from; `chunk` makes a body of parts and the text so far."""
        return Chunk(
            reply=self.reply,
            call_parts=self._call_parts(),
            last_part={"text": ""} | ({} if self.calls else self._signed()),
            ends_itself=self.ends_itself,
            body=self._body,
        )

    def _signed(self) -> dict[str, Any]:
        return {"thoughtSignature": self.signature} if self.signature else {}

    def _call_parts(self) -> list[dict[str, Any]]:
        """Only the first of parallel calls has the signature."""
        return [{"functionCall": call} | (self._signed() if i == 0 else {}) for i, call in enumerate(self.calls)]

    def _body(self, parts: list[dict[str, Any]], so_far: str, *, ends: bool, called: bool = True) -> dict[str, Any]:
        candidate: dict[str, Any] = {}
        silent = ends and self.reply.finish in SILENT and not any(part.get("text", True) for part in parts)
        if parts and not silent:
            candidate["content"] = {"parts": parts, "role": "model"}
        elif not silent:
            candidate["content"] = {"role": "model"}
        if ends:
            candidate["finishReason"] = FINISHES[self.reply.finish]
        candidate["index"] = 0
        if ends and self.reply.finish == "malformed":
            candidate["finishMessage"] = MALFORMED
        elif ends and self.calls and FINISHES[self.reply.finish] == "STOP":
            candidate["finishMessage"] = CALLED
        body = {
            "candidates": [candidate],
            "usageMetadata": self._usage(so_far, called=called),
            "modelVersion": self.model.rsplit("/", 1)[-1],
            "responseId": self.response_id,
        }
        return vertex.told(body, ends=ends, averages=self.averages) if self.provider == "vertex" else body

    def _usage(self, so_far: str, *, called: bool) -> dict[str, Any]:
        """Cumulative. Counts of nothing are left out."""
        calls = sum(len(spaced(call)) for call in self.calls) if called else 0
        answered, thought = tokens_of(len(so_far) + calls), tokens_of(len(self.reply.thinking or ""))
        usage: dict[str, Any] = {"promptTokenCount": self.prompt_tokens}
        if answered:
            usage["candidatesTokenCount"] = answered
        usage["totalTokenCount"] = self.prompt_tokens + answered + thought
        usage["promptTokensDetails"] = [{"modality": "TEXT", "tokenCount": self.prompt_tokens}]
        if thought:
            usage["thoughtsTokenCount"] = thought
        return usage | {"serviceTier": "standard"}


def _function_call(call: Call, ids: Ids | None) -> dict[str, Any]:
    """Only Gemini 3 makes ids of its own, and on Vertex AI it does not: recorded."""
    told = {"name": call.name, "args": _arguments(call)}
    if call.id is MADE_BY_PROVIDER:
        return told if ids is None else told | {"id": call_id(ids)}
    return told if call.id is None else told | {"id": call.id}


def _arguments(call: Call) -> Any:
    if call.arguments_text is None:
        return dict(call.arguments or {})
    try:
        arguments = json.loads(call.arguments_text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise CannotExpress("arguments-not-json") from None
    if not isinstance(arguments, dict):
        raise CannotExpress("arguments-not-object")
    return arguments


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)
