"""What an agent does that breaks the protocol, and that the message says so."""

import asyncio
import os
import select

import psutil
import pytest
from command_setups import a_setup, a_tool, turn

from agent_conformance.attach.command import NoHello, OtherProtocol, ProcessDied, ProtocolBroken, command_adapter
from agent_conformance.attach.command.messages import AgentCrashed
from agent_conformance.attach.command.process import LONGEST_LINE, MOST_LINES_WAITING, STDERR_KEPT
from agent_conformance.machine.process_trees import take_left_running
from tests.patience import PATIENCE

TOOLS = (a_tool("get_weather", lambda _: "7 degrees"),)


def fault(started, lines: str) -> Exception:
    agent = started(f"hello(); read(); read()\n{lines}", tools=TOOLS)
    with pytest.raises((ProtocolBroken, ProcessDied)) as raised:
        turn(agent, "Weather?")
    return raised.value


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_crash_that_the_agent_reports_has_nothing_of_its_log() -> None:
    assert str(AgentCrashed("the agent says: TypeError", "a warning of long ago")) == "the agent says: TypeError"


def test_process_that_exits_is_reported_with_its_exit_code_and_log_tail(started):
    error = fault(started, 'print("one\\ntwo\\nthree\\nfour", file=sys.stderr); sys.exit(3)')

    assert isinstance(error, ProcessDied)
    assert str(error) == "the agent's process exited with 3"
    assert error.with_log == "the agent's process exited with 3; its standard error says: two | three | four"
    assert error.stderr == "one\ntwo\nthree\nfour\n"


def test_process_that_is_killed_is_named_with_the_signal(started):
    assert str(fault(started, "import os; os.kill(os.getpid(), 9)")) == "the agent's process was ended by signal 9"


def test_process_that_closes_its_output_is_not_waited_for(started):
    error = fault(started, "import os; os.close(1); time.sleep(60)")

    assert str(error) == "the agent closed its standard output and still runs"


def test_process_that_leaves_a_daemon_is_reported_at_once_and_the_daemon_ended_and_named(started, tmp_path):
    note = tmp_path / "daemon"
    take_left_running()
    lines = f"""
import subprocess
hello(); read(); read()
daemon = subprocess.Popen(["sleep", "600"], start_new_session=True)
open({str(note)!r}, "w").write(str(daemon.pid))
sys.exit("Segmentation fault")
"""

    agent = started(lines, tools=TOOLS)
    with pytest.raises(ProcessDied, match=r"exited with 1$"):
        turn(agent, "Weather?", seconds=20)
    agent.close()

    daemon = int(note.read_text(encoding="utf-8"))
    assert gone(daemon) or psutil.Process(daemon).status() == psutil.STATUS_ZOMBIE
    assert take_left_running() == ["sleep 600"]


def test_line_that_is_no_json_object_is_quoted(started):
    error = fault(started, 'print("Loading model...", flush=True)')

    assert isinstance(error, ProtocolBroken)
    assert str(error) == (
        "the agent broke the protocol: line 2 of its output: found 'Loading model...', expected a JSON object; "
        "keep standard output for the protocol and write logs to standard error"
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (r"b'[1]\n'", "line 2 of its output: found '[1]', expected a JSON object"),
        (r"b'\xff\xfe\n'", r"line 2 of its output: found '\\xff\\xfe', expected a JSON object"),
        (r"b'\xef\xbb\xbf{}\n'", r"line 2 of its output: found '\ufeff{}', expected a JSON object"),
        (r"b'[' * 100000 + b'\n'", f"found '{'[' * 61}...', expected a JSON object"),
        (r"b'\n\n{\"type\": \"delta\", \"text\": NaN}\n'", "line 4 of its output: found '{"),
        (r"b'{\"type\"'", "the agent's process exited with 0, in the middle of the line b'{\"type\"'"),
    ],
)
def test_other_garbage_is_refused_too(started, line, said):
    error = fault(started, f"sys.stdout.buffer.write({line}); sys.stdout.flush()")

    assert said in str(error)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (
            'type="shout"',
            '`type` of a message: found "shout", expected one of hello, opened, delta, withdraw, call, approve, event',
        ),
        ("", "`type` of a message: found nothing, expected one of hello"),
        ("type=[7]", "`type` of a message: found [7], expected one of hello"),
        ('type="delta"', "`text` of delta: found nothing, expected a text (the next piece of text)"),
        ('type="delta", text=7', "`text` of delta: found 7, expected a text (the next piece of text)"),
        ('type="delta", text="7", session=1', "`session` of delta: found 1, expected a text"),
        ('type="reply", text=[]', "`text` of reply: found [], expected a text or null"),
        ('type="error"', "`message` of error: found nothing, expected a text"),
        ('type="error", message="", controlled=0', "`controlled` of error: found 0, expected true or false"),
        ('type="event"', "`event` of event: found nothing, expected any JSON"),
        ('type="cannot-restore"', "`reason` of cannot-restore: found nothing, expected a text (why)"),
        ('type="call", tool="get_weather", arguments={}', "`id` of call: found nothing, expected a text or an integer"),
        ('type="call", id=True, tool="get_weather", arguments={}', "`id` of call: found true, expected a text or an"),
        ('type="call", id="1", tool="get_weather"', "`arguments` of call: found nothing, expected any JSON"),
        ('type="call", id="1", arguments={}', "`tool` of call: found nothing, expected a text"),
        (
            'type="call", id="1", tool="rm", arguments={}',
            '`tool` of call: found "rm", expected a tool of `open`: get_weather',
        ),
        ('type="hello", protocol=1, wires=["openai-chat"]', "found hello, which belongs before the turn"),
        ('type="opened"', "found opened, which belongs before the turn"),
    ],
)
def test_message_that_the_protocol_does_not_know_is_refused(started, message, said):
    error = fault(started, f"write({message})")

    assert isinstance(error, ProtocolBroken)
    assert str(error).startswith(f"the agent broke the protocol: line 2 of its output: {said}")


def test_call_of_an_unknown_tool_is_refused_even_when_the_reply_follows_at_once(started):
    error = fault(started, 'write(type="call", id=1, tool="rm", arguments={}); write(type="reply", text="done")')

    assert '`tool` of call: found "rm"' in str(error)


def test_text_after_the_reply_is_refused_in_the_next_turn(started):
    two = r"""print('{"type": "reply", "text": "7"}\n{"type": "delta", "text": "!"}', flush=True)"""
    agent = started(f"hello(); read(); read(); {two}")
    turn(agent, "Weather?")
    agent._process._threads[-1].join(PATIENCE)  # the reader: every line is here

    with pytest.raises(ProtocolBroken, match=r"found .*delta.*, expected nothing while no turn runs"):
        turn(agent, "And now?")


def test_agent_that_is_reused_must_name_the_session(started):
    agent = started('hello(reuse=True); read(); read(); write(type="reply", text="7")')

    with pytest.raises(ProtocolBroken, match="`session`: found nothing, expected it in every message"):
        turn(agent, "Weather?")


def test_endless_line_is_cut_off(started):
    error = fault(started, 'sys.stdout.write("x" * 100000000)')

    assert "line 2 of its output: found a line that begins b'xxxx" in str(error)
    assert f"and has no end, expected one of at most {LONGEST_LINE} bytes" in str(error)


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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
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
        turn(agent, "Weather?", seconds=0.5)
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
        turn(agent, "x" * 1_000_000, seconds=0.2)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("sys.exit(2)", "the agent's process exited with 2"),
        ('print("Welcome!")', "line 1 of its output: found 'Welcome!', expected a JSON object"),
        (
            "hello(wires=[])",
            "`wires` of hello: found [], expected a list of texts, at least one (the HTTP formats that the agent uses",
        ),
        ('hello(wires="openai-chat")', '`wires` of hello: found "openai-chat", expected a list of texts, at least one'),
        ("hello(modes=[7])", "`modes[0]` of hello: found 7, expected a text"),
        (
            'hello(instructions_as_message="yes")',
            '`instructions_as_message` of hello: found "yes", expected true or false',
        ),
        ('hello(reuse="yes")', '`reuse` of hello: found "yes", expected true or false'),
        (
            'hello(reply_tool={"tool": "say"})',
            "`reply_tool.argument` of hello: found nothing, expected a text or null (the argument that is the reply",
        ),
        (
            'hello(side_request={"type": "objekt"})',
            '`side_request` of hello: found {"type": "objekt"}, expected a JSON Schema: ',
        ),
        ('hello(scrub=["("])', '`scrub` of hello: found "(", expected a regular expression of Python: '),
        ('read(); write(type="reply", text="7")', "the agent broke the protocol: its first message is not hello"),
    ],
)
def test_failed_handshake_has_a_reason(command, lines, said):
    with pytest.raises((ProtocolBroken, ProcessDied)) as raised:
        command_adapter(command(lines))

    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("version", "said"),
    [
        (
            "2",
            "speaks protocol 2 and this suite 1: let the agent answer hello with the version of the suite's hello, ",
        ),
        ("0", "speaks protocol 0 and this suite 1: let the agent answer hello with the version of the suite's hello"),
    ],
)
def test_agent_of_another_version_gets_a_hint(command, version, said):
    with pytest.raises(OtherProtocol) as raised:
        command_adapter(command(f"hello(protocol={version}, wires={{}})"))

    assert str(raised.value).startswith(f"the agent {said}")
    assert ("update agent-conformance" in str(raised.value)) is (version == "2")


@pytest.mark.parametrize(
    ("version", "found"), [('"1"', '"1"'), ("None", "null"), ("True", "true"), ("1.5", "1.5"), ("[1]", "[1]")]
)
def test_version_that_is_no_number_is_refused(command, version, found):
    with pytest.raises(ProtocolBroken) as raised:
        command_adapter(command(f"hello(protocol={version})"))

    assert f"`protocol` of hello: found {found}, expected 1 (the version of the protocol" in str(raised.value)


def test_version_that_is_left_out_is_refused(command):
    with pytest.raises(ProtocolBroken, match="`protocol` of hello: found nothing, expected 1"):
        command_adapter(command('read(); write(type="hello", wires=["openai-chat"])'))


def test_handshake_does_not_wait_for_ever(command):
    with pytest.raises(NoHello, match=r"sent no hello within 0.1 s"):
        command_adapter(command("time.sleep(600)"), timeout=0.1)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [("no-such-agent --x", "No such file"), ("", "it is empty"), ("agent 'x", "No closing quotation")],
)
def test_command_that_cannot_be_started_is_named(wrong, said):
    with pytest.raises(NoHello, match=said):
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

        assert turn(agent, "Weather?") == ([], "7")
        agent._process._child.wait()
        agent.close()


@pytest.mark.parametrize("fault", ["sys.exit(3)", "time.sleep(600)", "print('Thinking...', flush=True)"])
def test_process_in_which_a_case_went_wrong_serves_no_other(command, tmp_path, fault):
    lines = f"""
import os
hello(reuse=True)
while message := read():
    if message["type"] == "send" and not os.path.exists({str(tmp_path / "once")!r}):
        open({str(tmp_path / "once")!r}, "w").close(); {fault}
    if message["type"] == "send":
        write(type="reply", session=message["session"], text=str(os.getpid()))
"""
    cls = command_adapter(command(lines))
    wrong = cls(a_setup())
    with pytest.raises((ProcessDied, ProtocolBroken, TimeoutError)):
        turn(wrong, "Weather?", seconds=1)
    wrong.close()

    right = cls(a_setup())
    pid = int(turn(right, "Weather?")[1])
    right.close()
    cls.launcher.end(cls.launcher.take()[0], gracefully=True)

    assert pid != wrong._process.pid
    assert gone(wrong._process.pid)
