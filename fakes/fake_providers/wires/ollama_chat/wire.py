"""The strict fake of Ollama's chat: `POST /api/chat`, which needs no key and streams by default.

Shapes: Ollama's API document, and `EmbedResponse`, `EmbeddingsResponse` and `ProcessResponse` of ollama-python.
"""

import json
import re
import string
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final
from urllib.parse import urlsplit

from msgspec import structs

from fake_providers.http import Request, Response, json_response, spaced
from fake_providers.ids import Ids
from fake_providers.replies import kept_by_text
from fake_providers.replies.call_validation import arguments_object
from fake_providers.replies.transport_faults import with_fault
from fake_providers.reply import (
    MADE_BY_PROVIDER,
    NO_FAULT,
    Call,
    CannotExpress,
    Fault,
    Reply,
    Split,
    inside_characters,
    pieces,
)
from fake_providers.rule import Rule, Violation
from fake_providers.values.go_json_body import PARTS, body_of
from fake_providers.values.tokens import MOST_DIMENSIONS, counted, dimensions_of, embed, tokens_of_texts
from fake_providers.view import View
from fake_providers.wire import Alike, ReplyContext, Route, ServedModels, Wire
from fake_providers.wire_facts import refuse_inexpressible
from fake_providers.wires.ollama_chat import errors, rules
from fake_providers.wires.ollama_chat.errors import encode_json, error_line, fail, respond
from fake_providers.wires.ollama_chat.model_names import parse_name
from fake_providers.wires.ollama_chat.request import (
    loads_only,
    member,
    model_of,
    route_of,
    view_of,
    wants_stream,
)

GENERATE: Final = "/api/generate"


def is_generate(request: Request) -> bool:
    return request.path.partition("?")[0].endswith(GENERATE) and request.method.upper() == "POST"


def as_chat(request: Request) -> Request:
    """A request of `/api/generate` as one of `/api/chat`; any other as it is. Without a prompt both load the model."""
    if not is_generate(request):
        return request
    path = urlsplit(request.path).path.removesuffix(GENERATE) + "/api/chat"
    body = body_of(request)
    if not isinstance(body, dict):
        return structs.replace(request, path=path)
    prompt, system, images = (member(body, name) for name in ("prompt", "system", "images"))
    messages = [{"role": "system", "content": system}] if isinstance(system, str) and system else []
    if prompt or images:
        messages.append({"role": "user", "content": prompt or "", **({"images": images} if images else {})})
    kept = {name: value for name, value in body.items() if name.lower() not in ALONE}
    content = spaced({**kept, "messages": messages}).encode(errors="replace")
    return structs.replace(request, path=path, body=content)


ALONE: Final = ("prompt", "system", "images", "suffix", "template", "context", "raw")
"""The members that `/api/generate` has and `/api/chat` has not."""


def as_generated(response: Response) -> Response:
    """The answer of a chat as that of `/api/generate`; a refusal as it is: `GenerateResponse` of ollama-python."""
    return (
        response
        if response.status != 200
        else structs.replace(response, chunks=tuple(map(_generated, response.chunks)))
    )


def _generated(chunk: bytes) -> bytes:
    try:
        line = json.loads(chunk)
    except ValueError:  # it was cut
        return chunk
    if not isinstance(line, dict) or not isinstance(line.get("message"), dict):
        return chunk
    said: dict[str, Any] = {"response": line["message"].get("content", "")}
    if line["message"].get("thinking"):
        said["thinking"] = line["message"]["thinking"]
    whole: dict[str, Any] = {}
    for name, value in line.items():
        whole |= said if name == "message" else {name: value}
        if name == "done_reason" and value != "load":
            whole["context"] = [1, 2, 3]
    return encode_json(whole) + (b"\n" if chunk.endswith(b"\n") else b"")


VERSION: Final = "0.30.11"
DIMENSIONS: Final = {"nomic-embed-text": 768, "mxbai-embed-large": 1024, "all-minilm": 384, "embeddinggemma": 768}
DEFAULT: Final = 1024
ENDPOINTS: Final = ("POST /api/generate", "GET /api/version", "GET /api/ps", "POST /api/embed", "POST /api/embeddings")


def local_response(request: Request, served: ServedModels) -> Response | None:
    """None for a request to another endpoint."""
    method, path = request.method.upper(), urlsplit(request.path).path
    if method in ("GET", "HEAD") and path == "/":
        return Response(200, (("content-type", "text/plain; charset=utf-8"),), (b"Ollama is running",))
    if method == "GET" and path.endswith("/api/version"):
        return json_response(200, {"version": VERSION})
    if method == "GET" and path.endswith("/api/ps"):
        return json_response(200, {"models": [_loaded(name, served) for name in served.names]})
    answer = _EMBEDDINGS.get(path.rpartition("/api/")[2]) if method == "POST" else None
    return None if answer is None else _embedded(body_of(request), answer)


def _loaded(name: str, served: ServedModels) -> dict[str, Any]:
    entry = {key: value for key, value in listed(name).items() if key != "modified_at"}
    memory = {"expires_at": "2026-10-01T09:05:00Z", "size_vram": entry["size"]}
    return {**entry, **memory, "context_length": served.window or WINDOW}


def _embedded(body: Any, answer: Callable[[str, Mapping[str, Any]], Response]) -> Response:
    model = member(body, "model")
    if not isinstance(model, str) or not model:
        return json_response(400, {"error": "model is required"})
    if parse_name(model) is None:
        return json_response(400, {"error": "invalid model name"})
    return answer(model, body)


def _many(model: str, body: Mapping[str, Any]) -> Response:
    value = member(body, "input")
    texts = [value] if isinstance(value, str) else value
    if texts is None:
        texts = []
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return json_response(400, {"error": "invalid input type"})
    size = member(body, "dimensions")
    if type(size) is not int or not 0 < size <= MOST_DIMENSIONS:
        size = _size(model)
    counts = {"total_duration": 14_143_917, "load_duration": 1_019_500, "prompt_eval_count": tokens_of_texts(texts)}
    return json_response(200, {"model": model, "embeddings": [embed(text, size) for text in texts], **counts})


def _one(model: str, body: Mapping[str, Any]) -> Response:
    """The older endpoint, for one text; without any it only loads the model."""
    prompt = member(body, "prompt")
    vector = embed(prompt, _size(model)) if isinstance(prompt, str) and prompt else []
    return json_response(200, {"embedding": vector})


def _size(model: str) -> int:
    return dimensions_of(model, DIMENSIONS, DEFAULT)


_EMBEDDINGS: Final = {"embed": _many, "embeddings": _one}


class OllamaChat:
    """Implements `fake_providers.wire.Wire`."""

    name = "ollama-chat"
    providers: tuple[str, ...] = ("ollama",)
    rules: tuple[Rule, ...] = (*rules.RULES, *errors.RULES)
    base_path = ""
    endpoints = ENDPOINTS

    def route(self, request: Request) -> Route | None:
        return route_of(as_chat(request))

    def models(self, request: Request, served: ServedModels) -> Response | None:
        return models_response(request, served)

    def endpoint(self, request: Request, served: ServedModels) -> Response | None:
        return local_response(request, served)

    def missing_key(self, request: Request) -> Violation | None:
        """None: a local server needs no key."""
        return None

    def judge(self, request: Request, *, provider: str) -> Violation | None:
        return rules.judge(as_chat(request), provider=provider)

    def view(self, request: Request) -> View:
        return view_of(as_chat(request))

    def call_id(self, ids: Ids) -> str:
        return call_id(ids)

    def alike(self, request: Request) -> Alike | None:
        parts = PARTS.read(request.body)
        return None if parts is None or loads_only(parts.value) or is_generate(request) else Alike(parts.parameters)

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        if not is_generate(context.request):
            return encode(reply, context)
        chat = structs.replace(context, request=as_chat(context.request))
        return as_generated(encode(replace(reply, calls=()), chat))

    def fail(self, fault: Fault, context: ReplyContext) -> Response:
        return errors.fail(fault, context)

    def refuse(self, violation: Violation, context: ReplyContext) -> Response:
        return errors.refuse(violation)

    def too_long(self, request: Request, *, provider: str, tokens: int, window: int) -> Violation:
        return errors.too_long()

    def stopped(self, message: str, context: ReplyContext) -> Response:
        return errors.stopped(message)


WIRE: Wire = OllamaChat()


WINDOW: Final = 40_960
"""What the fake says where it has no bound."""
PULLED: Final = "2026-10-01T09:00:00Z"


def models_response(request: Request, served: ServedModels) -> Response | None:
    """None for a request that asks for no models."""
    method, path = request.method.upper(), urlsplit(request.path).path
    if method == "GET" and path.endswith("/api/tags"):
        return json_response(200, {"models": [listed(name) for name in served.names]})
    if method == "POST" and path.endswith("/api/show"):
        body = body_of(request)
        asked = member(body, "model") or member(body, "name")
        if not isinstance(asked, str) or not asked:
            return json_response(400, {"error": "model is required"})
        if parse_name(asked) is None:
            return json_response(400, {"error": "invalid model name"})
        family = _family(asked)
        parsed = parse_name(asked)
        lacking = parsed.traits if parsed else frozenset()
        return json_response(
            200,
            {
                "license": "",
                "modelfile": f"FROM {asked}",
                "parameters": "",
                "template": "{{ .Prompt }}",
                "details": _details(asked),
                "model_info": {
                    "general.architecture": family,
                    "general.parameter_count": 8_190_735_360,
                    f"{family}.context_length": served.window or WINDOW,
                    f"{family}.embedding_length": 4_096,
                },
                "capabilities": [
                    "completion",
                    *(known for known in ("tools", "thinking") if f"no-{known}" not in lacking),
                ],
                "modified_at": PULLED,
            },
        )
    return None


def listed(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "model": name,
        "modified_at": PULLED,
        "size": 5_225_388_164,
        "digest": sha256(name.encode()).hexdigest(),
        "details": _details(name),
    }


def _details(name: str) -> dict[str, Any]:
    family = _family(name)
    return {
        "parent_model": "",
        "format": "gguf",
        "family": family,
        "families": [family],
        "parameter_size": "8.2B",
        "quantization_level": "Q4_K_M",
    }


def _family(name: str) -> str:
    """`qwen3` of `qwen3:8b`."""
    return re.split(r"[:.-]", name.rsplit("/", 1)[-1])[0] or name


def encode(reply: Reply, context: ReplyContext) -> Response:
    """The reply as Ollama would send it; see `fake_providers.wire.Wire.encode`. A request without messages only loads
    the model.
    """
    refuse_inexpressible(reply, "ollama-chat")
    fault = reply.fault or NO_FAULT
    body = body_of(context.request)
    if fault.status is not None or fault.body is not None:
        return fail(fault, context)
    if loads_only(body):
        return respond(200, load_response(body))
    calls = [tool_call(call, index, context.ids) for index, call in enumerate(reply.calls)]
    if wants_stream(body):
        return with_fault(response(reply, calls, context, final=final_members(reply, context)), fault, stream=True)
    if fault.error_event is not None:
        raise CannotExpress("error-event")
    rendered = {
        **first_members(response_model(body), 0),
        "message": message(reply, calls),
        **final_members(reply, context),
    }
    return with_fault(respond(200, rendered), fault, stream=False)


LINES = "application/x-ndjson"
PIECE = 5
"""The approximate number of characters in Ollama's pieces, which are tokens."""


def response(reply: Reply, calls: list[dict[str, Any]], context: ReplyContext, *, final: dict[str, Any]) -> Response:
    """An error replaces the last line. If it is the first line the status is still 200, as with Ollama before 2026."""
    model = response_model(body_of(context.request))
    lines = [*_text_lines(reply.thinking or "", 0, model, context.split, (), thinking=True)]
    lines += _text_lines(reply.text or "", len(lines), model, context.split, tuple(reply.chunks))
    for call in calls:
        lines.append(_line(model, len(lines), {"content": "", "tool_calls": [call]}, {"done": False}))
    error = reply.fault.error_event if reply.fault else None
    if error is not None:
        lines.append(error_line(error, context))
    else:
        lines.append(_line(model, len(lines), {"content": ""}, final))
    chunks = inside_characters(lines) if context.split == "bytes" else tuple(lines)
    return Response(200, (("content-type", LINES),), chunks)


def _line(model: str, number: int, message: dict[str, Any], final: dict[str, Any]) -> bytes:
    rendered = {**first_members(model, number * 10), "message": {"role": "assistant", **message}, **final}
    return encode_json(rendered) + b"\n"


@kept_by_text
def _text_lines(
    text: str, first: int, model: str, split: Split, given: tuple[str, ...], *, thinking: bool = False
) -> tuple[bytes, ...]:
    """A line for each piece, counted from `first`; calls come in lines of their own."""
    texts = pieces(text, split, given=given, size=PIECE)
    messages = [{"content": "", "thinking": piece} if thinking else {"content": piece} for piece in texts]
    return tuple([_line(model, number, message, {"done": False}) for number, message in enumerate(messages, first)])


CREATED = datetime(2025, 11, 20, tzinfo=UTC)
"""The time of the first line. It is fixed, so that the same script gives the same bytes."""

LETTERS = string.ascii_lowercase + string.digits
NO_TIME = (0, "0", "0s", "0m", "0h")
"""Values of `keep_alive` that unload the model."""


def response_model(body: Any) -> str:
    """The model's name in the response: a model of the cloud has its base name."""
    model = model_of(body)
    name = parse_name(model)
    return name.base if name and name.cloud else model


def first_members(model: str, milliseconds: int) -> dict[str, Any]:
    """The first members of a response and of each line of a stream."""
    return {"model": model, "created_at": _created_at(milliseconds)}


@lru_cache(maxsize=1024)
def _created_at(milliseconds: int) -> str:
    created = CREATED + timedelta(milliseconds=milliseconds)
    return f"{created.isoformat(timespec='microseconds').removesuffix('+00:00')}Z"


def final_members(reply: Reply, context: ReplyContext) -> dict[str, Any]:
    """The last members of a response. Durations are in nanoseconds, and a zero count is left out. A response with
    calls has the reason `stop` too."""
    characters = len(reply.text or "") + sum(len(call.name + spaced(arguments_object(call))) for call in reply.calls)
    prompt, tokens, _, _ = counted(reply, context.prompt_tokens(view_of), characters)
    if context.read_tokens is not None:
        prompt = min(prompt, context.read_tokens)
    members = {
        "total_duration": 120_000_000 + 10_000_000 * tokens,
        "load_duration": 70_000_000,
        "prompt_eval_count": prompt,
        "prompt_eval_duration": 50_000_000,
        # Also the token that ends an empty completion is counted; its duration is left out. (ollama/ollama#8553)
        "eval_count": max(1, tokens),
        "eval_duration": 10_000_000 * tokens,
    }
    reason = "length" if reply.finish == "length" else "stop"
    return {"done": True, "done_reason": reason, **{name: count for name, count in members.items() if count}}


def call_id(ids: Ids) -> str:
    return ids.make("call_", 8, LETTERS)


def tool_call(call: Call, index: int, ids: Ids) -> dict[str, Any]:
    """A complete call with its arguments as an object. Without an id it has no index either, as before November
    2025."""
    id_ = call_id(ids) if call.id is MADE_BY_PROVIDER else call.id
    if id_ is None:
        return {"function": {"name": call.name, "arguments": arguments_object(call)}}
    return {"id": id_, "function": {"index": index, "name": call.name, "arguments": arguments_object(call)}}


def message(reply: Reply, calls: list[dict[str, Any]]) -> dict[str, Any]:
    rendered: dict[str, Any] = {"role": "assistant", "content": reply.text or ""}
    if reply.thinking:
        rendered["thinking"] = reply.thinking
    return {**rendered, "tool_calls": calls} if calls else rendered


def load_response(body: Any) -> dict[str, Any]:
    rendered = {**first_members(response_model(body), 0), "message": {"role": "assistant", "content": ""}}
    return {**rendered, "done": True, "done_reason": "unload" if member(body, "keep_alive") in NO_TIME else "load"}
