"""Where a step of the end of a session fails, the others are taken, and it is named."""

from pathlib import Path
from typing import Any

import pytest

from agent_conformance.attach.loading import checked_agent
from agent_conformance.run import case_session
from agent_conformance.run.case_session import CaseSession
from tests.agents.plain import PlainAgent


def test_each_step_that_fails_is_named_and_keeps_no_other_from_being_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Path] = []
    session = CaseSession(checked_agent("agent", PlainAgent), made_folder=made.append)
    monkeypatch.setattr(case_session, "remove_folder", fails("the disk is gone"))
    monkeypatch.setattr(CaseSession, "_stop_server", fails("it does not stop"))
    with session:
        pass

    assert session.not_undone == [
        f"the folder {made[0]}: OSError: the disk is gone",
        "the server of the fakes: OSError: it does not stop",
    ]
    session._server.stop()
    made[0].rmdir()


def test_nothing_is_said_of_steps_that_went_well() -> None:
    with CaseSession(checked_agent("agent", PlainAgent)) as session:
        pass

    assert session.not_undone == []


def test_ctrl_c_in_a_step_is_not_held_back(monkeypatch: pytest.MonkeyPatch) -> None:
    session = CaseSession(checked_agent("agent", PlainAgent))

    def interrupted(self: Any) -> None:
        session._server.stop()
        raise KeyboardInterrupt

    monkeypatch.setattr(CaseSession, "_stop_server", interrupted)
    with pytest.raises(KeyboardInterrupt), session:
        pass


def fails(text: str) -> Any:
    def step(*arguments: object) -> None:
        raise OSError(text)

    return step
