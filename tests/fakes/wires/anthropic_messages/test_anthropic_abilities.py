"""What one model takes and another does not: each refusal, and the models that do not say it."""

import json
from typing import Any

import pytest
from anthropic_requests import NEW, OLD, PATH, body, judged, rule_of, sentence

from fakes import judge

ENABLED = {"type": "enabled", "budget_tokens": 1024}
ADAPTIVE = {"type": "adaptive"}
DISABLED = {"type": "disabled"}
UNKNOWN = ("claude-opus-6", "claude-haiku-6-20270101", "claude-next-latest", "model")


def of(model: str, **fields: Any) -> str | None:
    return rule_of(model=model, max_tokens=4096, **fields)


@pytest.mark.parametrize("model", ["claude-opus-4-7", "claude-opus-4-8", "claude-opus-5", NEW, "claude-fable-5"])
def test_newer_models_take_no_budget_and_no_way_to_sample(model: str) -> None:
    assert of(model, thinking=ENABLED) == "anthropic/thinking-type-unsupported"
    assert of(model, thinking=ADAPTIVE) is None
    assert of(model, thinking=DISABLED) is None
    for name in ("temperature", "top_p", "top_k"):
        assert sentence(model=model, **{name: 0.5 if name != "top_k" else 5}) == (
            f"`{name}` is deprecated for this model."
        )
    assert of(model, temperature=1, top_p=0.99) is None
    assert of(model, top_p=-1, top_k=-1) is None


@pytest.mark.parametrize("model", ["claude-opus-4-6", "claude-sonnet-4-6"])
def test_models_between_take_both_ways_to_think(model: str) -> None:
    assert of(model, thinking=ENABLED) is None
    assert of(model, thinking=ADAPTIVE) is None
    assert of(model, temperature=0.2, top_k=5) is None


@pytest.mark.parametrize("model", [OLD, "claude-haiku-4-5-20251001", "claude-opus-4-1"])
def test_older_models_think_by_a_budget_and_sample_one_way(model: str) -> None:
    assert sentence(model=model, thinking=ADAPTIVE) == "adaptive thinking is not supported on this model"
    assert of(model, thinking=ENABLED) is None
    assert of(model, temperature=0.1, top_p=0.9) == "anthropic/temperature-and-top-p"
    assert of(model, temperature=0.1, top_p=-1) is None
    assert of("claude-3-haiku-20240307", temperature=0.1, top_p=0.9) is None


def test_newest_opus_does_not_stop_thinking() -> None:
    said = sentence(model="claude-opus-5-5", thinking=DISABLED)

    assert said is not None
    assert said.startswith('"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive" and')


def test_thinking_leaves_sampling_alone() -> None:
    context = {"model": OLD, "max_tokens": 4096, "thinking": ENABLED}

    assert rule_of(**context, top_k=5) == "anthropic/thinking-top-k"
    assert rule_of(**context, top_p=0.9) == "anthropic/thinking-top-p"
    assert rule_of(**context, top_p=0.95) is None
    assert rule_of(**{**context, "thinking": DISABLED}, top_k=5, top_p=0.9) is None


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
def test_efforts_are_those_of_the_model(model: str, levels: str, refused: tuple[str, ...]) -> None:
    for effort in ("low", "medium", "high", "xhigh", "max"):
        said = f"This model does not support effort level '{effort}'. Supported levels: {levels}."
        assert sentence(model=model, output_config={"effort": effort}) == (said if effort in refused else None)


@pytest.mark.parametrize("model", [OLD, "claude-haiku-4-5-20251001", "claude-opus-4-1-20250805"])
def test_older_models_know_no_effort(model: str) -> None:
    said = "This model does not support the effort parameter."
    assert sentence(model=model, output_config={"effort": "high"}) == said
    assert of(model, output_config={"effort": None}) is None


@pytest.mark.parametrize(
    ("model", "most", "named"),
    [
        ("claude-3-haiku-20240307", 4096, "claude-3-haiku-20240307"),
        ("claude-3-5-sonnet-latest", 8192, "claude-3-5-sonnet-20241022"),
        ("claude-3-5-sonnet-20240620", 8192, "claude-3-5-sonnet-20240620"),
        ("claude-opus-4-20250514", 32_000, "claude-opus-4-20250514"),
        ("claude-opus-4-0", 32_000, "claude-opus-4-20250514"),
        ("anthropic/claude-haiku-4-5", 64_000, "claude-haiku-4-5-20251001"),
        ("claude-haiku-4-5-20260601", 64_000, "claude-haiku-4-5-20260601"),
        (NEW, 128_000, NEW),
    ],
)
def test_model_writes_so_much_at_most(model: str, most: int, named: str) -> None:
    assert rule_of(model=model, max_tokens=most) is None
    assert sentence(model=model, max_tokens=most + 1) == (
        f"max_tokens: {most + 1} > {most}, which is the maximum allowed number of output tokens for {named}"
    )


def test_limit_is_lifted_by_its_beta_for_one_model() -> None:
    headers = {"anthropic-beta": "a,output-128k-2025-02-19"}

    def rule(model: str, most: int) -> str | None:
        context = json.dumps(body(model=model, max_tokens=most)).encode()
        return (violation := judge("anthropic", PATH, context, headers)) and violation.rule

    assert rule("claude-3-7-sonnet-latest", 128_000) is None
    assert rule("claude-3-7-sonnet-20250219", 128_001) == "anthropic/max-tokens-large"
    assert rule("claude-sonnet-4-5", 128_000) == "anthropic/max-tokens-large"


@pytest.mark.parametrize("model", [*UNKNOWN, "claude-opus-5-5", "claude-opus-4-9", "claude-haiku-5"])
def test_model_without_a_known_limit_writes_on(model: str) -> None:
    assert rule_of(model=model, max_tokens=1_000_000) is None


@pytest.mark.parametrize("model", UNKNOWN)
def test_model_that_is_not_known_may_do_anything(model: str) -> None:
    for context in ({"thinking": ENABLED}, {"thinking": ADAPTIVE}, {"temperature": 0.1, "top_p": 0.9}, {"top_k": 5}):
        assert judged(model=model, max_tokens=4096, **context) is None
    assert of(model, output_config={"effort": "xhigh"}) is None
