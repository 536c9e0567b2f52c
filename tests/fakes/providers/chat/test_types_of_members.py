"""Whether a value of a wrong type is noticed at every member of a request, on each provider of chat completions."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Annotated, Any

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from fake_providers.models import default_model
from fake_providers.provider_facts import providers_of
from tests.docs.deviations import TAKEN, Taken
from tests.fakes.providers.chat.provider_requests import EXPECTED, calling, chat, judged, result, rule_of
from tests.tables import rows

MOST = 0.1
"""Of the wrong values, the share that a provider may take. Some are right: a text where a list is expected."""
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
CALLS: dict[str, dict[str, Any]] = {
    "mistral": calling("D681PevKs"),
    "deepseek": calling("call_1", reasoning_content="I ask."),
    "gemini": calling("call_1"),
}
CALLS["gemini"]["tool_calls"][0]["extra_content"] = {"google": {"thought_signature": "c2tpcA=="}}
PARAMETERS: dict[str, Any] = {
    "tool_choice": "auto",
    "stream": False,
    "temperature": 0.5,
    "top_p": 0.5,
    "presence_penalty": 0.1,
    "frequency_penalty": 0.1,
    "max_tokens": 100,
    "n": 1,
    "seed": 1,
    "stop": ["END"],
    "logprobs": False,
    "parallel_tool_calls": True,
    "response_format": {"type": "text"},
    "user": "Ada",
}
FREE = ("parameters", "extra_content", "reasoning_content")
"""Members in which other rules, or no rule, look."""
WRONG: dict[type, tuple[Any, ...]] = {
    str: (7, {"t": 7}, ["a"]),
    bool: ("zz", 7, {"t": 7}),
    int: ("zz", {"t": 7}, ["a"]),
    float: ("zz", {"t": 7}, ["a"]),
    list: ("zz", 7),
    dict: ("zz", 7, ["a"]),
}
FURTHER: dict[str, Any] = {
    "reasoning_effort": "low",
    "stream": True,
    "stream_options": {"include_usage": True},
    "logprobs": True,
    "top_logprobs": 2,
    "tool_choice": {"type": "function", "function": {"name": "get_weather"}},
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "rain", "description": "Rain.", "strict": True, "schema": {"type": "object"}},
    },
}
"""Members that not every provider takes beside the others."""
Place = tuple[str | int, ...]
PROVIDERS = providers_of("openai-chat")


def whole_request(provider: str) -> dict[str, Any]:
    call = CALLS.get(provider, calling("call_1"))
    conversation = (
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Rain?"}]},
        call,
        result(call["tool_calls"][0]["id"]),
        {"role": "assistant", "content": "Seven."},
        {"role": "user", "content": "And now?"},
    )
    expected = EXPECTED.get(provider, {})
    model = expected.get("whole_request_model", default_model("openai-chat", provider))
    taken = {name: value for name, value in PARAMETERS.items() if name not in expected.get("refused_parameters", ())}
    return chat(provider, *conversation, tools=[TOOL], model=model, **taken)


def places(value: Any, place: Place = ()) -> Iterator[Place]:
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        if key not in FREE:
            yield (*place, key)
            yield from places(value[key], (*place, key))


def with_value(body: dict[str, Any], place: Place, value: Any) -> dict[str, Any]:
    changed = deepcopy(body)
    *way, last = place
    owner: Any = changed
    for key in way:
        owner = owner[key]
    owner[last] = value
    return changed


def at(body: Any, place: Place) -> Any:
    for key in place:
        body = body[key]
    return body


@pytest.mark.parametrize("provider", PROVIDERS)
def test_whole_request_is_accepted(provider: str) -> None:
    assert judged(provider, whole_request(provider)) is None


@pytest.mark.parametrize("provider", PROVIDERS)
def test_wrong_types_are_refused_at_nine_of_ten_members(provider: str) -> None:
    """Not counted are members of which it is known that the server takes any type."""
    body = whole_request(provider)
    read = [place for place in places(body) if not any(is_in(place, one) for one in TAKEN if one.provider == provider)]
    tried = [(place, value) for place in read for value in WRONG[type(at(body, place))]]

    passed = [(place, value) for place, value in tried if judged(provider, with_value(body, place, value)) is None]

    assert len(passed) <= MOST * len(tried), passed


def is_in(place: Place, taken: Taken) -> bool:
    """Whether the place is one of these members, or within one."""
    dotted = ".".join(str(part) for part in place if isinstance(part, str))
    return any(f"{dotted}.".startswith(f"{member}.") for member in taken.members)


@pytest.mark.parametrize("taken", TAKEN, ids=lambda taken: f"{taken.provider}: {', '.join(taken.members)}")
def test_what_is_said_to_take_any_type_does(taken: Taken) -> None:
    body = whole_request(taken.provider) | FURTHER
    assert judged(taken.provider, body) is None

    for member in taken.members:
        (place, *_) = [place for place in places(body) if is_in(place, Taken(taken.provider, (member,), "", ""))]
        wrong = [value for value in WRONG[type(at(body, place))] if value not in taken.but]
        refused = [value for value in wrong if judged(taken.provider, with_value(body, place, value)) is not None]
        assert wrong, member
        assert not refused, (member, refused)


@rows(
    "provider, value",
    [(provider, value) for provider in PROVIDERS for value in ({"t": 7}, 7, ["a"])],
    ids=[f"{provider}:{value}" for provider in PROVIDERS for value in ('{"t": 7}', "7", '["a"]')],
)
def test_result_that_is_neither_text_nor_parts_is_refused(provider: str, value: Any) -> None:
    violation = judged(provider, with_value(whole_request(provider), ("messages", 3, "content"), value))

    assert violation is not None
    assert violation.at.startswith("messages[3].content")


@pytest.mark.parametrize("provider", ["mistral", "llama.cpp"])
def test_arguments_may_be_an_object_where_that_is_recorded(provider: str) -> None:
    arguments = ("messages", 2, "tool_calls", 0, "function", "arguments")

    assert judged(provider, with_value(whole_request(provider), arguments, {"city": "Oslo"})) is None


@pytest.mark.parametrize("provider", ["mistral", "vllm"])
def test_text_that_reads_as_a_number_is_one_to_pydantic(provider: str) -> None:
    assert judged(provider, {**whole_request(provider), "temperature": "0.5"}) is None
    assert judged(provider, {**whole_request(provider), "temperature": "warm"}) is not None


TEXTS = """
0 off f FALSE n no 1 On t true y yes ye 2 -7 +7 7.0 7. 7.5 .5 1e5 1.5E-3 1.0e 0x7 1_000 1__0 1.2.3 --1 seven
"""


@rows("text", [*TEXTS.split(), "", " 1 ", "1 2"])
def test_text_is_read_as_pydantic_reads_it(text: str) -> None:
    types = {"temperature": float, "max_tokens": int, "logprobs": bool}
    expected = {name: not _words_of_pydantic(kind, text) for name, kind in types.items()}
    rules = {name: rule_of("vllm", {**whole_request("vllm"), name: text}) for name in types}

    assert {name: rule != "parameter-type" for name, rule in rules.items()} == expected


TEMPERATURE = Annotated[float, Field(ge=0, le=1.5)]
MEMBERS_AND_TYPES: dict[str, Any] = {"temperature": TEMPERATURE, "max_tokens": int, "stream": bool, "model": str}


@rows("name, value", [(name, value) for name in MEMBERS_AND_TYPES for value in (True, 7, 2.5, "x", [], {})])
def test_refusal_of_a_type_has_the_words_of_pydantic(name: str, value: Any) -> None:
    found = judged("mistral", {**whole_request("mistral"), name: value})
    said = [(problem["type"], problem["msg"]) for problem in found.body["detail"]] if found else []

    assert said == _words_of_pydantic(MEMBERS_AND_TYPES[name], value)


def _words_of_pydantic(kind: Any, value: Any) -> list[tuple[str, str]]:
    try:
        TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        return [(problem["type"], problem["msg"]) for problem in error.errors()]
    return []
