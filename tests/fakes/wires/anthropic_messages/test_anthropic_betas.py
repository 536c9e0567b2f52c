"""Unknown names are accepted with the header of a beta that is newer than what is known, and refused otherwise."""

import json
from typing import Any, get_args

import pytest
from anthropic import types
from anthropic_requests import PATH, TOOL, assistant, body, text_block, tool_result, tool_use, user

from fake_providers import judge
from fake_providers.wires.anthropic_messages.rules.values import DATE, KNOWN_UNTIL

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


def rule(request_body: dict[str, Any], header: str) -> str | None:
    violation = judge("anthropic", PATH, json.dumps(request_body).encode(), {"anthropic-beta": header})
    return violation.rule if violation else None


@pytest.mark.parametrize("expected", UNKNOWN)
def test_unknown_name_needs_a_beta_that_is_not_known(expected: str) -> None:
    for known in ("", "interleaved-thinking-2025-05-14", "claude-code-20250219,context-1m-2025-08-07", "swarm"):
        assert rule(UNKNOWN[expected], known) == expected
    for newer in ("swarm-2027-01-15", "interleaved-thinking-2025-05-14, swarm-2027-01-15", "swarm-20270115"):
        assert rule(UNKNOWN[expected], newer) is None


def test_newer_beta_permits_nothing_else() -> None:
    assert rule(body(temperature=2), "swarm-2027-01-15") == "anthropic/temperature-type"
    assert rule(body(user(), assistant([tool_use()]), user()), "swarm-2027-01-15") == "anthropic/tool-use-unanswered"


def test_betas_of_the_sdk_are_known_up_to_its_newest() -> None:
    names = [name for one in get_args(types.AnthropicBetaParam) for name in get_args(one)]
    dates = ["".join(date.groups()) for name in names if (date := DATE.search(name))]

    assert len(dates) > 40
    assert max(dates) >= KNOWN_UNTIL
