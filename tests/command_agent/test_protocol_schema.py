"""The schema that is shipped is what the suite writes and reads, no more and no less."""

import asyncio
import json
from dataclasses import fields, replace
from typing import Any

import jsonschema_rs
import pytest
from command_setups import a_setup, a_tool

from agent_conformance import Fallback, Limits, Message, Setup, Tool, ToolCall
from agent_conformance.adapter.types import NamedTool, Part, StructuredResult
from agent_conformance.agents.reference import Adapter
from agent_conformance.attach.command import SuiteBrokeProtocol, messages, protocol_schema
from agent_conformance.attach.command.messages import READERS, Hello, incoming
from agent_conformance.attach.command.schema import breach, kinds
from agent_conformance.attach.loading import checked_agent
from agent_conformance.commands.main import main
from agent_conformance.run.agent.agent_instance import Life
from agent_conformance.run.agent.agent_setup import Approver, setup_of
from agent_conformance.run.provider.running_turn import RunningTurn
from agent_conformance.scenario.cases import RunOptions, cases_of
from tests.bundled import bundled_files

DEFINITIONS = protocol_schema()["$defs"]
FULL = Message(
    "assistant",
    thinking="Hm.",
    tool_calls=(ToolCall("c", "get_weather", {}), ToolCall(None, "x", None, "{")),
    signature="EpwC",
    signed_by="anthropic",
)
PICTURE = Part("image", media_type="image/png", data="iVBORw0KGgo=")
PARTS = (Part("text", "7"), PICTURE)
RESULT = Message("tool", "7", tool_call_id="c", name="get_weather", parts=PARTS)
WRITTEN: dict[str, list[dict[str, Any]]] = {
    "hello": [messages.hello_message()],
    "open": [
        messages.open_message(
            replace(
                a_setup(
                    tools=(a_tool("get_weather", str, approval="ask", deferred=True, output_schema={}),),
                    history=(FULL, RESULT),
                ),
                fallback=Fallback("openai-chat", "groq", "http://127.0.0.1:9/v1", "key", "qwen"),
            ),
            session="s1",
            features=[
                *("approval", "server-tools", "structured-output", "tool-choice", "fallback", "tool-search"),
                "idle-limit",
            ],
        ),
    ],
    "send": [
        messages.send_message("Hi", session="s1", enabled=["get_weather"]),
        messages.send_message(list(PARTS), session="s1", enabled=["get_weather"], compact=True),
    ],
    "result": [
        messages.result_message(1, {"degrees": 7}, session="s1") | {"enabled": []},
        messages.result_message(2, StructuredResult("7", {"degrees": 7}), session="s1"),
        messages.failed_message("a", "no such city", session="s1"),
    ],
    "approval": [messages.approval_message(1, None, session="s1")],
    "steer": [messages.steer_message("Use metres.", session="s1")],
    "switch": [messages.switch_message(a_setup(), session="s1")],
    "cancel": [messages.cancel_message(session="s1")],
    "close": [messages.close_message(session="s1")],
}


def whole(kind: str) -> dict[str, Any]:
    """A right message of the agent's that has every field."""
    samples = {"integer": 1, "string": "x", "boolean": False, "array": ["x"], "object": {"tool": "x", "argument": "y"}}
    message: dict[str, Any] = {}
    for name, schema in DEFINITIONS[f"agent-{kind}"]["properties"].items():
        types = schema.get("type", "string")
        message[name] = schema.get("const") or samples[types if isinstance(types, str) else types[0]]
    return message | ({"side_request": True} if kind == "hello" else {})


def properties(name: str) -> set[str]:
    return set(DEFINITIONS[name]["properties"])


def test_schema_is_one_of_its_draft() -> None:
    assert jsonschema_rs.meta.is_valid(protocol_schema())
    assert protocol_schema()["$schema"].endswith("/2020-12/schema")


@pytest.mark.parametrize("kind", kinds("suite"))
def test_suite_writes_every_field_of_the_schema_and_no_other(kind: str) -> None:
    written = {name for message in WRITTEN[kind] for name in message}

    assert written == properties(f"suite-{kind}")
    assert all(breach("suite", message) is None for message in WRITTEN[kind])


def test_suite_writes_tools_limits_and_histories_as_the_schema_has_them() -> None:
    (opened,) = WRITTEN["open"]
    calls = [call for message in opened["history"] for call in message.get("tool_calls", ())]

    assert set(opened["tools"][0]) == properties("tool")
    assert set(opened["limits"]) == properties("limits") == {field.name for field in fields(Limits)}
    assert {name for message in opened["history"] for name in message} == properties("history-message")
    assert properties("history-message") == {field.name for field in fields(Message)}
    assert {name for call in calls for name in call} == properties("history-call")
    assert properties("history-call") == {field.name for field in fields(ToolCall)}


def test_setup_has_nothing_that_open_lacks() -> None:
    got = properties("suite-open") - {"type", "session"}

    assert got == {field.name for field in fields(Setup)} - {"approve", "aapprove"}, "these are messages of their own"


def test_approval_of_a_tool_is_sent_only_to_agents_that_declare_it() -> None:
    tool = a_tool("get_weather", str, approval="ask", deferred=True)
    opened = messages.open_message(a_setup(tools=(tool,)), session="s1")

    assert {"approval", "deferred"}.isdisjoint(opened["tools"][0])
    assert opened.keys().isdisjoint({"server_tools", "fallback", "output_schema", "tool_choice"})


def test_named_tool_is_sent_as_an_object() -> None:
    setup = replace(a_setup(), tool_choice=NamedTool("get_weather"))

    opened = messages.open_message(setup, session="s1", features=["tool-choice"])

    assert opened["tool_choice"] == {"tool": "get_weather"}
    assert messages.line_of(opened)


def test_agents_messages_are_those_that_are_read() -> None:
    assert kinds("agent") == tuple(READERS)


@pytest.mark.parametrize("kind", kinds("agent"))
def test_reader_reads_every_field_of_the_schema(kind: str) -> None:
    """Seen by a message with all fields that notes which are looked up."""
    read: set[str] = set()

    class Noting(dict[str, Any]):
        def __getitem__(self, name: str) -> Any:
            read.add(name)
            return super().__getitem__(name)

        def get(self, name: str, default: Any = None) -> Any:
            read.add(name)
            return super().get(name, default)

    message = Noting(whole(kind))

    READERS[kind](message)

    assert properties(f"agent-{kind}") - {"type", "session", "protocol"} <= read


def test_hello_has_a_field_for_all_that_is_declared() -> None:
    assert properties("agent-hello") - {"type", "protocol"} == {field.name for field in fields(Hello)}


@pytest.mark.parametrize(("side", "kind"), [(side, kind) for side in ("suite", "agent") for kind in kinds(side)])
def test_field_that_is_required_is_missed_and_named(side: Any, kind: str) -> None:
    right = WRITTEN[kind][0] if side == "suite" else whole(kind)
    for name in set(DEFINITIONS[f"{side}-{kind}"]["required"]) - {"type"}:
        said = breach(side, {other: value for other, value in right.items() if other != name})

        assert said is not None
        assert said.startswith(f"`{name}` of {kind}: found nothing, expected ")


def test_fields_are_described() -> None:
    for name, definition in DEFINITIONS.items():
        for field, schema in definition.get("properties", {}).items():
            assert field == "type" or "$ref" in schema or schema.get("description"), f"{name}.{field}"


@pytest.mark.parametrize("kind", kinds("suite"))
def test_unknown_fields_are_no_breach_on_either_side(kind: str) -> None:
    assert breach("suite", WRITTEN[kind][0] | {"mood": {"x": 1}}) is None
    assert breach("agent", {"type": "delta", "text": "7", "mood": "good"}) is None


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"session": None}, "`session` of open: found null, expected a text"),
        ({"stream": 1}, "`stream` of open: found 1, expected true or false"),
        ({"limits": {"requests": 20}}, "`limits.context_tokens` of open: found nothing, expected an integer or null"),
        ({"tools": [{"name": "x"}]}, "`tools[0].description` of open: found nothing, expected a text (what it does)"),
        (
            {"history": [{"role": "bot", "text": ""}]},
            '`history[0].role` of open: found "bot", expected one of system, ',
        ),
        ({"history": [{"role": "user"}]}, "`history[0].text` of open: found nothing, expected a text"),
    ],
)
def test_what_the_suite_would_break_is_named_and_not_written(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(SuiteBrokeProtocol) as raised:
        messages.line_of(WRITTEN["open"][0] | wrong)

    assert str(raised.value).startswith(f"the suite broke the protocol, please report it: {said}")


def test_number_that_json_lacks_is_not_written() -> None:
    with pytest.raises(SuiteBrokeProtocol, match="result: found a number that is not JSON"):
        messages.line_of(messages.result_message(1, [float("nan")], session="s1"))


def test_text_with_half_a_surrogate_pair_passes_both_ways() -> None:
    line = messages.line_of(messages.send_message("\ud800", session="s1", enabled=[]))

    assert rb"\ud800" in line
    assert incoming({"type": "delta", "text": "\ud800"}).text == "\ud800"


def test_every_setup_and_every_result_of_the_corpus_is_within_the_schema(tmp_path: Any) -> None:
    files = bundled_files()
    agent = checked_agent("the reference agent", Adapter)
    opened = results = 0
    for file in files:
        for case in cases_of(file, agent, RunOptions(wires=("openai-chat",))):
            tools = tuple(_tool(spec) for spec in case.scenario.tools)
            setup = setup_of(
                case,
                base_url="http://127.0.0.1:1/v1",
                tools=tools,
                state_dir=tmp_path,
                restarted=False,
                observe=lambda event: None,
                approver=Approver([], RunningTurn(), Life()),
            )
            assert breach("suite", messages.open_message(setup, session="s1")) is None
            opened += 1
            for spec in case.scenario.tools:
                for value in (*(spec.results or ()), spec.returns):
                    assert breach("suite", messages.result_message(1, value, session="s1")) is None
                    results += 1

    assert opened > 400
    assert results > 200


def _tool(spec: Any) -> Tool:
    async def arun(arguments: Any) -> Any:
        return await asyncio.sleep(0, arguments)

    return Tool(spec.name, spec.description, spec.parameters, run=str, arun=arun)


def test_parts_are_objects() -> None:
    parts = [Part("text", "A map:"), Part("image", media_type="image/png", data="iVBO")]

    assert messages.result_message(1, parts, session="s1")["value"][1]["media_type"] == "image/png"


def test_command_prints_the_schema_that_is_shipped(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "protocol"]) == 0
    assert json.loads(capsys.readouterr().out) == protocol_schema()
