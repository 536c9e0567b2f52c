import pytest

from agent_conformance import CannotRestore, Message, ToolCall
from agent_conformance.adapter.history import (
    anthropic_messages,
    cohere_messages,
    gemini_contents,
    leading_system,
    ollama_messages,
    openai_chat_messages,
    openai_responses_items,
)

OSLO = ToolCall("call_1", "get_weather", {"city": "Oslo"})
ROME = ToolCall("call_2", "get_weather", {"city": "Rome"})
HISTORY = (
    Message("user", "Weather?"),
    Message("assistant", "Looking.", "Two cities.", (OSLO, ROME)),
    Message("tool", "7 degrees", tool_call_id="call_1", name="get_weather"),
    Message("tool", "no data", tool_call_id="call_2", name="get_weather", is_error=True),
    Message("assistant", "It is 7 degrees."),
)


def with_arguments(text: str) -> tuple[Message, ...]:
    return (Message("assistant", tool_calls=(ToolCall("call_1", "get_weather", arguments_text=text),)),)


def test_chat_messages_have_one_tool_message_for_each_result():
    assert openai_chat_messages(HISTORY, system="Be brief.") == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Weather?"},
        {
            "role": "assistant",
            "content": "Looking.",
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'},
                },
                {
                    "id": "call_2",
                    "type": "function",
                    "function": {"name": "get_weather", "arguments": '{"city": "Rome"}'},
                },
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "7 degrees"},
        {"role": "tool", "tool_call_id": "call_2", "content": "no data"},
        {"role": "assistant", "content": "It is 7 degrees."},
    ]


def test_responses_items_stand_in_a_row():
    assert openai_responses_items(HISTORY) == [
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": "Looking."},
        {"type": "function_call", "call_id": "call_1", "name": "get_weather", "arguments": '{"city": "Oslo"}'},
        {"type": "function_call", "call_id": "call_2", "name": "get_weather", "arguments": '{"city": "Rome"}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "7 degrees"},
        {"type": "function_call_output", "call_id": "call_2", "output": "no data"},
        {"role": "assistant", "content": "It is 7 degrees."},
    ]


def test_call_without_text_has_no_message_beside_it_in_responses():
    got = openai_responses_items((Message("assistant", tool_calls=(OSLO,)),))

    assert [item["type"] for item in got] == ["function_call"]


def test_anthropic_messages_gather_results_in_one_user_message():
    assert anthropic_messages(HISTORY) == [
        {"role": "user", "content": "Weather?"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Looking."},
                {"type": "tool_use", "id": "call_1", "name": "get_weather", "input": {"city": "Oslo"}},
                {"type": "tool_use", "id": "call_2", "name": "get_weather", "input": {"city": "Rome"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": "7 degrees"},
                {"type": "tool_result", "tool_use_id": "call_2", "content": "no data", "is_error": True},
            ],
        },
        {"role": "assistant", "content": "It is 7 degrees."},
    ]


def test_gemini_contents_gather_results_in_one_content():
    assert gemini_contents(HISTORY) == [
        {"role": "user", "parts": [{"text": "Weather?"}]},
        {
            "role": "model",
            "parts": [
                {"text": "Two cities.", "thought": True},
                {"text": "Looking."},
                {"functionCall": {"id": "call_1", "name": "get_weather", "args": {"city": "Oslo"}}},
                {"functionCall": {"id": "call_2", "name": "get_weather", "args": {"city": "Rome"}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "call_1", "name": "get_weather", "response": {"output": "7 degrees"}}},
                {"functionResponse": {"id": "call_2", "name": "get_weather", "response": {"error": "no data"}}},
            ],
        },
        {"role": "model", "parts": [{"text": "It is 7 degrees."}]},
    ]


def test_ollama_messages_have_arguments_as_objects_and_a_field_for_thinking():
    assert ollama_messages(HISTORY, system="Be brief.") == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Weather?"},
        {
            "role": "assistant",
            "content": "Looking.",
            "thinking": "Two cities.",
            "tool_calls": [
                {"id": "call_1", "function": {"name": "get_weather", "arguments": {"city": "Oslo"}}},
                {"id": "call_2", "function": {"name": "get_weather", "arguments": {"city": "Rome"}}},
            ],
        },
        {"role": "tool", "tool_name": "get_weather", "tool_call_id": "call_1", "content": "7 degrees"},
        {"role": "tool", "tool_name": "get_weather", "tool_call_id": "call_2", "content": "no data"},
        {"role": "assistant", "content": "It is 7 degrees."},
    ]


def test_cohere_messages_have_the_text_before_the_calls():
    assert cohere_messages(HISTORY[:3], system="Be brief.") == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": "Looking."},
        {
            "role": "assistant",
            "tool_calls": [
                {
                    "id": "call_1",
                    "type": "function",
                    "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'},
                },
                {
                    "id": "call_2",
                    "type": "function",
                    "function": {"name": "get_weather", "arguments": '{"city": "Rome"}'},
                },
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "7 degrees"},
    ]


def test_cohere_has_a_block_for_an_empty_result():
    got = cohere_messages((Message("tool", "", tool_call_id="call_1"),))

    assert got == [{"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": ""}]}]


def test_thinking_goes_into_the_field_a_chat_provider_names():
    got = openai_chat_messages(HISTORY, thinking_field="reasoning_content")

    assert got[1]["reasoning_content"] == "Two cities."
    assert "reasoning_content" not in openai_chat_messages(HISTORY)[1]


def test_call_without_text_has_null_content_in_chat():
    got = openai_chat_messages((Message("assistant", tool_calls=(OSLO,)),))

    assert got[0]["content"] is None


def test_empty_assistant_message_stays_empty():
    empty = (Message("assistant"),)

    assert openai_chat_messages(empty) == [{"role": "assistant", "content": ""}]
    assert openai_responses_items(empty) == [{"role": "assistant", "content": ""}]
    assert anthropic_messages(empty) == [{"role": "assistant", "content": ""}]
    assert gemini_contents(empty) == [{"role": "model", "parts": [{"text": ""}]}]
    assert ollama_messages(empty) == [{"role": "assistant", "content": ""}]
    assert cohere_messages(empty) == [{"role": "assistant", "content": ""}]


def test_unknown_id_and_name_are_left_out():
    orphan = (Message("tool", "7 degrees"),)

    assert openai_chat_messages(orphan) == [{"role": "tool", "content": "7 degrees"}]
    assert openai_responses_items(orphan) == [{"type": "function_call_output", "output": "7 degrees"}]
    assert anthropic_messages(orphan)[0]["content"] == [{"type": "tool_result", "content": "7 degrees"}]
    assert gemini_contents(orphan)[0]["parts"] == [{"functionResponse": {"response": {"output": "7 degrees"}}}]
    assert ollama_messages(orphan) == [{"role": "tool", "content": "7 degrees"}]
    assert cohere_messages(orphan) == [{"role": "tool", "content": "7 degrees"}]


def test_calls_and_results_that_do_not_pair_are_kept_as_they_are():
    dangling = (Message("user", "Weather?"), Message("assistant", tool_calls=(OSLO,)), Message("user", "Hello?"))

    assert [message["role"] for message in openai_chat_messages(dangling)] == ["user", "assistant", "user"]
    assert [item.get("role") for item in openai_responses_items(dangling)] == ["user", None, "user"]
    assert [message["role"] for message in anthropic_messages(dangling)] == ["user", "assistant", "user"]
    assert [content["role"] for content in gemini_contents(dangling)] == ["user", "model", "user"]
    assert [message["role"] for message in ollama_messages(dangling)] == ["user", "assistant", "user"]
    assert [message["role"] for message in cohere_messages(dangling)] == ["user", "assistant", "user"]


def test_argument_text_is_verbatim_where_arguments_are_text():
    broken = openai_chat_messages(with_arguments('{"city": "Os'))
    at_cohere = cohere_messages(with_arguments('{"city": "Os'))

    assert broken[0]["tool_calls"][0]["function"]["arguments"] == '{"city": "Os'
    assert at_cohere[0]["tool_calls"][0]["function"]["arguments"] == '{"city": "Os'
    assert openai_responses_items(with_arguments('{"city": "Os'))[0]["arguments"] == '{"city": "Os'


@pytest.mark.parametrize("text", ["[]", '"Oslo"', "null"])
def test_arguments_that_are_no_object_stay_what_they_are(text):
    value = {"[]": [], '"Oslo"': "Oslo", "null": None}[text]

    assert anthropic_messages(with_arguments(text))[0]["content"][0]["input"] == value
    assert gemini_contents(with_arguments(text))[0]["parts"][0]["functionCall"]["args"] == value
    assert ollama_messages(with_arguments(text))[0]["tool_calls"][0]["function"]["arguments"] == value


@pytest.mark.parametrize("shape", [anthropic_messages, gemini_contents, ollama_messages])
def test_argument_text_that_is_no_json_cannot_be_restored_if_arguments_are_values(shape):
    with pytest.raises(CannotRestore) as raised:
        shape(with_arguments('{"city": "Os'))

    assert raised.value.reason == (
        'arguments of get_weather that are no JSON on a wire that takes a value: \'{"city": "Os\''
    )


def test_system_message_within_the_history_stays_where_it_stands():
    late = (Message("user", "a"), Message("system", "Be brief."), Message("user", "b"))

    assert openai_chat_messages(late)[1] == {"role": "system", "content": "Be brief."}
    assert openai_responses_items(late)[1] == {"role": "system", "content": "Be brief."}
    assert anthropic_messages(late)[1] == {"role": "system", "content": "Be brief."}
    assert ollama_messages(late)[1] == {"role": "system", "content": "Be brief."}
    assert cohere_messages(late)[1] == {"role": "system", "content": "Be brief."}
    with pytest.raises(CannotRestore, match="no such role"):
        gemini_contents(late)


def test_system_messages_are_split_off_only_at_the_start():
    late = Message("system", "late")
    text, rest = leading_system((Message("system", "a"), Message("system", "b"), HISTORY[0], late))

    assert text == "a\n\nb"
    assert rest == (HISTORY[0], late)
