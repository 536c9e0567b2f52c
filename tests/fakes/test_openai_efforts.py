"""The efforts that each of OpenAI's models supports, on both wires, and what an effort of `none` permits."""

import json
from typing import Any

import pytest

from fake_providers import Violation, judge

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
SUPPORTED = {
    "o1": "low medium high",
    "o1-pro": "low medium high",
    "o3": "low medium high",
    "o3-mini": "low medium high",
    "o4-mini-2025-04-16": "low medium high",
    "gpt-5": "minimal low medium high",
    "gpt-5-mini-2025-08-07": "minimal low medium high",
    "gpt-5-nano": "minimal low medium high",
    "gpt-5.1": "none low medium high",
    "gpt-5.1-chat-latest": "medium",
    "gpt-5.2": "none low medium high xhigh",
    "gpt-5.2-chat-latest": "medium",
    "gpt-5.3-chat-latest": "medium",
    "gpt-5.4": "none low medium high xhigh",
    "gpt-5.4-mini": "none low medium high xhigh",
    "gpt-5.5": "none low medium high xhigh",
    "gpt-6-sol": "none low medium high xhigh max",
    "gpt-6-luna": "none low medium high xhigh max",
    "gpt-6.1-sol": "low medium high xhigh max",
    "gpt-6.1-terra": "none low medium high xhigh max",
}
ONLY_RESPONSES = {
    "gpt-5-pro": "high",
    "gpt-5.1-codex": "low medium high",
    "gpt-5.1-codex-max": "low medium high xhigh",
    "gpt-5.2-pro": "medium high xhigh",
    "gpt-5.3-codex": "none low medium high xhigh",
    "gpt-5.4-pro": "medium high xhigh",
    "gpt-5.5-pro": "medium high xhigh",
}
RESPONSES = {
    **SUPPORTED,
    **ONLY_RESPONSES,
    "gpt-5.6": "none low medium high xhigh max",
    "gpt-5.6-sol": "none low medium high xhigh max",
    "gpt-6-astra": "low medium high xhigh max",
}
CHAT = {
    **SUPPORTED,
    "gpt-5.6": "none low medium high xhigh",
    "gpt-5.6-terra": "none low medium high xhigh",
    "gpt-6-astra": "low medium high xhigh",
}
LENIENT = ("gpt-7", "gpt-6.2-sol", "gpt-5.9-luna", "a-model-of-ours")


def responses(model: str, effort: str | None = None, **fields: Any) -> Violation | None:
    body = {"model": model, "input": "Hi.", **fields}
    return judged("/v1/responses", body | ({} if effort is None else {"reasoning": {"effort": effort}}))


def chat(model: str, effort: str | None = None, **fields: Any) -> Violation | None:
    body = {"model": model, "messages": [{"role": "user", "content": "Hi."}], **fields}
    return judged("/v1/chat/completions", body | ({} if effort is None else {"reasoning_effort": effort}))


def judged(path: str, body: dict[str, Any]) -> Violation | None:
    return judge("openai", path, json.dumps(body).encode(), {"content-type": "application/json"})


def test_each_model_supports_its_efforts_on_responses() -> None:
    found = {model: " ".join(one for one in EFFORTS if responses(model, one) is None) for model in RESPONSES}

    assert found == RESPONSES


def test_each_model_supports_its_efforts_on_chat_completions() -> None:
    found = {model: " ".join(one for one in EFFORTS if chat(model, one) is None) for model in CHAT}

    assert found == CHAT


@pytest.mark.parametrize("model", LENIENT)
def test_model_whose_efforts_are_not_known_supports_each(model: str) -> None:
    assert [responses(model, one) for one in EFFORTS] == [None] * len(EFFORTS)
    assert [chat(model, one) for one in EFFORTS] == [None] * len(EFFORTS)


def test_refusal_lists_the_supported_efforts() -> None:
    on_responses, on_chat = responses("gpt-5.1", "minimal"), chat("gpt-5.2-chat-latest", "high")

    assert on_responses is not None
    assert on_responses.body["error"] == {
        "message": "Unsupported value: 'minimal' is not supported with the 'gpt-5.1' model. Supported values are: "
        "'none', 'low', 'medium', and 'high'.",
        "type": "invalid_request_error",
        "param": "reasoning.effort",
        "code": "unsupported_value",
    }
    assert on_chat is not None
    assert on_chat.body["error"] == {
        "message": "Unsupported value: 'reasoning_effort' does not support 'high' with this model. Supported values "
        "are: 'medium'.",
        "type": "invalid_request_error",
        "param": "reasoning_effort",
        "code": "unsupported_value",
    }


def test_models_that_do_not_reason_know_no_effort_on_chat_completions() -> None:
    for model in ("gpt-4o", "gpt-4o-mini", "gpt-4.1-nano", "gpt-3.5-turbo", "chatgpt-4o-latest"):
        violation = chat(model, "none")

        assert violation is not None, model
        assert violation.body["error"]["message"] == "Unrecognized request argument supplied: reasoning_effort"
        assert chat(model, reasoning_effort=None) is None


def test_word_that_no_model_knows_is_refused() -> None:
    on_responses, on_chat = responses("gpt-7", "extreme"), chat("gpt-7", "extreme")

    assert on_responses is not None
    assert on_responses.rule == "openai/responses-parameter-value"
    assert on_chat is not None
    assert (on_chat.rule, on_chat.confidence) == ("openai/option-value", "inferred")


@pytest.mark.parametrize("model", ["gpt-5.1", "gpt-5.2", "gpt-5.3-codex", "gpt-5.4", "gpt-5.4-mini"])
def test_model_that_does_not_reason_by_default_takes_sampling_and_logprobs(model: str) -> None:
    assert responses(model, temperature=0.5, top_p=0.9, top_logprobs=1) is None
    assert responses(model, include=["message.output_text.logprobs"]) is None
    assert chat(model, temperature=0.5, logprobs=True, top_logprobs=1) is None
    assert responses(model, "low", top_logprobs=1) is not None
    assert responses(model, "low", temperature=0.5) is not None
    assert chat(model, "low", logprobs=True) is not None


@pytest.mark.parametrize("model", ["gpt-5.5", "gpt-5.6-sol", "gpt-6-luna"])
def test_model_that_reasons_by_default_takes_logprobs_with_an_effort_of_none(model: str) -> None:
    assert responses(model, top_logprobs=1) is not None
    assert responses(model, "none", top_logprobs=1) is None
    assert chat(model, logprobs=True) is not None
    assert chat(model, "none", logprobs=True) is None


@pytest.mark.parametrize("model", ["gpt-5", "gpt-5-mini", "o4-mini", "gpt-4o-mini-search-preview"])
def test_models_that_never_give_logprobs_forbid_them(model: str) -> None:
    violation = chat(model, logprobs=True, top_logprobs=2)

    assert violation is not None
    assert (violation.rule, violation.status) == ("openai/logprobs-not-allowed", 403)
    assert chat(model, logprobs=False) is None


def test_newest_models_cannot_use_tools_on_chat_completions_at_any_effort() -> None:
    tool = {"type": "function", "function": {"name": "f"}}
    for effort in (None, *EFFORTS):
        assert chat("gpt-6-astra", effort, tools=[tool]) is not None
        assert chat("gpt-6.1-sol", effort, tools=[tool]) is not None
    assert chat("gpt-6-luna", "none", tools=[tool]) is None
