import pytest
from gemini_requests import CALL, RESULT, SIGNED, STREAM, WIRE, model, request, user

from fake_providers import ViewCall, ViewMessage, ViewResult, ViewTool

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}


def view_of(*contents, **fields):
    return WIRE.view(request({"contents": list(contents), **fields}))


def test_model_mode_and_system_are_read() -> None:
    view = WIRE.view(request({"system_instruction": {"role": "user", "parts": {"text": "Be brief."}}}, verb=STREAM))

    assert (view.model, view.stream, view.system) == ("gemini-3-flash-preview", True, "Be brief.")


def test_thinking_calls_and_results_are_read() -> None:
    view = view_of(user("Rain?"), model({"text": "Hm.", "thought": True}, "Let me see.", SIGNED), user(RESULT))

    assert view.messages == (
        ViewMessage("user", "contents[0]", text="Rain?"),
        ViewMessage(
            "assistant",
            "contents[1]",
            text="Let me see.",
            thinking="Hm.",
            calls=(ViewCall(None, "get_weather", {"city": "Oslo"}, '{"city": "Oslo"}'),),
        ),
        ViewMessage("tool", "contents[2]", results=(ViewResult(None, "get_weather", "rain"),)),
    )


def test_ids_are_read_from_calls_and_responses() -> None:
    call, response = {"id": "a1", "name": "f", "args": {}}, {"id": "a1", "name": "f", "response": {"output": [1]}}
    view = view_of(user("hi"), model({"functionCall": call}), user({"functionResponse": response}))

    assert view.messages[1].calls[0].id == "a1"
    assert view.messages[2].results == (ViewResult("a1", "f", "[1]"),)


def test_text_next_to_a_response_becomes_a_later_user_message() -> None:
    view = view_of(user("hi"), model(CALL), user("Be brief.", RESULT))

    assert [(message.role, message.text) for message in view.messages[2:]] == [("tool", ""), ("user", "Be brief.")]


def test_contents_of_one_role_are_joined() -> None:
    view = view_of(user("a"), user("b"), model(CALL), model(""), user(RESULT), user(RESULT))

    assert [(message.role, message.at) for message in view.messages] == [
        ("user", "contents[0]"),
        ("assistant", "contents[2]"),
        ("tool", "contents[4]"),
    ]
    assert view.messages[0].text == "a\nb"
    assert len(view.messages[2].results) == 2


def test_model_texts_are_joined_and_user_texts_become_lines() -> None:
    piece = {"role": "model", "parts": [{"text": "let", "thought": True}, {"text": "me", "thought": True}]}
    view = view_of(
        user("Rain", "or snow?"), piece, model("Let me che", "ck the fore"), model("cast."), user("a"), user("b")
    )

    assert [(message.text, message.thinking) for message in view.messages] == [
        ("Rain\nor snow?", ""),
        ("Let me check the forecast.", "letme"),
        ("a\nb", ""),
    ]


def test_results_are_unwrapped() -> None:
    responses = [
        {"result": "x"},
        {"error": "gone"},
        {"output": {"a": "ü"}},
        {"return_value": 7},
        {"temperature": 7},
        {"a": 1, "b": 2},
        {},
    ]
    view = view_of(*[user({"functionResponse": {"name": "f", "response": response}}) for response in responses])

    results = view.messages[0].results
    texts = ["x", "gone", '{"a": "ü"}', "7", '{"temperature": 7}', '{"a": 1, "b": 2}', "{}"]
    assert [result.text for result in results] == texts
    assert [result.is_error for result in results] == [False, True, False, False, False, False, False]


def test_missing_role_and_function_count_as_the_user() -> None:
    view = view_of({"parts": [{"text": "hi"}]}, model(CALL), {"role": "function", "parts": [RESULT]})

    assert [message.role for message in view.messages] == ["user", "assistant", "tool"]


def test_tools_are_read_in_both_spellings_and_both_kinds_of_schema() -> None:
    google = {"type": "OBJECT", "properties": {"city": {"type": "STRING", "any_of": [{"type": "NUMBER"}]}}}
    view = view_of(
        user("hi"),
        tools=[
            {"function_declarations": [{"name": "a", "description": "A.", "parameters": google}]},
            {"functionDeclarations": [{"name": "b", "parameters_json_schema": SCHEMA}, {"name": "c"}]},
        ],
    )

    plain = {"type": "object", "properties": {"city": {"type": "string", "anyOf": [{"type": "number"}]}}}
    assert view.tools == (ViewTool("a", "A.", plain), ViewTool("b", "", SCHEMA), ViewTool("c", "", None))


def test_nullable_is_a_type_of_the_view() -> None:
    tool = {"name": "a", "parameters": {"type": "OBJECT", "properties": {"n": {"type": "STRING", "nullable": True}}}}

    view = view_of(user("hi"), tools=[{"functionDeclarations": [tool]}])

    assert view.tools[0].parameters["properties"]["n"] == {"type": ["string", "null"]}


def test_fields_name_the_wire_fields_that_are_present() -> None:
    config = {"functionCallingConfig": {"mode": "NONE"}}

    assert view_of(user("hi")).fields == frozenset()
    assert view_of(user("hi"), tools=[{"googleSearch": {}}]).fields == frozenset()
    assert view_of(user("hi"), tools=[{"functionDeclarations": []}]).fields == {"tools"}
    assert view_of(user("hi"), toolConfig=config).fields == {"tool_choice"}


def test_arguments_as_json_text_are_parsed_if_possible() -> None:
    view = view_of(
        model({"functionCall": {"name": "f", "args": '{"a":1}'}}, {"functionCall": {"name": "f", "args": "{"}})
    )

    assert [(call.arguments, call.arguments_text) for call in view.messages[0].calls] == [
        ({"a": 1}, '{"a":1}'),
        (None, "{"),
    ]


def test_pictures_in_a_part_and_at_an_address_are_read() -> None:
    data = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA="}}
    address = {"fileData": {"mimeType": "image/png", "fileUri": "gs://bucket/a.png"}}
    film = {"fileData": {"mimeType": "video/mp4", "fileUri": "gs://bucket/a.mp4"}}

    (message,) = view_of(user("See.", data, address, film)).messages

    assert [picture.media_type for picture in message.pictures] == ["image/png", ""]


@pytest.mark.parametrize("key", ["result", "output", "error", "return_value"])
def test_result_is_taken_out_of_the_key_that_clients_put_it_in(key: str) -> None:
    alone = {"functionResponse": {"name": "look", "response": {key: "rain"}}}
    beside = {"functionResponse": {"name": "look", "response": {key: "rain", "x": 1}}}

    texts = [result.text for part in (alone, beside) for result in view_of(user(part)).messages[0].results]
    assert texts == ["rain", f'{{"{key}": "rain", "x": 1}}']


def test_response_under_another_key_is_the_result() -> None:
    response = {"functionResponse": {"name": "look", "response": {"weather": "rain"}}}

    assert view_of(user(response)).messages[0].results[0].text == '{"weather": "rain"}'
