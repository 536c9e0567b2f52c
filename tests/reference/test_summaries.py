"""The reference agent's request for a summary: recognised on every wire, by a function and by a schema."""

from typing import Any

import jsonschema_rs
import pytest

from agent_conformance.agents.reference import Adapter, prompts
from agent_conformance.agents.reference.defences import summarised
from agent_conformance.agents.reference.history import Entry, History
from agent_conformance.agents.reference.wires import WIRES, CompletionRequest, wire_of

OLDER: History = (Entry("system", "Be brief."), Entry("user", "Why?"), Entry("model", "So."))
BY_SCHEMA = jsonschema_rs.validator_for(Adapter.side_requests)


def body(wire: str, *entries: Entry) -> dict[str, Any]:
    request = CompletionRequest("gpt-4.1", False, (*OLDER, *entries), None, {})
    return dict(wire_of(wire, "").encode(request).body)


@pytest.mark.parametrize("wire", WIRES)
def test_request_for_a_summary_is_a_side_request(wire: str) -> None:
    asked, other = body(wire, Entry("user", prompts.SUMMARISE)), body(wire, Entry("user", "Summarise it."))

    assert (Adapter.side_request(asked), BY_SCHEMA.is_valid(asked)) == (True, True)
    assert (Adapter.side_request(other), BY_SCHEMA.is_valid(other)) == (False, False)


def test_summary_takes_the_place_of_earlier_turns() -> None:
    turn = (Entry("user", "And now?"), Entry("model", "Well."))

    assert summarised("All well.", (*OLDER, *turn), len(OLDER)) == (
        Entry("user", prompts.SUMMARY.format(text="All well.")),
        *turn,
    )
