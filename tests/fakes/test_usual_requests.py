"""Of what nearly every agent sends no rule is checked beside parameters that were accepted before."""

import json
from typing import Any
from unittest import mock

import pytest

from fake_providers import Request
from fake_providers.ids import Ids
from fake_providers.models import default_model, models_of
from fake_providers.registry import wire_for
from fake_providers.rule import Violation
from fake_providers.rulebook import NEEDS, Rulebook
from fake_providers.wires.gemini_generate import thought_signatures
from tests.fakes import tried_rules

OLDER, NEWER = (f"/v1beta/models/{model}:generateContent" for model in ("gemini-2.5-flash", "gemini-3-flash-preview"))


def content(role: str, *parts: Any) -> dict[str, Any]:
    return {"role": role, "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def called(name: str, **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {"city": "Oslo"}}, **more}


def responded(name: str) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"result": "7 degrees"}}}


def declared(name: str, **parameters: Any) -> list[dict[str, Any]]:
    return [{"functionDeclarations": [{"name": name, "description": name, **parameters}]}]


NESTED = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "enum": ["Oslo", "Rome"]},
        "days": {"type": "array", "items": {"type": "object", "properties": {"day": {"type": "integer"}}}},
    },
    "required": ["city"],
}
CAPITALS = {
    "type": "OBJECT",
    "properties": {"cities": {"type": "ARRAY", "items": {"type": "STRING"}}, "far": {"type": "BOOLEAN"}},
}
QUESTION, ANSWER = content("user", "Is it warm?"), content("model", "It is.")
SIGNED = {"thoughtSignature": thought_signatures.issue(Ids("usual"))}
LOOP = (content("model", called("f")), content("user", responded("f")))
GEMINI: dict[str, tuple[list[Any], list[Any]]] = {
    "answers before the next question": ([QUESTION, ANSWER, QUESTION, ANSWER, QUESTION], declared("a")),
    "a call with its result": ([QUESTION, *LOOP, *LOOP], declared("b", parameters=NESTED)),
    "several calls with their results": (
        [QUESTION, content("model", called("f"), called("f")), content("user", responded("f"), responded("f"))],
        declared("c", parameters=CAPITALS),
    ),
    "a text beside a call": (
        [QUESTION, content("model", "One moment.", called("f")), *LOOP[1:], ANSWER, QUESTION],
        declared("d", parameters={"type": "object", "properties": {}}),
    ),
    "calls in contents of their own": (
        [QUESTION, LOOP[0], LOOP[0], content("user", responded("f"), responded("f"))],
        declared("e", parametersJsonSchema={**NESTED, "additionalProperties": False}),
    ),
    "signed thoughts": (
        [QUESTION, content("model", {"text": "Hm.", "thought": True}, called("f", **SIGNED)), *LOOP[1:]],
        declared("f", parameters=NESTED),
    ),
}


def judged(wire: str, provider: str, path: str, body: dict[str, Any]) -> Violation | None:
    request = Request("POST", path, dict(tried_rules.HEADERS), json.dumps(body).encode())
    return wire_for(provider, wire).judge(request, provider=provider)


def check_that_nothing_is_checked(wire: str, provider: str, path: str, known: dict[str, Any], new: Any) -> None:
    assert judged(wire, provider, path, known) is None
    with mock.patch.object(Rulebook, "judge_each", side_effect=AssertionError("a rule is checked")):
        assert judged(wire, provider, path, new) is None


@pytest.mark.parametrize("name", GEMINI)
@pytest.mark.parametrize("provider", ["gemini", "vertex"])
def test_no_rule_is_checked_of_usual_contents_and_declarations(provider: str, name: str) -> None:
    (said, tools), others = GEMINI[name], {"systemInstruction": content("user", "Be brief.")}
    known = {"contents": [QUESTION], "tools": declared("known"), **others}

    check_that_nothing_is_checked(
        "gemini-generate", provider, OLDER, known, {"contents": said, "tools": tools, **others}
    )


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ([*LOOP], "call-after-user-turn"),
        ([QUESTION, content("model", called("f"), called("f")), LOOP[1]], "response-count"),
        ([QUESTION, LOOP[0], LOOP[0], LOOP[1]], "response-count"),
        ([QUESTION, *LOOP, LOOP[1]], "response-count"),
        ([QUESTION, ANSWER, LOOP[1]], "response-after-call-turn"),
        ([QUESTION, content("model", called("f", thoughtSignature="{"))], "signature-not-base64"),
    ],
)
def test_contents_in_no_usual_order_are_judged(said: list[Any], rule: str) -> None:
    assert judged("gemini-generate", "gemini", OLDER, {"contents": [QUESTION]}) is None
    found = judged("gemini-generate", "gemini", OLDER, {"contents": said})

    assert found is not None
    assert found.rule == f"gemini/{rule}"


@pytest.mark.parametrize(
    ("signature", "rule"),
    [({}, "missing"), ({"thoughtSignature": SIGNED["thoughtSignature"][:-8] + "AAAAAAA="}, "corrupted")],
)
def test_signatures_are_judged_in_any_conversation(signature: dict[str, str], rule: str) -> None:
    for thought in (SIGNED, signature):
        said = [QUESTION, content("model", called("f", **thought)), LOOP[1]]
        found = judged("gemini-generate", "gemini", NEWER, {"contents": said})

        assert (found and found.rule) == (None if thought is SIGNED else f"gemini/thought-signature-{rule}")


@pytest.mark.parametrize(
    ("schema", "rule"),
    [
        ({"type": "array"}, "schema-items-missing"),
        ({"type": "OBJECT"}, "schema-properties-empty"),
        ({"type": "string", "properties": {"a": {"type": "string"}}}, "schema-properties-on-non-object"),
        ({"type": "INTEGER", "enum": ["1"]}, "schema-enum-on-non-string"),
        ({**CAPITALS, "required": ["town"]}, "schema-required-undefined"),
    ],
)
def test_a_schema_of_another_form_is_judged(schema: dict[str, Any], rule: str) -> None:
    for property in ({"type": "string"}, schema):
        tools = declared("f", parameters={"type": "object", "properties": {"a": property}})
        found = judged("gemini-generate", "gemini", OLDER, {"contents": [QUESTION], "tools": tools})

        assert (found and found.rule) == (f"gemini/{rule}" if property is schema else None)


def test_the_first_declarations_are_judged_beside_parameters_that_were_known_without() -> None:
    form = {"generationConfig": {"responseMimeType": "application/json"}}
    found = [
        judged("gemini-generate", "gemini", OLDER, {"contents": [QUESTION], "tools": tools, **form})
        for tools in ([{"googleSearch": {}}], declared("f"))
    ]

    assert [violation and violation.rule for violation in found] == [None, "gemini/json-with-functions"]


CONVERSE = {
    model: f"/model/{model}/converse"
    for model in ("us.anthropic.claude-sonnet-4-5-20250929-v1%3A0", "us.amazon.nova-pro-v1%3A0")
}


def message(role: str, *blocks: Any) -> dict[str, Any]:
    return {"role": role, "content": [{"text": block} if isinstance(block, str) else block for block in blocks]}


def use(id: str) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": id, "name": "f", "input": {"city": "Oslo"}}}


def back(id: str, *content: Any, **more: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": id, "content": [*content] or [{"text": "7 degrees"}], **more}}


def offered(*names: str, **more: Any) -> dict[str, Any]:
    schema = {**NESTED, "additionalProperties": False, "$defs": {}, **more}
    specs = [{"name": name, "description": name, "inputSchema": {"json": schema}} for name in names]
    return {"tools": [{"toolSpec": spec} for spec in specs]}


ASKED, SAID = message("user", "Is it warm?"), message("assistant", "It is.")
BEDROCK: dict[str, list[Any]] = {
    "answers before the next question": [ASKED, SAID, ASKED, SAID, ASKED],
    "a call with its result": [ASKED, message("assistant", use("a")), message("user", back("a", status="success"))],
    "several calls with their results": [
        ASKED,
        message("assistant", use("a"), use("b")),
        message("user", back("b", {"json": {"degrees": 7}}), back("a", status="error")),
    ],
    "a text beside a call": [
        ASKED,
        message("assistant", "One moment.", use("a")),
        message("user", back("a")),
        SAID,
        ASKED,
    ],
}


@pytest.mark.parametrize("name", BEDROCK)
@pytest.mark.parametrize("model", CONVERSE)
def test_no_rule_is_checked_of_usual_messages_and_tools_to_bedrock(model: str, name: str) -> None:
    others = {"system": [{"text": "Be brief."}], "inferenceConfig": {"maxTokens": 100}}
    known = {"messages": [ASKED], "toolConfig": {**offered("known"), "toolChoice": {"auto": {}}}, **others}
    new = {**known, "messages": BEDROCK[name], "toolConfig": {"toolChoice": {"auto": {}}, **offered("f", "g")}}

    check_that_nothing_is_checked("bedrock-converse", "bedrock", CONVERSE[model], known, new)


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ([ASKED, message("assistant", use("a"), use("b")), message("user", back("a"))], "tool-results-missing"),
        (
            [ASKED, message("assistant", use("a")), message("user", back("a")), message("user", back("a"))],
            "tool-results-exceed",
        ),
        ([ASKED, message("assistant", use("a"), use("a")), message("user", back("a"))], "tool-use-ids-duplicate"),
        ([ASKED, message("assistant", use("a")), message("user", back("a"), back("a"))], "tool-result-ids-duplicate"),
        ([ASKED, message("assistant", use("a")), message("user", "Hm.", back("a"))], "claude-results-not-first"),
        ([ASKED, message("assistant", " "), ASKED], "claude-text-blank"),
        ([ASKED, message("assistant", use("a")), message("user", back("a", {"json": [1]}))], "result-json"),
        ([ASKED, SAID], "claude-prefill"),
    ],
)
def test_messages_in_no_usual_order_are_judged(said: list[Any], rule: str) -> None:
    path = (
        "/model/us.anthropic.claude-opus-4-6-v1/converse" if rule == "claude-prefill" else next(iter(CONVERSE.values()))
    )
    found = [
        judged("bedrock-converse", "bedrock", path, {"messages": messages, "toolConfig": offered("f")})
        for messages in ([ASKED], said)
    ]

    assert [violation and violation.rule for violation in found] == [None, f"bedrock/{rule}"]


def test_calls_are_judged_where_a_usual_conversation_has_no_tools() -> None:
    path, said = next(iter(CONVERSE.values())), [ASKED, message("assistant", use("a")), message("user", back("a"))]
    found = [judged("bedrock-converse", "bedrock", path, {"messages": messages}) for messages in ([ASKED], said)]

    assert [violation and violation.rule for violation in found] == [None, "bedrock/tool-config-missing"]


@pytest.mark.parametrize(
    ("tools", "rule"),
    [
        (offered("f", "f"), "tool-name-duplicate"),
        (offered("f", type="array"), "schema-type"),
        (offered("a.b"), "tool-name-characters"),
        (offered("f", definitions={}), "nova-schema-key"),
        ({"tools": [*offered("f")["tools"], {"cachePoint": {"type": "default"}}]}, "nova-cache-point-in-tools"),
        ({"tools": []}, "tools-empty"),
        (
            {"tools": [*offered(*"abc")["tools"], {"toolSpec": {"name": "f", "description": ""}}]},
            "tool-description-empty",
        ),
        ({"tools": None}, "tools-missing"),
    ],
)
def test_tools_of_another_form_are_judged_beside_known_parameters(tools: dict[str, Any], rule: str) -> None:
    path = CONVERSE["us.amazon.nova-pro-v1%3A0"]
    found = [
        judged("bedrock-converse", "bedrock", path, {"messages": [ASKED], "toolConfig": config})
        for config in (offered("known"), tools, offered("other"), tools)
    ]

    assert [violation and violation.rule for violation in found] == [None, f"bedrock/{rule}", None, f"bedrock/{rule}"]


def test_every_trait_of_a_field_that_some_model_lacks_is_one_that_the_rule_needs() -> None:
    families = models_of("bedrock-converse").families.values()
    lacking = {trait for traits in families for trait in traits if trait.startswith("no-field-")}

    assert lacking == NEEDS["bedrock/field-unsupported"].traits


TEXT = {"type": "text", "text": "One moment."}
USE = {"type": "tool_use", "name": "f", "input": {"city": "Oslo"}}
RESULT = {"type": "tool_result", "content": "7 degrees"}


def blocks(role: str, *content: Any) -> dict[str, Any]:
    return {"role": role, "content": list(content)}


ASKS, TOLD = {"role": "user", "content": "Is it warm?"}, {"role": "assistant", "content": "It is."}
BLOCKS: dict[str, list[Any]] = {
    "answers before the next question": [ASKS, TOLD, ASKS, blocks("assistant", TEXT), blocks("user", TEXT, TEXT)],
    "a text beside a call": [
        ASKS,
        blocks("assistant", TEXT, {**USE, "id": "a"}),
        blocks("user", {**RESULT, "tool_use_id": "a", "is_error": True}),
    ],
    "several calls, and a text after their results": [
        ASKS,
        blocks("assistant", {**USE, "id": "a"}, {**USE, "id": "b"}),
        blocks("user", {**RESULT, "tool_use_id": "b", "content": [TEXT]}, {**RESULT, "tool_use_id": "a"}, TEXT),
    ],
}


@pytest.mark.parametrize("name", BLOCKS)
@pytest.mark.parametrize(
    "provider", ["anthropic", "azure", "deepseek", "moonshot", "ollama", "openrouter", "vllm", "xai"]
)
def test_no_rule_is_checked_of_usual_blocks_and_tools(provider: str, name: str) -> None:
    # OpenRouter sends a body on to the model's maker, whose rules read it whole
    model = "qwen/qwen3-32b" if provider == "openrouter" else default_model("anthropic-messages", provider)
    others = {"model": model, "max_tokens": 9, "tools": [{"name": "f", "input_schema": NESTED}]}

    check_that_nothing_is_checked(
        "anthropic-messages",
        provider,
        "/v1/messages",
        {**others, "messages": [ASKS]},
        {**others, "messages": BLOCKS[name]},
    )


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ([*BLOCKS["a text beside a call"][:2], blocks("user", TEXT)], "tool-use-unanswered"),
        ([ASKS, BLOCKS["a text beside a call"][2]], "tool-result-without-use"),
        ([ASKS, blocks("assistant", {**USE, "id": "a"}, {**USE, "id": "a"}), ASKS], "tool-use-ids-unique"),
        (
            [*BLOCKS["a text beside a call"][:2], blocks("user", TEXT, {**RESULT, "tool_use_id": "a"})],
            "tool-results-not-first",
        ),
        (
            [ASKS, blocks("assistant", {**USE, "id": "a"}, TEXT), BLOCKS["a text beside a call"][2]],
            "tool-use-not-last",
        ),
        ([ASKS, TOLD], "prefill"),
        ([blocks("user", {"type": "text", "text": ""})], "text-empty"),
        ([blocks("user", {"type": "text", "text": " "})], "text-blank"),
        (
            [
                *BLOCKS["a text beside a call"][:2],
                blocks("user", {**RESULT, "tool_use_id": "a", "is_error": True, "content": ""}),
            ],
            "failed-result-empty",
        ),
    ],
)
def test_blocks_in_no_usual_order_are_judged(said: list[Any], rule: str) -> None:
    model = "claude-sonnet-5" if rule == "prefill" else "claude-haiku-4-5"
    others = {"model": model, "max_tokens": 9, "tools": [{"name": "f", "input_schema": NESTED}]}
    assert judged("anthropic-messages", "anthropic", "/v1/messages", {**others, "messages": [ASKS]}) is None
    found = judged("anthropic-messages", "anthropic", "/v1/messages", {**others, "messages": said})

    assert found is not None
    assert found.rule == f"anthropic/{rule}"


@pytest.mark.parametrize(
    "provider",
    ["groq", "openrouter", "xai", "together", "fireworks", "cerebras", "zai", "vllm", "llama.cpp", "ollama"],
)
def test_no_rule_is_checked_of_usual_messages_at_other_providers(provider: str) -> None:
    calls = [{"id": id, "type": "function", "function": {"name": "f", "arguments": '{"city": "Oslo"}'}} for id in "ab"]
    results = [{"role": "tool", "tool_call_id": id, "content": "7 degrees"} for id in "ab"]
    said = [{"role": "system", "content": "Be brief."}, ASKS, TOLD, ASKS]
    tools = [{"type": "function", "function": {"name": "f", "parameters": NESTED}}]
    # At OpenRouter, of a maker whose rules are not passed on: those of others read what a request is turned into
    model = "qwen/qwen3-32b" if provider == "openrouter" else default_model("openai-chat", provider)
    others = {"model": model, "tools": tools}

    check_that_nothing_is_checked(
        "openai-chat",
        provider,
        "/v1/chat/completions",
        {**others, "messages": said},
        {**others, "messages": [*said, {"role": "assistant", "content": None, "tool_calls": calls}, *results]},
    )
