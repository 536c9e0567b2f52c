"""What the toolbox records of each attempt, and what the agent gets back."""

import asyncio
import copy
import pickle
import threading
import time
from concurrent.futures import Future
from typing import Any

import pytest

from agent_conformance import Tool, ToolError
from agent_conformance.run.agent.agent_instance import Killed, Life
from agent_conformance.run.agent.toolbox import Toolbox
from agent_conformance.run.provider.running_turn import RunningTurn
from agent_conformance.scenario.model import ToolSpec, Turn
from agent_conformance.transcripts.transcript import MOST_ATTEMPTS, Attempt, TurnRecord
from tests.patience import PATIENCE

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
LOOK = ToolSpec(name="look", description="Looks.", parameters=SCHEMA, returns="7")


class Shy:
    def __repr__(self) -> str:
        raise ValueError("no")


def begun(**fields: Any) -> tuple[RunningTurn, TurnRecord]:
    turn = RunningTurn()
    record = TurnRecord(1, Turn.read({"user": "Look.", "model": [], **fields}))
    turn.begin(record, cancel=Future, steer=lambda message: Future())
    return turn, record


def called(*specs: ToolSpec, arguments: Any) -> tuple[Attempt, Any]:
    """The attempt of the first tool, and what it returned."""
    turn, record = begun()
    toolbox = Toolbox([*specs], turn)
    value = toolbox.tools[0].call(arguments)
    (attempt,) = record.attempts
    return attempt, value


def test_attempt_that_fits_runs_and_is_recorded_with_its_result() -> None:
    attempt, value = called(LOOK, arguments={"city": "Oslo"})

    assert value == "7"
    assert attempt == Attempt(1, "look", {"city": "Oslo"}, accepted=True, enabled=True, result="7")


@pytest.mark.parametrize(
    ("said", "text"),
    [("7", '7\n{"degrees": 7}'), ("", '{"degrees": 7}'), ('{"degrees":7}', '{"degrees":7}')],
)
def test_structured_data_and_their_text_are_one_text_and_known_apart(said: str, text: str) -> None:
    attempt, value = called(LOOK.changed({"returns": said, "structured": {"degrees": 7}}), arguments={"city": "Oslo"})

    assert (value, type(value)) == (text, str)
    assert (attempt.result, attempt.structured) == ('{"degrees": 7}', {"degrees": 7})


def test_structured_data_can_be_told_from_their_text_also_in_a_copy() -> None:
    turn, _ = begun()
    tool = Toolbox([LOOK.changed({"structured": {"degrees": 7}})], turn).tools[0]
    value = tool.content({"city": "Oslo"})

    for same in (value, copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert (same, same.said, same.structured) == ('7\n{"degrees": 7}', "7", {"degrees": 7})


def test_result_with_the_flag_of_an_error_is_raised_and_the_next_one_is_not() -> None:
    results = [{"result": "closed", "error": True}, {"result": "open", "error": False}]
    turn, record = begun()
    (tool,) = Toolbox([LOOK.changed({"returns": None, "results": results})], turn).tools

    with pytest.raises(ToolError, match=r"^closed$"):
        tool.call({"city": "Oslo"})
    assert tool.call({"city": "Oslo"}) == {"result": "open", "error": False}
    assert [(attempt.failed, attempt.result) for attempt in record.attempts] == [
        (True, "closed"),
        (False, '{"result": "open", "error": false}'),
    ]


def test_arguments_that_do_not_fit_are_answered_with_the_place() -> None:
    attempt, value = called(LOOK, arguments={"city": 7})

    assert value == attempt.result
    assert attempt.result.startswith("Error: look was not run: arguments['city']: ")
    assert (attempt.accepted, attempt.enabled, attempt.ran) == (False, True, False)


@pytest.mark.parametrize(("arguments", "kind", "shown"), [({1, 2}, "set", "{1, 2}"), (Shy(), "Shy", "__repr__ fails")])
def test_arguments_that_are_no_json_are_kept_as_they_look(arguments: Any, kind: str, shown: str) -> None:
    attempt, value = called(LOOK, arguments=arguments)

    assert value == f"Error: look was not run: its arguments are a {kind}, which is not a JSON value"
    assert shown in repr(attempt.arguments)


def test_long_arguments_that_are_no_json_are_cut() -> None:
    attempt, _ = called(LOOK, arguments={"x" * 999})

    assert len(repr(attempt.arguments)) == 200


def test_recorded_arguments_are_those_of_the_call() -> None:
    arguments = {"city": "Oslo"}
    attempt, _ = called(LOOK, arguments=arguments)
    arguments["city"] = "Rome"

    assert attempt.arguments == {"city": "Oslo"}


def test_disabled_tool_is_not_run() -> None:
    attempt, value = called(LOOK.changed({"enabled": False}), arguments={"city": "Oslo"})

    assert value == "Error: the tool look is not available now."
    assert (attempt.accepted, attempt.enabled) == (False, False)


def test_failing_tool_raises_and_says_why() -> None:
    turn, record = begun()
    (tool,) = Toolbox([LOOK.changed({"raises": "no power"})], turn).tools

    with pytest.raises(ToolError, match="no power"):
        tool.call({"city": "Oslo"})
    (attempt,) = record.attempts
    assert (attempt.failed, attempt.result, attempt.ran) == (True, "no power", True)


def test_results_come_in_order_and_the_last_one_stays() -> None:
    turn, record = begun()
    (tool,) = Toolbox([LOOK.changed({"results": ["1", "2"]})], turn).tools

    assert [tool.call({"city": "Oslo"}) for _ in range(3)] == ["1", "2", "2"]
    assert [attempt.order for attempt in record.attempts] == [1, 2, 3]


def test_attempt_that_did_not_run_takes_no_result() -> None:
    turn, _ = begun()
    (tool,) = Toolbox([LOOK.changed({"results": ["1", "2"]})], turn).tools

    tool.call({})

    assert tool.call({"city": "Oslo"}) == "1"


def test_attempt_before_a_turn_belongs_to_the_next_one() -> None:
    turn = RunningTurn()
    (tool,) = Toolbox([LOOK], turn).tools
    tool.call({"city": "Oslo"})
    record = TurnRecord(1, Turn.read({"user": "Look.", "model": []}))

    turn.begin(record, cancel=Future, steer=lambda message: Future())

    assert [attempt.tool for attempt in record.attempts] == ["look"]
    assert turn.early_attempts == []


def killed_at(when: str) -> tuple[list[Attempt], list[BaseException], bool]:
    """The attempts of an agent that is killed at its second call, while its first one still runs."""
    turn, record = begun(crash={"at": "tool", "n": 2, "when": when})
    deaths: list[BaseException] = []
    life = Life(deaths.append)
    slow = LOOK.changed({"delay": 1})
    quick = LOOK.changed({"name": "find"})
    first, second = Toolbox([slow, quick], turn).tools_of(life)
    threads = [threading.Thread(target=_call, args=(tool,)) for tool in (first, second)]
    for thread in threads:
        thread.start()
        while len(record.attempts) < threads.index(thread) + 1:
            thread.join(0.001)
    threads[1].join(0.1)
    still_held = all(thread.is_alive() for thread in threads)
    life.end()
    for thread in threads:
        thread.join(PATIENCE)
    return record.attempts, deaths, still_held


def _call(tool: Tool) -> None:
    with pytest.raises(Killed):
        tool.call({"city": "Oslo"})


@pytest.mark.parametrize(("when", "lost"), [("before", ["before", "before"]), ("after", ["before", "after"])])
def test_tools_that_still_run_when_the_agent_is_killed_have_no_effect(when: str, lost: list[str]) -> None:
    attempts, deaths, still_held = killed_at(when)

    assert [attempt.lost for attempt in attempts] == lost
    assert [attempt.ran for attempt in attempts] == [False, when == "after"]
    assert (len(deaths), still_held) == (1, True)


class SignsOfLife(RunningTurn):
    """Counts them."""

    signs = 0

    def note_activity(self, ahead: float = 0.0) -> None:
        super().note_activity(ahead)
        self.signs += 1


def test_call_is_a_sign_of_life_when_it_begins_and_when_it_ends() -> None:
    turn = SignsOfLife()
    record = TurnRecord(1, Turn.read({"user": "Look.", "model": []}))
    turn.begin(record, cancel=Future, steer=lambda message: Future())
    before = turn.signs
    (tool,) = Toolbox([LOOK], turn).tools

    tool.call({"city": "Oslo"})

    assert turn.signs == before + 2


def test_calls_beyond_the_most_are_neither_recorded_nor_a_sign_of_life() -> None:
    turn = SignsOfLife()
    record = TurnRecord(1, Turn.read({"user": "Look.", "model": []}))
    turn.begin(record, cancel=Future, steer=lambda message: Future())
    (tool,) = Toolbox([LOOK], turn).tools
    signs = []
    for _ in range(MOST_ATTEMPTS + 2):
        before = turn.signs
        assert tool.call({"city": "Oslo"}) == "7"
        signs.append(turn.signs - before)

    assert len(record.attempts) == MOST_ATTEMPTS
    assert signs == [2] * MOST_ATTEMPTS + [0, 0]


def test_slow_tool_takes_its_time_and_a_refused_call_none(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(time, "sleep", slept.append)
    monkeypatch.setattr(asyncio, "sleep", sleep)
    turn, _ = begun()
    (slow,) = Toolbox([LOOK.changed({"delay": 7})], turn).tools
    (quick,) = Toolbox([LOOK], turn).tools

    for arguments in ({"city": "Oslo"}, {}):
        slow.call(arguments)
        quick.call(arguments)
        asyncio.run(slow.acall(arguments))
        asyncio.run(quick.acall(arguments))

    assert slept == [7, 7]
