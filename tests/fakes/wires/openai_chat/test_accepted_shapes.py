"""A request of a shape that was accepted before is judged like any other: nothing that a rule reads is left out."""

import json
import random
from copy import deepcopy
from typing import Any

import pytest

from fake_providers import Request
from fake_providers.rules.accepted_shapes import LARGE, MOST, AcceptedShapes, fingerprint
from fake_providers.wires.openai_chat import rules
from fake_providers.wires.openai_chat.rules.shapes import shape_of
from fake_providers.wires.openai_chat.wire import WIRE
from tests.fakes.load.mutated_requests import mutated, seeds_of
from tests.fakes.wires.openai_chat.chat_requests import TOOL, USER, call_message, chat, http_request, result

TEXTS = (" ", "\n", "JSON", "\ud800", "data:image/svg+xml;base64,AAAA", "x" * 2000)
SEEDS = [body for _, _, body in seeds_of(WIRE, "") if isinstance(body, dict)]


def with_text(body: Any, text: str, *, everywhere: bool) -> Any:
    """The body with another text in its plain messages; or in each message and call, with other ids."""
    body = with_ids(body, f"toolu_{len(text)}_") if everywhere else deepcopy(body)
    for message in body["messages"]:
        if isinstance(message, dict) and isinstance(message.get("content"), str) and (everywhere or len(message) == 2):
            message["content"] = message["content"] and text
        for call in calls_of(message) if everywhere else ():
            if isinstance(call.get("function"), dict) and isinstance(call["function"].get("arguments"), str):
                call["function"]["arguments"] = call["function"]["arguments"] and text
    return body


def with_ids(body: Any, prefix: str) -> Any:
    """The same with other ids, which are as different from each other as they were."""
    body = deepcopy(body)
    names: dict[str, str] = {}
    for message in body["messages"]:
        for owner, key in [(message, "tool_call_id"), *((call, "id") for call in calls_of(message))]:
            if isinstance(owner, dict) and isinstance(owner.get(key), str):
                owner[key] = names.setdefault(owner[key], f"{prefix}{len(names)}") if owner[key] else ""
    return body


def calls_of(message: Any) -> list[Any]:
    calls = message.get("tool_calls") if isinstance(message, dict) else None
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []


def rule_of(body: Any) -> str | None:
    request = Request("POST", "/v1/chat/completions", {}, json.dumps(body).encode())
    violation = rules.judge_anew(body, request, provider="openai")
    return violation and violation.rule


CONVERSATIONS = [
    chat(USER, call_message("a"), result("a")),
    chat(USER, call_message("a", "b"), result("b"), result("a"), USER),
    chat(USER, call_message("a"), result("a"), call_message("b"), result("b"), {"role": "assistant", "content": "7"}),
    chat(USER, call_message("a"), result("b")),
    chat(USER, call_message("a", "a"), result("a")),
    chat(USER, call_message("a", "b"), result("a")),
    chat(USER, {**call_message("a"), "content": "I look."}, result("a"), tools=[TOOL]),
]


def test_texts_and_ids_of_usual_messages_decide_nothing() -> None:
    chance = random.Random(7)
    changed = [mutated(body, chance) for body in (*SEEDS, *CONVERSATIONS * 20) for _ in range(3)]
    bodies = [body for body in (*SEEDS, *CONVERSATIONS, *changed) if shape_of(body) is not None]

    compared = 0
    for body in bodies:
        found, shape = rule_of(body), fingerprint(shape_of(body))
        others = [with_text(body, text, everywhere=everywhere) for text in TEXTS for everywhere in (False, True)]
        for other in others:
            if fingerprint(shape_of(other)) == shape:
                compared += 1
                assert rule_of(other) == found, (body, other)

    assert len(bodies) > 500
    assert compared > 3 * len(bodies)


def test_bodies_of_one_shape_get_one_verdict() -> None:
    """Also those that nobody made to be alike."""
    chance = random.Random(8)
    found: dict[bytes | None, tuple[str | None, Any]] = {}
    for body in [mutated(body, chance) for body in CONVERSATIONS * 100]:
        shape = shape_of(body)
        if shape is not None:
            rule, first = found.setdefault(fingerprint(shape), (rule_of(body), body))
            assert rule_of(body) == rule, (first, body)

    assert len(found) > 100


def test_conversations_of_other_ids_and_texts_have_one_shape() -> None:
    shapes = [
        fingerprint(shape_of(chat(USER, call_message(one, other), {**result(other), "content": text}, result(one))))
        for one, other, text in (("a", "b", "7"), ("call_1", "call_2", "It rains."), ("b", "a", "x"))
    ]
    crossed = shape_of(chat(USER, call_message("a", "b"), result("a"), result("b")))

    assert len({*shapes}) == 1
    assert fingerprint(crossed) not in shapes


def test_body_with_a_response_format_has_no_shape() -> None:
    said = chat({"role": "user", "content": "Say it in JSON."}, response_format={"type": "json_object"})
    unsaid = chat(USER, response_format={"type": "json_object"})

    assert shape_of(said) is None
    assert WIRE.judge(http_request(said), provider="openai") is None
    violation = WIRE.judge(http_request(unsaid), provider="openai")
    assert violation
    assert violation.rule == "openai/json-object-unsaid"


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"messages": [USER, {**USER, "role": "human"}]}, "openai/role-unknown"),
        ({"messages": [USER, {**USER, "content": None}]}, "openai/content-null"),
        ({"messages": [USER, {**USER, "name": "a b"}]}, "openai/message-name-pattern"),
        ({"messages": [USER, call_message("a"), result("b")]}, "openai/result-of-unknown-call"),
        ({"n": True}, "openai/parameter-type"),
        ({"n": 1.0}, "openai/parameter-type"),
        ({"chat": 1}, "openai/unknown-parameter"),
        ({"model": "gpt-5", "temperature": 0.5}, "openai/temperature-unsupported"),
        ({"tools": [{**TOOL, "function": {"name": "a b"}}]}, "openai/function-name-pattern"),
    ],
)
def test_breach_after_an_accepted_request_is_refused(changes: dict[str, Any], rule: str) -> None:
    accepted = chat(USER, USER, n=1, temperature=0.5, tools=[TOOL])
    assert WIRE.judge(http_request(accepted), provider="openai") is None

    violation = WIRE.judge(http_request({**accepted, **changes}), provider="openai")

    assert violation
    assert violation.rule == rule


def test_accepted_shape_is_not_judged_again_and_a_refused_one_is() -> None:
    judged: list[Any] = []
    violation = WIRE.judge(http_request(chat(n=True)), provider="openai")
    shapes = AcceptedShapes(lambda body: body)

    def judge(body: Any, *, size: int = 100, provider: str = "openai", refuse: bool = False) -> None:
        shapes.judge(
            body, size, provider=provider, rules=lambda: judged.append(body) or (violation if refuse else None)
        )

    for body in (1, 1, 1.0, True, "1", [1], [1]):
        judge(body)
    judge(1, provider="azure")
    judge(2, refuse=True)
    judge(2, refuse=True)
    judge(1, size=LARGE + 1)

    assert judged == [1, 1.0, True, "1", [1], 1, 2, 2, 1]


def test_only_the_newest_shapes_are_kept() -> None:
    judged: list[Any] = []
    shapes = AcceptedShapes(lambda body: body)

    for body in (*range(MOST + 1), MOST, 0):
        shapes.judge(body, 1, provider="openai", rules=lambda: judged.append(body))  # noqa: B023

    assert judged == [*range(MOST + 1), 0]


def test_body_that_is_nested_too_deep_for_a_shape_is_judged() -> None:
    deep: Any = []
    for _ in range(3000):
        deep = [deep]
    judged: list[Any] = []

    AcceptedShapes(lambda body: body).judge(deep, 1, provider="openai", rules=lambda: judged.append(1))

    assert judged == [1]
