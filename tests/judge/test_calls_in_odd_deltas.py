"""Calls that share an index may be told apart, answered together with an error, thrown away or given up; not lost."""

import json
from typing import Any

import pytest

from tests.agents.plain import CLIENT, GaveUp, PlainAgent, loaded
from tests.trying import WEATHER, only_findings

TWO = (
    WEATHER
    + """
conversation:
  - user: What is the weather in Oslo and in Rome?
    model:
      - calls:
          - {name: get_weather, arguments: {city: Oslo}}
          - {name: get_weather, arguments: {city: Rome}}
        quirks: [same-index]
      - text: It rains in both.
    expect:
      outcome: either
"""
)

Calls = dict[Any, dict[str, Any]]


class Streams(PlainAgent):
    """Right: joins the pieces by their ids."""

    wires = ("openai-chat",)
    modes = ("stream",)

    def ask(self) -> tuple[str, list[tuple[Any, str, Any]]]:
        calls: Calls = {}
        text = ""
        for chunk in self.chunks():
            for choice in chunk["choices"]:
                text += choice["delta"].get("content") or ""
                for piece in choice["delta"].get("tool_calls") or ():
                    self.join(calls, piece)
        return self.keep(text, list(calls.values()))

    def chunks(self) -> list[Any]:
        body = {**self.body(), "stream": True}
        response = CLIENT.post(self.setup.base_url + self.shape.path, json=body, headers=self.shape.headers)
        if response.status_code != 200:
            raise GaveUp(response.text)
        return [json.loads(line[6:]) for line in response.text.splitlines() if line.startswith("data: {")]

    def join(self, calls: Calls, piece: dict[str, Any]) -> None:
        key = piece.get("id") or next(reversed(calls))
        self.add(calls.setdefault(key, {"id": key, "name": "", "text": ""}), piece)

    def add(self, call: dict[str, Any], piece: dict[str, Any]) -> None:
        call["name"] = call["name"] or piece["function"].get("name", "")
        call["text"] += piece["function"].get("arguments") or ""

    def keep(self, text: str, calls: list[dict[str, Any]]) -> tuple[str, list[tuple[Any, str, Any]]]:
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if calls:
            message["tool_calls"] = [
                {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["text"]}}
                for call in calls
            ]
        self.messages.append(message)
        return text, [(call["id"], call["name"], loaded(call["text"])) for call in calls]


class JoinsByIndex(Streams):
    """Right enough: makes one call of two, whose arguments are no JSON, and answers it with an error."""

    def join(self, calls: Calls, piece: dict[str, Any]) -> None:
        self.add(calls.setdefault(piece["index"], {"id": piece.get("id"), "name": "", "text": ""}), piece)

    def keep(self, text: str, calls: list[dict[str, Any]]) -> tuple[str, list[tuple[Any, str, Any]]]:
        *_, answered = super().keep(text, [{**call, "text": json.dumps(call["text"])} for call in calls])
        return text, answered


class GivesUp(JoinsByIndex):
    """Right enough: says that it cannot read such a stream."""

    def keep(self, text: str, calls: list[dict[str, Any]]) -> tuple[str, list[tuple[Any, str, Any]]]:
        if any(isinstance(loaded(call["text"]), str) for call in calls):
            raise GaveUp("the stream of the provider cannot be read")
        return super().keep(text, calls)


class RequestsAgain(JoinsByIndex):
    """Right enough: throws the reply away, and requests the same again."""

    def keep(self, text: str, calls: list[dict[str, Any]]) -> tuple[str, list[tuple[Any, str, Any]]]:
        if any(isinstance(loaded(call["text"]), str) for call in calls):
            return self.ask()
        return super().keep(text, calls)


class AnswersBoth(Streams):
    """Right enough: runs the first, and says of the second that it did not run."""

    def run(self, name: str, arguments: Any) -> str:
        return super().run(name, arguments) if arguments == {"city": "Oslo"} else "Not run: one call at a time."


class LosesTheSecond(Streams):
    """Wrong: reads the first call of an index and skips the rest."""

    def join(self, calls: Calls, piece: dict[str, Any]) -> None:
        if piece.get("id") is None and isinstance(loaded(calls[0]["text"]), dict) and calls[0]["text"]:
            return
        if piece["index"] not in calls or piece.get("id") is None:
            self.add(calls.setdefault(piece["index"], {"id": piece.get("id"), "name": "", "text": ""}), piece)


class DropsBoth(Streams):
    """Wrong: answers no call, and requests the same again."""

    def keep(self, text: str, calls: list[dict[str, Any]]) -> tuple[str, list[tuple[Any, str, Any]]]:
        return self.ask() if calls else super().keep(text, calls)


@pytest.mark.parametrize("agent", [Streams, JoinsByIndex, GivesUp, RequestsAgain, AnswersBoth])
def test_right_agent_runs_or_answers_all_or_none(agent: Any) -> None:
    assert only_findings(agent, TWO, open_models=True) == {"openai-chat+stream": []}


def test_call_that_is_lost_while_another_runs_is_one_finding() -> None:
    assert only_findings(LosesTheSecond, TWO, open_models=True) == {"openai-chat+stream": ["paired"]}


def test_well_formed_stream_still_demands_every_call() -> None:
    assert only_findings(DropsBoth, TWO.replace("[same-index]", "[empty-choices]")) == {
        "openai-chat+stream": ["paired"]
    }
