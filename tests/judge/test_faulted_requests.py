"""What counts where something goes wrong: a fault is no request, noise is one, and a hidden reply allows nothing."""

from typing import Any

import httpx2
import pytest

from tests.agents.plain import GaveUp, PlainAgent
from tests.trying import WEATHER, only_findings

CALL = "{name: get_weather, arguments: {city: Oslo}}"


class Patient(PlainAgent):
    """Asks again whatever went wrong."""

    modes = ("plain",)

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        for _ in range(4):
            try:
                return super().post(body)
            except (httpx2.HTTPError, GaveUp, ValueError):
                continue
        raise GaveUp("four times")


class Clairvoyant(Patient):
    """Runs a tool that no model called, when a connection is lost."""

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            return PlainAgent.post(self, body)
        except httpx2.HTTPError:
            self.run("get_weather", {"city": "Oslo"})
            raise GaveUp("lost") from None


def scenario_with(fault: str, *, requests: int) -> str:
    return f"""{WEATHER}
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{CALL}]
      - text: Rain.
        fault: {fault}
      - text: Rain.
        spare: true
    expect:
      executed: [{{get_weather: {{city: Oslo}}}}]
      request_count: {requests}
      reply: Rain.
"""


def findings_of(adapter: Any, text: str, transport: str) -> set[str]:
    return {finding for found in only_findings(adapter, text, transport=transport).values() for finding in found}


@pytest.mark.parametrize("transport", ["process", "socket"])
@pytest.mark.parametrize(
    "fault",
    ["{connection: reset}", "{cut_at: 60}", "{ends: in-an-event}", "{status: 429}", '{body: ""}', '{body: "<html>"}'],
)
def test_a_fault_is_no_request(fault: str, transport: str) -> None:
    assert findings_of(Patient, scenario_with(fault, requests=2), transport) == set()
    assert findings_of(Patient, scenario_with(fault, requests=3), transport) == {"1.request_count"}


@pytest.mark.parametrize("transport", ["process", "socket"])
def test_noise_is_a_request_like_any_other(transport: str) -> None:
    noise = "{noise: [single-bytes]}"

    assert findings_of(PlainAgent, scenario_with(noise, requests=2), transport) == set()
    assert findings_of(PlainAgent, scenario_with(noise, requests=3), transport) == {"1.request_count"}


@pytest.mark.parametrize("fault", ["{connection: reset}", "{connection: closed}"])
def test_a_call_that_was_hidden_allows_nothing_to_run(fault: str) -> None:
    text = f"""{WEATHER}
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{CALL}]
        fault: {fault}
      - text: Rain.
    expect:
      outcome: either
"""

    assert findings_of(Patient, text, "process") == set()
    assert findings_of(Clairvoyant, text, "process") == {"declared-only"}


def test_a_call_after_noise_must_come_back_like_any_other() -> None:
    class Forgetful(PlainAgent):
        """Keeps nothing of a call."""

        def answer(self, results: list[Any]) -> None:
            self.messages = self.messages[:1]

    text = f"""{WEATHER}
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{CALL}]
        fault: {{noise: [single-bytes]}}
      - text: Rain.
"""

    assert findings_of(PlainAgent, text, "process") == set()
    assert findings_of(Forgetful, text, "process") == {"paired"}


@pytest.mark.parametrize("transport", ["process", "socket"])
def test_silence_is_a_hang_of_an_agent_that_waits(transport: str) -> None:
    class Waiting(PlainAgent):
        """Gives up after a while of its own."""

        def post(self, body: dict[str, Any]) -> dict[str, Any]:
            try:
                return self.quick(body)
            except httpx2.TimeoutException:
                raise GaveUp("too slow") from None

        def quick(self, body: dict[str, Any]) -> dict[str, Any]:
            url = self.setup.base_url + self.shape.path
            with httpx2.Client(trust_env=False, verify=False, timeout=0.1) as client:
                return client.post(url, json=body, headers=self.shape.headers).json()

    text = """
wires: [openai-chat]
conversation:
  - user: Say hello.
    model:
      - fault: {connection: silent}
      - text: Hello.
        spare: true
    expect:
      outcome: either
"""

    assert findings_of(Waiting, text, transport) == set()
    assert only_findings(PlainAgent, text, transport=transport, timeout=0.5) == {"openai-chat+plain": ["answers"]}
