"""Single steps of the loop that the answer itself does not show: what stands in the next request."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from reference_setups import WIRES, Recorder, calls, scripted_fake, sent, setup_for, start_adapter

from agent_conformance import AgentError, Limits
from agent_conformance.adapter.types import Pending, ToolCall
from agent_conformance.agents.reference import Adapter, bounds, prompts
from agent_conformance.agents.reference.answers import Answer, fallback_reply
from fake_providers.http import Request, Response
from fake_providers.reply import Call, Fault
from fake_providers.reply import Reply as Scripted

DONE = Scripted(text="Done.")


class Canned:
    """Answers each request with the next body, and keeps what was sent."""

    def __init__(self, *bodies: Any) -> None:
        self._bodies = list(bodies)
        self.sent: list[Any] = []

    def handle(self, request: Request) -> Response:
        self.sent.append(json.loads(request.body))
        body = self._bodies.pop(0)
        return Response(200, (("content-type", "application/json"),), (json.dumps(body).encode(),))


def test_paused_answer_goes_back_as_it_came(tmp_path: Path) -> None:
    search = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "rain"}}
    paused = {"content": [{"type": "text", "text": "I search."}, search], "stop_reason": "pause_turn"}
    handler = Canned(paused, {"content": [{"type": "text", "text": "It rains."}], "stop_reason": "end_turn"})

    reply, _ = sent(start_adapter(setup_for("anthropic-messages", tmp_path), handler), "Does it rain?")

    assert reply == "It rains."
    assert handler.sent[1]["messages"] == [
        *handler.sent[0]["messages"],
        {"role": "assistant", "content": paused["content"]},
    ]


@pytest.mark.parametrize("wire", WIRES)
def test_last_request_of_the_limit_asks_for_an_answer_without_calls(wire: str, tmp_path: Path) -> None:
    fake = scripted_fake(wire, *(calls("get_weather", city=f"City {n}") for n in range(9)))
    setup = setup_for(wire, tmp_path, tools=[Recorder().tool()], limits=Limits(requests=2))

    reply, _ = sent(start_adapter(setup, fake), "Look.")

    assert len(fake.requests) == 2
    assert reply.strip()


def test_only_request_of_the_limit_may_call_nothing(tmp_path: Path) -> None:
    fake = scripted_fake("openai-chat", DONE)
    setup = setup_for("openai-chat", tmp_path, tools=[Recorder().tool()], limits=Limits(requests=1))

    sent(start_adapter(setup, fake), "Look.")

    assert json.loads(fake.requests[0].body)["tool_choice"] == "none"


def test_call_that_was_hidden_is_reported_to_the_model_with_the_tools(tmp_path: Path) -> None:
    broken = '<tool_call>{"name": "ghost", "arguments": {}}</tool_call>'
    fake = scripted_fake("openai-chat", Scripted(text=f"I look. {broken}"), DONE)

    sent(start_adapter(setup_for("openai-chat", tmp_path, tools=[Recorder().tool()]), fake), "Look.")

    *_, model, note = json.loads(fake.requests[1].body)["messages"]
    assert model == {"role": "assistant", "content": "I look."}
    assert note == {"role": "user", "content": prompts.unreadable_call(["ghost"], ["get_weather"])}


def test_nothing_but_a_hidden_call_leaves_words_for_it(tmp_path: Path) -> None:
    fake = scripted_fake("openai-chat", Scripted(text="<tool_call>words</tool_call>"), DONE)

    sent(start_adapter(setup_for("openai-chat", tmp_path, tools=[Recorder().tool()]), fake), "Look.")

    assert json.loads(fake.requests[1].body)["messages"][-2] == {"role": "assistant", "content": prompts.UNREADABLE}


def test_calls_without_ids_get_ids_that_differ(tmp_path: Path) -> None:
    call = {"type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
    body = {"choices": [{"message": {"content": None, "tool_calls": [call, call]}, "finish_reason": "tool_calls"}]}
    done = {"choices": [{"message": {"content": "Done."}, "finish_reason": "stop"}]}
    handler = Canned(body, body, done)

    sent(start_adapter(setup_for("openai-chat", tmp_path, tools=[Recorder().tool()]), handler), "Look.")

    messages = handler.sent[2]["messages"]
    made = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    assert len(set(made)) == 4
    assert [message["tool_call_id"] for message in messages if message["role"] == "tool"] == made


def test_repeated_call_is_refused_with_how_often_it_had_its_result(tmp_path: Path) -> None:
    fake = scripted_fake("openai-chat", *(calls("get_weather", city="Oslo") for _ in range(4)), DONE)

    sent(start_adapter(setup_for("openai-chat", tmp_path, tools=[Recorder().tool()]), fake), "Look.")

    results = [
        message["content"] for message in json.loads(fake.requests[-1].body)["messages"] if message["role"] == "tool"
    ]
    assert results == [*["7 degrees"] * 3, prompts.REPEATED.format(n=3)]


def test_calls_with_unreadable_arguments_are_answered_and_not_run(tmp_path: Path) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "get_weather", "arguments": "{city"}}
    body = {"choices": [{"message": {"content": None, "tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    handler = Canned(body, {"choices": [{"message": {"content": "Done."}, "finish_reason": "stop"}]})
    recorder = Recorder()

    sent(start_adapter(setup_for("openai-chat", tmp_path, tools=[recorder.tool()]), handler), "Look.")

    assert recorder.ran == []
    assert "get_weather was not run" in handler.sent[1]["messages"][-1]["content"]


@pytest.mark.parametrize(("finish", "words"), [("length", prompts.CUT_OFF), ("content_filter", prompts.WITHHELD)])
def test_calls_of_an_answer_that_did_not_end_are_answered_and_not_run(finish: str, words: str, tmp_path: Path) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
    body = {"choices": [{"message": {"content": None, "tool_calls": [call]}, "finish_reason": finish}]}
    handler = Canned(body, {"choices": [{"message": {"content": "Done."}, "finish_reason": "stop"}]})
    recorder = Recorder()

    sent(start_adapter(setup_for("openai-chat", tmp_path, tools=[recorder.tool()]), handler), "Look.")

    assert recorder.ran == []
    assert handler.sent[1]["messages"][-1]["content"] == words


def test_text_of_a_stream_that_breaks_off_is_kept_for_a_defence_that_wants_it(tmp_path: Path) -> None:
    class Partial(Adapter):
        defences = replace(Adapter.defences, partial_answer=lambda error, so_far: Answer(so_far))

    text = "It is 7 degrees and raining in Oslo."
    fake = scripted_fake("openai-chat", Scripted(text=text, fault=Fault(cut_after=4)))

    reply, deltas = sent(start_adapter(setup_for("openai-chat", tmp_path, stream=True), fake, Partial), "Look.")

    assert text.startswith(reply)
    assert reply == deltas


def test_call_in_a_text_that_was_cut_off_does_not_run(tmp_path: Path) -> None:
    cut_off = Scripted(text='<tool_call>{"name": "get_weather", "arguments": {}}</tool_call>', finish="length")
    fake, recorder = scripted_fake("openai-chat", cut_off, DONE), Recorder()

    reply, _ = sent(start_adapter(setup_for("openai-chat", tmp_path, tools=[recorder.tool()]), fake), "Look.")

    assert (recorder.ran, reply) == ([], "Done.")


TO_CORRECT = {
    "a call in a text that cannot be read": lambda n: Scripted(text="<tool_call>words</tool_call>"),
    "a name that is invented": lambda n: calls(f"ghost_{n}"),
    "arguments that cannot be read": lambda n: Scripted(calls=(Call("get_weather", arguments_text="{city"),)),
    "a call that is cut off": lambda n: Scripted(calls=(Call("get_weather", {}),), finish="length"),
}


@pytest.mark.parametrize("reply", TO_CORRECT.values(), ids=TO_CORRECT)
def test_model_that_is_corrected_again_and_again_is_given_up(reply: Callable[[int], Scripted], tmp_path: Path) -> None:
    fake = scripted_fake("openai-chat", *(reply(n) for n in range(bounds.REQUESTS)))

    said, _ = sent(start_adapter(setup_for("openai-chat", tmp_path, tools=[Recorder().tool()]), fake), "Look.")

    assert len(fake.requests) == bounds.CORRECTIONS + 2
    assert said == fallback_reply(Answer(), closing=True)


@pytest.mark.parametrize(
    ("finish", "words"),
    [("length", "cut off before it began"), ("content_filter", "withheld by the provider"), ("stop", "empty")],
)
def test_turn_without_an_answer_says_why(finish: str, words: str, tmp_path: Path) -> None:
    body = {"choices": [{"message": {"content": None}, "finish_reason": finish}]}

    with pytest.raises(AgentError, match=words):
        sent(start_adapter(setup_for("openai-chat", tmp_path), Canned(*[body] * 9)), "Look.")


def test_turn_waits_until_the_user_has_answered_about_every_call(tmp_path: Path) -> None:
    answers: dict[str, bool] = {}

    async def approve(call: ToolCall) -> bool:
        if call.arguments["city"] not in answers:
            raise Pending("wait")
        return answers[call.arguments["city"]]

    both = Scripted(calls=(Call("get_weather", {"city": "Oslo"}), Call("get_weather", {"city": "Rome"})))
    fake, recorder = scripted_fake("openai-chat", both, DONE), Recorder()

    def turn() -> str:
        setup = setup_for("openai-chat", tmp_path, tools=[recorder.tool(approval="ask")], aapprove=approve)
        return sent(start_adapter(setup, fake), "Look.")[0]

    for allowed, ran in (({}, []), ({"Oslo": True}, ["Oslo"]), ({}, ["Oslo"])):
        answers |= allowed
        with pytest.raises(Pending):
            turn()
        assert ([arguments["city"] for _, arguments in recorder.ran], len(fake.requests)) == (ran, 1)
    answers["Rome"] = False

    assert turn() == "Done."
    assert [arguments["city"] for _, arguments in recorder.ran] == ["Oslo"]
