"""What an adapter in Python can say, a command says by messages: cancelling, events, names, failures, side requests."""

import asyncio

import pytest
from command_setups import a_setup, a_tool, turn

from agent_conformance import AgentError, Cancelled, CannotRestore, Withdrawn
from agent_conformance.adapter.types import Tool
from agent_conformance.attach.command import AgentCrashed, ProtocolBroken, command_adapter
from tests.patience import PATIENCE


def test_cancel_is_sent_while_the_turn_runs_and_the_conversation_continues(started):
    lines = """
hello(features=["cancel", "conversation"]); read(); read()
write(type="delta", text="It is")
assert read()["type"] == "cancel"
write(type="cancelled")
read(); write(type="reply", text="Hello.")
"""
    agent = started(lines)

    async def cancelled() -> list[str]:
        deltas = agent.send("Weather?")
        shown = [await anext(deltas)]
        agent.cancel()
        with pytest.raises(Cancelled, match=r"^the turn was cancelled$"):
            await anext(deltas)
        return shown

    assert asyncio.run(cancelled()) == ["It is"]
    assert turn(agent, "Say hello.") == ([], "Hello.")


def test_cancelled_turn_has_no_more_results(started):
    tool = a_tool("get_weather", lambda _: asyncio.Event().wait())
    lines = """
hello(features=["cancel"]); read(); read()
write(type="call", id=1, tool="get_weather", arguments={})
write(type="cancelled"); got = [read()["type"], read()["type"]]
write(type="reply", text=" ".join(got))
"""
    agent = started(lines, tools=(tool,))
    with pytest.raises(Cancelled):
        turn(agent, "Weather?")
    agent.cancel()

    assert turn(agent, "And now?") == ([], "cancel send")


def test_agent_without_the_feature_gets_no_cancel(started):
    agent = started('hello(); read(); read(); write(type="delta", text="7"); write(type="reply", text=read()["type"])')

    async def requested() -> str:
        async for item in agent.send("Weather?"):
            agent.cancel()
            if item == "7":
                agent._write({"type": "close", "session": agent._session})
        return str(item)

    assert asyncio.run(requested()) == "close"


def with_observer(observe):
    from dataclasses import replace

    return replace(a_setup(), observe=observe)


EVENTFUL = """
hello(features=["observer"]); opened = read(); read()
write(type="event", event={"event": "request", "number": 1})
write(type="reply", text=str(opened["observe"])); write(type="event", event=["late"])
read(); write(type="reply", text="Bye.")
"""


def test_events_reach_the_observer_in_order_whether_a_turn_runs_or_not(command):
    received = []
    agent = command_adapter(command(EVENTFUL))(with_observer(received.append))

    assert turn(agent, "Weather?") == ([], "True")
    assert turn(agent, "And now?") == ([], "Bye.")
    agent.close()
    assert received == [{"event": "request", "number": 1}, ["late"]]


def test_events_without_an_observer_are_dropped(started):
    agent = started(EVENTFUL)

    assert turn(agent, "Weather?") == ([], "False")
    assert turn(agent, "And now?") == ([], "Bye.")


def test_uncontrolled_error_is_a_crash(started):
    agent = started('hello(); read(); read(); write(type="error", message="TypeError: x", controlled=False)')

    with pytest.raises(AgentCrashed, match=r"^the agent says: TypeError: x$"):
        turn(agent, "Weather?")


def test_failure_that_is_controlled_may_say_so(started):
    agent = started('hello(); read(); read(); write(type="error", message="gave up", controlled=True)')

    with pytest.raises(AgentError, match=r"^gave up$"):
        turn(agent, "Weather?")


def test_enabled_tools_are_sent_with_the_result_after_which_they_changed(started):
    enabled = {"log_in"}

    async def arun(_):
        enabled.add("list_orders")
        return "done"

    tools = tuple(
        Tool(name, "A tool.", {"type": "object"}, run=str, arun=arun, is_enabled=lambda name=name: name in enabled)
        for name in ("log_in", "list_orders")
    )
    lines = """
hello(features=["tool-filter"]); read(); got = [read()["enabled"]]
for _ in range(2):
    write(type="call", id=1, tool="log_in", arguments={}); got.append(read().get("enabled"))
write(type="reply", text=json.dumps(got))
"""

    assert turn(started(lines, tools=tools), "Log in.")[1] == '[["log_in"], ["log_in", "list_orders"], null]'


OPENED = 'hello(opened=True); opened = read(); write(type="opened"{}); read(); write(type="reply", text="7")'


def test_opened_gives_the_names_under_which_tools_are_offered(started):
    agent = started(OPENED.format(', tool_names={"get.weather": "get_weather"}'))

    assert agent.tool_names == {"get.weather": "get_weather"}
    assert turn(agent, "Weather?") == ([], "7")


def test_agent_that_keeps_tool_names_has_no_tool_names(started):
    assert started(OPENED.format("")).tool_names == {}


@pytest.mark.parametrize(
    ("answer", "error", "said"),
    [
        ('write(type="cannot-restore", reason="needs ids")', CannotRestore, "^needs ids$"),
        ('write(type="error", message="no such model")', AgentError, "^no such model$"),
        ('write(type="error", message="TypeError", controlled=False)', AgentCrashed, "^the agent says: TypeError"),
        (
            'write(type="opened", tool_names=["x"])',
            ProtocolBroken,
            r"`tool_names` of opened: found \[\"x\"\], expected",
        ),
        (
            'write(type="opened", tool_names={"x": 7})',
            ProtocolBroken,
            r"`tool_names.x` of opened: found 7, expected a t",
        ),
        (
            'write(type="delta", text="7")',
            ProtocolBroken,
            "line 2 of its output: found another message, expected opened",
        ),
        ("time.sleep(600)", ProtocolBroken, "found no answer to open within 0.1 s"),
    ],
)
def test_open_may_be_answered_with_a_failure(command, answer, error, said):
    cls = command_adapter(command(f"hello(opened=True); read(); {answer}; read()"))
    cls.launcher.timeout = 0.1 if "sleep" in answer else PATIENCE
    process = cls.launcher._idle

    with pytest.raises(error, match=said):
        cls(a_setup())

    assert not process.alive


def test_cannot_restore_may_come_before_the_first_message(started):
    agent = started('hello(); read(); write(type="cannot-restore", reason="needs ids")')
    agent._process._threads[-1].join(PATIENCE)  # the reader: every line is here

    with pytest.raises(CannotRestore, match=r"^needs ids$"):
        turn(agent, "Weather?")


def test_hello_has_side_requests_reply_tool_place_of_the_instructions_and_scrub(command):
    side = '{"properties": {"messages": {"contains": {"properties": {"content": {"pattern": "^Title"}}}}}}'
    reply_tool = '{"tool": "final_answer", "argument": "answer"}'
    lines = f'hello(side_request={side}, reply_tool={reply_tool}, instructions_as_message=True, scrub=["run-[0-9]+"])'
    cls = command_adapter(command(f"{lines}; read(); read()"))
    agent = cls(a_setup())

    assert agent.side_request({"messages": [{"role": "user", "content": "Title of this talk?"}]})
    assert not agent.side_request({"messages": [{"role": "user", "content": "Weather?"}]})
    assert cls.reply_tool == ("final_answer", "answer")
    assert cls.instructions_as_message
    assert cls.scrub == ("run-[0-9]+",)
    agent.close()


def test_no_request_is_a_side_request_unless_declared(started):
    assert not started("hello(); read(); read()").side_request({"messages": []})


STACK = (
    "TypeError: terminated\\n    at onAborted (/app/node_modules/undici/lib/fetch.js:1:2)\\n    at /app/agent.js:3:4"
)
PYTHON_TRACE = '  File \\"/app/agent.py\\", line 1, in main\\n  File \\"/lib/haystack/core.py\\", line 2, in run'


@pytest.mark.parametrize(
    ("errors", "message", "more", "expected"),
    [
        (["node_modules/undici/"], "terminated", f'traceback="{STACK}"', AgentError),
        (["haystack/"], "no", f'traceback="{PYTHON_TRACE}"', AgentError),
        (["my.module"], "no", 'raised_in="my.module.part"', AgentError),
        (["agent.js"], "terminated", f'traceback="{STACK}"', AgentCrashed),
        (["node_modules/undici/"], "Cannot read properties of undefined", f'traceback="{STACK}"', AgentCrashed),
        (["my.module"], "no", 'raised_in="another"', AgentCrashed),
        ([], "no", 'raised_in="my.module"', AgentCrashed),
    ],
)
def test_crash_that_a_named_package_raised_on_purpose_is_a_controlled_failure(started, errors, message, more, expected):
    lines = (
        f'hello(errors={errors}); read(); read(); write(type="error", message="{message}", controlled=False, {more})'
    )
    agent = started(lines)

    with pytest.raises(expected):
        turn(agent, "Weather?")


def test_text_can_be_withdrawn(started):
    lines = """
hello(features=["deltas"]); read(); read()
write(type="delta", text="Hel"); write(type="withdraw"); write(type="delta", text="Hello you")
write(type="withdraw", characters=4); write(type="reply", text="Hello")
"""
    agent = started(lines)

    async def yielded() -> list[object]:
        return [item async for item in agent.send("Hi.")]

    assert asyncio.run(yielded()) == ["Hel", Withdrawn(), "Hello you", Withdrawn(4), "Hello"]
