"""An agent may throw a broken reply away and request the same again; dropping a good call is still one finding."""

import json
from typing import Any

import pytest

from tests.agents.plain import PlainAgent
from tests.trying import WEATHER, only_findings

AFTER = """
      - calls: [{name: get_weather, arguments: {city: Oslo}}]
      - text: It is 7 degrees and raining in Oslo.
    expect:
      executed: [{get_weather: {city: Oslo}}]
      reply: It is 7 degrees and raining in Oslo.
      requests: [{at: 2, added: {blank: false}}]
"""
HEAD = WEATHER + "conversation:\n  - user: What is the weather in Oslo?\n    model:"

BROKEN = {
    "unterminated": """
      - calls: [{name: get_weather, arguments_text: '{"city": "Osl'}]""",
    "wrong type": """
      - calls: [{name: get_weather, arguments: {place: [Oslo]}}]""",
    "one id twice": """
      - calls:
          - {id: dup000001, name: get_weather, arguments: {city: Oslo}}
          - {id: dup000001, name: get_weather, arguments: {city: Rome}}""",
    "invented name": """
      - calls: [{name: get_wether, arguments: {city: Oslo}}]""",
}


class RequestsAgain(PlainAgent):
    """Right: keeps nothing of a reply in which a call is broken."""

    def take(self, response: dict[str, Any]) -> Any:
        kept, text, calls = self.shape.read(response)
        known = {tool.name for tool in self.tools()}
        while len({id for id, _, _ in calls if id}) < len([id for id, _, _ in calls if id]) or any(
            name not in known or not isinstance(arguments, dict) or "city" not in arguments
            for _, name, arguments in calls
        ):
            kept, text, calls = self.shape.read(self.post(self.body()))
        self.messages += kept
        return text, calls


class SaysNothing(PlainAgent):
    """Wrong: answers a broken call with a blank result."""

    def run(self, name: str, arguments: Any) -> str:
        result = super().run(name, arguments)
        return result if result == "7 degrees and rain" else ""


class DropsCalls(PlainAgent):
    """Wrong: keeps nothing of its first good call, and requests the same again."""

    dropped = False

    def take(self, response: dict[str, Any]) -> Any:
        kept, text, calls = self.shape.read(response)
        if calls and not self.dropped:
            self.dropped = True
            kept, text, calls = self.shape.read(self.post(self.body()))
        self.messages += kept
        return text, calls


@pytest.mark.parametrize("reply", BROKEN)
def test_broken_reply_may_be_thrown_away(reply: str) -> None:
    found = only_findings(RequestsAgain, HEAD + BROKEN[reply] + AFTER, open_models=True)

    assert found
    assert set(map(tuple, found.values())) == {()}


@pytest.mark.parametrize("reply", ["unterminated", "wrong type", "invented name"])
def test_broken_reply_that_is_answered_with_nothing_is_one_finding(reply: str) -> None:
    found = only_findings(SaysNothing, HEAD + BROKEN[reply] + AFTER)

    assert set(map(tuple, found.values())) == {("1.requests[0]",)}


def test_good_call_that_is_thrown_away_is_one_finding() -> None:
    text = HEAD + 2 * "\n      - calls: [{name: get_weather, arguments: {city: Oslo}}]" + "\n      - text: Rain."

    assert set(map(tuple, only_findings(DropsCalls, text).values())) == {("paired",)}


def test_reply_that_is_not_read_to_its_end_may_be_thrown_away() -> None:
    class StopsReading(RequestsAgain):
        """Reads a stream as far as the first chunk that ends a call badly."""

        wires = ("openai-chat",)
        modes = ("stream",)

        def post(self, body: dict[str, Any]) -> dict[str, Any]:
            import httpx2

            pieces: dict[str, Any] = {"text": "", "calls": {}}
            with httpx2.stream(
                "POST",
                self.setup.base_url + self.shape.path,
                json={**body, "stream": True},
                headers=self.shape.headers,
                trust_env=False,
            ) as response:
                for line in response.iter_lines():
                    if not line.startswith("data: {"):
                        continue
                    for choice in json.loads(line[6:])["choices"]:
                        pieces["text"] += choice["delta"].get("content") or ""
                        for call in choice["delta"].get("tool_calls", ()):
                            known = pieces["calls"].setdefault(call["index"], {"id": "", "name": "", "text": ""})
                            known["id"] += call.get("id") or ""
                            known["name"] += call["function"].get("name") or ""
                            known["text"] += call["function"].get("arguments") or ""
                        if choice["finish_reason"]:
                            return self.whole(pieces)
            raise AssertionError

        def whole(self, pieces: dict[str, Any]) -> dict[str, Any]:
            calls = [
                {"id": c["id"], "type": "function", "function": {"name": c["name"], "arguments": c["text"]}}
                for c in pieces["calls"].values()
            ]
            message: dict[str, Any] = {"role": "assistant", "content": pieces["text"]}
            return {"choices": [{"message": {**message, "tool_calls": calls} if calls else message}]}

    assert only_findings(StopsReading, HEAD + BROKEN["unterminated"] + AFTER) == {"openai-chat+stream": []}
