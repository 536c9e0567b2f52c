"""An agent that never ends is stopped; what follows from stopping it is no second finding."""

import threading
from collections.abc import Iterator
from itertools import count
from typing import Any, ClassVar

import pytest

from agent_conformance.run.agent.driver import MOST_CHARACTERS
from agent_conformance.transcripts.transcript import MOST_ATTEMPTS, MOST_REFUSALS, MOST_REQUESTS
from tests.agents.plain import CLIENT, PlainAgent
from tests.run.end_of_test import OVER
from tests.trying import ONE_CALL, WEATHER, verdicts

HELLO = "wires: [openai-chat]\nconversation:\n  - user: Say hello.\n    model:\n      - text: Hello.\n"
TOOL = "wires: [openai-chat]\n" + WEATHER + HELLO.partition("\n")[2]


class NeverStops(PlainAgent):
    """Sends its request again whatever the response, the suite's own stop included; ends with its `state_dir`, since a
    server that is stopped in the middle of a request leaves warnings.
    """

    extra: ClassVar[dict[str, Any]] = {}

    def send(self, message: str) -> Any:
        self.begin(message)
        while self.setup.state_dir.exists():
            CLIENT.post(
                self.setup.base_url + self.shape.path, json=self.body() | self.extra, headers=self.shape.headers
            )


class IsRefused(NeverStops):
    extra: ClassVar = {"tool_choice": "auto"}


class SendsTooMuch(NeverStops):
    """Megabytes that are refused, and again."""

    extra: ClassVar = {"tool_choice": "x" * 9_000_000}


class GetsLost(NeverStops):
    place = "/nowhere"

    def send(self, message: str) -> Any:
        for number in count():
            CLIENT.get(self.setup.base_url + self.place.format(number))
            if not self.setup.state_dir.exists():
                return


class GetsLostEverywhere(GetsLost):
    """Each request is refused for a reason of its own."""

    place = "/nowhere/{}"


class AsksForModels(GetsLost):
    """What is answered at any time, and no request of the conversation."""

    place = "/models"


class CrashesAtTheStop(PlainAgent):
    def send(self, message: str) -> Any:
        self.begin(message)
        while self.setup.state_dir.exists():
            self.post(self.body())["choices"][0]

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        response = CLIENT.post(self.setup.base_url + self.shape.path, json=body, headers=self.shape.headers)
        response.raise_for_status()
        return dict(response.json())


class Calls(PlainAgent):
    def send(self, message: str) -> Any:
        super().send(message)
        while self.setup.state_dir.exists():
            self.setup.tools[0].call({})


class Talks(PlainAgent):
    features = PlainAgent.features | {"deltas"}

    def send(self, message: str) -> Iterator[str]:
        super().send(message)
        while not OVER.wait(0.005):
            yield "x"


class SaysTooMuch(PlainAgent):
    def send(self, message: str) -> Any:
        return super().send(message) + "x" * MOST_CHARACTERS


@pytest.mark.parametrize(
    ("agent", "text", "found", "got"),
    [
        (NeverStops, HELLO, "bounded", "request 26 was sent; the suite answered no more"),
        (CrashesAtTheStop, HELLO, "bounded", "request 26 was sent; the suite answered no more"),
        (IsRefused, HELLO, "accepted:openai/tool-choice-without-tools", "its messages: user"),
        (GetsLost, HELLO, "bounded", "one more; the suite answered no more"),
        (GetsLostEverywhere, HELLO, "bounded", "one more; the suite answered no more"),
        (Calls, TOOL, "declared-only", "get_weather was attempted"),
        (Talks, HELLO, "answers", "send keeps yielding"),
        (SaysTooMuch, HELLO, "answers", f"a reply of {MOST_CHARACTERS + 6} characters"),
    ],
)
def test_endless_agent_gets_one_finding(agent: Any, text: str, found: str, got: str) -> None:
    [verdict] = verdicts(agent, text, timeout=1.0)

    assert [finding.id for finding in verdict.findings][:1] == [found]
    assert got in verdict.findings[0].got


def test_a_stop_explains_how_the_turn_ends() -> None:
    [verdict] = verdicts(CrashesAtTheStop, HELLO)

    [finding] = verdict.findings
    assert any(line.startswith("answers: HTTPStatusError") for line in map(str, finding.consequences))


def test_requests_and_attempts_are_kept_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    from agent_conformance.run.case_run import CaseRun

    records = []
    run = CaseRun.run
    monkeypatch.setattr(CaseRun, "run", lambda self, **how: records.append(self._transcript) or run(self, **how))

    for agent in (IsRefused, GetsLost, GetsLostEverywhere):
        verdicts(agent, HELLO, timeout=1.0)
    verdicts(Calls, TOOL, timeout=1.0)

    kept = [len(record.turns[0].requests) for record in records]
    assert kept[:3] == [MOST_REFUSALS + 1, MOST_REFUSALS + 1, MOST_REQUESTS + 1]
    assert len(records[3].turns[0].attempts) == MOST_ATTEMPTS


FEW_MEGABYTES = 30
"""In place of the bound of 200: each request is read as a whole."""


@pytest.mark.slow
def test_large_requests_are_kept_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    from agent_conformance.run.case_run import CaseRun

    for module in ("run.provider.answering", "judge.laws.ending"):
        monkeypatch.setattr(f"agent_conformance.{module}.MOST_MEGABYTES", FEW_MEGABYTES)
    records = []
    run = CaseRun.run
    monkeypatch.setattr(CaseRun, "run", lambda self, **how: records.append(self._transcript) or run(self, **how))

    [verdict] = verdicts(SendsTooMuch, HELLO, timeout=5)  # of silence: a busy machine takes long for 9 MB

    assert any("MB; the suite answered no more" in str(finding) for finding in verdict.findings)
    kept = sum(len(request.http.body) for request in records[0].turns[0].requests)
    assert FEW_MEGABYTES * 1_000_000 < kept < (FEW_MEGABYTES + 20) * 1_000_000


class RespondsNowAndThen(PlainAgent):
    """Calls its tool before the silence is too long, and for ever."""

    def send(self, message: str) -> Any:
        super().send(message)
        while not OVER.wait(0.05):
            self.setup.tools[0].call({})


class StartsForEver(AsksForModels):
    """Never gets to its first turn."""

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        super().send("")


def test_turn_has_a_limit_whatever_the_agent_does_in_it() -> None:
    [busy] = verdicts(RespondsNowAndThen, TOOL, timeout=10, turn_limit=0.5)
    [asking] = verdicts(AsksForModels, HELLO, timeout=0.1, turn_limit=0.5)
    [right] = verdicts(PlainAgent, HELLO, timeout=10, turn_limit=60)

    limit = "send did not return within 0.5 s, the limit of a turn (--agent-turn-limit), "
    assert any(f"answers: {limit}"[:60] in str(one) for one in busy.findings[0].consequences)
    assert f"{limit}0 requests by now" in asking.reason
    assert right.outcome == "pass"


def test_what_an_agent_asks_before_its_first_turn_is_no_sign_of_life() -> None:
    [verdict] = verdicts(StartsForEver, HELLO, timeout=0.1, turn_limit=60)

    assert verdict.reason.startswith("the adapter's __init__ did not return within 0.6 s")


def test_deltas_keep_a_turn_alive_for_a_while() -> None:
    class Types(PlainAgent):
        features = frozenset({"deltas"})

        def send(self, message: str) -> Iterator[str]:
            text = super().send(message)
            for start in range(0, len(text), len(text) // 3):
                OVER.wait(0.8)  # all of them take longer than the timeout, and each takes less than half of it
                yield text[start : start + len(text) // 3]

    [verdict] = verdicts(Types, HELLO, timeout=2)

    assert verdict.findings == ()


def test_a_flood_from_many_threads_is_stopped() -> None:
    class Swarm(NeverStops):
        def send(self, message: str) -> Any:
            threads = [threading.Thread(target=super().send, args=(message,), daemon=True) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    [verdict] = verdicts(Swarm, "wires: [openai-chat]\n" + ONE_CALL, timeout=0.2)

    assert verdict.outcome == "fail"
