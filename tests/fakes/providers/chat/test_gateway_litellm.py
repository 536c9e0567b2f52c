"""What LiteLLM's proxy says of a request itself, and of what the maker of the model refuses. The whole sentences were
measured with its release 1.110.2 in front of the fakes."""

from typing import Any

import pytest
from msgspec.structs import replace
from provider_requests import USER, calling, chat, judged, result

from fake_providers.providers.deepseek import deepseek_chat as deepseek
from fake_providers.providers.litellm.litellm_upstream import DEEPSEEK as DEEPSEEK_BEHIND_IT
from fake_providers.providers.litellm.litellm_upstream import measured
from fake_providers.providers.shared.makers_book import MakersBook

GPT, CLAUDE, DEEPSEEK = "openai/gpt-4.1", "anthropic/claude-sonnet-4-6", "deepseek/deepseek-v4-flash"
MISTRAL, FLASH = "mistral/mistral-large-2512", "gemini/gemini-2.5-flash"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}
ONE, TWO = calling("call_1"), calling("call_1", "call_2")
LONG = "x" * 41
END = "\n\nLiteLLM: model group '{}' failed with the error above. No fallback was attempted."


def refused(model: str, *messages: Any, **fields: Any) -> tuple[str, Any]:
    found = judged("litellm", chat("litellm", *messages, model=model, **fields))
    assert found is not None
    error = found.body["error"]
    assert error["message"].endswith(END.format(model)) or found.status == 500
    return found.rule, error


def test_error_of_openai_is_its_sentence_with_its_place() -> None:
    rule, error = refused(GPT, USER, ONE, USER)

    assert rule == "litellm/openai-tool-calls-unanswered"
    assert error == {
        "message": "litellm.BadRequestError: OpenAIException - An assistant message with 'tool_calls' must be followed "
        "by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response "
        f"messages: call_1{END.format(GPT)}",
        "type": "invalid_request_error",
        "param": "messages.[2].role",
        "code": "400",
    }


def test_error_of_another_maker_is_its_body_as_a_text() -> None:
    rule, error = refused(CLAUDE, USER, TWO, result("call_1"))

    assert rule == "litellm/anthropic-tool-use-unanswered"
    began = 'litellm.BadRequestError: AnthropicException - {"type":"error","error":{"type":"invalid_request_error",'
    assert error["message"].startswith(f'{began}"message":"messages.1: `tool_use` ids were found without')
    assert refused(DEEPSEEK, USER, ONE, result("call_1"))[1]["message"].startswith(
        'litellm.BadRequestError: DeepseekException - {"error":{"message":"The `reasoning_content` in the thinking mode'
    )
    assert refused(MISTRAL, USER, ONE, result("call_1"))[1]["message"].startswith(
        'litellm.BadRequestError: MistralException - {"object":"error","message":"Tool call id was call_1 but must be'
    )


def test_id_that_is_too_long_is_told_as_a_full_window() -> None:
    _, error = refused(GPT, USER, calling(LONG), result(LONG), tools=[TOOL])

    assert error["message"].startswith(
        "litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: OpenAIException - "
        "Invalid 'messages[1].tool_calls[0].id': string too long."
    )


def test_parameter_of_another_maker_is_refused_unless_it_may_be_dropped() -> None:
    rule, error = refused(CLAUDE, USER, seed=1)

    assert rule == "litellm/parameter-unsupported"
    assert error["message"].startswith(
        "litellm.UnsupportedParamsError: anthropic does not support parameters: ['seed'], for model=claude-sonnet-4-6."
    )
    assert judged("litellm", chat("litellm", USER, model=CLAUDE, seed=1, drop_params=True)) is None
    assert judged("litellm", chat("litellm", USER, model=GPT, seed=1)) is None


def test_result_for_gemini_without_its_call_is_an_error_of_the_proxy() -> None:
    found = judged("litellm", chat("litellm", USER, ONE, result("call_2"), model=FLASH))

    assert found is not None
    assert (found.rule, found.status) == ("litellm/gemini-result-without-call", 500)
    assert found.body["error"]["type"] == "internal_server_error"


@pytest.mark.parametrize(
    ("model", "messages", "fields"),
    [
        (CLAUDE, [USER, ONE, result("call_1")], {}),
        (CLAUDE, [{"role": "user", "content": ""}], {"tools": [], "max_tokens": 0}),
        (CLAUDE, [USER, {"role": "assistant", "content": ""}, USER], {}),
        (CLAUDE, [{"role": "assistant", "content": "Hello."}, USER], {}),
        (CLAUDE, [USER, {"role": "assistant", "content": "Hello."}, {"role": "system", "content": "Be brief."}], {}),
        (DEEPSEEK, [{"role": "developer", "content": "Be brief."}, USER], {"tool_choice": "required"}),
        (MISTRAL, [{"role": "developer", "content": "Be brief."}, USER], {}),
        (GPT, [USER], {"tool_choice": "auto", "stop": ["a", "b", "c", "d", "e"]}),
        (GPT, [USER], {"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "get_weather"}}}),
        (FLASH, [USER, TWO, result("call_2"), result("call_1")], {"tools": [TOOL], "tool_choice": "auto"}),
        ("gemini/gemini-3-flash-preview", [USER, ONE, result("call_1")], {}),
        ("our-model", [USER, ONE, USER], {"seed": 1}),
    ],
)
def test_what_the_proxy_mends_or_the_maker_accepts_is_accepted(
    model: str, messages: list[Any], fields: dict[str, Any]
) -> None:
    assert judged("litellm", chat("litellm", *messages, model=model, **fields)) is None


def test_name_of_no_rule_of_the_maker_is_found_when_its_book_is_made() -> None:
    MakersBook("litellm", deepseek.BOOK, DEEPSEEK_BEHIND_IT, "deepseek")
    renamed = replace(DEEPSEEK_BEHIND_IT, quoted=measured("role-unknown rule-of-yesterday"))

    with pytest.raises(ValueError, match="deepseek/ has no such rules: rule-of-yesterday"):
        MakersBook("litellm", deepseek.BOOK, renamed, "deepseek")
