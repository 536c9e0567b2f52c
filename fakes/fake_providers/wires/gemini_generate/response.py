"""Renders a scripted reply as Gemini's response. `stream` cuts it into events.

Creates no content.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, zip_longest
from typing import Any, NamedTuple
from zlib import crc32

from msgspec import Struct
from msgspec.structs import replace

from fake_providers.http import AS_ESCAPE, Response, json_response, quoted, spaced
from fake_providers.ids import ALPHABET, Ids
from fake_providers.models import traits
from fake_providers.replies import kept_by_text
from fake_providers.replies.call_validation import arguments_object
from fake_providers.replies.transport_faults import with_fault
from fake_providers.reply import MADE_BY_PROVIDER, NO_FAULT, Call, CannotExpress, Reply, inside_characters, pieces
from fake_providers.values.tokens import counted, likely_tokens, tokens_of
from fake_providers.wire import ReplyContext, Route
from fake_providers.wire_facts import refuse_inexpressible
from fake_providers.wires.gemini_generate.errors import EVENTS, JSON
from fake_providers.wires.gemini_generate.proto_messages import field
from fake_providers.wires.gemini_generate.provider import Provider, error_event_body, fail
from fake_providers.wires.gemini_generate.request import route, value_of, view, wants_events
from fake_providers.wires.gemini_generate.thought_signatures import issue

SIZE = 20
"""How many characters a piece of text has: few enough that a short answer still comes in several chunks."""


class StreamSource(Struct, frozen=True):
    """What the chunks are built from. `body` makes one chunk from its parts and the text so far, `texts` the JSON of
    those with one piece each.

    `ends_with_calls` is true for models before Gemini 3, whose calls come in the last chunk.
    """

    reply: Reply
    call_parts: list[dict[str, Any]]
    last_part: dict[str, Any]
    ends_with_calls: bool
    body: Callable[..., dict[str, Any]]
    texts: Callable[..., Iterable[str]]


class StreamChunk(NamedTuple):
    """One chunk of the stream: its parts, the text so far, and whether the calls have been sent."""

    parts: list[dict[str, Any]]
    text_so_far: str
    with_calls: bool = False


def stream(
    sources: list[StreamSource], context: ReplyContext, provider: Provider, *, error: dict[str, Any] | None
) -> Response:
    """Events with CRLF and no terminator, or one JSON array. An error replaces the last chunk. Each event has the next
    piece of one candidate; the last has the ends of all."""
    lists, ends = zip(*(_chunks(source, context, provider, error) for source in sources), strict=True)
    texts = [text for step in zip_longest(*lists) for text in step if text is not None] if lists[1:] else lists[0]
    texts.append(provider.to_json(ends[0] if error is not None else joined(list(ends))))
    if wants_events(context.request):
        chunks = tuple([f"data: {text}\r\n\r\n".encode(errors=AS_ESCAPE) for text in texts])
    else:
        chunks = tuple(_element(text, i, len(texts)) for i, text in enumerate(texts))
    if context.split == "bytes":
        chunks = inside_characters(chunks)
    return Response(200, (("content-type", EVENTS if wants_events(context.request) else JSON),), chunks)


def _chunks(
    source: StreamSource, context: ReplyContext, provider: Provider, error: dict[str, Any] | None
) -> tuple[list[str], dict[str, Any]]:
    """The JSON of all chunks but the last, and the body of that: thoughts, then text, then all calls in one chunk.

    Vertex AI ends with the last piece of the answer, unless a signature is still to come. Gemini ends with an empty
    text, unless the calls come last.
    """
    reply = source.reply
    thoughts = [*pieces(reply.thinking or "", context.split, size=SIZE)]
    blocks = (pieces(text, context.split, given=reply.chunks, size=SIZE) for text in reply.text_blocks)
    said = [piece for block in blocks for piece in block]
    whole = "".join(said)
    ending = [StreamChunk(source.call_parts, whole, with_calls=True)] if source.call_parts else []
    calls_are_last = source.ends_with_calls and bool(source.call_parts)
    ends_with_piece = provider.ends_with_last_piece and "thoughtSignature" not in source.last_part
    is_complete = bool(thoughts or said or ending) and (calls_are_last or ends_with_piece)
    if error is None and not is_complete:
        ending.append(_closing_chunk(source))
    elif error is None and not ending:
        last_part = {"text": said.pop()} if said else {"text": thoughts.pop(), "thought": True}
        ending.append(StreamChunk([last_part], whole))
    texts = [*source.texts(thoughts, is_thought=True), *source.texts(said, is_thought=False)]
    for chunk in ending if error is not None else ending[:-1]:
        body = source.body(chunk.parts, chunk.text_so_far, is_last=False, with_calls=chunk.with_calls)
        texts.append(provider.to_json(body))
    if error is not None:
        return texts, error
    return texts, source.body(ending[-1].parts, ending[-1].text_so_far, is_last=True, with_calls=True)


def _closing_chunk(source: StreamSource) -> StreamChunk:
    """A part with an empty text; a content without parts if the reply is empty."""
    reply = source.reply
    parts = [source.last_part] if reply.text or reply.thinking or source.call_parts else []
    return StreamChunk(parts, reply.text or "", with_calls=True)


def _element(text: str, index: int, count: int) -> bytes:
    opening = "[" if index == 0 else ",\r\n"
    return f"{opening}{text}{']' if index == count - 1 else ''}".encode(errors=AS_ESCAPE)


FINISHES = {
    None: "STOP",
    "stop": "STOP",
    "length": "MAX_TOKENS",
    "content_filter": "SAFETY",
    "refusal": "PROHIBITED_CONTENT",
    "malformed": "MALFORMED_FUNCTION_CALL",
    "unexpected-call": "UNEXPECTED_TOOL_CALL",
}
"""`STOP` is also the finish of calls."""

FINISHES_WITHOUT_CONTENT = ("content_filter", "refusal", "malformed", "unexpected-call")
"""A candidate that ends this way without any text has no `content`; one that ends with STOP has a `content` without
parts."""

URL_SAFE = f"{ALPHABET}-_"

CALLS_MESSAGE = "Model generated function call(s)."
FINISH_MESSAGES = {
    "malformed": "Malformed function call: the call could not be parsed.",
    "unexpected-call": "Unexpected tool call: Model tried to call an undeclared function: lookup",
}
"""Of the second: epam/ai-dial-adapter-vertexai#325. That there is no `content` then: agentjido/req_llm#944."""
BLOCKED = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}
"""Documented of `promptFeedback`: "If set, the prompt was blocked and no candidates are returned."
(https://ai.google.dev/api/generate-content)"""


def call_id(ids: Ids) -> str:
    """Eight letters and digits, as Gemini 3 generates them since 2026."""
    return ids.make("", 8)


def encode(reply: Reply, context: ReplyContext, provider: Provider) -> Response:
    refuse_inexpressible(reply, "gemini-generate")
    fault = reply.fault or NO_FAULT
    where = route(context.request) or Route("", False)
    if fault.status is not None or fault.body is not None:
        return fail(fault, context, provider)
    if fault.error_event is not None and not where.stream:
        raise CannotExpress("error-event")
    config = field(value_of(context.request), "generation_config")
    first, *others = [
        _RenderedReply.of(one, context, where, provider, config, index)
        for index, one in enumerate(reply.choices(candidates_asked(config)))
    ]
    others = [replace(other, response_id=first.response_id) for other in others]
    if where.stream:
        sources = [one.stream_source() for one in (first, *others)]
        response = stream(sources, context, provider, error=error_event_body(fault, context, provider))
    else:
        body = joined([first.full_body(), *(other.full_body() for other in others)])
        response = Response(200, (("content-type", JSON),), json_response(200, body).chunks)
    return with_fault(response, fault, stream=where.stream)


MOST_CANDIDATES = 8
"""Documented of `candidateCount`."""


def candidates_asked(config: Any) -> int:
    """How many candidates: one, where the request does not say."""
    asked = field(config, "candidate_count")
    return min(asked, MOST_CANDIDATES) if isinstance(asked, int) and asked > 1 else 1


def alternatives_asked(config: Any) -> int | None:
    if field(config, "response_logprobs") is not True:
        return None
    most = field(config, "logprobs")
    return max(0, min(most, 20)) if isinstance(most, int) else 0


def joined(bodies: list[dict[str, Any]]) -> dict[str, Any]:
    """One body with the candidates of all; their tokens are added up."""
    first = bodies[0]
    if len(bodies) == 1 or "candidates" not in first:
        return first
    usage = dict(first["usageMetadata"])
    written = sum(body["usageMetadata"].get("candidatesTokenCount", 0) for body in bodies)
    if written:
        usage["totalTokenCount"] += written - usage.get("candidatesTokenCount", 0)
        usage["candidatesTokenCount"] = written
    candidates = [candidate for body in bodies for candidate in body["candidates"]]
    return {**first, "candidates": candidates, "usageMetadata": usage}


class _RenderedReply(Struct, frozen=True):
    """A reply with its ids and signature, and the members that all its chunks share."""

    reply: Reply
    calls: tuple[dict[str, Any], ...]
    signature: str | None
    prompt_tokens: int
    model: str
    response_id: str
    provider: Provider
    ends_with_calls: bool
    has_avg_logprobs: bool
    """Whether Vertex AI sends `avgLogprobs`: in plain responses of models without thought signatures."""
    index: int = 0
    alternatives: int | None = None
    """How many of the likeliest tokens stand beside each token; None where no log probabilities are asked for."""

    @classmethod
    def of(
        cls, reply: Reply, context: ReplyContext, where: Route, provider: Provider, config: Any, index: int
    ) -> "_RenderedReply":
        known = traits("gemini-generate", where.model)
        is_new = "thought-signatures" in known
        signs = bool(reply.thinking) or is_new or "signed-calls" in known
        ids = context.ids if provider.makes_call_ids and is_new else None
        return cls(
            reply=reply,
            calls=tuple([_function_call(call, ids) for call in reply.calls]),
            signature=issue(context.ids) if signs and (reply.calls or reply.text) else None,
            prompt_tokens=context.prompt_tokens(view),
            model=where.model,
            response_id=reply.id or context.ids.make("", 23, URL_SAFE),
            provider=provider,
            ends_with_calls=not is_new,
            has_avg_logprobs=not where.stream and not is_new,
            index=index,
            alternatives=alternatives_asked(config),
        )

    def full_body(self) -> dict[str, Any]:
        parts: list[dict[str, Any]] = []
        if self.reply.thinking:
            parts.append({"text": self.reply.thinking, "thought": True})
        parts += ({"text": text} for text in self.reply.text_blocks)
        if self.reply.text and not self.calls:
            parts[-1] |= self._signed()
        return self._body([*parts, *self._call_parts()], self.reply.text or "", is_last=True)

    def stream_source(self) -> StreamSource:
        """What the stream is built from; its `body` makes the JSON of one chunk from the parts and the text so far."""
        return StreamSource(
            reply=self.reply,
            call_parts=self._call_parts(),
            last_part={"text": ""} | ({} if self.calls else self._signed()),
            ends_with_calls=self.ends_with_calls,
            body=self._body,
            texts=self._texts,
        )

    def _texts(self, said: Sequence[str], *, is_thought: bool) -> Iterator[str]:
        """The JSON of chunks that are the same but for a piece of text and the tokens so far."""
        if not said:
            return
        part = {"text": "", "thought": True} if is_thought else {"text": ""}
        body = self._body([part], "", is_last=False, with_calls=False)
        if "candidates" not in body:
            yield from (self.provider.to_json(body) for _ in said)
            return
        encode = self.provider.to_json
        counts = encode(body["usageMetadata"])
        before, _, rest = encode(body).partition('""')
        between, _, after = rest.partition(counts)
        # Vertex AI counts in the last chunk alone.
        counts_each = body["usageMetadata"] == self._usage("", is_last=False, with_calls=False) and not is_thought
        pieces = _counted_pieces("".join(said), tuple(said))
        prompt, written, thought, cached = counted(self.reply, self.prompt_tokens, 0)
        scripted = self.reply.usage is not None and self.reply.usage.output is not None
        most = written - thought if scripted else pieces[-1][1]
        if not counts_each or not most:
            yield from (f"{before}{piece}{between}{counts}{after}" for piece, _ in pieces)
            return
        begin, rest, end = _form_of_usage(encode, prompt, thought, cached)
        between, after, base = f"{between}{begin}", f"{end}{after}", prompt + thought
        for piece, tokens in pieces:
            output = tokens if tokens < most else most
            yield f"{before}{piece}{between}{output}{rest}{base + output}{after}"

    def _signed(self) -> dict[str, Any]:
        return {"thoughtSignature": self.signature} if self.signature else {}

    def _call_parts(self) -> list[dict[str, Any]]:
        """Only the first of parallel calls has the signature."""
        return [{"functionCall": call} | (self._signed() if i == 0 else {}) for i, call in enumerate(self.calls)]

    def _body(
        self, parts: list[dict[str, Any]], text_so_far: str, *, is_last: bool, with_calls: bool = True
    ) -> dict[str, Any]:
        is_blocked = self.reply.finish == "blocked-prompt"
        answered = BLOCKED if is_blocked else {"candidates": [self._candidate(parts, is_last=is_last)]}
        body = {
            **answered,
            "usageMetadata": self._usage(text_so_far, is_last=is_last, with_calls=with_calls),
            "modelVersion": self.model.rsplit("/", 1)[-1],
            "responseId": self.response_id,
        }
        return self.provider.arrange(body, is_last=is_last, has_avg_logprobs=self.has_avg_logprobs)

    def _candidate(self, parts: list[dict[str, Any]], *, is_last: bool) -> dict[str, Any]:
        candidate: dict[str, Any] = {}
        without_content = (
            is_last
            and self.reply.finish in FINISHES_WITHOUT_CONTENT
            and not any(part.get("text", True) for part in parts)
        )
        if parts and not without_content:
            candidate["content"] = {"parts": parts, "role": "model"}
        elif not without_content:
            candidate["content"] = {"role": "model"}
        if is_last:
            candidate["finishReason"] = FINISHES[self.reply.finish]
        if is_last and self.alternatives is not None and self.reply.text:
            candidate |= _log_probabilities(self.reply.text, self.alternatives)
        candidate["index"] = self.index
        if is_last and self.reply.finish in FINISH_MESSAGES:
            candidate["finishMessage"] = FINISH_MESSAGES[self.reply.finish]
        elif is_last and self.calls and FINISHES[self.reply.finish] == "STOP":
            candidate["finishMessage"] = CALLS_MESSAGE
        return candidate

    def _usage(self, text_so_far: str, *, is_last: bool, with_calls: bool) -> dict[str, Any]:
        """Cumulative counts."""
        letters = len(text_so_far)
        if with_calls:
            letters += sum(len(spaced(call)) for call in self.calls)
        prompt, written, thought, cached = counted(self.reply, self.prompt_tokens, letters)
        output = written - thought if is_last else min(written - thought, tokens_of(letters))
        return _usage_members(prompt, output, prompt + output + thought, thought, cached)


def _usage_members(prompt: int, output: int | str, total: int | str, thought: int, cached: int) -> dict[str, Any]:
    """Zero counts are left out."""
    usage: dict[str, Any] = {"promptTokenCount": prompt}
    if output:
        usage["candidatesTokenCount"] = output
    usage["totalTokenCount"] = total
    if cached:
        usage["cachedContentTokenCount"] = cached
    usage["promptTokensDetails"] = [{"modality": "TEXT", "tokenCount": prompt}]
    if cached:
        usage["cacheTokensDetails"] = [{"modality": "TEXT", "tokenCount": cached}]
    if thought:
        usage["thoughtsTokenCount"] = thought
    return usage | {"serviceTier": "standard"}


@lru_cache(maxsize=64)
def _form_of_usage(encode: Callable[[Any], str], prompt: int, thought: int, cached: int) -> tuple[str, ...]:
    """The JSON around the tokens of the output and the total."""
    return tuple(encode(_usage_members(prompt, "%d", "%d", thought, cached)).split('"%d"'))


@kept_by_text
def _counted_pieces(_whole: str, said: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """The JSON of each piece, and the tokens up to its end."""
    return tuple(zip(map(quoted, said), map(tokens_of, accumulate(map(len, said))), strict=True))


def _log_probabilities(text: str, alternatives: int) -> dict[str, Any]:
    tokens = likely_tokens(text, alternatives, size=SIZE)
    total = sum(found.logprob for found in tokens)
    result = {
        "topCandidates": [{"candidates": [_likely(*other) for other in found.likeliest]} for found in tokens],
        "chosenCandidates": [_likely(found.token, found.logprob) for found in tokens],
        "logProbabilitySum": total,
    }
    return {"avgLogprobs": total / len(tokens), "logprobsResult": result}


def _likely(token: str, logprob: float) -> dict[str, Any]:
    return {"token": token, "tokenId": crc32(token.encode(errors="replace")) % 256_000, "logProbability": logprob}


def _function_call(call: Call, ids: Ids | None) -> dict[str, Any]:
    """Only Gemini 3 generates ids, and not on Vertex AI (recorded)."""
    rendered = {"name": call.name, "args": arguments_object(call)}
    if call.id is MADE_BY_PROVIDER:
        return rendered if ids is None else rendered | {"id": call_id(ids)}
    return rendered if call.id is None else rendered | {"id": call.id}
