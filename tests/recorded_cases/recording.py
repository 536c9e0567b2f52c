"""Cassettes of our own agents: what an agent and the fakes said in one run of a case, as recorders write it."""

import json
from collections.abc import Iterator
from pathlib import Path

import yaml

from agent_conformance.attach.loading import load_agent
from agent_conformance.cassettes.bodies import chunks_of
from agent_conformance.cassettes.formats.own import header_line, line_of
from agent_conformance.cassettes.recorded_exchange import RecordedRequest, RecordedResponse
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.loading import ScenarioFile, load_file
from fake_providers.provider_facts import facts_by_provider

Recorded = tuple[RecordedRequest, RecordedResponse]


def recorded(scenario: str, target: str, *, agent: str = "agent_conformance.reference:Adapter") -> list[Recorded]:
    """The requests of one case, as `history/x` and `openai-chat+plain` name it, with their responses."""
    file = load_file(bundled_scenarios() / f"{scenario}.yaml", root=None)
    assert isinstance(file, ScenarioFile)
    loaded = load_agent(agent, cwd=Path.cwd())
    case = next(case for case in cases_of(file, loaded, RunOptions()) if case.id.endswith(f"@{target}"))
    with CaseSession(loaded, keeps_transcripts=True) as runner:
        runner.run(case)
        return list(exchanges_in(runner))


def exchanges_in(runner: CaseSession) -> Iterator[Recorded]:
    """Of the case that ran last, without the message that the suite adds at the end."""
    turns = [turn for turn in runner.transcripts[0].turns if not turn.is_follow_up]
    for request in (request for turn in turns for request in turn.requests):
        if request.response is None or request.target is None:
            continue
        hosts = facts_by_provider()[request.target.provider].hosts
        url = f"https://{hosts[0] if hosts else '127.0.0.1:11434'}{request.http.path}"
        kind = dict(request.response.headers).get("content-type", "")
        body = b"".join(request.response.chunks)
        yield (
            RecordedRequest("POST", url, (("content-type", "application/json"),), request.http.body),
            RecordedResponse(request.response.status, request.response.headers, chunks_of(body, kind)),
        )


def own_cassette(exchanges: list[Recorded]) -> str:
    return header_line({"provider": "any", "wire": "any"}) + "".join(line_of(*one) for one in exchanges)


def vcr_cassette(exchanges: list[Recorded]) -> str:
    """Of vcrpy."""
    entries = [
        {
            "request": {"method": "POST", "uri": sent.url, "headers": {}, "body": sent.body.decode()},
            "response": {
                "status": {"code": got.status, "message": ""},
                "headers": {name: [value] for name, value in got.headers},
                "body": {"string": got.body.decode()},
            },
        }
        for sent, got in exchanges
    ]
    return yaml.safe_dump({"interactions": entries, "version": 1})


def har_cassette(exchanges: list[Recorded]) -> str:
    """Of a browser or a proxy."""
    entries = [
        {
            "request": {"method": "POST", "url": sent.url, "headers": [], "postData": {"text": sent.body.decode()}},
            "response": {
                "status": got.status,
                "headers": [{"name": name, "value": value} for name, value in got.headers],
                "content": {"text": got.body.decode()},
            },
        }
        for sent, got in exchanges
    ]
    return json.dumps({"log": {"version": "1.2", "creator": {"name": "any"}, "entries": entries}}, indent=1)
