"""What the reference agent makes of tools: names, schemas, choices, results and the words that stand for them."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from reference_setups import Recorder, setup_for

from agent_conformance import ToolCall
from agent_conformance.adapter.types import NamedTool, Part, Pending
from agent_conformance.agents.reference import answers, prompts
from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.arguments import fit_to_schema, read_arguments, strict_json
from agent_conformance.agents.reference.history import Call, Entry, Result, Thought
from agent_conformance.agents.reference.tools import (
    ANY,
    LONGEST,
    VALID,
    Declaration,
    Offer,
    ask_user,
    bare_name,
    forbids_calls,
    forced_tool,
    object_schema,
    resolve,
    run_tool,
    wire_name,
    wire_names,
)
from tests.tables import rows

NAMES = [
    ("get_weather", "get_weather"),
    ("read-file", "read_file"),
    ("_x-1", "t__x_1"),
    ("node.js", "node_js"),
    ("3d", "t_3d"),
    ("-x", "t__x"),
    ("", "t_"),
    ("x" * 64, "x" * 64),
    ("x" * 65, "x" * 64),
    ("3" + "x" * 64, "t_3" + "x" * 61),
    ("天气", "t___"),
]


@rows("own, wire", NAMES, ids=lambda row: repr(row[0]))
def test_name_on_the_wire_is_the_nearest_that_all_accept(own: str, wire: str) -> None:
    assert wire_name(own) == wire
    assert VALID.fullmatch(wire)


def test_name_that_is_taken_gets_an_ending_of_its_own() -> None:
    long, longer = "y" * 70, "y" * 71
    mapping = wire_names(["a.b", "a_b", "a/b", long, longer])

    assert (mapping["a_b"], mapping[long]) == ("a_b", "y" * 64)
    assert mapping["a.b"][:-6] == mapping["a/b"][:-6] == "a_b_"
    assert mapping[longer][:-6] == "y" * (LONGEST - 7) + "_"
    assert len(set(mapping.values())) == 5
    assert all(len(name) <= LONGEST for name in mapping.values())


BARE = {
    "look": "look",
    " look ": "look",
    "functions.look": "look",
    "default_api.look": "look",
    "tool:look": "look",
    "tools/look": "look",
    "multi_tool_use.look": "look",
    "look:0": "look",
    "functions.look:12": "look",
    "my.functions.look": "my.functions.look",
    "look:x": "look:x",
    "toolbox.look": "toolbox.look",
}


@pytest.mark.parametrize("name", BARE)
def test_bare_name_is_without_what_models_put_around_it(name: str) -> None:
    assert bare_name(name) == BARE[name]


def test_tool_is_found_by_its_own_name_before_another_without_a_prefix() -> None:
    recorder = Recorder()
    plain, prefixed = recorder.tool("look"), recorder.tool("functions.look")
    enabled = {"look": plain, "functions_look": prefixed}

    assert resolve("functions.look", enabled) is prefixed
    assert resolve("functions_look", enabled) is prefixed
    assert resolve("tools.look", enabled) is plain
    assert resolve("look", enabled) is plain
    assert resolve("find", enabled, [recorder.tool("find")]) is None


SCHEMAS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("empty", {}, {"type": "object", "properties": {}}),
    (
        "properties",
        {"properties": {"x": {}}, "required": ["x"]},
        {"type": "object", "properties": {"x": {}}, "required": ["x"]},
    ),
    ("nothing", {"properties": None}, {"type": "object", "properties": {}}),
    *(
        (
            union,
            {
                "properties": {"x": {"type": "string"}},
                union: [{"properties": {"x": {}, "y": {}}}, {"properties": {"z": {}}}],
            },
            {"type": "object", "properties": {"x": {"type": "string"}, "y": {}, "z": {}}},
        )
        for union in ("anyOf", "oneOf", "allOf")
    ),
    ("odd branches", {"anyOf": [True, {"properties": []}, {}], "oneOf": None}, {"type": "object", "properties": {}}),
    ("not", {"not": {"required": ["x"]}, "enum": [1]}, {"type": "object", "properties": {}}),
]


@rows("name, schema, sent", SCHEMAS, ids=lambda row: row[0])
def test_schema_is_an_object_without_a_union_at_its_top(
    name: str, schema: dict[str, Any], sent: dict[str, Any]
) -> None:
    assert object_schema(schema) == sent


def test_offer_counts_names_descriptions_and_schemas() -> None:
    look = Declaration("look", "Looks.", {"x": 1})

    assert Offer((look,)).characters == len("look") + len("Looks.") + len('{"x": 1}')
    assert Offer((look, look)).characters == 2 * Offer((look,)).characters


LOOKED = (Entry("user", "x"), Entry("results", results=(Result("a", "look", "7"),)))
WIRE_NAMES = {"look": "look", "find": "find"}
FORCED: list[tuple[Any, tuple[Entry, ...], str, str | None]] = [
    (None, (), "openai", None),
    ("auto", (), "openai", None),
    ("none", (), "openai", None),
    ("required", (), "openai", ANY),
    ("required", LOOKED, "openai", None),
    ("required", (), "deepseek", None),
    (NamedTool("look"), (), "openai", "look"),
    (NamedTool("look"), LOOKED, "openai", None),
    (NamedTool("find"), LOOKED, "openai", "find"),
]


@rows("choice, turn, provider, forced", FORCED)
def test_call_is_forced_until_the_tool_has_its_result(
    choice: Any, turn: tuple[Entry, ...], provider: str, forced: str | None
) -> None:
    assert forced_tool(choice, WIRE_NAMES, turn, provider) == forced


def test_only_none_forbids_calls() -> None:
    assert [forbids_calls(choice) for choice in (None, "auto", "required", "none", NamedTool("x"))] == [
        False,
        False,
        False,
        True,
        False,
    ]


PICTURE = Part("image", data="aGk=", media_type="image/png")
CALL = Call("a", "look", {})
RETURNS: list[tuple[Any, Result]] = [
    ("7 degrees", Result("a", "look", "7 degrees")),
    ("Error: no power", Result("a", "look", "Error: no power")),
    ("No error", Result("a", "look", "No error")),
    ([Part("text", text="See."), PICTURE], Result("a", "look", "See.", pictures=(PICTURE,))),
    ([PICTURE], Result("a", "look", "", pictures=(PICTURE,))),
    ([], Result("a", "look", "[]")),
    ([1, 2], Result("a", "look", "[1, 2]")),
    ({"x": 1}, Result("a", "look", '{"x": 1}')),
]


@rows("value, result", RETURNS, ids=lambda row: repr(row[0])[:30])
def test_value_of_a_tool_is_its_result(value: Any, result: Result) -> None:
    assert asyncio.run(run_tool(Recorder().tool("look", value), CALL, {})) == result


def test_failure_of_a_tool_is_an_error_that_says_why() -> None:
    result = asyncio.run(run_tool(Recorder().tool("look", "no power", fails=True), CALL, {}))

    assert (result.call_id, result.name, result.is_error) == ("a", "look", True)
    assert "no power" in result.text


def asked(folder: Path, answer: bool | None, *, asks: bool = True) -> Result | None:
    """What stands in place of the result, once the user has answered; None for no answer yet."""

    async def approve(call: ToolCall) -> bool:
        assert (call.id, call.name, call.arguments) == ("a", "own look", {"x": 1})
        if answer is None:
            raise Pending("wait")
        return answer

    tool = Recorder().tool("own look", approval="ask" if asks else None)
    return asyncio.run(ask_user(setup_for("openai-chat", folder, aapprove=approve), tool, CALL, {"x": 1}))


def test_call_runs_once_the_user_allows_it(tmp_path: Path) -> None:
    assert asked(tmp_path, True) is None
    assert asked(tmp_path, False, asks=False) is None
    assert asked(tmp_path, False) == Result("a", "look", prompts.DENIED, is_error=True)
    assert asked(tmp_path, None) == Result("a", "look", prompts.PENDING, is_error=True, pending=True)


def test_words_for_the_model_have_what_it_needs() -> None:
    assert "'ghost'" in prompts.unknown_tool("ghost", ["look", "find"])
    assert "look, find" in prompts.unknown_tool("ghost", ["look", "find"])
    assert "none" in prompts.unknown_tool("ghost", [])
    assert "ghost" in prompts.unreadable_call(["ghost", ""], ["look"])
    assert "No tool" not in prompts.unreadable_call([""], ["look"])
    assert "look" in prompts.unreadable_call([""], ["look"])


def test_answer_that_stopped_may_run_and_one_that_paused_goes_on() -> None:
    kinds = ("stop", "length", "withheld", "malformed", "paused")

    assert [answers.may_run(Answer(finish=kind)) for kind in kinds] == [True, False, False, False, False]  # type: ignore[arg-type]
    assert [answers.is_to_be_continued(Answer(finish=kind)) for kind in kinds] == [False] * 4 + [True]  # type: ignore[arg-type]


def test_answer_is_kept_with_all_that_its_provider_wants_back() -> None:
    answer = Answer("long", (CALL,), (Thought("hm", "s"),), "stop", "end", "t", ({"type": "text"},), "gemini")

    assert answers.entry_of(answer, "short") == Entry(
        "model", "short", (), (), (Thought("hm", "s"),), "t", (), ({"type": "text"},), "gemini"
    )


def test_numbers_without_an_end_are_no_json() -> None:
    for text in ("NaN", "Infinity", "-Infinity", "1e999", "-1e999"):
        with pytest.raises(ValueError):  # noqa: PT011 - each has words of its own
            strict_json(text)
    with pytest.raises(RecursionError):
        strict_json("[" * 100_000)
    assert strict_json("1e3") == 1000.0


def test_problem_quotes_only_the_beginning_of_what_the_model_wrote() -> None:
    _, problem = read_arguments("x" * 5000)
    _, other = read_arguments(["x" * 5000])

    assert 100 < len(problem) < 400
    assert 100 < len(other) < 400


FIT: list[tuple[Any, Any, Any]] = [
    ("3", {"type": "integer"}, 3),
    ("3", {"type": "number"}, 3),
    ("3.5", {"type": "number"}, 3.5),
    ("3.5", {"type": "integer"}, "3.5"),
    ("3", {"type": "string"}, "3"),
    ("3", {"type": ["string", "integer"]}, "3"),
    ("3", {"type": ["integer", "null"]}, 3),
    ("null", {"type": ["integer", "null"]}, None),
    ("true", {"type": "boolean"}, True),
    ("True", {"type": "boolean"}, True),
    ("False", {"type": "boolean"}, False),
    (" False ", {"type": "boolean"}, False),
    ("true", {"type": "integer"}, "true"),
    ("1", {"type": "boolean"}, "1"),
    ('{"a": 1}', {"type": "object"}, {"a": 1}),
    ("[1]", {"type": "array"}, [1]),
    ("[1]", {"type": "object"}, "[1]"),
    ('"x"', {"type": "array"}, '"x"'),
    ("3", {}, "3"),
    ("3", True, "3"),
    ("3", {"type": None}, "3"),
    (3, {"type": "string"}, 3),
]


@rows("value, schema, fitted", FIT)
def test_text_is_decoded_only_where_the_schema_has_its_type(value: Any, schema: Any, fitted: Any) -> None:
    (result,) = fit_to_schema({"x": value}, {"properties": {"x": schema}}).values()

    assert (result, type(result)) == (fitted, type(fitted))


def test_arguments_without_a_schema_stay() -> None:
    assert fit_to_schema({"x": "3", "y": None}, {}) == {"x": "3", "y": None}
    assert fit_to_schema({"x": None}, {"properties": {"x": {"type": "integer"}}, "required": ["x"]}) == {"x": None}
    assert fit_to_schema({"x": None}, {"properties": {"x": {"type": "integer"}}}) == {}
    assert fit_to_schema({"x": None}, {"properties": {"x": {"type": ["integer", "null"]}}}) == {"x": None}
