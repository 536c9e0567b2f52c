"""A request that a rule forbids, sent by the reference agent, is a finding that names the rule.

The request is the rule's own sample, in place of the one that the agent would send.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from agent_conformance.agents.reference import Adapter, Defences
from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from fake_providers import Rule
from fake_providers.provider_facts import own_provider
from fake_providers.registry import WIRES, wire_for
from tests.trying import ONE_CALL, scenario

FILE = scenario(ONE_CALL)
OWN_PATHS = {"gemini-generate": "/v1beta/models/gemini-3-flash-preview:generateContent"}
"""Where samples name the path that the agent posts to anyway."""


def rules_of_bodies(wire: str) -> Iterator[Rule]:
    """The rules of the wire's own provider that a body alone breaks."""
    for rule in wire_for(own_provider(wire), wire).rules:
        if rule.breaking is not None and rule.path in ("", OWN_PATHS.get(wire)) and not rule.headers:
            yield rule


def sends(body: Any) -> type[Adapter]:
    """The reference agent, which sends this body whatever it would send."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()

    class SendsOneBody(Adapter):
        defences: Defences = replace(Adapter.defences, body_bytes=lambda _: content)

    return SendsOneBody


@pytest.mark.slow
@pytest.mark.parametrize("wire", WIRES)
def test_request_that_a_rule_forbids_is_a_finding_with_its_name(wire: str) -> None:
    missed = []
    rules = [*rules_of_bodies(wire)]
    for rule in rules:
        agent = checked_agent(rule.id, sends(rule.breaking))
        (case,) = cases_of(FILE, agent, RunOptions(wires=(wire,), brief=True))
        with CaseSession(agent) as runner:
            verdict = runner.run(case)
        if f"accepted:{rule.id}" not in {finding.id for finding in verdict.findings}:
            missed.append((rule.id, [finding.id for finding in verdict.findings]))

    assert len(rules) > 20
    assert missed == []
