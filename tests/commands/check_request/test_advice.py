"""What `check-request` advises for bodies that agents send in the field: one row each, with the change word by word."""

import hashlib
import json
from typing import Any

import pytest

from agent_conformance.commands.check_request.advice import advise
from agent_conformance.commands.check_request.advice.refused_request import edited
from agent_conformance.commands.check_request.targets import Target, targets_of
from fake_providers import judge
from tests.commands.check_request.conversations import (
    CHAT,
    GEMINI_3,
    GEMINI_25,
    GEMINI_CHAT,
    GROQ,
    MESSAGES,
    OLLAMA,
    RAIN,
    RESPONSES,
    VERTEX,
    WEATHER,
    anthropic,
    assistant,
    call,
    calling,
    chat,
    chat_tool,
    content,
    function_call,
    function_response,
    gemini,
    result,
    text,
    tool_result,
    tool_use,
    user,
    users,
)
from tests.tables import rows

PLACEHOLDER = "(tried with a placeholder for the result of the tool)"
LOST = "(the message that the history has lost; tried with an empty text)"
DUMMY = "(a dummy that Google documents; better: the signature that came with the call)"
PARAMETERS = "tools[0].functionDeclarations[0].parameters"
JSON_SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {"city": {"type": "string", "examples": ["Oslo"]}},
    "additionalProperties": False,
}
NULLABLE = {"type": "object", "properties": {"city": {"type": ["string", "null"]}}, "additionalProperties": False}
LISTS = {"type": "object", "properties": {"cities": {"type": "array", "description": "Cities."}}}
NESTED = {"a": {"type": "string"}, "b": {"type": "object", "properties": {"c": {"type": "string"}}}}
LONG = "x" * 50
SHORTENED = f"{LONG[:31]}_{hashlib.sha256(LONG.encode()).hexdigest()[:8]}"
THINKING = {"type": "enabled", "budget_tokens": 1024}
CALLED = {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"}
ANSWERED = {"type": "function_call_output", "call_id": "call_1", "output": "x"}
BRIEF = {"role": "system", "content": "Be brief."}
NAMED = {"role": "assistant", "content": "a"}

FIELD: list[tuple[str, str, str, dict[str, Any], tuple[str, ...]]] = [
    (
        "a call without its signature",
        "gemini",
        GEMINI_3,
        gemini(RAIN, content("model", function_call(signed=False)), content("user", function_response())),
        (f'add contents[1].parts[0].thoughtSignature: "skip_thought_signature_validator" {DUMMY}',),
    ),
    (
        "two calls, one response",
        "gemini",
        GEMINI_3,
        gemini(
            RAIN,
            content("model", function_call(), function_call("get_news", signed=False)),
            content("user", function_response()),
        ),
        (f"answer get_news after the results of contents[2] {PLACEHOLDER}", "remove contents[1].parts[1]"),
    ),
    (
        "two calls, one response, on Gemini 2.5",
        "gemini",
        GEMINI_25,
        gemini(
            RAIN,
            content("model", function_call(signed=False), function_call("get_news", signed=False)),
            content("user", function_response()),
        ),
        (f"answer get_news after the results of contents[2] {PLACEHOLDER}", "remove contents[1].parts[1]"),
    ),
    (
        "an array without items",
        "openai",
        CHAT,
        chat(user(), tools=[chat_tool(LISTS)]),
        (
            "add tools[0].function.parameters.properties.cities.items: {} (the schema of an entry)",
            "remove tools[0].function.parameters.properties.cities",
        ),
    ),
    (
        "three keywords of JSON Schema",
        "gemini",
        GEMINI_25,
        gemini(RAIN, parameters=JSON_SCHEMA),
        (
            f"remove {PARAMETERS}.$schema; then remove {PARAMETERS}.additionalProperties; then remove"
            f" {PARAMETERS}.properties.city.examples",
        ),
    ),
    (
        "a call that the user interrupted",
        "anthropic",
        MESSAGES,
        anthropic(user(), assistant(text("I look."), tool_use("toolu_1")), user("Never mind.")),
        (f"answer toolu_1 at the start of messages[2] {PLACEHOLDER}", "remove messages[1].content[1]"),
    ),
    (
        "one of two calls unanswered",
        "anthropic",
        MESSAGES,
        anthropic(user(), assistant(tool_use("toolu_1"), tool_use("toolu_2")), users(tool_result("toolu_1"))),
        (f"answer toolu_2 after the results of messages[2] {PLACEHOLDER}", "remove messages[1].content[1]"),
    ),
    (
        "text before a result",
        "anthropic",
        MESSAGES,
        anthropic(user(), assistant(tool_use("toolu_1")), users(text("Here."), tool_result("toolu_1"))),
        ("move messages[2].content[0] to after the results of messages[2]",),
    ),
    (
        "a budget as large as max_tokens",
        "anthropic",
        MESSAGES,
        anthropic(user(), thinking={"type": "enabled", "budget_tokens": 4096}),
        ("set max_tokens to 4097", "remove thinking"),
    ),
    (
        "thinking on, a turn without its block",
        "anthropic",
        MESSAGES,
        anthropic(
            user(), assistant(tool_use("toolu_1")), users(tool_result("toolu_1")), max_tokens=4096, thinking=THINKING
        ),
        ("remove thinking",),
    ),
    (
        "an id that Mistral does not take",
        "mistral",
        CHAT,
        chat(user(), calling(call("call_abc123")), result("call_abc123"), model="mistral-large-latest"),
        ('rename the id "call_abc123" to "3d62e741f" at messages[1].tool_calls[0].id and messages[2].tool_call_id',),
    ),
    (
        "a result twice",
        "anthropic",
        MESSAGES,
        anthropic(user(), assistant(tool_use("toolu_1")), users(tool_result("toolu_1"), tool_result("toolu_1"))),
        ("remove messages[2].content[1]",),
    ),
    (
        "a result whose call was pruned",
        "openai",
        CHAT,
        chat(user(), result("call_1"), user("And?")),
        ("remove messages[1]",),
    ),
    (
        "one of two calls unanswered, before the user's next message",
        "openai",
        CHAT,
        chat(user(), calling(call("call_1"), call("call_2", "get_news")), result("call_1"), user("And?")),
        (f"answer call_2 after messages[2] {PLACEHOLDER}", "remove messages[1].tool_calls[1]"),
    ),
    (
        "a call without reasoning_content",
        "deepseek",
        "/chat/completions",
        chat(user(), calling(call("call_1")), result("call_1"), model="deepseek-v4-flash"),
        ('add messages[1].reasoning_content: "" (better: what the model sent)',),
    ),
    (
        "reasoning_content sent back",
        "groq",
        GROQ,
        chat(user(), {**NAMED, "reasoning_content": "hm"}, user("And?"), model="openai/gpt-oss-120b"),
        ("remove messages[1].reasoning_content",),
    ),
    (
        "max_tokens for a reasoning model",
        "openai",
        CHAT,
        chat(user(), model="o3-mini", max_tokens=100),
        ("rename max_tokens to max_completion_tokens", "remove max_tokens"),
    ),
    (
        "an output of an unknown call",
        "openai",
        RESPONSES,
        {"model": "gpt-5.4", "input": [user(), {**ANSWERED, "call_id": "call_9"}]},
        ("remove input[1]",),
    ),
    (
        "content null",
        "openai",
        CHAT,
        chat(user(), {"role": "assistant", "content": None}, user("And?")),
        ('set messages[1].content to ""',),
    ),
    (
        "a history that begins with a call",
        "gemini",
        GEMINI_25,
        gemini(content("model", function_call(signed=False)), content("user", function_response())),
        (f"put the user's message back before contents[0] {LOST}",),
    ),
    (
        "a history that begins with a call, and goes on with the user",
        "gemini",
        GEMINI_3,
        gemini(
            content("model", function_call()),
            content("user", function_response()),
            content("model", {"text": "Rain."}),
            RAIN,
        ),
        (
            f"put the user's message back before contents[0] {LOST}",
            "remove contents[0], contents[1] and contents[2], so that the user's message comes first",
        ),
    ),
    (
        "a history that begins with a call, on Vertex AI",
        "vertex",
        VERTEX,
        gemini(content("model", function_call(signed=False)), content("user", function_response())),
        (f"put the user's message back before contents[0] {LOST}",),
    ),
    (
        "a history that begins with a call, on Gemini's chat completions",
        "gemini",
        GEMINI_CHAT,
        chat(
            BRIEF,
            calling(call("call_1")),
            result("call_1"),
            model="gemini-2.5-flash",
        ),
        (f"put the user's message back before messages[1] {LOST}",),
    ),
    (
        "a history that begins with a result",
        "anthropic",
        MESSAGES,
        anthropic(users(tool_result("toolu_1")), {"role": "assistant", "content": "7."}, user("And?")),
        ("remove messages[0]",),
    ),
    (
        "a result after the user's next message",
        "openai",
        CHAT,
        chat(user(), calling(call("call_1")), user("And?"), result("call_1")),
        ("move messages[3] to after messages[1]",),
    ),
    (
        "two calls with one id",
        "anthropic",
        MESSAGES,
        anthropic(
            user(),
            assistant(tool_use("toolu_1"), tool_use("toolu_1", "Rome")),
            users(tool_result("toolu_1"), tool_result("toolu_1")),
        ),
        (
            'rename the second toolu_1 to "toolu_1_2" at messages[1].content[1].id and'
            " messages[2].content[1].tool_use_id",
        ),
    ),
    (
        "arguments as an object",
        "openai",
        CHAT,
        chat(user(), calling(call("call_1", arguments={"city": "Oslo"})), result("call_1")),
        (r'set messages[1].tool_calls[0].function.arguments to "{\"city\": \"Oslo\"}"',),
    ),
    (
        "arguments as JSON text",
        "ollama",
        OLLAMA,
        chat(user(), calling({"function": {"name": "f", "arguments": '{"a": 1}'}}), result("1"), model="qwen3:8b"),
        ('set messages[1].tool_calls[0].function.arguments to {"a": 1}',),
    ),
    (
        "a picture as a data URL",
        "ollama",
        OLLAMA,
        chat({**user(), "images": ["data:image/png;base64,iVBORw0KGgo="]}, model="qwen3:8b"),
        ('set messages[0].images[0] to "iVBORw0KGgo="', "remove messages[0].images"),
    ),
    (
        "a call of Responses unanswered",
        "openai",
        RESPONSES,
        {"model": "gpt-5.4", "input": [user(), CALLED, user("And?")]},
        (f"answer call_1 after input[1] {PLACEHOLDER}", "remove input[1]"),
    ),
    (
        "the id of a call as the id of its item",
        "openai",
        RESPONSES,
        {"model": "gpt-5.4", "input": [user(), {**CALLED, "id": "call_1"}, ANSWERED]},
        ("remove input[1].id", 'rename the id "call_1" to "fc_call_1" at input[1].id'),
    ),
    (
        "a tool of chat completions on Responses",
        "openai",
        RESPONSES,
        {"model": "gpt-5.4", "input": "a", "tools": [chat_tool()]},
        ("move the members of tools[0].function up into tools[0]",),
    ),
    (
        "a prefilled answer",
        "anthropic",
        MESSAGES,
        anthropic(user(), {"role": "assistant", "content": "{"}, model="claude-sonnet-5"),
        ("remove messages[1]",),
    ),
    (
        "a strict tool with optional properties at two levels",
        "openai",
        CHAT,
        chat(user(), tools=[chat_tool({"type": "object", "properties": NESTED}, strict=True)]),
        ("set tools[0].function.strict to false",),
    ),
    (
        "three faults",
        "openai",
        CHAT,
        chat(user(), calling(call(LONG)), result(LONG), tools=[], thinking=THINKING),
        (
            f'remove thinking; then rename the id "{LONG}" to "{SHORTENED}" at messages[1].tool_calls[0].id and'
            " messages[2].tool_call_id; then remove tools",
        ),
    ),
    (
        "an empty answer",
        "xai",
        CHAT,
        chat(user(), {"role": "assistant", "content": None}, user("And?"), model="grok-4"),
        ('set messages[1].content to ""',),
    ),
    (
        "two messages of the user",
        "vllm",
        CHAT,
        chat(user(), user("And?"), NAMED, user("b"), model="google/gemma-3-27b-it"),
        ("merge messages[1] into messages[0]",),
    ),
    (
        "a type that may be null, and a keyword",
        "gemini",
        GEMINI_25,
        gemini(RAIN, parameters=NULLABLE),
        (
            f'set {PARAMETERS}.properties.city.type to "string" and add nullable: true; then remove'
            f" {PARAMETERS}.additionalProperties",
        ),
    ),
    (
        "the same fault in three tools",
        "openai",
        CHAT,
        chat(user(), tools=[chat_tool(LISTS, name=name) for name in ("a", "b", "c")]),
        (
            "add tools[0].function.parameters.properties.cities.items: {}, and the same in 2 other schemas"
            " (the schema of an entry)",
        ),
    ),
]


@rows("name, provider, path, body, advised", FIELD, ids=lambda row: str(row[0]))
def test_change_is_what_a_maintainer_would_do(
    name: str, provider: str, path: str, body: dict[str, Any], advised: tuple[str, ...]
) -> None:
    assert changes_of(provider, path, body) == advised


def changes_of(provider: str, path: str, body: Any) -> tuple[str, ...]:
    (target,) = targets_of(body, providers=(provider,), path=path)
    sent = json.dumps(body).encode()
    violation = judge(provider, path, sent, {})
    assert violation is not None
    return tuple(change.words for change in advise(target, sent, {}, violation).changes)


@pytest.mark.parametrize(
    ("provider", "path", "body"),
    [
        ("openai", CHAT, chat({"role": "human being", "content": "a"})),
        ("anthropic", MESSAGES, anthropic(user(""))),
        ("openai", CHAT, {"model": "gpt-4.1"}),
        (
            "mistral",
            CHAT,
            chat(user(), calling(call("D681PevKs")), result("D681PevKs"), user(), model="mistral-large-latest"),
        ),
        ("openai", CHAT, [WEATHER]),
    ],
    ids=["unknown speaker", "nothing said", "no conversation", "an answer is missing", "no object"],
)
def test_nothing_is_made_up_where_only_the_agent_knows(provider: str, path: str, body: Any) -> None:
    assert changes_of(provider, path, body) == ()


def mended(body: Any, provider: str, path: str) -> Any:
    """The body with the first change that is advised."""
    (target,) = targets_of(body, providers=(provider,), path=path)
    sent = json.dumps(body).encode()
    violation = judge(provider, path, sent, {})
    assert violation is not None
    changed = edited(body, advise(target, sent, {}, violation).changes[0].operations)
    assert judge(provider, path, json.dumps(changed).encode(), {}) is None
    return changed


ALIKE = ["a" * 45 + "1", "a" * 45 + "2", "b!", "b?"]


def test_ids_that_differ_in_their_ends_stay_different() -> None:
    conversation = [user(), calling(*(call(id) for id in ALIKE[:2])), *(result(id) for id in ALIKE[:2])]
    messages = mended(chat(*conversation), "openai", CHAT)["messages"]

    calls = [one["id"] for one in messages[1]["tool_calls"]]
    assert len({*calls}) == 2
    assert [one["tool_call_id"] for one in messages[2:]] == calls


def test_id_does_not_become_one_that_is_in_use() -> None:
    uses = [tool_use(id) for id in (ALIKE[2], "b")]
    conversation = [user(), assistant(*uses), users(tool_result(ALIKE[2]), tool_result("b"))]
    made = mended(anthropic(*conversation), "anthropic", MESSAGES)["messages"][1]["content"]

    assert len({one["id"] for one in made}) == 2


def test_tool_does_not_get_the_name_of_another() -> None:
    tools = [chat_tool({"type": "object", "properties": {}}, name=name) for name in ("get_weather", "get weather")]
    made = mended(chat(user(), tools=tools), "openai", CHAT)["tools"]

    assert len({tool["function"]["name"] for tool in made}) == 2


def test_large_conversation_is_advised_within_the_same_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    turn = [user("a " * 200), calling(call("call_1")), result("call_1"), NAMED]
    judged: list[int] = []
    monkeypatch.setattr(
        "agent_conformance.commands.check_request.advice.search.judge",
        lambda *asked: (judged.append(len(asked[2])), judge(*asked))[1],
    )

    advised = changes_of("openai", CHAT, chat(*turn * 250, *turn[:2], user()))

    assert advised[0] == f"answer call_1 after messages[1001] {PLACEHOLDER}"
    assert sum(judged) < 40 * 1024 * 1024


@pytest.mark.parametrize(
    ("body", "models"),
    [
        (chat(user(), model="gpt-5", stop=["END"]), True),
        (chat(user(), model="gpt-5", temperature="warm"), False),
        (chat({"role": "tool", "tool_call_id": "call_1", "content": "7"}, model="gpt-5"), False),
    ],
)
def test_models_that_take_the_body_are_named_where_the_model_is_the_reason(body: Any, models: bool) -> None:
    posted = json.dumps(body).encode()
    target = Target("openai", "openai-chat", "/v1/chat/completions")
    violation = judge(target.provider, target.path, posted, {})
    assert violation is not None

    named = advise(target, posted, {}, violation).models

    assert bool(named) == models
    for model in named:
        assert judge(target.provider, target.path, json.dumps({**body, "model": model}).encode(), {}) is None
