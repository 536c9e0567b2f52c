"""Bugs with calls and results in the history: members that are missing, null, or in the form of another API."""

import json

from agent_conformance.agents.mutants.encoding.bodies import (
    Body,
    calls_of,
    each,
    in_body,
    messages_of,
    results_of,
    spoiled,
)

SCENARIO = "round-trip/result-comes-back"
CALL_IDS = ("id", "call_id")
RESULT_IDS = ("tool_call_id", "tool_use_id", "call_id", "id")


def _ids_left_out(call: Body) -> None:
    for key in CALL_IDS:
        call.pop(key, None)


def _null_ids(call: Body) -> None:
    call.update({key: None for key in CALL_IDS if key in call})


def _null_result_ids(result: Body) -> None:
    result.update({key: None for key in RESULT_IDS if key in result})


def _result_ids_left_out(result: Body) -> None:
    for key in RESULT_IDS:
        result.pop(key, None)


def _results_as_ids(result: Body) -> None:
    result.update({key: "the result: " + "hello " * 12 for key in RESULT_IDS if key in result})


def _types_left_out(call: Body) -> None:
    call.pop("type", None)


def _function_left_out(call: Body) -> None:
    function = call.pop("function", None)
    if function:
        call.update(function)


def _names_left_out(call: Body) -> None:
    (call.get("function") or call).pop("name", None)


def _null_names(call: Body) -> None:
    (call.get("function") or call)["name"] = None


def _empty_names(call: Body) -> None:
    (call.get("function") or call)["name"] = ""


def _arguments_left_out(call: Body) -> None:
    for key in ("arguments", "input", "args"):
        (call.get("function") or call).pop(key, None)


def _arguments_in_the_other_form(call: Body) -> None:
    function = call.get("function") or call
    for key in ("arguments", "input", "args"):
        if key in function:
            old = function[key]
            function[key] = json.loads(old) if isinstance(old, str) else json.dumps(old)


def _empty_list_of_calls(message: Body) -> None:
    if message.get("role") in ("assistant", "model"):
        message.setdefault("tool_calls", [])


def _calls_as_object(message: Body) -> None:
    if "tool_calls" in message:
        message["tool_calls"] = message["tool_calls"][0]


def _calls_as_texts(message: Body) -> None:
    if "tool_calls" in message:
        message["tool_calls"] = [json.dumps(call) for call in message["tool_calls"]]


def _one_id_for_all(call: Body) -> None:
    call.update({key: "call_1" for key in CALL_IDS if key in call})


def _role_of_results(message: Body) -> None:
    holds_results = message.get("type") == "function_call_output" or "tool_result" in str(message.get("content"))
    if holds_results or "functionResponse" in str(message.get("parts")):
        message.pop("type", None)
        message["role"] = "tool"


def _ids_of_items(body: Body) -> None:
    for message in messages_of(body):
        if body.get("input") is not None:
            message["id"] = "item-1"


def _text_in_the_call(body: Body) -> None:
    for message in messages_of(body):
        for part in message.get("parts") or ():
            if "functionCall" in part or "functionResponse" in part:
                part["text"] = "I look it up."


def _call_and_result_together(body: Body) -> None:
    contents = body.get("contents") or []
    for place, content in enumerate(contents):
        if place and any("functionResponse" in part for part in content["parts"]):
            content["parts"] = [*contents[place - 1]["parts"], *content["parts"]]


MUTANTS = (
    spoiled(
        "M62a_ids_left_out",
        "a call goes back with its id",
        "reports of proxies that drop ids, https://github.com/BerriAI/litellm/issues/23510",
        SCENARIO,
        each(calls_of, _ids_left_out),
    ),
    spoiled(
        "M62b_null_ids",
        "the id of a call is a text",
        "histories whose calls were saved without ids",
        SCENARIO,
        each(calls_of, _null_ids),
    ),
    spoiled(
        "M62c_null_result_ids",
        "a result names its call",
        "https://github.com/HKUDS/nanobot/issues/4356",
        SCENARIO,
        each(results_of, _null_result_ids),
    ),
    spoiled(
        "M62d_result_ids_left_out",
        "a result names its call",
        "https://github.com/HKUDS/nanobot/issues/4356",
        SCENARIO,
        each(results_of, _result_ids_left_out),
    ),
    spoiled(
        "M62e_results_as_ids",
        "the id of a result is not its text",
        "firebase/genkit, the Go plugin for OpenAI",
        SCENARIO,
        each(results_of, _results_as_ids),
    ),
    spoiled(
        "M62f_types_left_out",
        "a call has its type",
        "https://github.com/langchain-ai/langchain-azure/issues/35",
        SCENARIO,
        each(calls_of, _types_left_out),
    ),
    spoiled(
        "M62g_function_left_out",
        "name and arguments of a call are where the API has them",
        "calls in the form of another OpenAI endpoint",
        SCENARIO,
        each(calls_of, _function_left_out),
    ),
    spoiled(
        "M62h_names_left_out",
        "a call goes back with its name",
        "error tables of public clients",
        SCENARIO,
        each(calls_of, _names_left_out),
    ),
    spoiled(
        "M62i_null_names",
        "the name of a call is a text",
        "error tables of public clients",
        SCENARIO,
        each(calls_of, _null_names),
    ),
    spoiled(
        "M62j_empty_names",
        "the name of a call is not empty",
        "https://github.com/continuedev/continue/issues/11645",
        SCENARIO,
        each(calls_of, _empty_names),
    ),
    spoiled(
        "M62k_arguments_left_out",
        "a call without arguments has an empty object",
        "https://github.com/openclaw/openclaw/issues/13826",
        SCENARIO,
        each(calls_of, _arguments_left_out),
    ),
    spoiled(
        "M62l_arguments_in_the_other_form",
        "arguments are JSON text where the API wants text, and an object where it wants one",
        "https://github.com/openclaw/openclaw/issues/52253",
        SCENARIO,
        each(calls_of, _arguments_in_the_other_form),
    ),
    spoiled(
        "M62m_empty_list_of_calls",
        "a message without calls has no list of calls",
        "recorded refusals of an empty `tool_calls`",
        "history/well-formed-is-kept",
        each(messages_of, _empty_list_of_calls),
    ),
    spoiled(
        "M62n_calls_as_object",
        "the calls of a message are a list",
        "recorded refusals of `tool_calls` that are no list",
        SCENARIO,
        each(messages_of, _calls_as_object),
    ),
    spoiled(
        "M62o_calls_as_texts",
        "a call is an object, and not its JSON",
        "histories kept in a database as text",
        SCENARIO,
        each(messages_of, _calls_as_texts),
    ),
    spoiled(
        "M62p_one_id_for_all",
        "the calls of one message have ids of their own",
        "https://github.com/trycua/cua/issues/524",
        "parallel/all-answered",
        each(calls_of, _one_id_for_all),
    ),
    spoiled(
        "M62q_role_of_results",
        "results have the role that the API has for them",
        "live probes of tool use with a role `tool`",
        SCENARIO,
        each(messages_of, _role_of_results),
    ),
    spoiled(
        "M62r_ids_of_items",
        "what the agent numbers itself has no id of the provider",
        "three public threads that quote the refusal",
        "round-trip/text-beside-a-call",
        in_body(_ids_of_items),
    ),
    spoiled(
        "M62s_text_in_the_call",
        "a part holds one thing: a text, a call or a result",
        "googleapis/nodejs-vertexai, parts of a stream that were merged",
        SCENARIO,
        in_body(_text_in_the_call),
    ),
    spoiled(
        "M62t_call_and_result_together",
        "a call and its result are in two messages",
        "https://github.com/googleapis/python-genai/issues/81",
        SCENARIO,
        in_body(_call_and_result_together),
    ),
)
