"""What the reference agent does between two attempts, and where it asks the second provider."""

from dataclasses import replace
from pathlib import Path

import pytest
from reference_setups import Recorder, calls, scripted_fake, sent, setup_for, start_adapter

from agent_conformance import AgentError
from agent_conformance.adapter.types import Fallback
from agent_conformance.agents.reference import Adapter
from agent_conformance.agents.reference.history import Entry, History
from fake_providers.reply import Fault
from fake_providers.reply import Reply as Scripted

DONE = Scripted(text="Done.")
ASKED = (Entry("user", "Look."),)


def overloaded(times: int, status: int = 500) -> list[Scripted]:
    return [Scripted(fault=Fault(status=status))] * times


def attempted(folder: Path, *replies: Scripted, fallback: bool = False) -> tuple[str, list[tuple[History, int]], int]:
    """The reply, what the defence for retries was given each time, and how many requests there were."""
    seen: list[tuple[History, int]] = []

    def on_retry(history: History, start: int) -> History:
        seen.append((history, start))
        return history

    class Noting(Adapter):
        defences = replace(Adapter.defences, history_on_retry=on_retry, retry_delay=lambda error, attempt: 0.0)

    setup = setup_for("openai-chat", folder, tools=[Recorder().tool()])
    if fallback:
        setup = replace(setup, fallback=Fallback("openai-chat", "openai", setup.base_url, "key", "gpt-4.1"))
    fake = scripted_fake("openai-chat", *replies)
    reply, _ = sent(start_adapter(setup, fake, Noting), "Look.")
    return reply, seen, len(fake.requests)


def test_first_attempt_is_no_retry(tmp_path: Path) -> None:
    assert attempted(tmp_path, DONE) == ("Done.", [], 1)


def test_each_further_attempt_is_told_what_the_turn_has_so_far(tmp_path: Path) -> None:
    reply, seen, requests = attempted(tmp_path, calls("get_weather"), *overloaded(2), DONE)

    assert (reply, requests) == ("Done.", 4)
    assert [([entry.role for entry in history], start) for history, start in seen] == [
        (["user", "model", "results"], 0)
    ] * 2


@pytest.mark.parametrize("status", [500, 401])
def test_second_provider_is_asked_where_the_first_one_fails_for_good(status: int, tmp_path: Path) -> None:
    failing = 4 if status == 500 else 1

    reply, seen, requests = attempted(tmp_path, *overloaded(failing, status), DONE, fallback=True)

    assert (reply, requests) == ("Done.", failing + 1)
    assert seen == [(ASKED, 0)] * failing


def test_second_provider_is_not_asked_about_a_wrong_request(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="400"):
        attempted(tmp_path, *overloaded(1, 400), DONE, fallback=True)


def test_failure_of_both_providers_ends_the_turn(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="401"):
        attempted(tmp_path, *overloaded(2, 401), fallback=True)
