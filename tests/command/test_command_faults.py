"""What an agent does that breaks the protocol, and that the message says so."""

import asyncio
import os
import select

import pytest
from command_setups import a_setup, a_tool, step

from conformance.command import NoGreeting, ProcessDied, ProtocolBroken, command_adapter
from conformance.command.process import LONGEST_LINE, MOST_LINES_WAITING, STDERR_KEPT

TOOLS = (a_tool("get_weather", lambda _: "7 degrees"),)


def fault(started, lines: str) -> Exception:
    agent = started(f"hello(); read(); read()\n{lines}", tools=TOOLS)
    with pytest.raises((ProtocolBroken, ProcessDied)) as raised:
        step(agent, "Weather?")
    return raised.value


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_process_that_dies_is_named_with_its_exit_code_and_last_words(started):
    error = fault(started, 'print("one\\ntwo\\nthree\\nfour", file=sys.stderr); sys.exit(3)')

    assert isinstance(error, ProcessDied)
    assert str(error) == "the agent's process exited with 3; its standard error ends: two | three | four"
    assert error.stderr == "one\ntwo\nthree\nfour\n"


def test_process_that_is_killed_is_named_with_the_signal(started):
    assert str(fault(started, "import os; os.kill(os.getpid(), 9)")) == "the agent's process was ended by signal 9"


def test_process_that_closes_its_output_is_not_waited_for(started):
    error = fault(started, "import os; os.close(1); time.sleep(60)")

    assert str(error) == "the agent closed its standard output and lives on"


def test_line_that_is_no_json_object_is_quoted(started):
    error = fault(started, 'print("Loading model...", flush=True)')

    assert isinstance(error, ProtocolBroken)
    assert str(error) == (
        "the agent wrote 'Loading model...' on standard output, which is no JSON object; "
        "keep standard output for the protocol and write logs to standard error"
    )


@pytest.mark.parametrize("line", [r"b'[1]\n'", r"b'\xff\xfe\n'", r"b'[' * 100000 + b'\n'", r"b'{\"type\"'"])
def test_other_garbage_is_refused_too(started, line):
    error = fault(started, f"sys.stdout.buffer.write({line}); sys.stdout.flush()")

    assert "no JSON object" in str(error)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ('type="shout"', "the agent sent a message of type 'shout'; known are hello, delta, call, reply, error"),
        ("", "the agent sent a message of type None"),
        ('type="delta"', "the agent sent delta whose `text` is None; it must be a text"),
        ('type="delta", text=7', "the agent sent delta whose `text` is 7; it must be a text"),
        ('type="reply", text=[]', "the agent sent reply whose `text` is []; it must be a text"),
        ('type="error"', "the agent sent error whose `message` is None; it must be a text"),
        ('type="call", tool="get_weather", arguments={}', "sent a call whose `id` is None"),
        ('type="call", id=True, tool="get_weather", arguments={}', "sent a call whose `id` is True"),
        ('type="call", id="1", tool="get_weather"', "the agent sent a call without `arguments`"),
        ('type="call", id="1", arguments={}', "the agent sent call whose `tool` is None; it must be a text"),
        ('type="call", id="1", tool="rm", arguments={}', "calls the tool 'rm', which is not among those of `open`"),
        ('type="hello", protocol=1, wires=["openai-chat"]', "the agent said hello twice"),
    ],
)
def test_message_that_the_protocol_does_not_know_is_refused(started, message, said):
    error = fault(started, f"write({message})")

    assert isinstance(error, ProtocolBroken)
    assert said in str(error)


def test_call_of_an_unknown_tool_is_refused_even_when_the_reply_follows_at_once(started):
    error = fault(started, 'write(type="call", id=1, tool="rm", arguments={}); write(type="reply", text="done")')

    assert "calls the tool 'rm'" in str(error)


def test_text_after_the_reply_is_refused_in_the_next_step(started):
    two = r"""print('{"type": "reply", "text": "7"}\n{"type": "delta", "text": "!"}', flush=True)"""
    agent = started(f"hello(); read(); read(); {two}")
    step(agent, "Weather?")
    agent._process._threads[-1].join(20)  # the reader: every line is here

    with pytest.raises(ProtocolBroken, match=r"wrote .*delta.* while no step was running"):
        step(agent, "And now?")


def test_agent_that_is_reused_must_name_the_session(started):
    agent = started('hello(reuse=True); read(); read(); write(type="reply", text="7")')

    with pytest.raises(ProtocolBroken, match="left out `session`"):
        step(agent, "Weather?")


def test_endless_line_is_cut_off(started):
    error = fault(started, 'sys.stdout.write("x" * 100000000)')

    assert f"the agent wrote a line of more than {LONGEST_LINE} bytes, which begins b'xxxx" in str(error)


def test_flood_of_lines_waits_for_the_reader_instead_of_filling_memory(started):
    agent = started('hello(); read(); read()\nwhile True: write(type="delta", text="x")')

    async def some() -> int:
        deltas = agent.send("Weather?")
        count = 0
        async for _ in deltas:
            count += 1
            if count == 3 * MOST_LINES_WAITING:
                break
        await deltas.aclose()
        return agent._process._in.qsize()

    assert asyncio.run(some()) <= MOST_LINES_WAITING


def test_flood_on_standard_error_keeps_the_end_only(started):
    error = fault(started, 'sys.stderr.write("x" * 10_000_000 + "\\nlast words"); sys.exit(1)')

    assert len(error.stderr) == STDERR_KEPT
    assert error.stderr.endswith("\nlast words")


def test_hanging_agent_is_ended_with_everything_it_started(started, tmp_path):
    os.mkfifo(tmp_path / "held")
    held = os.open(tmp_path / "held", os.O_RDONLY | os.O_NONBLOCK)
    lines = f"""
import signal, subprocess
hello(); read(); read(); signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(["sleep", "600"], stderr=open({str(tmp_path / "held")!r}, "wb"))
write(type="delta", text="started")
time.sleep(600)
"""
    agent = started(lines)
    with pytest.raises(TimeoutError):
        step(agent, "Weather?", seconds=0.5)
    with pytest.raises(BlockingIOError):
        os.read(held, 1)

    agent.close()

    assert gone(agent._process.pid)
    assert select.select([held], [], [], 10)[0]
    assert os.read(held, 1) == b""
    os.close(held)


def test_agent_that_never_reads_does_not_stop_the_suite(started):
    agent = started("hello(); time.sleep(600)")

    with pytest.raises(TimeoutError):
        step(agent, "x" * 1_000_000, seconds=0.2)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("sys.exit(2)", "the agent's process exited with 2"),
        ('print("Welcome!")', "the agent wrote 'Welcome!' on standard output"),
        ("hello(protocol=7)", "the agent speaks protocol 7; this suite speaks 1"),
        ("hello(wires=[])", "the agent names no `wires` in hello"),
        (
            'hello(wires="openai-chat")',
            "the agent sent hello whose `wires` is 'openai-chat'; it must be a list of words",
        ),
        ('hello(features=["cancel"])', "declares the feature 'cancel', which protocol 1 has no messages for"),
        ('read(); write(type="reply", text="7")', "the agent's first message is no hello"),
    ],
)
def test_handshake_that_fails_says_why(command, lines, said):
    with pytest.raises((ProtocolBroken, ProcessDied)) as raised:
        command_adapter(command(lines))

    assert said in str(raised.value)


def test_handshake_does_not_wait_for_ever(command):
    with pytest.raises(NoGreeting, match=r"did not say hello within 0.1 s"):
        command_adapter(command("time.sleep(600)"), timeout=0.1)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [("no-such-agent --x", "No such file"), ("", "it is empty"), ("agent 'x", "No closing quotation")],
)
def test_command_that_cannot_be_started_is_named(wrong, said):
    with pytest.raises(NoGreeting, match=said):
        command_adapter(wrong)


def test_process_that_died_between_two_cases_is_replaced(command):
    lines = """
hello(reuse=True)
while (message := read())["type"] != "send": pass
write(type="reply", session=message["session"], text="7")
"""
    cls = command_adapter(command(lines))
    for _ in range(2):
        agent = cls(a_setup())

        assert step(agent, "Weather?") == ([], "7")
        agent._process._child.wait()
        agent.close()
