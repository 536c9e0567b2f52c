"""Error messages word for word: message, `param` and `code`."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from responses_requests import (
    ASSISTANT_MESSAGE,
    REASONING_ITEM,
    TOOL,
    USER,
    call,
    refusal_error,
    responses_body,
    result,
    violation_of,
)

from tests.tables import rows

TERRA = "gpt-5.6-terra"


def error(message: str, param: str | None = None, code: str | None = None) -> dict[str, Any]:
    return {"message": message, "type": "invalid_request_error", "param": param, "code": code}


def wrong_type(param: str, expected: str, got: str) -> dict[str, Any]:
    return error(f"Invalid type for '{param}': expected {expected}, but got {got} instead.", param, "invalid_type")


def missing(param: str) -> dict[str, Any]:
    return error(f"Missing required parameter: '{param}'.", param, "missing_required_parameter")


def unknown(param: str, meant: str = "") -> dict[str, Any]:
    return error(f"Unknown parameter: '{param}'.{meant}", param, "unknown_parameter")


def wrong_value(param: str, value: str, supported: str) -> dict[str, Any]:
    return error(f"Invalid value: '{value}'. Supported values are: {supported}.", param, "invalid_value")


def unsupported(param: str) -> dict[str, Any]:
    return error(f"Unsupported parameter: '{param}' is not supported with this model.", param)


def schema(parameters: Any, **members: Any) -> dict[str, Any]:
    return responses_body(tools=[{"type": "function", "name": "f", "parameters": parameters, **members}])


def refused_schema(fault: str) -> dict[str, Any]:
    return error(f"Invalid schema for function 'f': {fault}", "tools[0].parameters", "invalid_function_parameters")


CUSTOM = {"type": "custom_tool_call", "call_id": "call_1", "name": "run", "input": "ls"}
NOTHING = "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided."
ROLES = "'assistant', 'system', 'developer', and 'user'"
MOVED = (
    "Unsupported parameter: 'messages'. In the Responses API, this parameter has moved to 'input'. Try again with the "
    "new parameter. See the API documentation for more information: "
    "https://platform.openai.com/docs/api-reference/responses/create."
)
EFFORTS = "'none', 'minimal', 'low', 'medium', 'high', 'xhigh', {} 'max'"

WORDS: list[tuple[Any, dict[str, Any]]] = [
    ({"input": [USER]}, missing("model")),
    ({"model": None, "input": "a"}, wrong_type("model", "a string", "an object")),
    ({"model": 7, "input": "a"}, wrong_type("model", "a string", "an integer")),
    ({"model": "", "input": "a"}, error("The requested model '' does not exist.", "model", "model_not_found")),
    (
        {"model": "o1-mini", "input": "a"},
        error("The requested model 'o1-mini' is not supported with the Responses API.", "model", "model_not_found"),
    ),
    ({"model": TERRA}, missing("input")),
    ({"model": TERRA, "input": None}, wrong_type("input", "a string", "an object")),
    ({"model": TERRA, "input": {"a": 1}}, wrong_type("input", "one of a string or array of input items", "an object")),
    ({"model": TERRA, "input": []}, error(NOTHING, None, "missing_required_parameter")),
    ({"model": TERRA, "input": ""}, error(NOTHING, None, "missing_required_parameter")),
    ({"model": TERRA, "messages": [USER]}, error(MOVED, None, "unsupported_parameter")),
    (responses_body(zzz_unknown=1), unknown("zzz_unknown")),
    (responses_body(n=2), unknown("n")),
    (responses_body(seed=1), unknown("seed")),
    (responses_body(max_tokens=16), unknown("max_tokens")),
    (responses_body(logprobs=True), unknown("logprobs")),
    (responses_body(stop=["END"]), unknown("stop", " Did you mean 'store'?")),
    (responses_body(sto=1), unknown("sto", " Did you mean 'store'?")),
    (responses_body(st=1), unknown("st")),
    (responses_body(stre=1), unknown("stre", " Did you mean 'store' or 'stream'?")),
    (responses_body(strem=1), unknown("strem", " Did you mean 'stream' or 'store'?")),
    (responses_body(tool=1), unknown("tool", " Did you mean 'tools'?")),
    (responses_body(usr=1), unknown("usr", " Did you mean 'user'?")),
    (responses_body(modell=1), unknown("modell")),
    (responses_body(7), wrong_type("input[0]", "an input item", "an integer")),
    (responses_body(None), wrong_type("input[0]", "an input item", "null")),
    (responses_body({}), wrong_value("input[0]", "", ROLES)),
    (responses_body({**USER, "role": "tool"}), wrong_value("input[0]", "tool", ROLES)),
    (responses_body({**USER, "bogus": 1}), unknown("input[0].bogus")),
    (responses_body({**USER, "phase": "final_answer"}), unknown("input[0].phase")),
    (
        responses_body({**ASSISTANT_MESSAGE, "phase": "x"}, USER),
        wrong_value("input[0].phase", "x", "'commentary' and 'final_answer'"),
    ),
    (responses_body(USER, {**ASSISTANT_MESSAGE, "zzz": 1}), unknown("input[1].zzz")),
    (responses_body({"role": "user"}), missing("input[0].content")),
    (
        responses_body({"role": "assistant", "content": None}, USER),
        wrong_type("input[0].content", "one of an array of objects or string", "null"),
    ),
    (
        responses_body({"role": "assistant", "content": [{"type": "input_text", "text": "a"}]}, USER),
        wrong_value("input[0].content[0]", "input_text", "'output_text' and 'refusal'"),
    ),
    (
        responses_body({"role": "user", "content": [{"type": "output_text", "text": "a"}]}),
        wrong_value(
            "input[0].content[0]",
            "output_text",
            "'input_text', 'input_image', 'input_file', 'scoped_content', and 'input_audio'",
        ),
    ),
    (
        responses_body({"role": "user", "content": [{"type": "text", "text": "a"}]}),
        wrong_value(
            "input[0].content[0].type",
            "text",
            "'input_text', 'input_image', 'input_audio', 'output_text', 'refusal', 'input_file', "
            "'computer_screenshot', 'summary_text', and 'encrypted_content'",
        ),
    ),
    (responses_body({"role": "user", "content": [{"type": "input_text"}]}), missing("input[0].content[0].text")),
    (
        responses_body(USER, call("call_1", id="call_1"), result("call_1")),
        error("Invalid 'input[1].id': 'call_1'. Expected an ID that begins with 'fc'.", "input[1].id", "invalid_value"),
    ),
    (
        responses_body(USER, call("c" * 65), result("c" * 65)),
        error(
            "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string "
            "with length 65 instead.",
            "input[1].call_id",
            "string_above_max_length",
        ),
    ),
    (
        responses_body(USER, {**ASSISTANT_MESSAGE, "id": "msg_" + "1" * 62}, USER),
        error(
            "Invalid 'input[1].id': string too long. Expected a string with maximum length 64, but got a string "
            "with length 66 instead.",
            "input[1].id",
            "string_above_max_length",
        ),
    ),
    (
        responses_body(USER, CUSTOM),
        error("No tool output found for custom tool call call_1.", "input"),
    ),
    (
        responses_body(
            USER,
            {
                "type": "apply_patch_call",
                "call_id": "call_1",
                "status": "completed",
                "operation": {"type": "delete_file", "path": "a.txt"},
            },
        ),
        error("No tool output found for apply patch call call_1.", "input"),
    ),
    (
        responses_body(USER, CUSTOM, {"type": "custom_tool_call_output", "call_id": "call_2", "output": "7"}),
        error("No tool call found for custom tool call output with call_id call_2.", "input"),
    ),
    (
        responses_body(tools=[TOOL], tool_choice={"type": "function", "name": "get_time"}),
        error("Tool choice 'get_time' not found in 'tools' parameter.", "tool_choice"),
    ),
    (
        responses_body(tool_choice={"type": "function", "name": "get_time"}),
        error("Tool choice 'get_time' not found in 'tools' parameter.", "tool_choice"),
    ),
    (
        responses_body(text={"format": {"type": "json_schema", "name": "answer.v2", "schema": {}}}),
        error(
            "Invalid 'text.format.name': string does not match pattern. Expected a string that matches the pattern "
            "'^[a-zA-Z0-9_-]+$'.",
            "text.format.name",
            "invalid_value",
        ),
    ),
    (
        schema([]),
        wrong_type("tools[0].parameters", "an object", "an array"),
    ),
    (
        responses_body(USER, call("a"), result("a", output={"degrees": 7})),
        wrong_type("input[2].output", "one of a string or array of objects", "an object"),
    ),
    (
        responses_body({"role": "user", "content": [{"type": "input_text", "text": "a", "cache_control": {}}]}),
        unknown("input[0].content[0].cache_control"),
    ),
    (responses_body(tools=[{"type": "namespace", "name": "a", "tools": []}]), missing("tools[0].description")),
    *(
        (
            responses_body(USER, {**REASONING_ITEM, "id": item_id}, ASSISTANT_MESSAGE, USER),
            error(
                f"Invalid 'input[1].id': '{item_id}'. Expected an ID that contains letters, numbers, underscores, or "
                "dashes, but this value contained additional characters.",
                "input[1].id",
                "invalid_value",
            ),
        )
        for item_id in ("", "rs_a:b", "rs_abc_")
    ),
    (responses_body(metadata={"k": 7}), wrong_type("metadata.k", "a string", "an integer")),
    (
        responses_body(metadata={f"k{number}": "v" for number in range(17)}),
        error(
            "Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an object "
            "with 17 properties instead.",
            "metadata",
            "object_above_max_properties",
        ),
    ),
    (responses_body(tools="x"), wrong_type("tools", "an array of tools", "a string")),
    (responses_body(tools=[{}]), missing("tools[0].type")),
    (responses_body(tools=[{"type": "function", "function": {"name": "f"}}]), missing("tools[0].name")),
    (
        responses_body(tools=[{**TOOL, "name": "a.b"}]),
        error(
            "Invalid 'tools[0].name': string does not match pattern. Expected a string that matches the pattern "
            "'^[a-zA-Z0-9_-]+$'.",
            "tools[0].name",
            "invalid_value",
        ),
    ),
    (
        schema({"properties": {}, "additionalProperties": False}, strict=False),
        refused_schema("schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'."),
    ),
    (
        schema({"type": "object", "properties": {}}, strict=True),
        refused_schema("In context=(), 'additionalProperties' is required to be supplied and to be false."),
    ),
    (
        schema({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}, strict=True),
        refused_schema(
            "In context=(), 'required' is required to be supplied and to be an array including every key in "
            "properties. Missing 'a'."
        ),
    ),
    (
        responses_body(tool_choice=7),
        wrong_type("tool_choice", "one of an object or 'none', 'auto', or 'required'", "an integer"),
    ),
    (
        responses_body(tools=[TOOL], tool_choice="any"),
        wrong_value("tool_choice", "any", "'none', 'auto', and 'required'"),
    ),
    (
        responses_body(tools=[TOOL], tool_choice={"type": "function", "function": {"name": "f"}}),
        missing("tool_choice.name"),
    ),
    (
        responses_body(include="x"),
        wrong_type(
            "include",
            "an array of one of 'fil...lts', 'web...lts', 'web...ces', 'mes...url', 'com...url', 'cod...uts', "
            "'rea...ent', or 'mes...obs'",
            "a string",
        ),
    ),
    (responses_body(truncation="x"), wrong_value("truncation", "x", "'auto' and 'disabled'")),
    (responses_body(truncation={}), wrong_type("truncation", "one of 'auto' or 'disabled'", "an object")),
    (
        responses_body(service_tier="x"),
        wrong_value("service_tier", "x", "'auto', 'default', 'fast', 'flex', and 'priority'"),
    ),
    (responses_body(metadata="x"), wrong_type("metadata", "a metadata object", "a string")),
    (responses_body(reasoning="low"), wrong_type("reasoning", "an object", "a string")),
    (responses_body(reasoning={"effort": "x"}), wrong_value("reasoning.effort", "x", EFFORTS.format("and"))),
    (
        responses_body(reasoning={"effort": ["low"]}),
        wrong_type("reasoning.effort", f"one of one of {EFFORTS.format('or')} or integer", "an array"),
    ),
    (
        responses_body(reasoning={"summary": "x"}),
        wrong_value("reasoning.summary", "x", "'concise', 'detailed', and 'auto'"),
    ),
    (
        responses_body(reasoning={"generate_summary": "x"}),
        wrong_value("reasoning.generate_summary", "x", "'concise', 'detailed', and 'auto'"),
    ),
    (responses_body(reasoning={"summaries": "auto"}), unknown("reasoning.summaries")),
    (responses_body(stream_options={"include_usage": True}), unknown("stream_options.include_usage")),
    (responses_body(stream_options="x"), wrong_type("stream_options", "an object", "a string")),
    (responses_body(text={"zzz": 1}), unknown("text.zzz")),
    (responses_body(text={"verbosity": "x"}), wrong_value("text.verbosity", "x", "'low', 'medium', and 'high'")),
    (
        responses_body(text={"format": {"type": "x"}}),
        wrong_value("text.format.type", "x", "'json_object', 'text', and 'json_schema'"),
    ),
    (responses_body(text={"format": {"type": "json_schema"}}), missing("text.format.name")),
    (
        responses_body(text={"format": {"type": "json_object"}}, instructions="Say it in JSON."),
        error(
            "Response input messages must contain the word 'json' in some form to use 'text.format' of type "
            "'json_object'.",
            "input",
        ),
    ),
    (responses_body(stream="yes"), wrong_type("stream", "a boolean", "a string")),
    (responses_body(instructions={}), wrong_type("instructions", "a string", "an object")),
    (responses_body(previous_response_id={}), wrong_type("previous_response_id", "a string", "an object")),
    (responses_body(context_management="x"), wrong_type("context_management", "an array of objects", "a string")),
    (
        responses_body(max_output_tokens=15),
        error(
            "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 15 instead.",
            "max_output_tokens",
            "integer_below_min_value",
        ),
    ),
    (
        responses_body(temperature=-1),
        error(
            "Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -1 instead.",
            "temperature",
            "decimal_below_min_value",
        ),
    ),
    (responses_body(model=TERRA, temperature=0.5), unsupported("temperature")),
    (responses_body(model=TERRA, top_p=0.5), unsupported("top_p")),
    (responses_body(model=TERRA, presence_penalty=0.5), unsupported("presence_penalty")),
    (
        responses_body(model="gpt-4.1", reasoning={"effort": "low"}),
        error(unsupported("reasoning.effort")["message"], "reasoning.effort", "unsupported_parameter"),
    ),
    (
        responses_body(top_logprobs=1, reasoning={"effort": "low"}),
        error("logprobs are not supported with reasoning models.", "top_logprobs", "unsupported_parameter"),
    ),
    (
        responses_body(include=["message.output_text.logprobs"], reasoning={"effort": "low"}),
        error("logprobs are not supported with reasoning models.", "include", "unsupported_parameter"),
    ),
    (
        responses_body(conversation="conv_x", previous_response_id="resp_x"),
        error(
            "Mutually exclusive parameters: ''. Ensure you are only providing one of: 'pre..._id' or 'conversation'.",
            None,
            "mutually_exclusive_parameters",
        ),
    ),
    (responses_body(USER, call("call_1"), USER), error("No tool output found for function call call_1.", "input")),
    (
        responses_body(USER, result("call_1")),
        error("No tool call found for function call output with call_id call_1.", "input"),
    ),
    (
        responses_body(USER, REASONING_ITEM, {"role": "assistant", "content": "Rain."}, USER),
        error("Item 'rs_1' of type 'reasoning' was provided without its required following item.", "input"),
    ),
    (
        responses_body(USER, call("call_1"), REASONING_ITEM, result("call_1")),
        error("Item 'rs_1' of type 'reasoning' was provided without its required following item.", "input"),
    ),
    (
        responses_body(ASSISTANT_MESSAGE, USER, ASSISTANT_MESSAGE),
        error("Duplicate item found with id msg_1. Remove duplicate items from your input and try again.", "input"),
    ),
]


@rows("body, expected", WORDS, ids=[f"{n}-{e['param']}" for n, (_, e) in enumerate(WORDS)])
def test_request_is_refused_with_openais_message(body: Any, expected: dict[str, Any]) -> None:
    assert refusal_error(body) == expected


def test_unknown_type_of_item_is_refused_with_a_list_of_all_types() -> None:
    message = refusal_error(responses_body({"type": "tool_use"}))["message"]

    assert message.startswith("Invalid value: 'tool_use'. Supported values are: 'additional_tools', 'agent_message',")
    assert message.endswith("'tool_search_output', and 'web_search_call'.")
    assert message.count("', '") == 31


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ({"zzz": 1}, "model-missing"),
        ({"model": TERRA, "zzz": 1, "truncation": "x"}, "input-missing"),
        ({"model": TERRA, "input": 7, "zzz": 1}, "unknown-parameter"),
        ({"model": TERRA, "input": 7, "truncation": "x"}, "input-type"),
        (responses_body({}, tools="x", include=["x"]), "role-unknown"),
        (responses_body(include=["x"], tools="x"), "include-unknown"),
        (responses_body(tools="x", metadata="x"), "tools-type"),
        (responses_body(metadata="x", text="x"), "parameter-type"),
        (responses_body(previous_response_id="resp_x", conversation="c", truncation="x"), "parameter-value"),
        ({"model": TERRA, "input": [], "truncation": "x"}, "parameter-value"),
        ({"model": TERRA, "input": [], "temperature": 0.5}, "input-empty"),
        (responses_body(model=TERRA, top_logprobs=1, temperature=0.5), "sampling-unsupported"),
        (responses_body(USER, result("call_1"), model=TERRA, temperature=0.5), "sampling-unsupported"),
    ],
)
def test_earlier_of_two_broken_rules_is_reported(body: Any, rule: str) -> None:
    violation = violation_of(body)

    assert violation is not None
    assert violation.rule == f"openai/responses-{rule}"


ORDER = [
    "metadata",
    "text",
    "temperature",
    "top_p",
    "presence_penalty",
    "parallel_tool_calls",
    "stream",
    "stream_options",
    "background",
    "max_output_tokens",
    "max_tool_calls",
    "reasoning",
    "user",
    "safety_identifier",
    "prompt_cache_options",
    "prompt_cache_key",
    "prompt_cache_retention",
    "truncation",
    "instructions",
    "store",
    "service_tier",
    "top_logprobs",
    "context_management",
]


LONG = 10_485_760


@pytest.mark.parametrize(
    ("param", "make_input"),
    [
        ("input", lambda text: text),
        ("input[0].content", lambda text: [{**USER, "content": text}]),
        ("input[0].content[0].text", lambda text: [{**USER, "content": [{"type": "input_text", "text": text}]}]),
        ("input[2].output", lambda text: [USER, call("call_1"), result("call_1", output=text)]),
        (
            "input[1].encrypted_content",
            lambda text: [USER, {**REASONING_ITEM, "encrypted_content": text}, ASSISTANT_MESSAGE, USER],
        ),
    ],
)
def test_text_over_ten_mebibytes_is_refused_with_both_numbers(param: str, make_input: Callable[[str], Any]) -> None:
    assert violation_of({"model": TERRA, "input": make_input("gAAAAA" + "a" * (LONG - 6))}) is None
    assert refusal_error({"model": TERRA, "input": make_input("a" * (LONG + 1))}) == error(
        f"Invalid '{param}': string too long. Expected a string with maximum length {LONG}, but got a string with "
        f"length {LONG + 1} instead.",
        param,
        "string_above_max_length",
    )


@pytest.mark.parametrize(("first", "second"), list(pairwise(ORDER)))
def test_earlier_of_two_parameters_is_reported(first: str, second: str) -> None:
    wrong: Any = [[]]  # the wrong type for every parameter but one
    body = responses_body(**{second: "x" if second == "context_management" else wrong, first: wrong})

    assert refusal_error(body)["param"] == first
