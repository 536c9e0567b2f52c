"""What the suite says to a client, and what it hears: the same in each language, from the agents of `fixtures/`.

Each message of the user names what such an agent does. All that they write fits the protocol's schema.
"""

import json
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema
import pytest

from agent_conformance.attach.command.schema import protocol_schema
from tests.clients.test_other_languages import OPENED, WEATHER
from tests.patience import PATIENCE

FIXTURES = {
    "node": "fixtures/agent.mjs",
    "php": "fixtures/agent.php",
    "go": "fixtures",
    "rust": "examples/deeds.rs",
}
LANGUAGES = ["node", "php", "go", pytest.param("rust", marks=pytest.mark.slow)]
REFUSED = ("steering", "model-switch", "compaction")
SCHEMA = protocol_schema()


class Suite:
    """The suite's side of one process."""

    def __init__(self, command: list[str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, encoding="utf-8")

    def write(self, type_: str, **fields: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"type": type_, "session": "s1", **fields}) + "\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        """The next message, without the session."""
        assert self.process.stdout is not None
        message: dict[str, Any] = json.loads(self.process.stdout.readline())
        jsonschema.validate(message, SCHEMA)
        assert message.pop("session", "s1") == "s1"
        return message

    def open(self, **fields: Any) -> dict[str, Any]:
        tools = [{**WEATHER, "approval": "ask", "deferred": True}, {**WEATHER, "name": "get_time", "enabled": False}]
        self.write(**{"type_": "open", **OPENED, "system": "", "tools": tools, **fields, "type": "open"})
        return self.read()

    def send(self, message: str, **fields: Any) -> dict[str, Any]:
        self.write("send", **{"message": message, "enabled": ["get_weather"], **fields})
        return self.read()


@pytest.fixture(params=LANGUAGES)
def start(request: pytest.FixtureRequest, build: Callable[[str, str], list[str]]) -> Iterator[Callable[..., Suite]]:
    """Starts the fixture of one language."""
    started: list[Suite] = []

    def begin(*arguments: str) -> Suite:
        started.append(Suite([*build(request.param, FIXTURES[request.param]), *arguments]))
        return started[-1]

    yield begin
    for one in started:
        one.process.kill()
        one.process.communicate()


@pytest.fixture
def suite(start: Callable[..., Suite]) -> Suite:
    """A process with an open session."""
    begun = start()
    assert begun.open() == {"type": "opened"}
    return begun


def test_hello_has_what_the_agent_declares(start: Callable[..., Suite]) -> None:
    begun = start()
    begun.write("hello", protocol=1)

    assert begun.read() == {
        "type": "hello",
        "protocol": 1,
        "reuse": True,
        "opened": True,
        "wires": ["openai-chat"],
        "features": ["conversation", "cancel", "steering", "model-switch", "compaction"],
        "side_request": {"required": ["title"]},
        "reply_tool": {"tool": "answer", "argument": "text"},
        "instructions_as_message": True,
        "scrub": ["[0-9]+ ms"],
    } | ({"errors": ["node_modules/some-package/"]} if "node" in begun.process.args[0] else {})


@pytest.mark.parametrize("feature", REFUSED)
def test_feature_without_its_method_is_refused_when_the_agent_is_made(
    start: Callable[..., Suite], feature: str
) -> None:
    refused = start(feature).open()

    assert (refused["type"], refused["controlled"]) == ("error", False)
    assert f"the feature {feature} is declared, and " in refused["message"]


def test_agent_that_needs_none_of_the_methods_has_none(start: Callable[..., Suite]) -> None:
    assert start("deltas").open() == {"type": "opened"}


def test_opened_has_the_names_under_which_the_agent_offers_tools(start: Callable[..., Suite]) -> None:
    assert start().open(system="rename") == {"type": "opened", "tool_names": {"get_weather": "weather"}}


def test_agent_that_cannot_be_made_is_an_error(start: Callable[..., Suite]) -> None:
    assert start().open(system="fail") == {"type": "error", "message": "cannot be made"}


def test_reply_ends_the_turn_and_may_be_left_to_the_deltas(suite: Suite) -> None:
    assert suite.send("reply") == {"type": "reply", "text": "Hello."}
    assert suite.send("nothing") == {"type": "reply", "text": None}


def test_deltas_come_in_order_and_can_be_withdrawn(suite: Suite) -> None:
    streamed = [suite.send("stream"), suite.read(), suite.read()]
    withdrawn = [suite.send("withdraw"), *(suite.read() for _ in range(4))]

    end = {"type": "reply", "text": None}
    assert streamed == [{"type": "delta", "text": "a"}, {"type": "delta", "text": "b"}, end]
    assert withdrawn == [
        {"type": "delta", "text": "wrong"},
        {"type": "withdraw"},
        {"type": "delta", "text": "right"},
        {"type": "withdraw", "characters": 2},
        end,
    ]


def test_call_has_its_arguments_and_gets_its_result(suite: Suite) -> None:
    call = suite.send("call")
    suite.write("result", id=call["id"], text="7 degrees é😀\u2028")

    assert call == {"type": "call", "id": call["id"], "tool": "get_weather", "arguments": {"city": "Oslo"}}
    assert suite.read() == {"type": "reply", "text": "7 degrees é😀\u2028"}


@pytest.mark.parametrize(
    "sent",
    [{"text": "plain"}, {"text": "[image/png]", "value": [{"type": "image", "data": "AA=="}]}, {"error": "broken"}],
)
def test_result_as_it_was_sent_has_its_pictures_or_its_error(suite: Suite, sent: dict[str, Any]) -> None:
    call = suite.send("result")
    suite.write("result", id=call["id"], **sent)

    assert json.loads(suite.read()["text"]) == sent


def test_error_of_a_tool_is_for_the_model_to_read(suite: Suite) -> None:
    call = suite.send("catch")
    suite.write("result", id=call["id"], error="no such city")

    assert suite.read()["text"] == "true: no such city"


def test_tools_are_enabled_as_the_last_message_says(suite: Suite) -> None:
    assert suite.send("enabled")["text"] == "get_weather"
    assert suite.send("enabled", enabled=["get_time"])["text"] == "get_time"

    call = suite.send("call")
    suite.write("result", id=call["id"], text="", enabled=[])
    suite.read()
    assert suite.send("enabled", enabled=["get_weather", "get_time"])["text"] == "get_weather,get_time"


def test_tools_say_whether_a_search_finds_them(suite: Suite) -> None:
    assert suite.send("deferred")["text"] == "true,false"


def test_user_allows_a_call_or_has_not_answered_yet(suite: Suite) -> None:
    asked = suite.send("approve")
    suite.write("approval", id=asked["id"], allowed=True)
    assert suite.read() == {"type": "reply", "text": "ask true"}
    assert asked == {
        "type": "approve",
        "id": asked["id"],
        "tool": "get_weather",
        "arguments": {},
        "call_id": "c1",
    }

    suite.write("approval", id=suite.send("approve")["id"], allowed=None)
    assert suite.read() == {"type": "parked"}


def test_pictures_of_the_user_are_parts_of_the_turn(suite: Suite) -> None:
    parts = [{"type": "text", "text": "What is it?"}, {"type": "image", "media_type": "image/png", "data": "AA=="}]

    assert json.loads(suite.send("parts", parts=parts)["text"]) == parts


def test_what_the_user_says_while_a_turn_runs_reaches_the_agent(suite: Suite) -> None:
    call = suite.send("call, and say what was said")
    suite.write("steer", message="In Celsius.")
    suite.write("steer", message="Or Kelvin.")
    suite.write("result", id=call["id"], text="7")

    assert suite.read() == {"type": "reply", "text": "In Celsius.,Or Kelvin."}


def test_turn_begins_with_the_model_that_the_agent_was_switched_to(suite: Suite) -> None:
    suite.write("switch", model="gpt-5")
    assert suite.send("name the model")["text"] == "gpt-5"

    suite.write("switch", model="unknown")
    assert suite.send("name the model") == {"type": "error", "message": "no such model"}
    assert suite.send("name the model")["text"] == "gpt-5"


def test_conversation_is_made_shorter_before_the_message_that_says_so(suite: Suite) -> None:
    assert suite.send("say what is left")["text"] == "all"
    assert suite.send("say what is left", compact=True)["text"] == "a summary"


def test_events_are_sent_where_the_suite_observes(suite: Suite) -> None:
    assert suite.send("observe") == {"type": "reply", "text": "observed"}

    suite.write("close")
    suite.open(observe=True)
    assert suite.send("observe") == {"type": "event", "event": {"tool": "get_weather"}}
    assert suite.read() == {"type": "reply", "text": "observed"}


@pytest.mark.parametrize("deed", ["wait", "call"])
def test_cancelled_turn_counts_as_cancelled_however_it_ends(suite: Suite, deed: str) -> None:
    suite.write("send", message=deed, enabled=["get_weather"])
    if deed == "call":
        suite.read()
    suite.write("cancel")
    assert suite.read() == {"type": "cancelled"}

    suite.write("cancel")  # too late, and ignored
    suite.write("result", id=1, text="crossed")
    assert suite.send("reply") == {"type": "reply", "text": "Hello."}


def test_agent_gives_up_or_cannot_hold_the_history(suite: Suite) -> None:
    assert suite.send("give up") == {"type": "error", "message": "no more"}
    assert suite.send("forget") == {"type": "cannot-restore", "reason": "no place for it"}


@pytest.mark.parametrize("closes", [True, False])
def test_unknown_messages_are_ignored_and_the_end_of_the_input_ends_the_process(suite: Suite, closes: bool) -> None:
    suite.write("of a later version")
    suite.write("result", session="of the past", id=7, text="")
    assert suite.send("reply")["type"] == "reply"

    if closes:
        suite.write("close")
    _, printed = suite.process.communicate(timeout=PATIENCE)
    assert (suite.process.returncode, printed) == (0, "closed\n")


def test_what_the_agent_prints_goes_to_standard_error(suite: Suite, request: pytest.FixtureRequest) -> None:
    if "rust" in request.node.name:
        pytest.skip("println! cannot be redirected; clients/rust/README.md says so")

    assert suite.send("print") == {"type": "reply", "text": "printed"}
    _, printed = suite.process.communicate(timeout=PATIENCE)
    assert printed.startswith("a log line\n")
