"""The documented request of each API, and functions that complete a request with one documented part, so that a
provider would accept it."""

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from anthropic.types.beta.message_create_params import MessageCreateParamsBase as BetaMessageCreateParamsBase
from anthropic.types.message_create_params import MessageCreateParamsBase
from groq.types.chat.completion_create_params import CompletionCreateParams
from mistralai.client.models import ChatCompletionRequest
from ollama._types import ChatRequest
from openai.types.beta.response_create_params import ResponseCreateParamsBase as BetaResponseCreateParamsBase
from openai.types.chat.completion_create_params import CompletionCreateParamsBase
from openai.types.responses.response_create_params import ResponseCreateParamsBase

HELLO: list[Any] = [{"role": "user", "content": "Say it in json."}]
SCHEMA: Any = {"type": "object", "properties": {}, "additionalProperties": False}
FUNCTION: Any = {"name": "a", "parameters": SCHEMA}
TOOL: Any = {"type": "function", "function": FUNCTION}
PREFIXES = {"message": "msg", "function_call": "fc", "reasoning": "rs"}


def complete_chat(body: dict[str, Any]) -> dict[str, Any]:
    """Gives calls results, results their calls, a choice its tools or functions, options of a stream the stream, and
    alternatives to tokens the tokens."""
    messages: list[Any] = []
    for given in body["messages"]:
        message = given
        if message.get("role") == "tool":
            call = {"id": message["tool_call_id"], "type": "function", "function": {"name": "a", "arguments": "{}"}}
            messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        if message.get("role") == "assistant" and "tool_calls" not in message:
            message = {"content": "", **message}
        messages.append(message)
        for call in message.get("tool_calls") or ():
            messages.append({"role": "tool", "tool_call_id": call.get("id", "a"), "content": "a"})
    if messages[-1].get("role") == "assistant":
        messages += HELLO
    streamed = {"stream": True} if "stream_options" in body else {}
    functions = {"functions": [FUNCTION]} if "function_call" in body else {}
    asked = {"logprobs": True} if "top_logprobs" in body else {}
    return complete_tools({**functions, **asked, **body, **streamed, "messages": [*HELLO, *messages]}, TOOL)


def complete_tools(body: dict[str, Any], tool: Any) -> dict[str, Any]:
    wants = {"tool_choice", "parallel_tool_calls"} & body.keys()
    complete = {**body, "tools": [tool]} if wants and not body.get("tools") else body
    for offered in complete.get("tools") or ():
        function = offered.get("function", offered)
        if isinstance(function, dict):
            for name in ("parameters", "input_schema"):
                if isinstance(function.get(name), dict):
                    function[name] = {**SCHEMA, **({} if function[name] == {"a": "b"} else function[name])}
            if function.get("strict") and "input_schema" not in function and offered.get("type") in (None, "function"):
                function["parameters"] = SCHEMA
    return complete


PICTURES = {
    "image/png": "iVBORw0KGgo=",
    "image/jpeg": "/9j/4A==",
    "image/gif": "R0lGODlh",
    "image/webp": "UklGRgAAAABXRUJQ",
}
"""The first bytes of a file of each type."""


def with_pictures(value: Any) -> Any:
    """The smallest text is no picture: an address in its place, or bytes of the type that is named."""
    if isinstance(value, list):
        return [with_pictures(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    made = {name: with_pictures(inner) for name, inner in value.items()}
    picture = made.get("image_url")
    if isinstance(picture, dict) and "url" in picture:
        picture["url"] = "https://example.com/a.png"
    elif isinstance(picture, str):
        made["image_url"] = "https://example.com/a.png"
    if made.get("type") == "base64" and made.get("media_type") in PICTURES:
        made["data"] = PICTURES[made["media_type"]]
    return made


OWN_OUTPUTS: dict[str, Any] = {
    "shell_call": [{"stdout": "a", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}],
    "local_shell_call": "a",
    "computer_call": {"type": "computer_screenshot", "image_url": "https://example.com/a.png"},
}
"""The output of each call of OpenAI's own tools that is no text alone, or has no other output."""


def complete_responses(body: dict[str, Any]) -> dict[str, Any]:
    items: list[Any] = []
    for given in body["input"] if isinstance(body["input"], list) else ():
        item = given
        kind = item.get("type") or ("message" if "role" in item else "item_reference")
        if "id" in item and kind in PREFIXES:
            item = {**item, "id": f"{PREFIXES[kind]}_a"}
        if kind == "reasoning" and "encrypted_content" in item:
            item = {**item, "encrypted_content": "gAAAAABo"}
        if kind.endswith("_call_output"):
            item = {"call_id": "a", **item}
            items += {
                "function_call_output": [{"type": "function_call", "call_id": "a", "name": "a", "arguments": "{}"}],
                "custom_tool_call_output": [{"type": "custom_tool_call", "call_id": "a", "name": "a", "input": "a"}],
            }.get(kind, [])
        items.append(item)
        if kind in ("function_call", "custom_tool_call", "apply_patch_call", *OWN_OUTPUTS):
            output = OWN_OUTPUTS.get(kind, "a")
            items.append({"type": f"{kind}_output", "call_id": item["call_id"], "output": output})
    complete = {**body, "input": [*HELLO, *items]}
    for name, known in ("previous_response_id", "resp_a"), ("conversation", "conv_a"):
        if complete.get(name) is not None:
            complete[name] = known if isinstance(complete[name], str) else {**complete[name], "id": known}
    if complete.get("max_output_tokens"):
        complete["max_output_tokens"] = 99
    return complete_tools(complete, {"type": "function", **FUNCTION, "strict": False})


def complete_messages(body: dict[str, Any]) -> dict[str, Any]:
    """Puts calls into assistant messages and gives them results, gives results their calls, and adds tools that are
    referred to."""
    messages: list[Any] = [{"role": "user", "content": "a"}]
    for context in body["messages"]:
        given = {"content": "a", **context}
        blocks = with_search_results(given["content"]) if isinstance(given["content"], list) else []
        message = {**given, "content": blocks or given["content"]}
        kinds = {block.get("type") for block in blocks}
        if "tool_use" in kinds:
            result = {"type": "tool_result", "tool_use_id": blocks[-1]["id"], "content": "a"}
            messages += [{"role": "assistant", "content": blocks}, {"role": "user", "content": [result]}]
        elif "tool_result" in kinds:
            use = {"type": "tool_use", "id": blocks[0]["tool_use_id"], "name": "a", "input": {}}
            messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": blocks}]
        elif kinds & {"thinking", "redacted_thinking"}:
            signed = [{**block, "signature": "REDACTED"} if "signature" in block else block for block in blocks]
            messages += [{"role": "assistant", "content": [*signed, {"type": "text", "text": "a"}]}]
        else:
            messages.append(message)
    if messages[-1]["role"] == "assistant":
        messages.append({"role": "user", "content": "a"})
    complete = {**body, "messages": messages, "max_tokens": 4096}
    if "tool_reference" in json.dumps(messages) and not complete.get("tools"):
        complete["tools"] = [{"name": "a", "input_schema": SCHEMA}]
    if (complete.get("thinking") or {}).get("budget_tokens"):
        complete["thinking"] = {**complete["thinking"], "budget_tokens": 1024}
    return complete_tools(complete, {"name": "a", "input_schema": SCHEMA})


SEARCH: Any = {"type": "server_tool_use", "id": "srvtoolu_a", "name": "web_search", "input": {}}
SEARCH_RESULT: Any = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_a", "content": []}


def with_search_results(blocks: list[Any]) -> list[Any]:
    """Gives calls of the provider's own tools their results, and adds the call before one that was made by such a
    tool."""
    complete: list[Any] = []
    for block in blocks:
        kind = block.get("type", "")
        by_code = "tool_id" in (block.get("caller") or {})
        caller = {"caller": {**block["caller"], "tool_id": SEARCH["id"]}} if by_code else {}
        if by_code and kind != "server_tool_use":
            complete += [SEARCH, SEARCH_RESULT]
        if kind == "server_tool_use":
            complete += [
                *([SEARCH, SEARCH_RESULT] if by_code else []),
                {**block, **caller, "id": SEARCH["id"]},
                SEARCH_RESULT,
            ]
        elif kind.endswith("_tool_result") and kind != "mcp_tool_result":
            complete += [SEARCH, {**block, **caller, "tool_use_id": SEARCH["id"]}]
        else:
            complete.append({**block, **caller})
    return complete


def complete_mistral(body: dict[str, Any]) -> dict[str, Any]:
    messages: list[Any] = []
    for given in body["messages"]:
        message = {"tool_call_id": "123456789", "name": "a", **given} if given.get("role") == "tool" else given
        calls = [{**call, "id": "123456789"} for call in message.get("tool_calls") or () if isinstance(call, dict)]
        messages.append({**message, "role": "assistant", "tool_calls": calls} if calls else message)
    return complete_chat({**body, "messages": messages})


class Api(NamedTuple):
    """`kind` is the SDK's type of a request; `base` has the fields and `headers` the headers of every request."""

    provider: str
    path: str
    kind: Any
    base: dict[str, Any]
    complete: Callable[[dict[str, Any]], dict[str, Any]]
    hints: Mapping[str, Any] = MappingProxyType({})
    headers: Mapping[str, str] = MappingProxyType({})


OLLAMA = {"images": ["YQ=="], "keep_alive": "5m", "think": True, "format": SCHEMA, "options": {"num_ctx": 99}}
CHAT = "/v1/chat/completions"
ANY = "a-model-of-ours"
"""A model of which nothing is known: of its requests, nothing is refused because of the model."""
APIS = {
    "chat": Api("openai", CHAT, CompletionCreateParamsBase, {"model": "gpt-4.1", "messages": HELLO}, complete_chat),
    "chat-reasoning": Api(
        "openai", CHAT, CompletionCreateParamsBase, {"model": "gpt-5.1", "messages": HELLO}, complete_chat
    ),
    "responses": Api(
        "openai", "/v1/responses", ResponseCreateParamsBase, {"model": "gpt-4.1", "input": HELLO}, complete_responses
    ),
    "responses-reasoning": Api(
        "openai", "/v1/responses", ResponseCreateParamsBase, {"model": "gpt-5.4", "input": HELLO}, complete_responses
    ),
    "chat-any-model": Api("openai", CHAT, CompletionCreateParamsBase, {"model": ANY, "messages": HELLO}, complete_chat),
    "responses-any-model": Api(
        "openai", "/v1/responses", ResponseCreateParamsBase, {"model": ANY, "input": HELLO}, complete_responses
    ),
    "responses-beta": Api(
        "openai",
        "/v1/responses?beta=true",
        BetaResponseCreateParamsBase,
        {"model": ANY, "input": HELLO},
        complete_responses,
        headers=MappingProxyType({"openai-beta": "responses_multi_agent=v1"}),
    ),
    "messages": Api(
        "anthropic",
        "/v1/messages",
        MessageCreateParamsBase,
        {"model": "claude-sonnet-4-5", "max_tokens": 4096, "messages": [{"role": "user", "content": "a"}]},
        complete_messages,
    ),
    "messages-beta": Api(
        "anthropic",
        "/v1/messages?beta=true",
        BetaMessageCreateParamsBase,
        {"model": "claude-sonnet-4-5", "max_tokens": 4096, "messages": [{"role": "user", "content": "a"}]},
        complete_messages,
    ),
    "messages-any-model": Api(
        "anthropic",
        "/v1/messages?beta=true",
        BetaMessageCreateParamsBase,
        {"model": ANY, "max_tokens": 4096, "messages": [{"role": "user", "content": "a"}]},
        complete_messages,
    ),
    "groq": Api(
        "groq",
        "/openai/v1/chat/completions",
        CompletionCreateParams,
        {"model": "openai/gpt-oss-120b", "messages": HELLO},
        complete_chat,
    ),
    "mistral": Api(
        "mistral", CHAT, ChatCompletionRequest, {"model": "mistral-small-latest", "messages": HELLO}, complete_mistral
    ),
    "ollama": Api("ollama", "/api/chat", ChatRequest, {"model": "qwen3", "messages": HELLO}, lambda body: body, OLLAMA),
}
