import os
import subprocess
import sys

import pytest
from command_setups import turn

from agent_conformance.attach.command.process import arguments_of, environment
from agent_conformance.machine.refusing_proxy import refusing_proxy
from tests.patience import PATIENCE


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("./my-agent --conformance", ["./my-agent", "--conformance"]),
        ("python -c 'import sys; print(1 > 0)'", ["python", "-c", "import sys; print(1 > 0)"]),
        ('node "my agent.mjs"', ["node", "my agent.mjs"]),
        (r"my\ agent", ["my agent"]),
        ("agent --key=value", ["agent", "--key=value"]),
    ],
)
def test_command_runs_without_a_shell(command, words):
    assert arguments_of(command) == words


@pytest.mark.parametrize(
    "command", ["cd x && ./agent", "DEBUG=1 ./agent", "agent 2>log", "$HOME/agent", 'agent "$KEY"', "~/agent"]
)
def test_command_that_needs_a_shell_gets_one(command):
    assert arguments_of(command) == ["/bin/sh", "-c", command]


def test_agent_sees_proxies_that_refuse_and_loopback_free(started, monkeypatch):
    monkeypatch.setenv("https_proxy", "http://corporate:3128")
    lines = """
import os
hello(); read(); read()
write(type="reply", text=" ".join(os.environ[n] for n in ("HTTP_PROXY", "https_proxy", "ALL_PROXY", "NO_PROXY")))
"""
    _, reply = turn(started(lines), "Proxies?")

    refusing = refusing_proxy().address
    assert reply == f"{refusing} {refusing} {refusing} 127.0.0.1,localhost,::1"


def test_other_host_that_an_agent_asked_for_is_named_below_its_crash(started):
    lines = """
import contextlib, sys, urllib.request
hello(); read(); read()
print("I download a tokenizer.", file=sys.stderr)
with contextlib.suppress(OSError):
    urllib.request.urlopen("https://tokenizers.example.org/vocabulary?key=secret")
write(type="reply", text="Rain.")
"""
    agent = started(lines)
    turn(agent, "Weather?")

    said = "it asked for tokenizers.example.org:443, and only loopback can be reached"
    assert agent.log_tail == f"I download a tokenizer.\n{said}"


def test_rest_of_the_environment_is_handed_on(monkeypatch):
    monkeypatch.setenv("MY_AGENT_HOME", "/home/me")

    assert environment()["MY_AGENT_HOME"] == "/home/me"
    assert os.environ.get("PYTHONUNBUFFERED") != "1" or environment()["PYTHONUNBUFFERED"] == "1"


def test_agent_is_ended_when_the_suite_exits(command):
    agent = command('hello(); write(type="pid"); time.sleep(600)')
    suite = f"""
from agent_conformance.attach.command import command_adapter
print(command_adapter({agent!r}).launcher._idle.pid)
"""
    got = subprocess.run([sys.executable, "-c", suite], capture_output=True, text=True, timeout=PATIENCE, check=True)

    with pytest.raises(ProcessLookupError):
        os.kill(int(got.stdout), 0)
