"""What passes between the suite and an agent that keeps to the protocol."""

import asyncio
import json

import pytest
from command_setups import a_setup, a_tool, turn

from agent_conformance import AgentError, CannotRestore, Message, Part, ToolCall, ToolError
from agent_conformance.attach.command import command_adapter
from agent_conformance.attach.command.messages import CommandError
from fake_providers.models import default_model

ECHO = 'hello(); opened = read(); sent = read(); write(type="reply", text=json.dumps([opened, sent]))'
CALLS = """
hello(); read(); read()
for id, arguments in enumerate({arguments}):
    write(type="call", id=id, tool="get_weather", arguments=arguments)
answers = [read() for _ in {arguments}]
write(type="reply", text=json.dumps(answers))
"""


def results(started, arguments, answer):
    agent = started(CALLS.format(arguments=arguments), tools=(a_tool("get_weather", answer),))
    _, reply = turn(agent, "Weather?")
    return json.loads(reply)


def test_hello_gives_the_class_its_declarations(command):
    lines = 'hello(modes=["plain", "stream"], features=["deltas"], name="mine", version="2", colour="blue"); read()'
    cls = command_adapter(command(lines))

    assert cls.wires == ("openai-chat",)
    assert cls.modes == ("plain", "stream")
    assert cls.features == {"deltas"}
    assert (cls.agent_name, cls.agent_version) == ("mine", "2")
    assert cls.errors == (AgentError,)


def test_default_modes_are_plain_and_features_none(command):
    cls = command_adapter(command("hello(); read()"))

    assert cls.modes == ("plain",)
    assert cls.features == frozenset()


def test_open_and_send_have_the_complete_setup(started):
    call = ToolCall("c1", "get_weather", arguments_text='{"city": "Os')
    history = (
        Message("user", "Grüezi\u2028"),
        Message("assistant", thinking="Hm.", tool_calls=(call, ToolCall(None, "get_time", {}))),
        Message("tool", "7", tool_call_id="c1", name="get_weather", is_error=True),
    )
    tools = (a_tool("get_weather", str), a_tool("get_time", str, enabled=False))
    _, reply = turn(started(ECHO, tools=tools, history=history), "Hi 你好")
    opened, sent = json.loads(reply)

    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    assert opened == {
        "type": "open",
        "session": opened["session"],
        "wire": "openai-chat",
        "provider": "openai",
        "base_url": "http://127.0.0.1:9/v1",
        "api_key": "key",
        "model": default_model("openai-chat"),
        "stream": False,
        "system": "Be brief.",
        "tools": [
            {"name": "get_weather", "description": "A tool.", "parameters": schema, "enabled": True},
            {"name": "get_time", "description": "A tool.", "parameters": schema, "enabled": False},
        ],
        "history": [
            {"role": "user", "text": "Grüezi\u2028"},
            {
                "role": "assistant",
                "text": "",
                "thinking": "Hm.",
                "tool_calls": [
                    {"id": "c1", "name": "get_weather", "arguments_text": '{"city": "Os'},
                    {"id": None, "name": "get_time", "arguments": {}},
                ],
            },
            {"role": "tool", "text": "7", "tool_call_id": "c1", "name": "get_weather", "is_error": True},
        ],
        "limits": {"requests": 20, "context_tokens": None, "seconds": None},
        "state_dir": "/nowhere",
        "observe": False,
    }
    assert sent == {"type": "send", "session": opened["session"], "message": "Hi 你好", "enabled": ["get_weather"]}


def test_deltas_come_one_by_one_before_the_reply(started):
    lines = """
hello(); read(); read()
write(type="delta", text="It is "); write(type="delta", text="7."); write(type="reply", text="It is 7.")
"""
    assert turn(started(lines), "Weather?") == (["It is ", "7."], "It is 7.")


def test_reply_without_text_leaves_it_to_the_deltas(started):
    lines = 'hello(); read(); read(); write(type="delta", text="7"); write(type="reply")'

    assert turn(started(lines), "Weather?") == (["7"], None)


def test_result_is_a_text(started):
    (result,) = results(started, [{"city": "Oslo"}], lambda arguments: f"7 in {arguments['city']}")

    assert result == {"type": "result", "session": result["session"], "id": 0, "text": "7 in Oslo"}


def test_json_result_is_sent_as_value_and_as_text(started):
    (result,) = results(started, [{}], lambda _: {"degrees": 7})

    assert (result["value"], result["text"]) == ({"degrees": 7}, '{"degrees": 7}')


def test_parts_of_a_result_are_sent_as_objects(started):
    parts = [Part("text", "A map:"), Part("image", media_type="image/png", data="iVBO")]
    (result,) = results(started, [{}], lambda _: parts)

    assert result["text"] == "A map:\n[image/png]"
    assert result["value"] == [
        {"type": "text", "text": "A map:"},
        {"type": "image", "media_type": "image/png", "data": "iVBO"},
    ]


def test_tool_that_fails_is_answered_with_its_error(started):
    def fail(_):
        raise ToolError("no such city")

    (result,) = results(started, [{}], fail)

    assert result["error"] == "no such city"
    assert "text" not in result


def test_arguments_of_any_kind_reach_the_tool_in_order(started):
    received = []
    results(started, '["a", None, [], {"city": "Oslo"}]', lambda arguments: received.append(arguments) or "ok")

    assert received == ["a", None, [], {"city": "Oslo"}]


def test_calls_without_waiting_for_results_run_at_the_same_time(started):
    both = []

    async def together(arguments):
        both.append(asyncio.get_running_loop().create_future())
        if len(both) == 2:
            both[0].set_result(None)
            both[1].set_result(None)
        await both[arguments["n"]]
        return str(arguments["n"])

    answers = results(started, '[{"n": 0}, {"n": 1}]', together)

    assert {answer["id"]: answer["text"] for answer in answers} == {0: "0", 1: "1"}


def test_error_is_a_controlled_failure(started):
    agent = started('hello(); read(); read(); write(type="error", message="out of turns")')

    with pytest.raises(AgentError, match=r"^out of turns$"):
        turn(agent, "Weather?")


def test_conversation_continues_after_an_error(started):
    lines = """
hello(); read(); read(); write(type="error", message="out of turns")
read(); write(type="reply", text="Here.")
"""
    agent = started(lines)
    with pytest.raises(AgentError):
        turn(agent, "Weather?")

    assert turn(agent, "Still there?") == ([], "Here.")


def test_cannot_restore_may_answer_send(started):
    agent = started('hello(); read(); read(); write(type="cannot-restore", reason="needs ids")')

    with pytest.raises(CannotRestore, match=r"^needs ids$"):
        turn(agent, "Weather?")


def test_unknown_fields_and_blank_lines_are_ignored(started):
    agent = started('hello(); read(); read(); print(); write(type="reply", text="7", mood="good")')

    assert turn(agent, "Weather?") == ([], "7")


REUSED = """
import os
hello(reuse=True)
while message := read():
    if message["type"] == "send":
        write(type="reply", session=message["session"], text=str(os.getpid()))
"""


def test_agent_that_allows_it_serves_several_cases_in_one_process(command):
    cls = command_adapter(command(REUSED))
    pids = []
    for _ in range(2):
        agent = cls(a_setup())
        pids.append(turn(agent, "Who?")[1])
        agent.close()
    cls.launcher.end(cls.launcher.take()[0], gracefully=True)

    assert pids[0] == pids[1]


def test_log_of_a_case_has_nothing_of_the_cases_before_it(command):
    lines = """
hello(reuse=True)
while message := read():
    if message["type"] == "send":
        print("log of", message["message"], file=sys.stderr, flush=True)
        if message["message"] == "third":
            sys.exit(3)
        write(type="reply", session=message["session"], text="7")
"""
    cls = command_adapter(command(lines))
    for message in ("first", "second"):
        agent = cls(a_setup())
        turn(agent, message)
        assert agent._process.stderr == f"log of {message}\n"
        agent.close()

    agent = cls(a_setup())
    with pytest.raises(CommandError) as died:
        turn(agent, "third")
    agent.close()

    assert died.value.stderr == "log of third\n"


def test_agent_without_reuse_gets_a_process_for_each_case(command):
    cls = command_adapter(command(REUSED.replace("reuse=True", "")))
    pids = []
    for _ in range(2):
        agent = cls(a_setup())
        pids.append(turn(agent, "Who?")[1])
        agent.close()

    assert pids[0] != pids[1]


def test_late_message_of_a_closed_session_is_dropped(command):
    lines = """
hello(reuse=True)
while message := read():
    if message["type"] == "send":
        write(type="delta", session="s0", text="late"); write(type="reply", session=message["session"], text="now")
"""
    agent = command_adapter(command(lines))(a_setup())
    answer = turn(agent, "Weather?")
    agent.launcher.end(agent._process, gracefully=True)

    assert answer == ([], "now")
