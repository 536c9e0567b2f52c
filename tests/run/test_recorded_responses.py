"""Each request of a transcript has the response that it got."""

import json

from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from tests.agents.plain import PlainAgent
from tests.trying import ONE_CALL, scenario


def test_request_has_the_response_that_it_got() -> None:
    agent = checked_agent("trying", PlainAgent)
    (case,) = cases_of(scenario(ONE_CALL), agent, RunOptions(wires=("openai-chat",)))
    with CaseSession(agent, keeps_transcripts=True) as runner:
        runner.run(case)
        (transcript,) = runner.transcripts

    bodies = [json.loads(one.response.body) for _, one in transcript.requests() if one.response is not None]
    said = [body["choices"][0]["message"] for body in bodies]
    assert len(said) == sum(1 for _ in transcript.requests())
    assert said[0]["tool_calls"][0]["function"]["name"] == "get_weather"
    assert said[1]["content"] == "It is 7 degrees and raining in Oslo."
