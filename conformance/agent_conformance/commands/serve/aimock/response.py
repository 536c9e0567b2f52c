"""The response of a fixture as a reply of the model, and what of it a fake does not have. Knows no condition."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from agent_conformance.commands.serve.aimock.timing import timing_of
from agent_conformance.commands.serve.aimock.unmapped import Unmapped
from fake_providers.reply import MADE_BY_PROVIDER, Call, Fault, Finish, Reply, Usage

FINISHES: Final[Mapping[str, Finish | None]] = {
    "stop": None,
    "tool_calls": None,
    "length": "length",
    "content_filter": "content_filter",
}
OF_REPLY: Final = ("content", "toolCalls", "blocks", "reasoning", "finishReason")
INPUT: Final = ("input_tokens", "prompt_tokens", "promptTokenCount")
OUTPUT: Final = ("output_tokens", "completion_tokens", "candidatesTokenCount")
OVERRIDES: Final = ("id", "created", "model", "systemFingerprint", "role", "provider", "nativeFinishReason")
IGNORED: Final = {
    "webSearches": "searches of the web are not sent",
    "reasoningSignature": "the fake signs reasoning itself",
    "redactedThinking": "hidden reasoning is not sent",
}
OF_FIXTURE: Final = {
    "disconnectAfterMs": "a connection is not lost by the clock. Use `truncateAfterChunks`",
    "replaySpeed": "recorded times are not replayed",
    "chaos": "nothing fails by chance here. Write a fixture with an `error`",
}
GOOGLE: Final = {400: "INVALID_ARGUMENT", 403: "PERMISSION_DENIED", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}


def reply_of(entry: Mapping[str, Any], response: Mapping[str, Any], *, wire: str) -> tuple[Reply, list[str]]:
    """The reply, and what of the fixture is ignored. Raises `Unmapped`."""
    ignored = list(_ignored(entry, response))
    if isinstance(response.get("error"), Mapping):
        return Reply(fault=_fault(response, wire)), ignored
    if not any(name in response for name in ("content", "toolCalls", "blocks")):
        members = ", ".join(f"`{name}`" for name in list(response)[:5]) or "nothing"
        raise Unmapped(f"its response has {members}. A fake sends text, reasoning, calls and errors.")
    text, calls = _said(response)
    if not text and not calls:
        text = ""
    reasoning = response.get("reasoning")
    cut = entry.get("truncateAfterChunks")
    return (
        Reply(
            text=text,
            thinking=reasoning if isinstance(reasoning, str) and reasoning else None,
            calls=calls,
            finish=_finish(response.get("finishReason"), has_calls=bool(calls)),
            chunks=_chunks(text, entry.get("chunkSize")),
            fault=Fault(cut_after=cut) if isinstance(cut, int) and cut > 0 else None,
            timing=timing_of(entry, text),
            usage=_usage(response.get("usage")),
        ),
        ignored,
    )


def _said(response: Mapping[str, Any]) -> tuple[str | None, tuple[Call, ...]]:
    """Text and calls. Blocks come before the others, as in aimock; on a wire the text precedes the calls."""
    blocks = [block for block in _list(response.get("blocks")) if isinstance(block, Mapping)]
    if blocks:
        texts = [str(block.get("text", "")) for block in blocks if block.get("type") == "text"]
        calls = [block for block in blocks if block.get("type") == "toolCall"]
        return "".join(texts) or None, tuple(map(_call, calls))
    content = response.get("content")
    text = content if isinstance(content, str) or content is None else json.dumps(content, ensure_ascii=False)
    return text, tuple(_call(call) for call in _list(response.get("toolCalls")) if isinstance(call, Mapping))


def _call(call: Mapping[str, Any]) -> Call:
    name, arguments, id = call.get("name"), call.get("arguments", {}), call.get("id") or MADE_BY_PROVIDER
    if not isinstance(name, str) or not name:
        raise Unmapped("a call in it has no `name`.")
    if isinstance(arguments, str):
        try:
            parsed = json.loads(arguments)
        except (ValueError, RecursionError):
            return Call(name, None, arguments, id)
        return Call(name, parsed, None, id) if isinstance(parsed, dict) else Call(name, None, arguments, id)
    if not isinstance(arguments, Mapping):
        raise Unmapped(f"the arguments of the call of {name} are {json.dumps(arguments)}; expected an object.")
    return Call(name, dict(arguments), None, id)


def _finish(reason: Any, *, has_calls: bool) -> Finish | None:
    if reason is None:
        return None
    if reason not in FINISHES:
        raise Unmapped(f"`finishReason` is {json.dumps(reason)}; expected one of {', '.join(FINISHES)}.")
    if reason == "stop" and has_calls:
        return "stop"
    return "tool_calls" if reason == "tool_calls" and not has_calls else FINISHES[reason]


def _chunks(text: str | None, size: Any) -> tuple[str, ...]:
    if not text or not isinstance(size, int) or size < 1:
        return ()
    return tuple(text[start : start + size] for start in range(0, len(text), size))


def _usage(usage: Any) -> Usage | None:
    """The tokens of the prompt and of the answer, by whichever provider's names."""
    if not isinstance(usage, Mapping):
        return None
    sent, answered = (
        next((usage[name] for name in names if isinstance(usage.get(name), int) and usage[name] >= 0), None)
        for names in (INPUT, OUTPUT)
    )
    return None if sent is None and answered is None else Usage(sent, answered)


def _fault(response: Mapping[str, Any], wire: str) -> Fault:
    """The error in the envelope of the wire, with the words of the fixture."""
    error, status = response["error"], response.get("status", 500)
    if not isinstance(status, int) or not 400 <= status <= 599:
        raise Unmapped(f"`status` of its error is {json.dumps(status)}; expected one from 400 to 599.")
    message, kind = str(error.get("message", "")), error.get("type") or "server_error"
    body: Any = {"message": message, "type": kind, "param": error.get("param"), "code": error.get("code")}
    if wire == "anthropic-messages":
        body = {"type": kind, "message": message}
    elif wire == "gemini-generate":
        body = {"code": status, "message": message, "status": GOOGLE.get(status, "INTERNAL")}
    elif wire == "ollama-chat":
        body = message
    elif wire == "bedrock-converse":
        return Fault(status=status, body={"message": message}, retry_after=_retry_after(response))
    envelope = {"type": "error", "error": body} if wire == "anthropic-messages" else {"error": body}
    return Fault(status=status, body=envelope, retry_after=_retry_after(response))


def _retry_after(response: Mapping[str, Any]) -> float | None:
    after = response.get("retryAfter")
    return after if isinstance(after, int | float) else None


def _ignored(entry: Mapping[str, Any], response: Mapping[str, Any]) -> Iterator[str]:
    for name in (name for name in OVERRIDES if name in response):
        yield f"`response.{name}` is ignored: the fake makes it as the provider does."
    if isinstance(response.get("usage"), Mapping) and "cost" in response["usage"]:
        yield "`response.usage.cost` is ignored: the fake makes it as the provider does."
    for name in (name for name in IGNORED if name in response):
        yield f"`response.{name}` is ignored: {IGNORED[name]}."
    for name in (name for name in OF_FIXTURE if name in entry):
        yield f"`{name}` is ignored: {OF_FIXTURE[name]}."


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
