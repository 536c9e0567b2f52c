"""Bugs where a conversation goes on with another model or provider."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agent_conformance.adapter.types import Setup
from agent_conformance.agents.mutants.mutant import Mutants
from agent_conformance.agents.reference import Defences

MUTANTS = Mutants()


@MUTANTS.add(
    "M52a_old_model_kept",
    "after a change of the model, requests name the new one",
    "https://github.com/NousResearch/hermes-agent/issues/112121",
    (
        ("turns/switched-to-another-model", "named-model"),
        ("turns/switched-to-another-provider[anthropic, gemini, chat]", "named-model"),
        ("long-sessions/model-changed-after-ten-turns[anthropic, chat]", "named-model"),
    ),
)
def _old_model_kept(defences: Defences) -> Defences:
    """The new address and key are used, and the name of the model is that of the start."""

    def mixed(before: Setup, now: Setup) -> Setup:
        return replace(now, model=before.model)

    return replace(defences, switched_setup=mixed)


@MUTANTS.add(
    "M52b_switch_ignored",
    "after a change of the provider, the new one is asked",
    "https://github.com/CommonstackAI/UncommonRoute/issues/19",
    (
        ("turns/switched-to-another-provider[anthropic]", "named-model"),
        ("pairs/*switch*", "named-model"),
    ),
)
def _switch_ignored(defences: Defences) -> Defences:
    return replace(defences, switched_setup=lambda before, now: before)


@MUTANTS.add(
    "M52c_parameter_of_older_models",
    "a parameter is sent to the models that take it",
    "https://github.com/anomalyco/opencode/issues/37964",
    (("turns/switched-to-another-model", "accepted:openai/max-tokens-unsupported"),),
)
def _parameter_of_older_models(defences: Defences) -> Defences:
    """`max_tokens` is sent to every model of chat completions."""

    def limited(body: Mapping[str, Any]) -> bytes:
        more = {"max_tokens": 1000} if str(body.get("model", "")).startswith("gpt-") and "messages" in body else {}
        return json.dumps({**body, **more}).encode()

    return replace(defences, body_bytes=limited)


@MUTANTS.add(
    "M53a_first_model_at_the_second",
    "each provider is asked for its own name of the model",
    "https://github.com/openclaw/openclaw/issues/152871",
    (
        ("turns/rate-limited-at-first[mistral, anthropic]", "named-model"),
        ("turns/overloaded-after-a-call[mistral]", "named-model"),
        ("pairs/*fallback*", "named-model"),
    ),
)
def _first_model_at_the_second(defences: Defences) -> Defences:
    def mixed(setup: Setup) -> Setup | None:
        second = defences.fallback_setup(setup)
        return replace(second, model=setup.model) if second else None

    return replace(defences, fallback_setup=mixed)


@MUTANTS.add(
    "M53b_rate_limit_ends_the_turn",
    "where the first provider is rate limited, the second one is asked",
    "https://github.com/nicobailon/pi-subagents/issues/1936",
    (("turns/rate-limited-at-first[mistral]", "1.*"),),
)
def _rate_limit_ends_the_turn(defences: Defences) -> Defences:
    return replace(defences, falls_back=lambda error: error.status not in (400, 413, 422, 429))
