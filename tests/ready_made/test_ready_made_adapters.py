"""Each ready-made adapter, where what it runs is installed: one call, one conversation, one failure, on every wire."""

from pathlib import Path

import pytest

from agent_conformance.attach.loading import load_agent
from agent_conformance.attach.ready_made import Ready
from tests.trying import ONE_CALL, WEATHER, only_findings

CONVERSATION = (
    WEATHER
    + """
system: Be brief.
history:
  - user: And in Rome?
  - assistant: {calls: [{id: call_aaaaaaaaaa, name: get_weather, arguments: {city: Rome}}]}
  - tool: {id: call_aaaaaaaaaa, result: 20 degrees}
  - assistant: It is 20 degrees.
conversation:
  - user: Thanks.
    model:
      - text: You are welcome.
    expect:
      reply: You are welcome.
      requests: [{at: 1, system: {contains: [Be brief.]}, roles: [user, assistant, tool, assistant, user]}]
"""
)

TOOL_RAISES = """
tools:
  - name: get_weather
    description: Current weather for a city.
    parameters: {city: string}
    raises: no such city
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_weather, arguments: {city: Oslo}}]
      - text: Something went wrong.
    expect:
      reply: Something went wrong.
"""

SWITCHED_OFF = (
    WEATHER
    + """
conversation:
  - user: Hello.
    tools: []
    model:
      - text: Hello.
    expect:
      requests: [{at: 1, tools: none}]
"""
)


@pytest.mark.parametrize("scenario", [ONE_CALL, CONVERSATION, TOOL_RAISES, SWITCHED_OFF])
@pytest.mark.filterwarnings("default")
def test_ready_made_adapter_passes(ready: Ready, scenario: str) -> None:
    adapter = load_agent(ready.name, cwd=Path.cwd()).adapter
    if scenario == SWITCHED_OFF and ("own-tools" in adapter.features or "tool-filter" not in adapter.features):
        pytest.skip("it offers tools of its own, or those that are switched off")
    found = only_findings(adapter, scenario)

    assert len(found) == len(adapter.wires) * len(adapter.modes)
    assert not any(found.values()), found
