"""What some models accept and others refuse: each refusal, and the models without it."""

import json
from typing import Any

import pytest
from anthropic_requests import NEW, OLD, PATH, body, broken_rule, error_message, violation_of

from fake_providers import judge

ENABLED = {"type": "enabled", "budget_tokens": 1024}
ADAPTIVE = {"type": "adaptive"}
DISABLED = {"type": "disabled"}
UNKNOWN = ("claude-opus-6", "claude-haiku-6-20270101", "claude-next-latest", "model")


def of(model: str, **fields: Any) -> str | None:
    return broken_rule(model=model, max_tokens=4096, **fields)


@pytest.mark.parametrize("model", ["claude-opus-4-7", "claude-opus-4-8", "claude-opus-5", NEW])
def test_newer_models_refuse_a_budget_and_sampling_parameters(model: str) -> None:
    assert of(model, thinking=ENABLED) == "anthropic/thinking-type-unsupported"
    assert of(model, thinking=ADAPTIVE) is None
    assert of(model, thinking=DISABLED) is None
    for name in ("temperature", "top_p", "top_k"):
        assert error_message(model=model, **{name: 0.5 if name != "top_k" else 5}) == (
            f"`{name}` is deprecated for this model."
        )
    assert of(model, temperature=1, top_p=0.99) is None
    assert of(model, top_p=-1, top_k=-1) is None


@pytest.mark.parametrize("model", ["claude-opus-4-6", "claude-sonnet-4-6"])
def test_models_in_between_accept_both_types_of_thinking(model: str) -> None:
    assert of(model, thinking=ENABLED) is None
    assert of(model, thinking=ADAPTIVE) is None
    assert of(model, temperature=0.2, top_k=5) is None


@pytest.mark.parametrize("model", [OLD, "claude-haiku-4-5-20251001", "claude-opus-4-1"])
def test_older_models_think_with_a_budget_and_accept_one_sampling_parameter(model: str) -> None:
    assert error_message(model=model, thinking=ADAPTIVE) == "adaptive thinking is not supported on this model"
    assert of(model, thinking=ENABLED) is None
    assert of(model, temperature=0.1, top_p=0.9) == "anthropic/temperature-and-top-p"
    assert of(model, temperature=0, top_p=0) == "anthropic/temperature-and-top-p"
    assert of(model, temperature=0.1, top_p=-1) is None
    assert of("claude-3-haiku-20240307", temperature=0.1, top_p=0.9) is None


def test_newest_opus_cannot_disable_thinking() -> None:
    message = error_message(model="claude-opus-5-5", thinking=DISABLED)

    assert message is not None
    assert message.startswith(
        '"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive" and'
    )


def test_thinking_excludes_sampling_parameters() -> None:
    context = {"model": OLD, "max_tokens": 4096, "thinking": ENABLED}

    assert broken_rule(**context, top_k=5) == "anthropic/thinking-top-k"
    assert broken_rule(**context, top_p=0.9) == "anthropic/thinking-top-p"
    assert broken_rule(**context, top_k=0) == "anthropic/thinking-top-k"
    assert broken_rule(**context, top_p=0) == "anthropic/thinking-top-p"
    assert broken_rule(**context, top_p=0.95) is None
    assert broken_rule(**context, top_p=-1, top_k=-1) is None
    assert broken_rule(**{**context, "thinking": DISABLED}, top_k=5, top_p=0.9) is None


@pytest.mark.parametrize(
    ("model", "levels", "refused"),
    [
        ("claude-opus-4-5-20251101", "high, low, medium", ("max", "xhigh")),
        ("claude-opus-4-6", "high, low, max, medium", ("xhigh",)),
        ("claude-sonnet-4-6", "high, low, max, medium", ("xhigh",)),
        ("claude-opus-4-7", "", ()),
        (NEW, "", ()),
    ],
)
def test_supported_efforts_depend_on_the_model(model: str, levels: str, refused: tuple[str, ...]) -> None:
    for effort in ("low", "medium", "high", "xhigh", "max"):
        message = f"This model does not support effort level '{effort}'. Supported levels: {levels}."
        assert error_message(model=model, output_config={"effort": effort}) == (message if effort in refused else None)


@pytest.mark.parametrize("model", [OLD, "claude-haiku-4-5-20251001", "claude-opus-4-1-20250805"])
def test_older_models_refuse_effort(model: str) -> None:
    message = "This model does not support the effort parameter."
    assert error_message(model=model, output_config={"effort": "high"}) == message
    assert of(model, output_config={"effort": None}) is None


@pytest.mark.parametrize(
    ("model", "most", "named"),
    [
        ("claude-3-haiku-20240307", 4096, "claude-3-haiku-20240307"),
        ("claude-3-5-sonnet-latest", 8192, "claude-3-5-sonnet-20241022"),
        ("claude-3-5-sonnet-20240620", 8192, "claude-3-5-sonnet-20240620"),
        ("claude-opus-4-20250514", 32_000, "claude-opus-4-20250514"),
        ("claude-sonnet-4-20250514", 64_000, "claude-sonnet-4-20250514"),
        ("claude-opus-4-0", 32_000, "claude-opus-4-20250514"),
        ("anthropic/claude-haiku-4-5", 64_000, "claude-haiku-4-5-20251001"),
        ("claude-haiku-4-5-20260601", 64_000, "claude-haiku-4-5-20260601"),
        (NEW, 128_000, NEW),
        *((model, 128_000, model) for model in ("claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5")),
        *((model, 128_000, model) for model in ("claude-fable-5-2", "claude-mythos-5-1")),
    ],
)
def test_max_tokens_is_limited_by_the_model(model: str, most: int, named: str) -> None:
    assert broken_rule(model=model, max_tokens=most) is None
    assert error_message(model=model, max_tokens=most + 1) == (
        f"max_tokens: {most + 1} > {most}, which is the maximum allowed number of output tokens for {named}"
    )


def test_beta_header_raises_the_limit_of_one_model() -> None:
    headers = {"anthropic-beta": "a,output-128k-2025-02-19"}

    def rule(model: str, most: int) -> str | None:
        context = json.dumps(body(model=model, max_tokens=most)).encode()
        return (violation := judge("anthropic", PATH, context, headers)) and violation.rule

    assert rule("claude-3-7-sonnet-latest", 128_000) is None
    assert rule("claude-3-7-sonnet-20250219", 128_001) == "anthropic/max-tokens-large"
    assert rule("claude-sonnet-4-5", 128_000) == "anthropic/max-tokens-large"


@pytest.mark.parametrize(
    "model", [*UNKNOWN, "claude-opus-4", "claude-sonnet-4", "claude-opus-5-6", "claude-opus-4-9", "claude-haiku-5"]
)
def test_model_without_a_known_limit_has_none(model: str) -> None:
    assert broken_rule(model=model, max_tokens=1_000_000) is None


@pytest.mark.parametrize("model", UNKNOWN)
def test_unknown_model_accepts_every_parameter(model: str) -> None:
    for context in ({"thinking": ENABLED}, {"thinking": ADAPTIVE}, {"temperature": 0.1, "top_p": 0.9}, {"top_k": 5}):
        assert violation_of(model=model, max_tokens=4096, **context) is None
    assert of(model, output_config={"effort": "xhigh"}) is None


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"user_id": 7}, "metadata.user_id: Input should be a valid string"),
        ({"name": "me"}, "metadata.name: Extra inputs are not permitted"),
        ({"user_id": "me"}, None),
        ({"user_id": None}, None),
        ({}, None),
    ],
)
def test_metadata_has_a_user_id_and_nothing_else(metadata: object, message: str | None) -> None:
    assert error_message(metadata=metadata) == message
