"""A vendor's own tool loop passes every core case on the vendor's own wire; a failure is a fault of the suite."""

import importlib

import pytest

from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.transcripts.finding import Verdict
from fake_providers import WIRES
from tests.bundled import bundled_files

pytestmark = pytest.mark.slow

LOOPS = {
    "anthropic-messages": (
        "tests.agents.vendor_anthropic:Adapter",
        "tests.agents.vendor_anthropic:SendsWholeConversation",
    ),
    "gemini-generate": ("agent_conformance.agents.ready_made.google_genai:Adapter",),
    "openai-responses": ("tests.agents.vendor_openai:Adapter",),
}
"""The adapters around the loop that the SDK of a wire's vendor has; they run as soon as the wire is built."""

WITHOUT = {"openai-chat", "ollama-chat", "bedrock-converse", "cohere-chat"}
"""Wires whose vendor's SDK has no loop: openai's has one for Responses only, those of Ollama and Amazon none."""

BEYOND = ("context-limit", "compaction", "restart", "images", "tool-search", "wire ")
"""What no vendor's loop can do: prune, compact, search for tools, survive a restart, or use another vendor's wire. They
pass no pictures here."""


PARAMS = [
    pytest.param(name, marks=[pytest.mark.weekly] if at or "ready_made" in name else [])
    for wire, names in LOOPS.items()
    if wire in WIRES
    for at, name in enumerate(names)
]
"""The first of each wire in every run, but a ready-made one, which `.ci/run` plays as a framework."""


@pytest.fixture(scope="module", params=PARAMS)
def verdicts(request: pytest.FixtureRequest) -> list[Verdict]:
    module, _, name = request.param.partition(":")
    if "anthropic" in module:
        importlib.import_module("anthropic")  # takes seconds on a busy machine, which would count as silence
    agent = checked_agent(request.param, getattr(importlib.import_module(module), name))
    files = bundled_files()
    with CaseSession(agent) as runner:
        return [runner.run(case) for file in files for case in cases_of(file, agent, RunOptions(profiles=("core",)))]


def test_no_core_case_fails_a_vendors_loop(verdicts: list[Verdict]) -> None:
    failed = {
        verdict.case: verdict.reason or [finding.id for finding in verdict.findings]
        for verdict in verdicts
        if verdict.outcome not in ("pass", "not-verified")
    }

    assert failed == {}


def test_nearly_every_core_case_is_judged(verdicts: list[Verdict]) -> None:
    judged = [verdict for verdict in verdicts if verdict.outcome == "pass"]
    reasons = {verdict.reason for verdict in verdicts if verdict.outcome == "not-verified"}

    assert len(judged) >= 130
    assert sum(verdict.executions for verdict in judged) >= 120
    assert all(any(feature in reason for feature in BEYOND) for reason in reasons), reasons


def test_every_wire_has_its_vendors_loop_or_none_exists() -> None:
    assert set(WIRES) <= {*LOOPS, *WITHOUT}
