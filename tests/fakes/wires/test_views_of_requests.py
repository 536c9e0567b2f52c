"""The neutral view of each wire's requests, written out: with everything a request may have, and with odd values.

Laws and expectations read nothing but views, so a view that lacks something is a bug that no agent is blamed for.
"""

import json
from pathlib import Path
from typing import Any

from msgspec import Struct, structs

from fake_providers import View
from fake_providers.http import Request
from fake_providers.registry import wire_named
from tests.tables import rows

EXPECTED: dict[str, Any] = json.loads(Path(__file__).with_name("views_of_requests.json").read_text(encoding="utf-8"))
DATA = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA="
PNG = f"data:image/png;base64,{DATA}"
PATHS = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic-messages": "/v1/messages",
    "gemini-generate": "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    "ollama-chat": "/api/chat",
    "bedrock-converse": "/model/us.amazon.nova-2-lite-v1%3A0/converse-stream",
    "cohere-chat": "/v2/chat",
}


def function(name: Any, arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def chat(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": list(messages), **more}


def contents(*given: Any, **more: Any) -> dict[str, Any]:
    return {"contents": list(given), **more}


def choosing(**config: Any) -> dict[str, Any]:
    return contents(
        toolConfig={"functionCallingConfig": config},
        tools=[{"functionDeclarations": [{"name": "look"}, {"name": "find"}, "x"]}],
    )


LOOK = {"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": {"type": "object"}}}
FLAT = {"type": "function", "name": "look", "description": "Looks.", "parameters": {"type": "object"}}
OWN = {"name": "look", "description": "Looks.", "input_schema": {"type": "object"}}

CHAT: dict[str, Any] = {
    "all roles": chat(
        {"role": "system", "content": "One."},
        {
            "role": "user",
            "content": [{"type": "text", "text": "A"}, {"type": "image_url", "image_url": {"url": PNG}}, "B"],
        },
        {"role": "user", "content": "C", "name": "ann"},
        {
            "role": "assistant",
            "content": "So.",
            "refusal": "No.",
            "reasoning": "hm",
            "tool_calls": [
                {"id": "a", "type": "function", "function": function("look", '{"x": 1}')},
                {"id": "b", "type": "custom", "custom": {"name": "run", "input": "ls"}},
                {"id": 7, "function": function(None, {"x": 1})},
                {"id": "d", "function": "x"},
                "x",
            ],
        },
        {"role": "tool", "tool_call_id": "a", "name": "look", "content": [{"type": "text", "text": "7"}]},
        {"role": "tool", "tool_call_id": 7, "content": None},
        {"role": "developer", "content": [{"type": "text", "text": "Two."}, {"type": "text", "text": ""}]},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}], "reasoning_content": "why"},
        {"role": "assistant", "content": "", "function_call": function("find", "{x"), "reasoning_content": 7},
        {"role": "function", "name": "find", "content": "8"},
        {"role": "odd", "content": 7},
        "x",
        stream=True,
        tools=[LOOK, {"type": "custom", "custom": {"name": "run", "description": 7}}, "x", {"function": {"name": 7}}],
        functions=[{"name": "find", "description": "Finds."}],
        tool_choice="auto",
        parallel_tool_calls=False,
        max_completion_tokens=9,
        max_tokens=8,
    ),
    "none": chat(tools=[LOOK], tool_choice="none", max_tokens=8, stream="yes"),
    "required": chat(tools=[LOOK], tool_choice="required", max_completion_tokens="9"),
    "one": chat(tools=[LOOK], tool_choice={"type": "function", "function": {"name": "look"}}),
    "allowed": chat(
        tools=[LOOK],
        tool_choice={
            "type": "allowed_tools",
            "allowed_tools": {"mode": "required", "tools": [LOOK, {"function": 7}, "x"]},
        },
    ),
    "allowed and free": chat(tool_choice={"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [LOOK]}}),
    "allowed without tools": chat(tool_choice={"type": "allowed_tools", "mode": "required"}),
    "schema": chat(response_format={"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}),
    "object": chat(response_format={"type": "json_object"}),
    "odd format": chat(response_format={"type": "text", "json_schema": 7}),
    "odd": {"model": 7, "messages": 7, "tools": 7, "tool_choice": 7, "response_format": 7, "parallel_tool_calls": None},
    "no object": [1],
}

RESPONSES: dict[str, Any] = {
    "all items": {
        "model": "m",
        "instructions": "One.",
        "input": [
            {"role": "developer", "content": "Two."},
            {"type": "message", "role": "system", "content": [{"type": "input_text", "text": "Three."}]},
            {
                "role": "user",
                "content": [{"type": "input_text", "text": "A"}, {"type": "input_image", "image_url": PNG}, "B"],
            },
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "well"}]},
            {
                "role": "assistant",
                "content": [{"type": "output_text", "text": "So."}, {"type": "refusal", "refusal": "No."}],
            },
            {"type": "function_call", "call_id": "a", "name": "look", "arguments": '{"x": 1}'},
            {"type": "function_call", "call_id": "b", "name": "find", "arguments": "{x"},
            {"type": "function_call", "call_id": 7, "name": 7, "arguments": {"x": 1}},
            {"type": "custom_tool_call", "call_id": "c", "name": "run", "input": "ls"},
            {"type": "function_call_output", "call_id": "a", "output": "7"},
            {"type": "function_call_output", "call_id": "b", "output": [{"type": "input_image", "image_url": PNG}]},
            {"type": "custom_tool_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "x"}]},
            {"type": "web_search_call", "id": "w", "status": "completed"},
            {"role": "user", "content": 7},
        ],
        "stream": True,
        "tools": [FLAT, {"type": "custom", "name": "run"}, {"type": "web_search"}, {"type": "function"}, {"name": "x"}],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
        "max_output_tokens": 9,
    },
    "text": {"model": "m", "input": "Why?", "instructions": ""},
    "none": {"model": "m", "input": "Why?", "tools": [FLAT], "tool_choice": "none"},
    "required": {"model": "m", "input": "Why?", "tools": [FLAT], "tool_choice": "required"},
    "one": {"model": "m", "input": "Why?", "tools": [FLAT], "tool_choice": {"type": "function", "name": "look"}},
    "allowed": {"input": "x", "tool_choice": {"type": "allowed_tools", "mode": "required", "tools": [FLAT]}},
    "schema": {"input": "x", "text": {"format": {"type": "json_schema", "name": "x", "schema": {"type": "object"}}}},
    "object": {"input": "x", "text": {"format": {"type": "json_object"}}},
    "odd": {"model": 7, "input": 7, "instructions": 7, "tools": 7, "text": {"format": 7}, "max_output_tokens": "9"},
    "no object": [1],
}

SOURCE = {"type": "base64", "media_type": "image/png", "data": DATA}
MESSAGES: dict[str, Any] = {
    "all blocks": chat(
        {"role": "user", "content": [{"type": "image", "source": SOURCE}, {"type": "text", "text": "A"}, "x"]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "thinking", "thinking": "well"},
                {"type": "redacted_thinking", "data": "x"},
                {"type": "text", "text": "So."},
                {"type": "text", "text": "Then."},
                {"type": "tool_use", "id": "a", "name": "look", "input": {"x": 1}},
                {"type": "tool_use", "id": 7, "name": 7},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "7"},
                {
                    "type": "tool_result",
                    "tool_use_id": "b",
                    "is_error": True,
                    "content": [
                        {"type": "text", "text": "no"},
                        {"type": "image", "source": SOURCE},
                        {"type": "image", "source": {"type": "url", "url": "https://example.org/x.png"}},
                        {"type": "document", "source": {"type": "text", "data": "words"}},
                        {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "c"}]}},
                        {
                            "type": "document",
                            "source": {"type": "base64", "media_type": "application/pdf", "data": "x"},
                        },
                        {"type": "search_result", "content": [{"type": "text", "text": "found"}]},
                        {"type": "odd"},
                        "x",
                    ],
                },
                {"type": "tool_result", "tool_use_id": 7, "is_error": "yes"},
                {"type": "text", "text": "And?"},
            ],
        },
        {"role": "assistant", "content": "Well."},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": ""}]},
        {"role": "system", "content": "Two."},
        "x",
        system=[{"type": "text", "text": "One."}, {"type": "text", "text": ""}, {"type": "odd", "text": "no"}],
        stream=True,
        max_tokens=9,
        tools=[
            OWN,
            {"type": "custom", "name": "find"},
            {"type": "web_search_20250305", "name": "web_search"},
            {"name": 7},
            "x",
        ],
        tool_choice={"type": "auto", "disable_parallel_tool_use": True},
        thinking={"type": "enabled", "budget_tokens": 1024},
    ),
    "system as text": chat(system="One.", max_tokens="9", tools=[]),
    "none": chat(tools=[OWN], tool_choice={"type": "none"}),
    "any": chat(tools=[OWN, {"name": "find"}], tool_choice={"type": "any"}, thinking={"type": "adaptive"}),
    "one": chat(
        tools=[OWN, {"name": "find"}], tool_choice={"type": "tool", "name": "find"}, thinking={"type": "disabled"}
    ),
    "schema": chat(output_config={"format": {"type": "json_schema", "schema": {"type": "object"}}}),
    "older schema": chat(
        output_format={"type": "json_schema", "schema": {"type": "object"}}, output_config={"effort": "low"}
    ),
    "odd": {"model": 7, "messages": 7, "system": 7, "tools": 7, "tool_choice": 7, "thinking": 7, "output_config": 7},
    "no object": [1],
}

BLOB = {"inlineData": {"mimeType": "image/png", "data": DATA}}
GEMINI: dict[str, Any] = {
    "all parts": contents(
        {
            "role": "user",
            "parts": [{"text": "A"}, BLOB, {"fileData": {"mimeType": "image/png", "fileUri": "u"}}, {"text": "B"}],
        },
        {
            "role": "model",
            "parts": [
                {"text": "hm", "thought": True},
                {"text": "So "},
                {"text": "then."},
                {"functionCall": {"id": "a", "name": "look", "args": {"x": 1}}, "thoughtSignature": "s"},
                {"functionCall": {"name": "find"}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "a", "name": "look", "response": {"result": "7"}, "parts": [BLOB]}},
                {"functionResponse": {"name": "find", "response": {"error": "no"}}},
                {"functionResponse": {"name": "find", "response": {"output": {"x": 1}}}},
                {"functionResponse": {"name": "find", "response": {"return_value": None}}},
                {"functionResponse": {"name": "find", "response": {"result": 1, "more": 2}}},
                {"functionResponse": {"name": "find", "response": {"other": "x"}}},
                {"text": "And?"},
            ],
        },
        {"parts": [{"inlineData": {"mimeType": "audio/wav", "data": DATA}}]},
        systemInstruction={"parts": [{"text": "One."}, {"text": "Two."}]},
        tools=[
            {
                "functionDeclarations": [
                    {"name": "look", "description": "Looks.", "parametersJsonSchema": {"type": "object"}},
                    {
                        "name": "find",
                        "parameters": {
                            "type": "OBJECT",
                            "properties": {
                                "x": {"type": "STRING", "nullable": True, "maxLength": "9"},
                                "y": {"type": "ARRAY", "items": {"type": "INTEGER"}, "min_items": 1},
                                "z": {"anyOf": [{"type": "NUMBER"}, {"type": "BOOLEAN"}]},
                            },
                        },
                    },
                    {"name": "go"},
                ]
            },
            {"googleSearch": {}},
        ],
        generationConfig={"maxOutputTokens": 9},
    ),
    "snake case": contents(
        {"role": "model", "parts": [{"function_call": {"name": "look", "args": {}}}]},
        {"role": "user", "parts": [{"function_response": {"name": "look", "response": {"result": ""}}}]},
        system_instruction={"parts": [{"text": "One."}]},
        generation_config={"response_mime_type": "application/json", "response_json_schema": {"type": "object"}},
    ),
    "none": choosing(mode="NONE"),
    "any": choosing(mode="ANY"),
    "one": choosing(mode="ANY", allowedFunctionNames=["find"]),
    "auto": choosing(mode="AUTO"),
    "allowed": choosing(mode="VALIDATED", allowedFunctionNames=["find"]),
    "schema": contents(generationConfig={"responseMimeType": "application/json", "responseSchema": {"type": "OBJECT"}}),
    "words": contents(generationConfig={"responseMimeType": "text/x.enum", "responseSchema": {"type": "STRING"}}),
    "search alone": contents(tools=[{"googleSearch": {}}]),
    "odd": {"contents": 7, "tools": 7, "toolConfig": 7, "generationConfig": 7, "systemInstruction": "One."},
    "no object": [1],
}

OLLAMA: dict[str, Any] = {
    "all roles": chat(
        {"role": "system", "content": "One."},
        {"role": "User", "content": "A", "images": [DATA]},
        {
            "role": "assistant",
            "content": "So.",
            "thinking": "hm",
            "tool_calls": [
                {"id": "a", "function": function("look", {"x": 1})},
                {"id": "", "function": {"name": "find"}},
                {"function": function("find", '{"x": 1}')},
                {"function": function(7, "{x")},
                {"function": 7},
                "x",
            ],
        },
        {"role": "tool", "tool_name": "look", "tool_call_id": "a", "content": "7", "images": [DATA]},
        {"role": "tool", "content": [{"text": "8"}, "9", {"text": ""}, 7]},
        {"role": "system", "content": "Two."},
        {"Role": "user", "Content": "B"},
        {"content": None},
        "x",
        tools=[LOOK, {"function": {"name": 7}}, {"function": 7}, "x"],
        options={"num_ctx": 4096, "num_predict": 9},
        stream=False,
    ),
    "schema": chat(format={"type": "object"}, tools=[LOOK]),
    "json": chat(format="json", tools=[], options={"num_predict": -1}),
    "schema alone": chat(format={"type": "object"}, options={"num_ctx": "x", "num_predict": "x"}, stream=True),
    "odd": {"model": 7, "messages": 7, "tools": 7, "options": 7, "format": 7},
    "no object": [1],
}
CONVERSE: dict[str, Any] = {
    "all roles": {
        "messages": [
            {"role": "user", "content": [{"text": "A"}, {"image": {"format": "png", "source": {"bytes": DATA}}}]},
            {"role": "user", "content": [{"text": "B"}, {"image": {"source": {"s3Location": {"uri": "s3://b/c"}}}}]},
            {
                "role": "assistant",
                "content": [
                    {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}},
                    {"text": "So."},
                    {"toolUse": {"toolUseId": "a", "name": "look", "input": {"x": 1}}},
                    {"toolUse": {"toolUseId": "b", "name": "find", "input": "{bad"}},
                    {"toolUse": {"toolUseId": "c", "name": "run", "input": {}, "type": "server_tool_use"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"toolResult": {"toolUseId": "a", "content": [{"text": "7"}, {"json": {"x": 1}}, {"json": "y"}]}},
                    {
                        "toolResult": {
                            "toolUseId": "b",
                            "status": "error",
                            "content": [
                                {"image": {"format": "png", "source": {"bytes": DATA}}},
                                {"document": {"name": "d", "format": "pdf", "source": {"text": "read"}}},
                                {"searchResult": {"content": [{"text": "found"}]}},
                            ],
                        }
                    },
                    {"text": "And?"},
                ],
            },
            {"role": "system", "content": [{"text": "Two."}]},
        ],
        "system": [{"text": "One."}, {"cachePoint": {"type": "default"}}],
        "toolConfig": {
            "tools": [
                {"toolSpec": {"name": "look", "description": "Looks.", "inputSchema": {"json": {"type": "object"}}}},
                {"cachePoint": {"type": "default"}},
                {"toolSpec": {"name": "find", "inputSchema": {}}},
            ],
            "toolChoice": {"tool": {"name": "find"}},
        },
        "inferenceConfig": {"maxTokens": 9},
        "additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}},
    },
    "any": {"toolConfig": {"tools": [{"toolSpec": {"name": "look"}}], "toolChoice": {"any": {}}}},
    "auto": {"toolConfig": {"tools": [{"toolSpec": {"name": "look"}}], "toolChoice": {"auto": {}}}},
    "schema": {
        "outputConfig": {"textFormat": {"structure": {"jsonSchema": {"schema": '{"type": "object"}'}}}},
    },
    "no schema": {"outputConfig": {"textFormat": {"structure": {"jsonSchema": {"schema": "{"}}}}},
    "odd": {"messages": 7, "system": 7, "toolConfig": 7, "inferenceConfig": 7, "outputConfig": 7},
    "odd blocks": {
        "messages": [7, {"role": "user", "content": "A"}, {"role": "user", "content": ["B", {"toolResult": 7}, {}]}]
    },
    "no object": [1],
}
COHERE: dict[str, Any] = {
    "all roles": chat(
        {"role": "system", "content": [{"type": "text", "text": "One."}]},
        {"role": "user", "content": "A"},
        {"role": "user", "content": [{"type": "text", "text": "B"}, {"type": "image_url", "image_url": {"url": PNG}}]},
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "hm"}],
            "tool_plan": "I look.",
            "tool_calls": [
                {"id": "a", "type": "function", "function": function("look", '{"x": 1}')},
                {"id": "b", "type": "function", "function": function("find", "{bad")},
                {"id": "c", "type": "function", "function": function("run", {"x": 1})},
            ],
        },
        {"role": "tool", "tool_call_id": "a", "content": "7"},
        {
            "role": "tool",
            "tool_call_id": "b",
            "content": [
                {"type": "document", "document": {"id": "d", "data": {"x": 1}}},
                {"type": "document", "document": {"data": "read"}},
                {"type": "text", "text": "found"},
            ],
        },
        {"role": "assistant", "content": "So."},
        {"role": "system", "content": "Two."},
        tools=[{"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": {}}}],
        max_tokens=9,
        stream=True,
    ),
    "required": chat(tools=[{"type": "function", "function": {"name": "look"}}], tool_choice="required"),
    "none": chat(tools=[{"type": "function", "function": {"name": "look"}}], tool_choice="NONE"),
    "schema": chat(response_format={"type": "json_object", "json_schema": {"type": "object"}}),
    "older schema": chat(response_format={"type": "json_object", "schema": {"type": "object"}}),
    "odd": {"model": 7, "messages": 7, "tools": 7, "tool_choice": 7, "response_format": 7, "max_tokens": "9"},
    "odd messages": chat(7, {"role": 7}, {"role": "tool"}, {"role": "assistant", "tool_calls": [7, {}], "content": 7}),
    "no object": [1],
}
BODIES = {
    "openai-chat": CHAT,
    "openai-responses": RESPONSES,
    "anthropic-messages": MESSAGES,
    "gemini-generate": GEMINI,
    "ollama-chat": OLLAMA,
    "bedrock-converse": CONVERSE,
    "cohere-chat": COHERE,
}


def viewed(wire: str, body: Any) -> dict[str, Any]:
    """The view as JSON, without the fields that the request does not set."""
    request = Request("POST", PATHS[wire], {}, json.dumps(body).encode())
    view = wire_named(wire).view(request)
    given = [(field, getattr(view, field.name)) for field in structs.fields(View)]
    changed = {field.name: _plain(value) for field, value in given if value != field.default}
    return json.loads(json.dumps(changed))  # type: ignore[no-any-return]


def _plain(value: Any) -> Any:
    """Without what a part of it leaves out."""
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Struct):
        members = {name: _plain(member) for name, member in structs.asdict(value).items()}
        return {name: member for name, member in members.items() if member not in ("", [], False)}
    return value


@rows("wire, name", [(wire, name) for wire, bodies in BODIES.items() for name in bodies], ids=", ".join)
def test_view_has_all_that_a_request_says(wire: str, name: str) -> None:
    assert viewed(wire, BODIES[wire][name]) == EXPECTED[wire][name]


def test_no_view_is_expected_of_a_request_that_is_gone() -> None:
    assert {wire: list(views) for wire, views in EXPECTED.items()} == {wire: list(one) for wire, one in BODIES.items()}


def test_a_choice_without_a_type_forces_no_tool() -> None:
    named = {"name": "look", "function": {"name": "look"}}
    choices = [{**named, "type": "function"}, named, {**named, "": "function"}, {**named, "type": None}]
    forced = [
        [
            wire_named(wire).view(
                Request("POST", PATHS[wire], {}, json.dumps({"model": "m", "tool_choice": choice}).encode())
            )
        ]
        for wire in ("openai-chat", "openai-responses")
        for choice in choices
    ]

    assert [bool(view.forces) for (view,) in forced] == [True, False, False, False] * 2
