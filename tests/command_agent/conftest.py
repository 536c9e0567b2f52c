"""Agents in a few lines of Python, run as commands."""

import shlex
import sys
from typing import Any

import pytest
from command_setups import a_setup

from agent_conformance.attach.command import command_adapter

PRELUDE = """
import json, sys, time
def read():
    return json.loads(sys.stdin.readline() or "null")
def write(**message):
    print(json.dumps(message), flush=True)
def hello(**more):
    read(); write(**({"type": "hello", "protocol": 1, "wires": ["openai-chat"]} | more))
"""


@pytest.fixture
def command(tmp_path):
    """A function that writes an agent's lines to a file and gives the command that runs it."""

    def written(lines: str) -> str:
        script = tmp_path / "agent.py"
        script.write_text(PRELUDE + lines)
        return shlex.join([sys.executable, "-SE", str(script)])

    return written


@pytest.fixture
def started(command):
    """A function that starts an agent of these lines; every agent is closed at the end."""
    agents = []

    def start(lines: str, **setup: Any) -> Any:
        cls = command_adapter(command(lines))
        agents.append(cls(a_setup(**setup)))
        return agents[-1]

    yield start
    for agent in agents:
        agent.close()
