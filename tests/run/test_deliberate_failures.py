"""An adapter names the packages whose plain exceptions are deliberate; a bug in them is a crash all the same."""

import sys
import types
from typing import Any

import pytest

from agent_conformance.attach.loading import AgentNotFound, checked_agent
from tests.agents.plain import PlainAgent
from tests.trying import only_findings, verdicts

TEXT = """
wires: [openai-chat]
conversation:
  - user: Say hello.
    model:
      - text: Hello.
    expect: {outcome: either}
"""

LIBRARY = '''
import json

class Wrapped(Exception):
    """Whatever happened."""

def give_up():
    raise ValueError("Invalid name: node.js")

def stumble():
    return None + 1

def misread():
    return json.loads("{")

def wrap():
    try:
        stumble()
    except Exception as error:
        raise Wrapped("the loop failed") from error

def rethrow():
    try:
        give_up()
    except ValueError:
        raise
'''


@pytest.fixture(autouse=True)
def _library(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("a_framework.core")
    exec(compile(LIBRARY, "/lib/site-packages/a_framework/core.py", "exec"), vars(module))
    monkeypatch.setitem(sys.modules, "a_framework.core", module)


def agent(what: str, *errors: Any) -> Any:
    class Fails(PlainAgent):
        def reply(self, text: str) -> str:
            if text == "Hello.":  # and not in the follow-up
                getattr(sys.modules["a_framework.core"], what)()
            return text

    Fails.errors = errors  # type: ignore[assignment]
    return Fails


@pytest.mark.parametrize("place", ["a_framework", "a_framework.core", "site-packages/a_framework/"])
@pytest.mark.parametrize("what", ["give_up", "rethrow", "wrap"])
def test_exception_that_a_named_package_raises_on_purpose_is_controlled(what: str, place: str) -> None:
    assert only_findings(agent(what, place), TEXT) == {"openai-chat+plain": []}


@pytest.mark.parametrize("place", ["a_frame", "core", "another"])
def test_exception_of_another_package_is_a_crash(place: str) -> None:
    assert only_findings(agent("give_up", place), TEXT) == {"openai-chat+plain": ["answers"]}


@pytest.mark.parametrize("what", ["stumble", "misread"])
def test_bug_in_a_named_package_is_a_crash(what: str) -> None:
    assert only_findings(agent(what, "a_framework"), TEXT) == {"openai-chat+plain": ["answers"]}


def test_bug_behind_a_controlled_failure_is_recorded() -> None:
    from agent_conformance.run.exceptions import accident_behind

    core = sys.modules["a_framework.core"]
    with pytest.raises(core.Wrapped) as wrapped:
        core.wrap()
    with pytest.raises(ValueError, match="Invalid name") as raised:
        core.give_up()

    assert accident_behind(wrapped.value).startswith("TypeError: unsupported operand")
    assert accident_behind(raised.value) == ""
    assert verdicts(agent("wrap", core.Wrapped), TEXT)[0].findings == ()


def test_bug_is_recorded_that_is_a_cause_alone_or_what_was_being_handled_alone() -> None:
    from agent_conformance.run.exceptions import accident_behind

    core = sys.modules["a_framework.core"]
    with pytest.raises(TypeError) as stumbled:
        core.stumble()
    later, within = core.Wrapped("a task failed"), core.Wrapped("the loop failed")
    later.__cause__, within.__context__ = stumbled.value, stumbled.value

    assert accident_behind(later) == accident_behind(within) != ""


def test_causes_that_go_round_in_a_circle_end() -> None:
    from agent_conformance.run.exceptions import accident_behind

    first, second = RuntimeError("first"), RuntimeError("second")
    first.__cause__, second.__cause__ = second, first

    assert accident_behind(first) == ""


@pytest.mark.parametrize("errors", [("",), (".",), ("builtins",), "a_framework", (ValueError,)])
def test_errors_that_would_hide_crashes_are_refused(errors: Any) -> None:
    class Declares(PlainAgent):
        pass

    Declares.errors = errors
    with pytest.raises(AgentNotFound, match="`errors`"):
        checked_agent("trying", Declares)
