"""What the models of autumn 2026 refuse, and what they accept: as Anthropic's pages "What's new" list it by model."""

from typing import Any

import pytest
from anthropic_requests import TOOL, broken_rule, error_message

ENABLED = {"type": "enabled", "budget_tokens": 1024}
ADAPTIVE = {"type": "adaptive"}
DISABLED = {"type": "disabled"}
BETWEEN_TOOLS = {"type": "between_tools"}
ALWAYS_THINK = ("claude-opus-5-5", "claude-fable-5", "claude-fable-5-1", "claude-fable-5-2", "claude-mythos-5-1")
NEVER_FORCED = ("claude-opus-5-5", "claude-sonnet-5-5", "claude-fable-5-1", "claude-fable-5-2", "claude-mythos-5-2")
FORCED = ("claude-opus-5", "claude-sonnet-5", "claude-haiku-5-5", "claude-fable-5", "claude-mythos-5", "claude-opus-6")
NEWEST = ("claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5", "claude-fable-5-2", "claude-mythos-5-2")
NO_BETWEEN_TOOLS = (*ALWAYS_THINK, "claude-haiku-5-5", "claude-sonnet-5", "claude-sonnet-4-6", "claude-haiku-4-5")


def of(model: str, **fields: Any) -> str | None:
    return broken_rule(model=model, max_tokens=4096, **fields)


def with_effort(model: str, thinking: dict[str, Any], effort: str) -> str | None:
    return of(model, thinking=thinking, output_config={"effort": effort})


@pytest.mark.parametrize("model", NEVER_FORCED)
def test_forced_call_is_refused_with_and_without_thinking(model: str) -> None:
    for choice in ({"type": "any"}, {"type": "tool", "name": "f"}):
        expected = 'tool_choice: type "tool" and "any" are not supported for this model.'
        assert error_message(model=model, tools=[TOOL], tool_choice=choice) == expected
        assert error_message(model=model, tools=[TOOL], tool_choice=choice, thinking=ADAPTIVE) == expected
    for choice in ({"type": "auto"}, {"type": "none"}):
        assert of(model, tools=[TOOL], tool_choice=choice) is None


@pytest.mark.parametrize("model", FORCED)
def test_forced_call_is_accepted_by_the_models_before(model: str) -> None:
    assert of(model, tools=[TOOL], tool_choice={"type": "any"}) is None
    assert of(model, tools=[TOOL], tool_choice={"type": "any"}, thinking=ADAPTIVE) is None


@pytest.mark.parametrize("model", ALWAYS_THINK)
def test_models_that_always_think_refuse_to_be_stopped(model: str) -> None:
    expected = (
        '"thinking.type.{}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" '
        "to control thinking behavior."
    )

    assert error_message(model=model, thinking=DISABLED) == expected.format("disabled")
    assert error_message(model=model, max_tokens=4096, thinking=ENABLED) == expected.format("enabled")
    assert of(model, thinking=ADAPTIVE, output_config={"effort": "max"}) is None
    assert of(model) is None


def test_sonnet_has_a_setting_of_its_own_instead_of_disabled() -> None:
    assert error_message(model="claude-sonnet-5-5", thinking=DISABLED) == (
        '"thinking.type.disabled" is not supported for this model. Use "thinking.type.between_tools" for the lowest '
        'thinking setting, or "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
    )
    assert of("claude-sonnet-5-5", thinking=BETWEEN_TOOLS) is None
    assert of("claude-sonnet-5-5", thinking=ADAPTIVE) is None
    for key, value in (("display", "summarized"), ("budget_tokens", 1024), ("block_binding", {})):
        assert error_message(model="claude-sonnet-5-5", thinking={**BETWEEN_TOOLS, key: value}) == (
            f"thinking.between_tools.{key}: Extra inputs are not permitted"
        )


@pytest.mark.parametrize("model", NO_BETWEEN_TOOLS)
def test_no_other_model_has_that_setting(model: str) -> None:
    message = error_message(model=model, thinking=BETWEEN_TOOLS)

    assert message is not None
    assert message.startswith('"thinking.type.between_tools" is not supported for this model.')


@pytest.mark.parametrize(
    ("model", "thinking"),
    [("claude-opus-5", DISABLED), ("claude-haiku-5-5", DISABLED), ("claude-sonnet-5-5", BETWEEN_TOOLS)],
)
def test_highest_efforts_need_thinking(model: str, thinking: dict[str, Any]) -> None:
    for effort in ("xhigh", "max"):
        assert with_effort(model, thinking, effort) == "anthropic/effort-without-thinking"
        assert with_effort(model, ADAPTIVE, effort) is None
        assert of(model, output_config={"effort": effort}) is None
    for effort in ("low", "medium", "high"):
        assert with_effort(model, thinking, effort) is None


def test_highest_efforts_without_thinking_are_accepted_by_the_opus_before() -> None:
    assert with_effort("claude-opus-4-8", DISABLED, "xhigh") is None


def test_haiku_accepts_only_the_defaults_of_sampling_one_at_a_time() -> None:
    assert of("claude-haiku-5-5", temperature=1) is None
    assert of("claude-haiku-5-5", top_p=0.99) is None
    assert of("claude-haiku-5-5", temperature=0) == "anthropic/sampling-deprecated"
    for top_p in (0.5, 0.95, 1):
        assert of("claude-haiku-5-5", top_p=top_p) == "anthropic/sampling-deprecated"
    assert of("claude-haiku-5-5", top_k=1) == "anthropic/sampling-deprecated"
    assert of("claude-haiku-5-5", temperature=1, top_p=0.99) == "anthropic/temperature-and-top-p"
    assert of("claude-haiku-5-5", thinking=ENABLED) == "anthropic/thinking-type-unsupported"
    assert of("claude-haiku-5-5", thinking=DISABLED) is None


@pytest.mark.parametrize("model", NEWEST)
def test_newest_models_have_the_toolset_for_computer_use(model: str) -> None:
    earlier = {"type": "computer_20251124", "name": "computer", "display_width_px": 800, "display_height_px": 600}

    assert error_message(model=model, tools=[TOOL, earlier]) == (
        f"'{model}' does not support tool types: computer_20251124."
    )
    assert of(model, tools=[TOOL, {"type": "computer_toolset_20260801"}]) is None
    assert of("claude-sonnet-5", tools=[TOOL, earlier]) is None
