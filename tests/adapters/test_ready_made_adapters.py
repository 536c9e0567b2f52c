"""Each ready-made adapter, where its framework is installed: one call, one conversation, one failure, on every wire."""

import importlib
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pytest

from tests.trying import ONE_CALL, WEATHER, only_findings

FRAMEWORKS = {
    "pydantic_ai": ("pydantic-ai-slim", 6),
    "openai_agents": ("openai-agents", 2),
    "langchain": ("langchain", 6),
    "google_genai": ("google-genai", 2),
}
"""The adapter's module, the distribution it needs, and how many cases a scenario has: wires times modes."""

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


@pytest.fixture(params=FRAMEWORKS)
def adapter(request: pytest.FixtureRequest) -> tuple[Any, int]:
    distribution, cases = FRAMEWORKS[request.param]
    try:
        version(distribution)
    except PackageNotFoundError:
        pytest.skip(f"{distribution} is not installed")
    return importlib.import_module(f"conformance.adapters.{request.param}").Adapter, cases


@pytest.mark.parametrize("scenario", [ONE_CALL, CONVERSATION, TOOL_RAISES, SWITCHED_OFF])
@pytest.mark.filterwarnings("default")
def test_ready_made_adapter_passes(adapter: tuple[Any, int], scenario: str) -> None:
    found = only_findings(adapter[0], scenario)

    assert len(found) == adapter[1]
    assert not any(found.values()), found
