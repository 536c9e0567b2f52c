"""The strict fake of Anthropic's Messages API and its files, and of the other providers with this wire.

The others are one class, and a `Provider` with what differs. Shapes: `MessageCountTokensParams`, `MessageTokensCount`,
`FileMetadata`, `DeletedFile`, `FileListParams` and `FileNotDownloadableError` of anthropic-sdk-python. The words of the
errors about files are ours; their types and codes are the SDK's.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import parse_qs, unquote

from msgspec import structs

from fake_providers.http import AS_ESCAPE, Request, Response, compact, json_response
from fake_providers.ids import Ids
from fake_providers.models import traits
from fake_providers.replies.documents import ByStatus
from fake_providers.replies.transport_faults import failed_as, with_fault_in_stream
from fake_providers.reply import MADE_BY_PROVIDER, NO_FAULT, Fault, Reply, Split, inside_characters
from fake_providers.rule import Violation
from fake_providers.rulebook import RequestContext, RuleFilter, first_violation
from fake_providers.stored_batches import BatchSetting, StoredBatches
from fake_providers.stored_files import ENDPOINTS as FILES
from fake_providers.stored_files import StoredFile, StoredFiles
from fake_providers.values.bounded_store import ends_of, place_after
from fake_providers.verdict_cache import VerdictCache
from fake_providers.view import View
from fake_providers.wire import Alike, ReplyContext, Route, ServedModels, Wire
from fake_providers.wire_facts import refuse_inexpressible
from fake_providers.wires.anthropic_messages import errors, message_threads, rules, thinking_signatures
from fake_providers.wires.anthropic_messages.batches import ENDPOINTS as BATCHES
from fake_providers.wires.anthropic_messages.batches import MessageBatches
from fake_providers.wires.anthropic_messages.errors import error_body, headers, new_request_id
from fake_providers.wires.anthropic_messages.json_parser import NOTHING, PARTS, model_of, tolerant, wants_stream
from fake_providers.wires.anthropic_messages.provider import SENTENCES, Provider, has_key
from fake_providers.wires.anthropic_messages.request import route, view
from fake_providers.wires.anthropic_messages.response import as_offered, call_id, plain, streamed

CREATED: Final = "2026-02-17T00:00:00Z"
FIRST_PAGE: Final = "page_"


class AnthropicFiles:
    default_limit = 20

    def __init__(self) -> None:
        self._requests = Ids("requests about files")

    def new_id(self, ids: Ids) -> str:
        return ids.make("file_011C", 20)

    def wrong(self, fields: Mapping[str, str], *, has_file: bool) -> Response | None:
        return None if has_file else self._error(400, "file: Field required")

    def described(self, file: StoredFile) -> Mapping[str, Any]:
        return {
            "type": "file",
            "id": file.id,
            "filename": file.filename,
            "mime_type": file.media_type,
            "size_bytes": len(file.content),
            "created_at": CREATED,
            "downloadable": False,
        }

    def page(self, shown: Sequence[StoredFile], *, has_more: bool) -> Mapping[str, Any]:
        """Older SDKs go on by `has_more` and `last_id`, newer ones by `next_page`."""
        ends = ends_of([file.id for file in shown])
        return {
            "data": [self.described(file) for file in shown],
            "has_more": has_more,
            **ends,
            "next_page": f"{FIRST_PAGE}{ends['last_id']}" if has_more else None,
        }

    def chosen(self, files: Sequence[StoredFile], query: Mapping[str, str]) -> Sequence[StoredFile]:
        """The newest first."""
        ordered = [*reversed(files)]
        after = query.get("after_id") or query.get("page", "").removeprefix(FIRST_PAGE)
        return ordered[place_after(after, [file.id for file in ordered]) :]

    def deleted(self, id: str) -> Mapping[str, Any]:
        return {"id": id, "type": "file_deleted"}

    def missing(self, id: str) -> Response:
        return self._error(404, f"File not found: {id}")

    def content(self, file: StoredFile) -> Response:
        """Only files that a tool of the provider has made can be read back."""
        message = f"File '{file.id}' is not downloadable: only files that a tool has made are."
        return self._error(400, message, details={"error_code": "file_not_downloadable"})

    def _error(self, status: int, message: str, **members: Any) -> Response:
        body = error_body(status, message, new_request_id(self._requests))
        return json_response(status, {**body, "error": {**body["error"], **members}})


ENDPOINT = "POST /v1/messages/count_tokens"
ENDING = "/v1/messages/count_tokens"


def counted(request: Request) -> Request | None:
    """The request for a message; it gets the least `max_tokens` that its thinking allows, since a count has none."""
    path = request.path.partition("?")[0]
    if request.method.upper() != "POST" or not path.endswith(ENDING):
        return None
    return structs.replace(request, path=path.removesuffix("/count_tokens"), body=_body(request))


def _body(request: Request) -> bytes:
    body = tolerant(request)
    if body is NOTHING:
        return request.body
    thinking = body.get("thinking")
    budget = thinking.get("budget_tokens") if isinstance(thinking, dict) else None
    return compact({**body, "max_tokens": (budget if type(budget) is int and budget > 0 else 0) + 1}).encode(
        errors=AS_ESCAPE
    )


def count_response(request: Request, tokens: int) -> Response:
    request_id = f"req_011C{hashlib.sha256(request.body).hexdigest()[:20]}"
    return json_response(200, {"input_tokens": tokens}, headers(request_id))


class AnthropicMessages:
    """`POST /v1/messages`, plain and streamed.

    Implements `fake_providers.wire.Wire`, and for threads `fake_providers.wire.ResumesConversations`.
    """

    name = "anthropic-messages"
    providers = ("anthropic",)
    rules = rules.RULES
    base_path = ""
    endpoints = (ENDPOINT, *FILES, *BATCHES)

    def new_files(self) -> StoredFiles:
        return StoredFiles(AnthropicFiles())

    def new_batches(self, setting: BatchSetting) -> StoredBatches:
        return MessageBatches(setting)

    def route(self, request: Request) -> Route | None:
        return route(request)

    def models(self, request: Request, served: ServedModels) -> Response | None:
        return models_response(request, served)

    def endpoint(self, request: Request, served: ServedModels) -> Response | None:
        return None

    def counted(self, request: Request) -> Request | None:
        return counted(request)

    def count_response(self, request: Request, tokens: int) -> Response:
        return count_response(request, tokens)

    def missing_key(self, request: Request) -> Violation | None:
        return rules.missing_key(request)

    def judge(self, request: Request, *, provider: str) -> Violation | None:
        return rules.judge(request, provider=provider)

    def view(self, request: Request) -> View:
        return view(request)

    def continued(self, request: Request) -> str | None:
        return message_threads.continued(request)

    def response_id(self, response: Response) -> str | None:
        return message_threads.response_id(response)

    def resumed(self, request: Request, *, earlier: Request, response: Response) -> Request:
        return message_threads.resumed(request, earlier=earlier, response=response)

    def call_id(self, ids: Ids) -> str:
        return call_id(ids)

    def sign(self, thinking: str, ids: Ids) -> str:
        return thinking_signatures.sign(thinking)

    def alike(self, request: Request) -> Alike | None:
        parts = PARTS.read(request.body)
        return None if parts is None else Alike(parts.parameters)

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        refuse_inexpressible(reply, "anthropic-messages")
        reply = as_offered(reply, context.request)
        fault = reply.fault
        if fault is not None and (fault.status is not None or fault.body is not None):
            return errors.fail(fault, context.ids)
        if wants_stream(tolerant(context.request)):
            response = streamed(reply, context)
        else:
            response = plain(reply, context)
            if fault is not None and fault.cut_after is not None:
                response = response.halved()
        return response.of_type(fault.content_type) if fault is not None and fault.content_type else response

    def fail(self, fault: Fault, context: ReplyContext) -> Response:
        return errors.fail(fault, context.ids)

    def refuse(self, violation: Violation, context: ReplyContext) -> Response:
        return errors.refuse(violation)

    def too_long(self, request: Request, *, provider: str, tokens: int, window: int) -> Violation:
        return rules.too_long(request, tokens=tokens, window=window)

    def stopped(self, message: str, context: ReplyContext) -> Response:
        return errors.stopped(message, context.ids)


WIRE = AnthropicMessages()


PATH: Final = re.compile(r".*/v1/models(?:/([^/]+))?")
WINDOW: Final = 200_000
"""What the fake says where it has no bound."""


def models_response(request: Request, served: ServedModels) -> Response | None:
    """None for a request that asks for no models."""
    path, _, query = request.path.partition("?")
    found = PATH.fullmatch(unquote(path).rstrip("/"))
    if request.method.upper() != "GET" or found is None:
        return None
    if found[1]:
        return json_response(200, _model(found[1], served))
    asked = parse_qs(query)
    data = [] if asked.keys() & {"after_id", "before_id"} else [_model(id, served) for id in served.names]
    ends = {"first_id": data[0]["id"], "last_id": data[-1]["id"]} if data else {"first_id": None, "last_id": None}
    return json_response(200, {"data": data, "has_more": False, **ends})


def _model(id: str, served: ServedModels) -> dict[str, Any]:
    # `Claude Sonnet 4.6` of `claude-sonnet-4-6`
    undated = re.sub(r"-20\d{6}$", "", id)
    return {
        "type": "model",
        "id": id,
        "display_name": re.sub(r"(?<=\d) (?=\d)", ".", undated.replace("-", " ").title()),
        "created_at": "2026-02-17T00:00:00Z",
        "lifecycle": "active",
        "deprecated_at": None,
        "retires_at": None,
        "line": None,
        "max_input_tokens": served.window or WINDOW,
        "max_tokens": 64_000,
        "capabilities": _capabilities(traits("anthropic-messages", id)),
    }


def _capabilities(traits: frozenset[str]) -> dict[str, Any]:
    """What the model can do, as far as rules of the fake say what it refuses."""
    budgets, old = "adaptive-only" not in traits, "thinking-first" in traits
    effort = "no-effort" not in traits and "words-of-2025" not in traits
    return {
        **{name: _is(True) for name in ("batch", "citations", "code_execution", "image_input", "pdf_input")},
        "structured_outputs": _is(True),
        "effort": {
            **_is(effort),
            **{level: _is(effort) for level in ("low", "medium", "high")},
            "max": _is(effort),
            "xhigh": _is(effort and "effort-but-xhigh" not in traits),
        },
        "thinking": {
            **_is(True),
            "types": {
                "adaptive": _is(not old),
                "between_tools": _is("between-tools" in traits),
                "disabled": _is("always-thinks" not in traits and "between-tools" not in traits),
                "enabled": _is(budgets),
            },
        },
        "context_management": {
            **_is(True),
            "clear_thinking_20251015": _is(True),
            "clear_tool_uses_20250919": _is(True),
            "compact_20260112": _is(not old),
        },
        "server_tools": {**_is(True), "code_execution": _is(True), "web_search": _is(True)},
    }


def _is(supported: bool) -> dict[str, Any]:
    return {"supported": supported}


STREAM = (("content-type", "text/event-stream; charset=utf-8"), ("cache-control", "no-cache"))


class ProviderMessages:
    """`POST .../v1/messages` of one provider."""

    name = "anthropic-messages"

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._accepted = VerdictCache(*provider.books, messages=rules.MESSAGES, tools=rules.TOOLS)
        self.providers: tuple[str, ...] = (provider.name,)
        self.rules = provider.rules
        self.base_path = provider.base_path

    def _own(self, request: Request) -> Request:
        return self._provider.own_request(request) or request

    def route(self, request: Request) -> Route | None:
        own = self._provider.own_request(request)
        if own is None:
            return None
        body = tolerant(own)
        return Route(model_of(body), wants_stream(body))

    def missing_key(self, request: Request) -> Violation | None:
        rule = self._provider.missing_key
        if rule is None or has_key(request):
            return None
        return self._violation(rule.status, self._provider.key_sentence, rule.id, "headers", rule.confidence)

    def judge(self, request: Request, *, provider: str) -> Violation | None:
        own = self._own(request)

        def found_in(value: Any, reads: RuleFilter | None = None) -> Violation | None:
            body = value if isinstance(value, dict) else {}
            model = model_of(body)
            known = self._provider.traits(model)
            context = RequestContext(value, own.headers, model, known, wants_stream(body), provider)
            return first_violation(self._provider.books, context, reads)

        try:
            parts = PARTS.read(own.body)
            if parts is None:
                return found_in(self._provider.body_of(own))
            known = self._provider.traits(model_of(parts.value))
            return self._accepted.judge(own, parts, provider=provider, traits=known, judge=found_in)
        except RecursionError:  # a body with a thousand levels: the provider's answer is not known
            return None

    def view(self, request: Request) -> View:
        return view(self._own(request))

    def call_id(self, ids: Ids) -> str:
        return self._provider.answers.call_id(ids)

    def sign(self, thinking: str, ids: Ids) -> str:
        return thinking_signatures.sign(thinking)

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        refuse_inexpressible(reply, "anthropic-messages")
        fault = reply.fault or NO_FAULT
        if fault.status is not None or fault.body is not None:
            return self.fail(fault, context)
        answers = self._provider.answers
        context = structs.replace(context, request=self._own(context.request))
        reply = replace(answers.complete_reply(reply, context), server_calls=())
        calls = [
            replace(call, id=answers.call_id(context.ids)) if call.id is MADE_BY_PROVIDER else call
            for call in reply.calls
        ]
        reply, id_ = replace(reply, calls=tuple(calls)), reply.id or answers.id(context.ids)
        if wants_stream(tolerant(context.request)):
            split: Split = "provider" if context.split == "bytes" else context.split
            sent = streamed(replace(reply, fault=None), structs.replace(context, split=split))
            events = tuple(event for one in sent.chunks if (event := self._event(one, id_)))
            response = with_fault_in_stream(
                structs.replace(sent, headers=STREAM, chunks=events), fault, errors.error_event
            )
            if context.split == "bytes":
                response = structs.replace(response, chunks=inside_characters(response.chunks))
        else:
            response = json_response(200, self._shaped(json.loads(plain(reply, context).body), id_))
            response = response.halved() if fault.cut_after is not None else response
        return response.of_type(fault.content_type) if fault.content_type else response

    def _event(self, chunk: bytes, id_: str) -> bytes:
        """The same event as this provider sends it; nothing if it does not."""
        name, _, data = chunk.decode(errors=AS_ESCAPE).strip().partition("\ndata: ")
        event = json.loads(data)
        answers = self._provider.answers
        is_a_ping = name == "event: ping" and not answers.pings
        # A piece of a member that this provider does not send would be an event without anything in it.
        if is_a_ping or ("signature" in answers.left_out and "signature" in event.get("delta", ())):
            return b""
        return f"{name}\ndata: {compact(self._shaped(event, id_))}\n\n".encode(errors=AS_ESCAPE)

    def _shaped(self, value: dict[str, Any], id_: str) -> dict[str, Any]:
        """Without what is left out, but in the arguments of a call; a message with this id."""
        left_out = self._provider.answers.left_out
        shaped: dict[str, Any] = {}
        for name, member in value.items():
            if name in ("message", "delta", "usage", "content_block") and isinstance(member, dict):
                shaped[name] = self._shaped(member, id_)
            elif name == "content" and isinstance(member, list):
                shaped[name] = [self._shaped(block, id_) for block in member]
            elif name not in left_out:
                shaped[name] = id_ if name == "id" and value.get("type") == "message" else member
        if "input_tokens" in value and "cache_read_input_tokens" in left_out:
            shaped["input_tokens"] += value.get("cache_read_input_tokens", 0)
        return shaped

    def fail(self, fault: Fault, context: ReplyContext) -> Response:
        status = fault.status if fault.status is not None else 200
        sentence = self._provider.sentences.get(status) or ByStatus(SENTENCES, SENTENCES[400]).of(status)
        body = self._provider.envelope(sentence, status=status) if fault.body is None else fault.body
        retry = () if fault.retry_after is None else (("retry-after", str(math.ceil(fault.retry_after))),)
        return failed_as(fault, body, errors.TEXT_TYPES, retry)

    def refuse(self, violation: Violation, context: ReplyContext) -> Response:
        return json_response(violation.status, violation.body)

    def too_long(self, request: Request, *, provider: str, tokens: int, window: int) -> Violation:
        rule = self._provider.window
        sentence = self._provider.too_long(tokens, window)
        return self._violation(rule.status, sentence, rule.id, "messages", rule.confidence)

    def stopped(self, message: str, context: ReplyContext) -> Response:
        return json_response(400, self._provider.envelope(message), [("x-should-retry", "false")])

    def _violation(self, status: int, sentence: str, rule: str, at: str, confidence: Any) -> Violation:
        return Violation(rule, status, self._provider.envelope(sentence, status=status), sentence, at, confidence)


def wire_of(provider: Provider) -> Wire:
    return ProviderMessages(provider)
