"""Of what nearly every agent sends no rule is checked beside parameters that were accepted before."""

import json
from typing import Any
from unittest import mock

import pytest

from fake_providers import Request
from fake_providers.ids import Ids
from fake_providers.registry import wire_for
from fake_providers.rule import Violation
from fake_providers.rulebook import Rulebook
from fake_providers.wires.gemini_generate import thought_signatures
from tools import reads

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
    request = Request("POST", path, dict(reads.HEADERS), json.dumps(body).encode())
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
