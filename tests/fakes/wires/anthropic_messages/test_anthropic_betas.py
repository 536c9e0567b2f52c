"""Unknown names are accepted with the header of a beta or a version whose name is not known, whatever its date."""

import json
from typing import Any, get_args

import pytest
from anthropic import types
from anthropic_requests import PATH, TOOL, assistant, body, text_block, tool_result, tool_use, user

from fake_providers import judge
from fake_providers.wires.anthropic_messages.betas import BETAS

UNKNOWN: dict[str, dict[str, Any]] = {
    "anthropic/extra-key": body(swarm={"size": 3}),
    "anthropic/message-extra-key": body(user() | {"priority": 1}),
    "anthropic/tool-type-unknown": body(tools=[{"type": "swarm", "name": "swarm"}]),
    "anthropic/tool-extra-key": body(tools=[TOOL | {"priority": 1}]),
    "anthropic/block-type-unknown": body(user([{"type": "swarm"}])),
    "anthropic/block-extra-key": body(user([text_block("a") | {"priority": 1}])),
    "anthropic/tool-result-block": body(
        user(), assistant([tool_use()]), user([tool_result(content=[{"type": "swarm"}])]), tools=[TOOL]
    ),
}


def rule(request_body: dict[str, Any], header: str, version: str = "2023-06-01") -> str | None:
    headers = {"anthropic-beta": header, "anthropic-version": version}
    violation = judge("anthropic", PATH, json.dumps(request_body).encode(), headers)
    return violation.rule if violation else None


@pytest.mark.parametrize("expected", UNKNOWN)
def test_unknown_name_needs_a_beta_that_is_not_known(expected: str) -> None:
    for known in ("", "interleaved-thinking-2025-05-14", "claude-code-20250219,context-1m-2025-08-07"):
        assert rule(UNKNOWN[expected], known) == expected
    for unknown in ("swarm", "swarm-2024-01-15", "interleaved-thinking-2025-05-14, swarm-2027-01-15"):
        assert rule(UNKNOWN[expected], unknown) is None
    assert rule(UNKNOWN[expected], "", "2024-01-15") is None


def test_unknown_beta_permits_nothing_else() -> None:
    assert rule(body(temperature=2), "swarm-2027-01-15") == "anthropic/temperature-type"
    assert rule(body(user(), assistant([tool_use()]), user()), "swarm-2027-01-15") == "anthropic/tool-use-unanswered"


def test_betas_of_the_installed_sdk_are_known_by_name() -> None:
    """With its newest release, `.ci/weekly` says which names to add, once all that they bring is accepted."""
    names = {name for one in get_args(types.AnthropicBetaParam) for name in get_args(one)}

    assert len(names) > 40
    assert sorted(names - BETAS) == []


@pytest.mark.parametrize("absent", ["required", "properties"])
def test_null_in_the_place_of_a_member_that_the_sdk_types_as_optional_is_accepted(absent: str) -> None:
    def judged(schema: dict[str, Any]) -> str | None:
        return rule(body(tools=[TOOL | {"input_schema": schema}]), "")

    assert judged({"type": "object", absent: None}) is None
    assert judged({"type": "object", absent: 7}) == "anthropic/tool-schema-invalid"
    inner = {"type": "object", "properties": {"a": {"type": "object", absent: None}}}
    assert judged(inner) == "anthropic/tool-schema-invalid"
