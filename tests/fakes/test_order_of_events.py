"""The order in which each provider sends what a stream has, as its recorded streams have it: written out by hand.

An event is what it has that a client reads. `*` stands for one or more alike behind each other; `""` and `null` are
contents without a text.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from fake_providers import Call, Reply, Request
from fake_providers.ids import Ids
from fake_providers.models import default_model
from fake_providers.registry import wire_for
from fake_providers.replies.event_frames import decode_frames
from fake_providers.wire import ReplyContext
from tests.wire_samples import BODIES, PATHS

REPLIES = {
    "text": Reply(text="A pear is a fruit, and so is a fig."),
    "call": Reply(calls=(Call("look_up", {"word": "a pear"}),)),
    "two": Reply(calls=(Call("look_up", {"word": "a pear"}), Call("look_up", {"word": "a fig"}))),
    "both": Reply(text="I will look it up.", calls=(Call("look_up", {"word": "a pear"}),)),
    "thought": Reply(text="A pear is a fruit.", thinking="Is it a fruit? It is one."),
}
USAGE = {"stream_options": {"include_usage": True}}


TOOL = {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}
MODELS = {"gemini-generate": "gemini-2.5-flash"}
"""Where the default model is newer than what was recorded."""


def sent(provider: str, wire: str, reply: str, **members: Any) -> str:
    path, body = PATHS[wire], {**BODIES[wire], **members}
    if wire == "gemini-generate":
        path = f"/v1beta/models/{MODELS[wire]}:streamGenerateContent?alt=sse"
    elif wire == "bedrock-converse":
        path += "-stream"
    else:
        body |= {"model": default_model(wire, provider), "stream": True}
        body |= {"tools": [TOOL]} if provider == "groq" else {}
    request = Request("POST", path, {}, json.dumps(body).encode())
    response = wire_for(provider, wire).encode(REPLIES[reply], ReplyContext(request, provider, Ids("order")))
    return " ".join(in_short(READERS[wire](event) for event in events(wire, response.body)))


def events(wire: str, body: bytes) -> Iterator[Any]:
    if wire == "bedrock-converse":
        for frame in decode_frames(body):
            yield {dict(frame.headers)[":event-type"]: json.loads(frame.payload)}
        return
    for line in body.decode().splitlines():
        text = line.removeprefix("data: ")
        if text.startswith("{"):
            yield json.loads(text)
        elif text == "[DONE]":
            yield text


def in_short(kinds: Iterable[str]) -> list[str]:
    found: list[str] = []
    for kind in kinds:
        if found and found[-1].removesuffix("*") == kind:
            found[-1] = f"{kind}*"
        else:
            found.append(kind)
    return found


def of_chat(chunk: Any) -> str:
    if chunk == "[DONE]":
        return "done"
    kinds = [kind for choice in chunk.get("choices", ()) for kind in of_choice(choice)]
    return "+".join([*kinds, *(["usage"] if chunk.get("usage") else [])])


def of_choice(choice: Any) -> Iterator[str]:
    delta = choice["delta"]
    if "role" in delta:
        yield "role"
    for name in ("content", "reasoning_content", "reasoning"):
        if delta.get(name):
            yield name
        elif name == "content" and name in delta:
            yield "null" if delta[name] is None else '""'
    yield from ("call" if call.get("id") else "arguments" for call in delta.get("tool_calls") or ())
    if choice.get("finish_reason"):
        yield "finish"


def of_messages(event: Any) -> str:
    kind = str(event["type"])
    inner = event.get("content_block") or event.get("delta") or {}
    return {"content_block_start": f"{inner.get('type')}", "content_block_delta": f"{inner.get('type')}"}.get(
        kind, kind
    )


def of_responses(event: Any) -> str:
    kind = str(event["type"]).removeprefix("response.")
    return f"{kind.removeprefix('output_item.')}:{event['item']['type']}" if "item" in event else kind


def of_gemini(chunk: Any) -> str:
    (candidate,) = chunk["candidates"]
    kinds = [
        "thought" if part.get("thought") else "call" if "functionCall" in part else "text" if part.get("text") else '""'
        for part in candidate.get("content", {}).get("parts", ())
    ]
    ends = [name for name, member in (("finish", candidate), ("usage", chunk)) if f"{name}Reason" in member]
    return "+".join([*kinds, *ends, *(["usage"] if "usageMetadata" in chunk else [])])


def of_ollama(chunk: Any) -> str:
    message = chunk["message"]
    kinds = [name for name in ("thinking", "content", "tool_calls") if message.get(name)]
    return "+".join([*kinds, *(["done"] if chunk["done"] else [])])


READERS: dict[str, Any] = {
    "openai-chat": of_chat,
    "openai-responses": of_responses,
    "anthropic-messages": of_messages,
    "gemini-generate": of_gemini,
    "ollama-chat": of_ollama,
    "cohere-chat": lambda event: "done" if event == "[DONE]" else event["type"],
    "bedrock-converse": lambda event: next(iter(event)),
}
MESSAGE = (
    "created in_progress added:message content_part.added output_text.delta* output_text.done content_part.done "
    "done:message completed"
)
CALL = "added:function_call function_call_arguments.delta* function_call_arguments.done done:function_call"
STREAMS = {
    ("openai", "openai-chat"): {
        "text": 'role+"" content* finish done',
        "call": "role+null+call arguments* finish done",
        "two": "role+null call arguments* call arguments* finish done",
    },
    ("deepseek", "openai-chat"): {
        "call": 'role+null null+reasoning_content* call arguments* ""+finish+usage done',
        "thought": 'role+null null+reasoning_content* content* ""+finish+usage done',
    },
    ("groq", "openai-chat"): {
        "call": "role+null call finish+usage done",
        "thought": 'role+"" reasoning* content* finish+usage done',
    },
    ("mistral", "openai-chat"): {
        "text": 'role+"" content* content+finish+usage done',
        "call": 'role+"" call+finish+usage done',
        "both": 'role+"" content* call+finish+usage done',
    },
    ("xai", "openai-chat"): {"text": "role+content content* finish done", "call": "role+call finish done"},
    ("openrouter", "openai-chat"): {
        "text": 'role+content* role+""+finish role+""+finish+usage done',
        "call": 'role+null+call role+null+arguments* role+""+finish role+""+finish+usage done',
    },
    ("together", "openai-chat"): {"text": 'role+"" role+content* role+""+finish usage done'},
    ("openai", "openai-responses"): {
        "text": MESSAGE,
        "call": f"created in_progress {CALL} completed",
        "thought": MESSAGE.replace("added:message", "added:reasoning done:reasoning added:message"),
    },
    ("deepseek", "openai-responses"): {
        "thought": MESSAGE.replace(
            "added:message",
            "added:reasoning content_part.added reasoning_text.delta* reasoning_text.done content_part.done "
            "done:reasoning added:message",
        ),
    },
    ("xai", "openai-responses"): {
        "thought": MESSAGE.replace(
            "added:message",
            "added:reasoning reasoning_summary_part.added reasoning_summary_text.delta* reasoning_summary_text.done "
            "reasoning_summary_part.done done:reasoning added:message",
        ),
    },
    ("anthropic", "anthropic-messages"): {
        "text": "message_start text ping text_delta* content_block_stop message_delta message_stop",
        "call": "message_start tool_use ping input_json_delta* content_block_stop message_delta message_stop",
        "thought": "message_start thinking ping thinking_delta* signature_delta content_block_stop text text_delta "
        "content_block_stop message_delta message_stop",
    },
    ("gemini", "gemini-generate"): {
        "text": 'text+usage* ""+finish+usage',
        "call": "call+finish+usage",
        "two": "call+call+finish+usage",
        "thought": 'thought+usage* text+usage ""+finish+usage',
    },
    ("vertex", "gemini-generate"): {"call": "call+finish+usage"},
    ("cohere", "cohere-chat"): {
        "text": "message-start content-start content-delta* content-end message-end done",
        "both": "message-start tool-plan-delta* tool-call-start tool-call-delta* tool-call-end message-end done",
        "thought": "message-start content-start content-delta* content-end content-start content-delta* content-end "
        "message-end done",
    },
    ("ollama", "ollama-chat"): {
        "text": "content* done",
        "call": "tool_calls done",
        "thought": "thinking* content* done",
    },
    ("bedrock", "bedrock-converse"): {
        "text": "messageStart contentBlockDelta* contentBlockStop messageStop metadata",
    },
}
WITH_USAGE = {
    "openai": "role+null+call arguments* finish usage done",
    "deepseek": 'role+null null+reasoning_content* call arguments* ""+finish+usage done',
    "groq": "role+null call finish+usage usage done",
    "xai": "role+call finish usage done",
    "openrouter": 'role+null+call role+null+arguments* role+""+finish role+""+finish+usage done',
}
"""A call, where `stream_options` asks for the usage."""


@pytest.mark.parametrize(("provider", "wire"), STREAMS, ids=[f"{wire}:{provider}" for provider, wire in STREAMS])
def test_events_come_in_the_order_in_which_they_were_recorded(provider: str, wire: str) -> None:
    recorded = STREAMS[provider, wire]

    assert {reply: sent(provider, wire, reply) for reply in recorded} == recorded


@pytest.mark.parametrize("provider", WITH_USAGE)
def test_usage_comes_where_it_was_recorded(provider: str) -> None:
    assert sent(provider, "openai-chat", "call", **USAGE) == WITH_USAGE[provider]


def test_openai_says_in_each_chunk_before_that_the_usage_is_still_to_come() -> None:
    body = {**BODIES["openai-chat"], "model": "gpt-4.1", "stream": True, **USAGE}
    request = Request("POST", PATHS["openai-chat"], {}, json.dumps(body).encode())
    response = wire_for("openai", "openai-chat").encode(REPLIES["text"], ReplyContext(request, "openai", Ids("order")))
    *before, last = [chunk for chunk in events("openai-chat", response.body) if chunk != "[DONE]"]

    assert {json.dumps(chunk["usage"]) for chunk in before} == {"null"}
    assert (last["choices"], last["usage"]["total_tokens"] > 0) == ([], True)
