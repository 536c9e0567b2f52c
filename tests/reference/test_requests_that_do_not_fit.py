"""What the loop does where the provider says that a request is too long: one summary in a turn, then it sends less."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from reference_setups import Recorder, sent, setup_for, start_adapter

from agent_conformance import AgentError, Message
from agent_conformance.adapter.types import NamedTool
from agent_conformance.agents.reference import prompts
from agent_conformance.agents.reference.completion import MAX_SHRINKS
from fake_providers.http import Request, Response

OLDER = (
    Message("user", "Why?"),
    Message("assistant", "So."),
    Message("user", "Since when?"),
    Message("assistant", "May."),
)
LAST = {"role": "user", "content": "And now?"}


class FullWindow:
    """Answers a request for a summary with `summary`, and says of all others but the one after that they are too long.

    `answers` are the numbers, from 1, of the requests that it answers all the same.
    """

    def __init__(self, summary: str | None, *, answers: tuple[int, ...] = ()) -> None:
        self._summary = summary
        self._answers = answers
        self.sent: list[Any] = []

    def handle(self, request: Request) -> Response:
        body = json.loads(request.body)
        self.sent.append(body)
        if body["messages"][-1]["content"] == prompts.SUMMARISE:
            return _answer(self._summary) if self._summary is not None else _too_long()
        return _answer("It rains.") if len(self.sent) in self._answers else _too_long()

    @property
    def summaries(self) -> list[Any]:
        return [body for body in self.sent if body["messages"][-1]["content"] == prompts.SUMMARISE]


def _answer(text: str) -> Response:
    message = {"role": "assistant", "content": text}
    return _response(200, {"choices": [{"message": message, "finish_reason": "stop"}]})


def _too_long() -> Response:
    return _response(400, {"error": {"message": "This is too long for the context length of the model."}})


def _response(status: int, body: Any) -> Response:
    return Response(status, (("content-type", "application/json"),), (json.dumps(body).encode(),))


def turn(window: FullWindow, folder: Path, **more: Any) -> str:
    setup = setup_for("openai-chat", folder, **{"history": OLDER, "system": "Be brief.", **more})
    return sent(start_adapter(setup, window), "And now?")[0]


def test_summary_takes_the_place_of_earlier_turns_in_the_next_request(tmp_path: Path) -> None:
    window = FullWindow("They talked of rain.", answers=(3,))

    assert turn(window, tmp_path) == "It rains."

    first, summary, last = (body["messages"] for body in window.sent)
    assert summary == [*first[:-1], {"role": "user", "content": prompts.SUMMARISE}]
    assert first[0] == {"role": "system", "content": "Be brief."}
    assert [message["role"] for message in last[:2]] == ["system", "user"]
    assert "They talked of rain." in json.dumps(last)
    assert "Since when?" not in json.dumps(last)
    assert "And now?" in json.dumps(last[-1])


@pytest.mark.parametrize("summary", ["They talked of rain.", " ", None])
def test_one_summary_is_asked_for_in_a_turn(summary: str | None, tmp_path: Path) -> None:
    window = FullWindow(summary)

    with pytest.raises(AgentError, match="context length"):
        turn(window, tmp_path)

    assert len(window.summaries) == 1


@pytest.mark.parametrize(("history", "summaries"), [(OLDER[:2], 1), (OLDER[:1], 0)])
def test_one_earlier_turn_is_enough_for_a_summary(history: tuple[Message, ...], summaries: int, tmp_path: Path) -> None:
    window = FullWindow("They talked of rain.")

    with pytest.raises(AgentError, match="context length"):
        turn(window, tmp_path, history=history)

    assert len(window.summaries) == summaries


@pytest.mark.parametrize("summary", [" ", None])
def test_without_a_summary_older_turns_are_dropped(summary: str | None, tmp_path: Path) -> None:
    window = FullWindow(summary, answers=(3,))

    assert turn(window, tmp_path) == "It rains."
    assert len(window.sent[2]["messages"]) < len(window.sent[0]["messages"])
    assert window.sent[2]["messages"][-1] == LAST


def test_request_for_a_summary_has_the_tools_and_lets_none_be_called(tmp_path: Path) -> None:
    window = FullWindow("They talked of rain.", answers=(3,))

    turn(window, tmp_path, tools=[Recorder().tool()])

    first, summary, last = window.sent
    assert summary["tools"] == first["tools"] == last["tools"]
    assert (first.get("tool_choice"), summary["tool_choice"], last.get("tool_choice")) == (None, "none", None)


def test_each_request_is_smaller_than_the_one_that_did_not_fit(tmp_path: Path) -> None:
    window = FullWindow(None)
    history = [Message(role, f"{role} {n} " * 40) for n in range(12) for role in ("user", "assistant")]

    with pytest.raises(AgentError, match="context length"):
        turn(window, tmp_path, history=tuple(history))

    sizes = [len(json.dumps(body["messages"])) for body in window.sent if body not in window.summaries]
    assert len(sizes) == MAX_SHRINKS
    assert all(later < earlier * 0.8 for earlier, later in pairwise(sizes))


def test_request_that_cannot_be_smaller_is_sent_once(tmp_path: Path) -> None:
    window = FullWindow(None)

    with pytest.raises(AgentError, match="context length"):
        turn(window, tmp_path, history=())

    assert len(window.sent) == 1


def test_tool_that_ran_after_a_summary_is_not_forced_again(tmp_path: Path) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
    calling = {"choices": [{"message": {"content": None, "tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    answers = [_too_long(), _answer("They talked of rain."), _response(200, calling), _answer("It rains.")]
    bodies: list[Any] = []

    class Answering:
        def handle(self, request: Request) -> Response:
            bodies.append(json.loads(request.body))
            return answers.pop(0)

    more = {"tools": [Recorder().tool()], "tool_choice": NamedTool("get_weather"), "history": OLDER}
    sent(start_adapter(setup_for("openai-chat", tmp_path, **more), Answering()), "And now?")

    forced = {"type": "function", "function": {"name": "get_weather"}}
    assert [body.get("tool_choice") for body in bodies] == [forced, "none", forced, None]
