"""No class attribute and no import hangs the run or eats the machine: one sentence says what is wrong with it."""

from pathlib import Path

import psutil
import pytest

from tests.hostile.runs import run, write_scenarios
from tests.tables import rows

AGENT = """
import itertools, os, resource, sys, time
from tests.hostile.right_agent import Right

resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))

class Hangs:
    def __iter__(self):
        time.sleep(3600)

class Raises:
    def __iter__(self):
        raise SystemExit(0)

class Slow:
    def __iter__(self):
        while True:
            time.sleep(1.0)
            yield "openai-chat"

class Meta(type):
    @property
    def wires(cls):
        time.sleep(3600)

{before}

class Agent(Right{bases}):
    {body}
"""

MANY = "has more than 100 items"
UNREAD = "what the adapter declares was not read within 3 s"
DECLARATIONS = {
    "wires = itertools.repeat('openai-chat')": MANY,
    "wires = ['openai-chat'] * 3_000_000": MANY,
    "features = itertools.count()": MANY,
    "modes = itertools.cycle(['plain'])": MANY,
    "errors = itertools.repeat('haystack.core')": MANY,
    "scrub = (str(number) for number in itertools.count())": MANY,
    "wires = ('x' * 100_000_000,)": "which is none of",
    "reply_tool = 'x' * 100_000_000": "write a pair of texts",
    "instructions_as_message = 'x' * 100_000_000": "write True or False",
}
READ_WITHIN = {
    "wires = Hangs()": UNREAD,
    "features = Hangs()": UNREAD,
    "scrub = Slow()": UNREAD,
    "errors = Raises()": "what the adapter declares cannot be read: SystemExit",
}
IMPORTS = {
    "time.sleep(3600)": "its import did not end within 30 s (at ",
    "while True: pass": "its import did not end within 30 s (at ",
}


def started(folder: Path, *options: str, body: str = "pass", bases: str = "", before: str = "") -> str:
    """What a run says that ends with a usage error, and that judges nothing."""
    write_scenarios(folder)
    folder.joinpath("agent.py").write_text(AGENT.format(body=body, bases=bases, before=before))
    ran = run(folder, "agent:Agent", *options)
    assert ran.code == 4, ran.output
    assert "Traceback" not in ran.output
    assert len(ran.output) < 10_000
    return ran.output


@pytest.mark.slow
@rows("body", {**DECLARATIONS, **READ_WITHIN})
def test_declaration_without_an_end_is_an_error(body: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert {**DECLARATIONS, **READ_WITHIN}[body] in started(tmp_path_factory.mktemp("agent"), body=body)


@pytest.mark.weekly
@rows("body", DECLARATIONS)
def test_declaration_without_an_end_is_an_error_isolated(body: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("agent")

    assert DECLARATIONS[body] in started(folder, "--agent-isolate", "--agent-timeout=20", body=body)


@pytest.mark.slow
def test_property_of_the_class_that_hangs_is_an_error(tmp_path: Path) -> None:
    assert UNREAD in started(tmp_path, bases=", metaclass=Meta")


@pytest.mark.weekly
@rows("before", IMPORTS)
def test_import_that_hangs_is_said_and_ended(before: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    said = started(tmp_path_factory.mktemp("agent"), before=before)

    assert "agent-conformance: still importing the agent (at " in said
    assert IMPORTS[before] in said
    assert "--agent-timeout=18 gives it 180 s" in said


@pytest.mark.slow
def test_import_that_hangs_is_ended_isolated(tmp_path: Path) -> None:
    options = ("--agent-isolate", "--agent-timeout=0.2")

    said = started(tmp_path, *options, before="open('pid', 'w').write(str(os.getpid())); time.sleep(3600)")

    assert "its import did not end within 2 s; --agent-timeout=1.2 gives it 12 s" in said
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))
