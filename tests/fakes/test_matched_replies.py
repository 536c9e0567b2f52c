"""Replies by the request: conditions, their order within a conversation, retries, and what contradicts itself."""

import random
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import openai
import pytest

from fake_providers import Call, Fault, Reply, View, When
from fake_providers.provider_facts import own_provider
from fake_providers.serving.loopback import serve
from fake_providers.serving.scripted_fake import ScriptedFake
from tests.fakes.small_client import WIRES, SmallClient, client_of

CALL = Reply(calls=(Call("weather", {"city": "Oslo"}),))
WARM = Reply(text="7 degrees.")
HELLO = Reply(text="Hello.")
TOOLS = ("weather", "clock")
TOOL: Any = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}


@pytest.mark.parametrize("wire", WIRES)
def test_reply_is_chosen_by_the_words_of_the_user(wire: str) -> None:
    client = client_of(wire, [When(user="warm", reply=[CALL, WARM]), When(user="Hi", reply=HELLO)], tools=TOOLS)

    assert client.ask("Hi.").text == "Hello."
    assert client.ask("How warm is it?").calls == ("weather",)
    assert client.answer_call("7").text == "7 degrees."
    assert client.ask("Hi again.").text == "Hello."
    assert client.fake.unused_replies == []


@pytest.mark.parametrize("wire", WIRES)
def test_conversations_at_the_same_time_do_not_take_each_other_s_replies(wire: str) -> None:
    replies = [Reply(text=str(number)) for number in range(6)]
    fake = ScriptedFake(own_provider(wire), [When(user="a", reply=replies), When(user="b", reply=replies)], wire=wire)
    clients = [SmallClient(fake) for _ in range(8)]
    order = [index for index in range(8) for _ in range(6)]
    random.Random(7).shuffle(order)
    said: list[list[str]] = [[] for _ in clients]
    for index in order:
        said[index].append(clients[index].ask("ab"[index % 2]).text)

    assert said == [["0", "1", "2", "3", "4", "5"]] * 8


@pytest.mark.parametrize("wire", WIRES)
def test_request_that_is_sent_again_gets_the_same_reply(wire: str) -> None:
    client = client_of(wire, [When(user="Hi", reply=[CALL, WARM])], tools=TOOLS)
    before = client.ask("Hi.")
    again = SmallClient(client.fake, tools=TOOLS)

    assert again.ask("Hi.").calls == before.calls == ("weather",)
    assert client.answer_call("7").text == again.answer_call("7").text == "7 degrees."


def test_retry_after_a_fault_gets_the_next_reply() -> None:
    client = client_of("openai-chat", [When(user="Hi", reply=[Reply(fault=Fault(status=529)), HELLO, WARM])])

    assert client.ask("Hi.").status == 529
    assert client.send().text == "Hello."
    assert client.ask("Hi, again.").text == "7 degrees."


def test_fault_by_number_leaves_the_reply_for_the_retry() -> None:
    fake = ScriptedFake("openai", [When(user="Hi", reply=[HELLO, WARM])], faults={1: Fault(status=503)})
    client = SmallClient(fake)

    assert client.ask("Hi.").status == 503
    assert client.send().text == "Hello."


def test_history_that_an_agent_shortens_continues_its_conversation() -> None:
    client = client_of("openai-chat", [When(user="Hi", reply=[CALL, CALL, WARM])], tools=TOOLS)
    client.ask("Hi.")
    client.answer_call("a long result")
    client.history[2]["content"] = "[shortened]"

    assert client.answer_call("another").text == "7 degrees."


def test_last_reply_of_a_conversation_is_repeated() -> None:
    client = client_of("openai-chat", [When(user="Hi", reply=[HELLO, WARM])])

    assert [client.ask("Hi.").text for _ in range(4)] == ["Hello.", "7 degrees.", "7 degrees.", "7 degrees."]


def test_reply_with_times_gives_way_to_the_default() -> None:
    client = client_of("openai-chat", [When(user="Hi", reply=HELLO, times=2), When(reply=WARM)])
    other = SmallClient(client.fake)

    assert [client.ask("Hi.").text for _ in range(3)] == ["Hello.", "Hello.", "7 degrees."]
    assert other.ask("Hi, you.").text == "Hello."


TRUE_OF_FIRST: dict[str, dict[str, Any]] = {
    "user-text": {"user": "warm"},
    "user-regex": {"user": "/^how WARM/i"},
    "user-compiled": {"user": re.compile(r"\?$")},
    "model": {"model": "gpt-4.1"},
    "model-regex": {"model": "/^gpt-/"},
    "tool": {"tools": "clock"},
    "tools": {"tools": ["clock", "weather"]},
    "no-result": {"has_tool_result": False},
    "turn": {"turn": 1},
    "request": {"request": 1},
    "predicate": {"predicate": lambda view: len(view.messages) == 1},
}
FALSE_OF_FIRST: dict[str, dict[str, Any]] = {
    "user-text": {"user": "Warm"},
    "user-regex": {"user": "/^warm/"},
    "model": {"model": "gpt-4"},
    "tools": {"tools": ["clock", "mail"]},
    "system": {"system": "polite"},
    "result": {"has_tool_result": True},
    "result-of": {"result_of": "weather"},
    "result-text": {"result": "7"},
    "turn": {"turn": 2},
    "request": {"request": 2},
    "predicate": {"predicate": lambda view: False},
    "one-of-two": {"user": "warm", "turn": 2},
}
TRUE_OF_RESULT: dict[str, dict[str, Any]] = {
    "result": {"has_tool_result": True},
    "result-of": {"result_of": "weather"},
    "result-text": {"result": "/[0-9] degrees/"},
    "request": {"request": 2},
}


@pytest.mark.parametrize("name", TRUE_OF_FIRST)
def test_condition_is_met(name: str) -> None:
    client = client_of("openai-chat", [When(reply=WARM, **TRUE_OF_FIRST[name])], tools=TOOLS)

    assert client.ask("How warm is it?").text == "7 degrees."


@pytest.mark.parametrize("name", FALSE_OF_FIRST)
def test_condition_is_not_met(name: str) -> None:
    replies = [When(reply=WARM, **FALSE_OF_FIRST[name]), When(reply=HELLO)]

    assert client_of("openai-chat", replies, tools=TOOLS).ask("How warm is it?").text == "Hello."


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("name", TRUE_OF_RESULT)
def test_condition_on_a_result_is_met(name: str, wire: str) -> None:
    replies = [When(reply=WARM, **TRUE_OF_RESULT[name]), When(reply=[CALL, HELLO])]
    client = client_of(wire, replies, tools=TOOLS)
    client.ask("How warm is it?")

    assert client.answer_call("7 degrees").text == "7 degrees."


def test_system_prompt_is_a_condition() -> None:
    client = client_of("openai-chat", [When(system="polite", reply=HELLO)])
    client.history.append({"role": "system", "content": "Be polite."})

    assert client.ask("Hi.").text == "Hello."


def test_request_is_counted_within_its_turn() -> None:
    client = client_of(
        "openai-chat", [When(turn=2, request=2, reply=WARM), When(reply=[CALL, HELLO, CALL])], tools=TOOLS
    )
    client.ask("How warm is it?")
    assert client.answer_call("7").text == "Hello."
    assert client.ask("And now?").calls == ("weather",)

    assert client.answer_call("8").text == "7 degrees."


def test_function_makes_the_reply_of_a_condition() -> None:
    replies = [When(user="Hi", reply=lambda view: Reply(text=view.messages[-1].text.upper()))]

    assert client_of("openai-chat", replies).ask("Hi, you.").text == "HI, YOU."


def test_function_makes_each_reply_and_none_is_the_default() -> None:
    def reply_to(view: View) -> Reply | None:
        return Reply(text=f"{len(view.messages)}") if "count" in view.messages[-1].text else None

    client = client_of("openai-chat", reply_to)

    assert [client.ask(text).text for text in ("count", "Hi.", "count")] == ["1", "Done.", "5"]


def test_request_that_nothing_matches_is_stopped() -> None:
    client = client_of("openai-chat", [When(user="warm", reply=WARM)], tools=TOOLS)
    said = client.ask("Hi.")

    assert said.status == 400
    assert "no reply of the script matches this request (turn 1, request 1; user: 'Hi.'; model: gpt-4.1; " in said.error
    assert "stopped: no reply of the script matches" in client.fake.transcript
    assert client.fake.violations == []
    assert len(client.fake.stops) == 1


def test_request_that_two_replies_match_is_stopped_with_both_places() -> None:
    replies = [When(user="warm", reply=WARM), When(user="cold", reply=HELLO, place="replies.yaml:7")]
    client = client_of("anthropic-messages", replies)

    assert client.ask("How warm?").text == "7 degrees."
    said = client.ask("Warm or cold, is it warm?")
    assert said.status == 400
    assert "replies[0] and replies.yaml:7 both match this request" in said.error
    assert "Add a condition to one of them" in said.error


def test_pattern_that_explodes_is_stopped_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fake_providers.values.patterns.MATCH_SECONDS", 0.2)
    client = client_of("openai-chat", [When(user="/(a|aa)+$/", reply=WARM)])

    assert "takes more than 0.2 s to match" in client.ask("a" * 60 + "!").error


def test_user_of_serve_hears_of_a_request_that_nothing_matched() -> None:
    with (
        pytest.raises(LookupError, match="no reply of the script matches"),
        serve("openai", [When(user="a", reply=HELLO)]) as fake,
    ):
        SmallClient(fake).ask("b")


BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "same-place": (
        lambda: [When(user="a", reply=HELLO, place="f"), When(user="a", reply=WARM, place="f")],
        "f: f has the same conditions.",
    ),
    "same": (
        lambda: [When(user="a", reply=HELLO), When(user="a", reply=WARM)],
        "replies[1]: replies[0] has the same conditions. Put the replies into one list",
    ),
    "wider-before": (
        lambda: [When(user="a", reply=HELLO), When(user="a", turn=1, reply=WARM)],
        "replies[1]: replies[0] matches every request that this matches. Add a condition to replies[0]",
    ),
    "wider-after": (
        lambda: [When(user="warm now", reply=HELLO), When(user="warm", reply=WARM, place="f.yaml:3")],
        "replies[0]: f.yaml:3 matches every request that this matches. Add a condition to f.yaml:3",
    ),
    "tools": (
        lambda: [When(tools=["a", "b"], reply=HELLO), When(tools="a", reply=WARM)],
        "replies[0]: replies[1] matches every",
    ),
    "two-defaults": (lambda: [When(reply=HELLO), When(reply=WARM)], "replies[1]: replies[0] is the default already"),
    "regex": (lambda: [When(user="/(/", reply=HELLO)], "replies[0]: '/(/' is no regular expression: missing )"),
    "regex-too-large": (
        lambda: [When(user="/a{99999999999}/", reply=HELLO)],
        "replies[0]: '/a{99999999999}/' is no regular expression: ",
    ),
    "empty": (lambda: [When(user="a", reply=[])], "replies[0]: `reply` is an empty list; expected a reply"),
    "text": (lambda: [When(user="a", reply=["b"])], "replies[0]: `reply` is 'b'; expected a reply"),  # type: ignore[list-item]
    "turn": (lambda: [When(turn=0, reply=HELLO)], "replies[0]: `turn` is 0. It is counted from 1."),
    "times": (lambda: [When(reply=[HELLO, WARM], times=1)], "`times: 1` leaves 2 replies no room"),
    "mixed": (lambda: [HELLO, When(user="a", reply=WARM)], "some have conditions and some have none"),
    "no-reply": (lambda: ["Hello."], "'Hello.' is no reply. Give `Reply(...)`"),
    "one": (lambda: HELLO, "is neither a list of replies nor a function of the request"),
}


@pytest.mark.parametrize("name", BAD)
def test_replies_that_make_no_sense_are_refused_with_their_place(name: str) -> None:
    make, message = BAD[name]

    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        ScriptedFake("openai", make())


def test_thousands_of_replies_are_compared_in_time() -> None:
    replies = [When(user=f"word {number} of many", reply=HELLO) for number in range(5000)]
    began = time.process_time()
    ScriptedFake("openai", replies)
    ScriptedFake("openai", replies[:300])

    assert time.process_time() - began < 5
    with pytest.raises(ValueError, match="has the same conditions"):
        ScriptedFake("openai", [*replies, replies[7]])


def test_conditions_that_may_differ_are_no_contradiction() -> None:
    pairs = [
        (When(user="a", reply=HELLO), When(user="b", reply=WARM)),
        (When(user="a", has_tool_result=True, reply=HELLO), When(user="a", has_tool_result=False, reply=WARM)),
        (When(user="/a/", reply=HELLO), When(user="/ab/", reply=WARM)),
        (When(user="a", reply=HELLO), When(reply=WARM)),
        (When(model="gpt-4.1", reply=HELLO), When(model="gpt-4.1-mini", reply=WARM)),
    ]

    for pair in pairs:
        ScriptedFake("openai", pair)


def test_replies_that_no_conversation_got_are_unused() -> None:
    client = client_of("openai-chat", [When(user="a", reply=[HELLO, CALL]), When(reply=WARM)])
    client.ask("a")

    assert client.fake.unused_replies == [CALL, WARM]


def test_replies_and_faults_may_be_set_later() -> None:
    client = client_of("openai-chat", [HELLO])
    client.ask("Hi.")
    client.fake.set_replies([WARM])
    client.fake.set_faults({2: Fault(status=503)})

    assert [client.ask("Hi.").text, client.ask("Hi.").status, client.send().text] == ["7 degrees.", 503, "7 degrees."]


def test_clients_in_threads_get_their_own_replies_over_sockets() -> None:
    replies = [When(user=f"/client {number}$/", reply=[CALL, Reply(text=f"for {number}")]) for number in range(8)]
    with serve("openai", replies) as fake, ThreadPoolExecutor(8) as pool:

        def converse(number: int) -> str:
            with openai.OpenAI(api_key="k", base_url=fake.base_url) as client:
                messages: list[Any] = [{"role": "user", "content": f"I am client {number}"}]
                call = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=[TOOL])
                [made] = call.choices[0].message.tool_calls or []
                messages += [call.choices[0].message, {"role": "tool", "tool_call_id": made.id, "content": "7"}]
                answer = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=[TOOL])
            return answer.choices[0].message.content or ""

        said = list(pool.map(converse, range(8)))

    assert said == [f"for {number}" for number in range(8)]
    assert fake.unused_replies == []


def test_sdk_that_retries_gets_the_reply_after_the_fault() -> None:
    replies = [When(user="Hi", reply=[Reply(fault=Fault(status=503, retry_after=0)), HELLO]), When(reply=WARM)]
    with (
        serve("openai", replies) as fake,
        openai.OpenAI(api_key="k", base_url=fake.base_url, max_retries=1) as client,
    ):
        answer = client.chat.completions.create(model="gpt-4.1", messages=[{"role": "user", "content": "Hi."}])

    assert answer.choices[0].message.content == "Hello."
    assert len(fake.requests) == 2
