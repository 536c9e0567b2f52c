"""What the runner makes of a command: the verdicts that docs/protocol.md promises, and what is shown with them."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from agent_conformance.attach.command import command_adapter
from agent_conformance.baseline.case_report import facts_of, finding_rows, text_of
from agent_conformance.transcripts.finding import Verdict
from tests.trying import ONE_CALL, verdicts

NODE = Path(__file__).parent.parent / "agents" / "node_agent.mjs"
CRIES = 'print("loading", "weather", sep="\\n", file=sys.stderr, flush=True)\n'


def judged(adapter: Any, **options: Any) -> Verdict:
    (verdict,) = verdicts(adapter, ONE_CALL, **options)
    return verdict


def received(adapter: Any, **options: Any) -> tuple[str, str, str]:
    """The outcome, and of the first finding what was got and the standard error that is shown with it."""
    verdict = judged(adapter, **options)
    facts = dict(facts_of(verdict.findings[0])) if verdict.findings else {}
    return verdict.outcome, facts.get("got", verdict.reason), facts.get("stderr", "")


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize("transport", ["process", "socket"])
def test_right_agent_passes(transport):
    adapter = command_adapter(f"node {NODE}")

    assert received(adapter, transport=transport) == ("pass", "", "")
    adapter.launcher.end(adapter.launcher.take()[0], gracefully=True)


FAULTS = {
    "dies": (
        "sys.exit(3)",
        "ProcessDied: the agent's process exited with 3",
    ),
    "is killed": (
        "import os; os.kill(os.getpid(), 9)",
        "ProcessDied: the agent's process was ended by signal 9",
    ),
    "stops in the middle of a line": (
        """sys.stdout.write('{"type": "del'); sys.stdout.flush(); sys.exit(0)""",
        "ProcessDied: the agent's process exited with 0, in the middle of the line b'{\"type\": \"del'",
    ),
    "closes its output": (
        "import os; os.close(1); time.sleep(600)",
        "ProcessDied: the agent closed its standard output and still runs",
    ),
    "writes garbage": (
        "print('Thinking...')",
        "ProtocolBroken: the agent broke the protocol: line 2 of its output: found 'Thinking...', expected a JSON "
        "object; keep standard output for the protocol and write logs to standard error",
    ),
    "writes bytes": (
        "sys.stdout.buffer.write(bytes(range(128, 256)) + b'\\n')",
        r"ProtocolBroken: the agent broke the protocol: line 2 of its output: found '\\x80\\x81",
    ),
    "writes one line without end": (
        "while True: sys.stdout.write('x' * 1000000)",
        "ProtocolBroken: the agent broke the protocol: line 2 of its output: found a line that begins b'xxxx",
    ),
    "says that it crashed": (
        'write(type="error", message="TypeError: x is undefined", controlled=False); read()',
        "AgentCrashed: the agent says: TypeError: x is undefined",
    ),
    "leaves its output to a grandchild": (
        'import subprocess; subprocess.Popen(["sleep", "600"]); sys.exit(5)',
        "ProcessDied: the agent's process exited with 5",
    ),
    "leaves its output to one that has left the group and writes on": (
        'import subprocess; subprocess.Popen(["sh", "-c", "sleep 1; while echo; do :; done"], start_new_session=True); '
        "sys.exit(5)",
        "ProcessDied: the agent's process exited with 5",
    ),
    "shuts its ears": (
        "while True: write(type='call', id=1, tool='get_weather', arguments={'city': 'Oslo' * 1000})",
        "ProtocolBroken: the agent broke the protocol: 1024 lines wait on its standard input, which it does not read",
    ),
    "writes a million lines": ('while True: print(\'{"type":"delta","text":"x"}\')', "200001 deltas of 200001"),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_process_that(fault, command):
    lines, what = FAULTS[fault]
    adapter = command_adapter(command(f"hello(); read(); read()\n{CRIES}{lines}"))
    process = adapter.launcher._idle

    outcome, shown, stderr = received(adapter, timeout=5.0)

    assert outcome == "fail"
    assert what in shown
    assert stderr == "loading\nweather"
    assert not process.alive
    assert gone(process.pid)


@pytest.mark.slow
@pytest.mark.parametrize(
    "lines",
    [
        "time.sleep(600)",
        "while True: print(flush=True)",
        'while True: write(type="event", event={"event": "thinking"})',
        'while True: write(type="delta", session="another", text="x")',
    ],
    ids=["is silent", "writes empty lines", "sends only events", "names another session"],
)
def test_process_without_progress_is_ended_and_not_accused(command, lines):
    adapter = command_adapter(command(f"hello(); read(); read()\n{CRIES}{lines}"))
    process = adapter.launcher._idle

    outcome, what, _ = received(adapter, timeout=0.5)

    assert outcome == "error"
    assert "send did not return within 3 s of silence; it was cancelled" in what
    assert what.endswith("--agent-timeout=60. Its log ends with: weather")
    assert gone(process.pid)


def test_standard_error_is_shown_line_by_line_under_the_finding(command):
    adapter = command_adapter(command(f'hello(); read(); read()\n{CRIES}raise KeyError("city")'))

    verdict = judged(adapter)

    block = re.sub(
        r'File ".*?", line \d+', "File ..., line 9", text_of(finding_rows(verdict.case, verdict.findings[0]))
    )
    assert block.split("\n")[1:] == [
        "  at        turn 1",
        "  expected  a reply that is not blank, or a controlled failure",
        "  got       ProcessDied: the agent's process exited with 1",
        "  stderr",
        "    loading",
        "    weather",
        "    Traceback (most recent call last):",
        "      File ..., line 9, in <module>",
        '        raise KeyError("city")',
        "    KeyError: 'city'",
        *[line for line in block.split("\n")[1:] if line.startswith("  source")],
    ]


TRACEBACK = "TypeError: x\\n    at node_modules/ai/index.js:7:1\\n" + "\\n".join(
    f"    at agent.mjs:{n}:1" for n in range(40)
)


def test_traceback_that_the_agent_sends_is_shown_under_the_finding(command):
    crash = f'write(type="error", message="TypeError: x", controlled=False, traceback="{TRACEBACK}")'
    verdict = judged(command_adapter(command(f"hello(); read(); read()\n{crash}; read()")))

    [finding] = verdict.findings
    assert finding.got == "AgentCrashed: the agent says: TypeError: x at agent.mjs:0"
    block = text_of(finding_rows(verdict.case, finding)).split("\n")
    start = block.index("  trace")
    assert block[start + 1 : start + 3] == ["    TypeError: x", "        at node_modules/ai/index.js:7:1"]
    assert "    ... 22 more lines (--tb=long)" in block
    assert "        at agent.mjs:20:1" not in block
    assert "        at agent.mjs:20:1" in text_of(finding_rows(verdict.case, finding, whole_trace=True)).split("\n")
    assert "agent.mjs" not in verdict.narrative


def test_standard_error_stands_beside_what_came_and_not_in_it(command):
    outcome, what, stderr = received(command_adapter(command('hello(); read(); read(); sys.exit("out of memory")')))

    assert (outcome, stderr) == ("fail", "out of memory")
    assert what == "ProcessDied: the agent's process exited with 1"


def test_process_that_cannot_start_again_is_no_verdict_on_the_agent(command, tmp_path):
    lines = f"""
import os
if os.path.exists({str(tmp_path / "received")!r}): sys.exit("the database is locked")
open({str(tmp_path / "received")!r}, "w").close(); hello(); sys.exit()
"""
    adapter = command_adapter(command(lines))
    adapter.launcher._idle._child.wait()

    verdict = judged(adapter)

    assert verdict.outcome == "error"
    assert verdict.reason == (
        "the adapter's __init__ raised ProcessDied: the agent's process exited with 1; "
        "its standard error says: the database is locked"
    )


def test_protocol_error_of_the_suite_is_no_verdict_on_the_agent(command, monkeypatch):
    from agent_conformance.attach.command import messages

    right = messages.send_message
    monkeypatch.setattr(messages, "send_message", lambda *said, **more: right(*said, **more) | {"message": 7})

    verdict = judged(command_adapter(command("hello(); read(); read(); read()")))

    assert verdict.outcome == "error"
    assert verdict.reason == (
        "the suite broke the protocol, please report it: "
        "`message` of send: found 7, expected a text (the user's message; of one with pictures, the same as text)"
    )
