"""Z.ai takes a result without an id and drops it, and the law `paired` says so."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from agent_conformance.agents.reference import Adapter, Defences
from agent_conformance.agents.reference.provider import body_bytes
from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from tests.bundled import bundled_files


def without_ids(body: Mapping[str, Any]) -> bytes:
    messages = [{k: v for k, v in one.items() if k != "tool_call_id"} for one in body["messages"]]
    return body_bytes({**body, "messages": messages})


class WithoutIds(Adapter):
    defences = replace(Defences(), body_bytes=without_ids)


@pytest.mark.parametrize(("adapter", "found"), [(Adapter, []), (WithoutIds, ["paired"])])
def test_result_without_an_id_is_not_sent_at_z_ai(adapter: type[Adapter], found: list[str]) -> None:
    files = bundled_files()
    file = next(file for file in files if file.id == "round-trip/result-comes-back")
    agent = checked_agent("an agent", adapter)
    case = next(iter(cases_of(file, agent, RunOptions(providers=("zai",)))))

    with CaseSession(agent) as runner:
        assert [finding.id for finding in runner.run(case).findings if finding.level == "must"] == found
