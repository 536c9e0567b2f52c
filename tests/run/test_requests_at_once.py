"""While the adapter is asked about one request another one is answered, and each is recorded as what it was."""

import threading
from typing import Any

from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from tests.agents.plain import PlainAgent
from tests.patience import PATIENCE
from tests.trying import ONE_CALL, scenario


class AsksAtOnce(PlainAgent):
    """Requests a title on a thread, which is asked about until the conversation has its first reply."""

    wires = ("openai-chat",)
    asked: threading.Event
    answered: threading.Event

    def begin(self, message: str) -> None:
        super().begin(message)
        self.asked, self.answered = threading.Event(), threading.Event()
        body = self.shape.body(self.shape.user(f"A title, please: {message}"), [])
        self.title = threading.Thread(target=self.post, args=(body,))
        self.title.start()
        self.asked.wait(PATIENCE)

    def post(self, body: Any) -> Any:
        response = super().post(body)
        if "A title, please" not in str(body):
            self.answered.set()
            self.title.join(PATIENCE)
        return response

    def side_request(self, body: dict[str, Any]) -> bool:
        if "A title, please" not in str(body):
            return False
        self.asked.set()
        return self.answered.wait(PATIENCE)


def test_request_that_waits_for_the_adapter_keeps_what_it_says() -> None:
    agent = checked_agent("at once", AsksAtOnce)
    (case,) = (one for one in cases_of(scenario(ONE_CALL), agent, RunOptions()) if one.mode == "plain")
    with CaseSession(agent) as runner:
        verdict, (transcript,) = runner.examine(case)

    assert (verdict.outcome, verdict.findings) == ("pass", ())
    first, title, last = transcript.turns[0].requests
    assert [one.kind for one in (first, title, last)] == ["reply", "side", "reply"]
    assert [sorted(one.offered) for one in (first, title, last)] == [["get_weather"], [], ["get_weather"]]
    assert "A title, please" in title.view.texts
    assert [call.name for call in first.calls] == ["get_weather"]
    assert title.response is not None
    assert b"OK" in title.response.body
