"""An agent that never ends is stopped; what follows from stopping it is no second finding."""

import threading
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from agent_conformance.record.bounds import MOST_ATTEMPTS, MOST_MEGABYTES, MOST_REQUESTS
from agent_conformance.run.driver import MOST_CHARACTERS
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
    def send(self, message: str) -> Any:
        while self.setup.state_dir.exists():
            CLIENT.get(self.setup.base_url + "/nowhere")


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
        (IsRefused, HELLO, "accepted:openai/tool-choice-without-tools", "the request was user"),
        (GetsLost, HELLO, "bounded", "one more; the suite answered no more"),
        (Calls, TOOL, "answers", f"send did not return after {MOST_ATTEMPTS} attempts to call a tool"),
        (Talks, HELLO, "answers", "send keeps yielding"),
        (SaysTooMuch, HELLO, "answers", f"a reply of {MOST_CHARACTERS + 6} characters"),
    ],
)
def test_endless_agent_gets_one_finding(agent: Any, text: str, found: str, got: str) -> None:
    [verdict] = verdicts(agent, text, timeout=0.4)

    assert [finding.id for finding in verdict.findings][:1] == [found]
    assert got in dict(verdict.findings[0].facts)["got"]


def test_a_stop_explains_how_the_turn_ends() -> None:
    [verdict] = verdicts(CrashesAtTheStop, HELLO)

    [finding] = verdict.findings
    assert any(line.startswith("answers: HTTPStatusError") for line in finding.consequences)


def test_requests_and_attempts_are_kept_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    from agent_conformance.run.case_run import CaseRun

    records = []
    run = CaseRun.run
    monkeypatch.setattr(CaseRun, "run", lambda self, **how: records.append(self._transcript) or run(self, **how))

    verdicts(IsRefused, HELLO, timeout=0.4)
    verdicts(Calls, TOOL, timeout=0.4)

    assert len(records[0].turns[0].requests) == MOST_REQUESTS + 1
    assert len(records[1].turns[0].attempts) == MOST_ATTEMPTS


@pytest.mark.slow
def test_large_requests_are_kept_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    from agent_conformance.run.case_run import CaseRun

    records = []
    run = CaseRun.run
    monkeypatch.setattr(CaseRun, "run", lambda self, **how: records.append(self._transcript) or run(self, **how))

    [verdict] = verdicts(SendsTooMuch, HELLO, timeout=5)  # of silence: a busy machine takes long for 9 MB

    assert any("MB; the suite answered no more" in str(finding) for finding in verdict.findings)
    kept = sum(len(request.http.body) for request in records[0].turns[0].requests)
    assert MOST_MEGABYTES * 1_000_000 < kept < (MOST_MEGABYTES + 20) * 1_000_000


def test_deltas_keep_a_turn_alive_for_a_while() -> None:
    class Types(PlainAgent):
        features = frozenset({"deltas"})

        def send(self, message: str) -> Iterator[str]:
            text = super().send(message)
            for start in range(0, len(text), len(text) // 3):
                OVER.wait(0.4)  # all of them take longer than the timeout, and each takes less than half of it
                yield text[start : start + len(text) // 3]

    [verdict] = verdicts(Types, HELLO, timeout=1)

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
