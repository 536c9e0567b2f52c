"""One wire, many providers: a case uses the provider that it names, with that provider's model, path and rules."""

from typing import Any

import pytest

from agent_conformance import Setup
from agent_conformance.agents.reference import Adapter
from agent_conformance.agents.reference.wires import openai_chat, openai_responses
from agent_conformance.attach.loading import checked_agent
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.derived.routes import first_target
from fake_providers.provider_facts import providers_of
from tests.trying import ONE_CALL, WEATHER, only_findings, scenario, verdicts

CHAT = providers_of("openai-chat")
RESPONSES = providers_of("openai-responses")
RESTORED = (
    WEATHER
    + """
history:
  - user: And in Rome?
  - assistant:
      calls: [{id: call_98660886, name: get_weather, arguments: {city: Rome}}]
  - tool: {id: call_98660886, result: 20 degrees}
conversation:
  - user: And in Oslo?
    model:
      - calls: [{name: get_weather, arguments: {city: Oslo}}]
      - text: It is 7 degrees and raining in Oslo.
"""
)
INVENTED = ONE_CALL.replace("calls: [{name: get_weather", "calls: [{name: get_snow")
MISTYPED = ONE_CALL.replace("arguments: {city: Oslo}", "arguments: {city: [Oslo]}")
CUT = ONE_CALL.replace("arguments: {city: Oslo}", 'arguments_text: \'{"city": "Osl\'')
WRITTEN = ONE_CALL.replace("arguments: {city: Oslo}", 'arguments_text: \'{"city": "Oslo"}\'')
PICTURE = """
tools:
  - name: screenshot
    description: A picture of a page.
    parameters: {}
    content: [{text: the login page}, {image: {width: 8, height: 8}}]
conversation:
  - user: What is on the page?
    model:
      - calls: [{name: screenshot, arguments: {}}]
      - text: A form.
    expect:
      requests: [{at: 2, images: 1, roles: [user, assistant, tool], contains: [the login page]}]
"""


def targets(text: str, **choice: Any) -> list[str]:
    agent = checked_agent("trying", Adapter)
    cases = cases_of(scenario(text), agent, RunOptions(wires=("openai-chat",), **choice))
    return [case.id.partition("@")[2] for case in cases]


@pytest.mark.parametrize("provider", CHAT)
def test_reference_passes_a_call_and_a_restored_history_on_each_provider(provider: str) -> None:
    for text in (ONE_CALL, RESTORED):
        found = verdicts(Adapter, text, wires=("openai-chat",), providers=(provider,))
        assert [(verdict.outcome, verdict.findings) for verdict in found] == [("pass", ())] * 2


@pytest.mark.parametrize("provider", RESPONSES)
def test_reference_passes_both_on_each_provider_of_responses(provider: str) -> None:
    for text in (ONE_CALL, RESTORED):
        found = verdicts(Adapter, text, wires=("openai-responses",), providers=(provider,))
        assert [(verdict.outcome, verdict.findings) for verdict in found] == [("pass", ())] * 2


def test_agent_that_keeps_no_thoughts_is_refused_on_responses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_responses, "thought_items", lambda thoughts, provider, *, calls: [])

    found = only_findings(Adapter, ONE_CALL, wires=("openai-responses",), providers=("deepseek",))

    assert {ids[0] for ids in found.values()} == {"accepted:deepseek/responses-reasoning-required"}


def test_provider_of_two_wires_is_used_on_both_unless_one_is_named() -> None:
    agent = checked_agent("trying", Adapter)

    def targets(**choice: Any) -> list[str]:
        cases = cases_of(scenario(ONE_CALL), agent, RunOptions(providers=("xai",), **choice))
        return [case.id.partition("@")[2] for case in cases if case.mode == "plain"]

    assert targets() == [f"{wire}:xai+plain" for wire in ("openai-chat", "openai-responses", "anthropic-messages")]
    assert targets(wires=("openai-responses",)) == ["openai-responses:xai+plain"]
    assert targets(wires=("gemini-generate",)) == []


@pytest.mark.parametrize(
    ("provider", "part", "rule"),
    [
        ("deepseek", "thought_fields", "deepseek/reasoning-content-required"),
        ("mistral", "provider_id", "mistral/tool-call-id"),
        ("mistral", "with_reply_before_user", "mistral/role-order"),
        ("gemini", "signature_fields", "gemini/tool-call-signature-missing"),
    ],
)
def test_agent_that_does_not_know_the_provider_is_refused(
    provider: str, part: str, rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain: dict[str, Any] = {
        "thought_fields": lambda thoughts, provider: {},
        "provider_id": lambda call_id, provider: call_id,
        "with_reply_before_user": lambda messages, provider: messages,
        "signature_fields": lambda call, place, provider, unsigned: {},
    }
    monkeypatch.setattr(openai_chat, part, plain[part])
    text = RESTORED if provider != "gemini" else ONE_CALL

    found = only_findings(Adapter, text, wires=("openai-chat",), providers=(provider,))

    assert {ids[0] for ids in found.values()} == {f"accepted:{rule}"}


def test_model_of_a_case_is_the_providers() -> None:
    agent = checked_agent("trying", Adapter)
    text = f"model: {{openai-chat: o3}}\n{ONE_CALL}"

    def model_on(provider: str) -> str:
        choice = RunOptions(wires=("openai-chat",), providers=(provider,))
        case = cases_of(scenario(text), agent, choice)[0]
        return first_target(case.scenario, case.wire, case.provider).model

    assert model_on("openai") == "o3"
    assert model_on("azure") == "o3"
    assert model_on("deepseek") == "deepseek-v4-flash"
    assert model_on("groq") == "openai/gpt-oss-120b"


def test_base_url_ends_in_the_providers_path() -> None:
    urls: dict[str, str] = {}

    class Curious(Adapter):
        def __init__(self, setup: Setup) -> None:
            urls[setup.provider] = setup.base_url
            super().__init__(setup)

    for provider in ("openai", "groq", "deepseek", "gemini"):
        verdicts(Curious, ONE_CALL, wires=("openai-chat",), providers=(provider,))

    assert {name: "/".join(url.split("/")[4:]) for name, url in urls.items()} == {
        "openai": "v1",
        "groq": "openai/v1",
        "deepseek": "",
        "gemini": "v1beta/openai",
    }


@pytest.mark.parametrize("text", [INVENTED, MISTYPED, CUT])
def test_call_that_groq_would_refuse_from_its_model_has_no_case_there(text: str) -> None:
    assert targets(text, providers=("groq",)) == []
    assert targets(text, providers=("deepseek",)) == ["openai-chat:deepseek+plain", "openai-chat:deepseek+stream"]


@pytest.mark.parametrize("text", [ONE_CALL, WRITTEN])
def test_call_that_groq_would_pass_on_has_cases_there(text: str) -> None:
    assert targets(text, providers=("groq",)) == ["openai-chat:groq+plain", "openai-chat:groq+stream"]


@pytest.mark.parametrize("text", [INVENTED, MISTYPED, CUT])
def test_scenario_that_names_groq_runs_there_nevertheless(text: str) -> None:
    assert targets(f"providers: [groq]\n{text}") == ["openai-chat:groq+plain", "openai-chat:groq+stream"]


def test_picture_of_a_result_stands_in_it_where_no_user_may_follow() -> None:
    found = only_findings(Adapter, PICTURE, wires=("openai-chat",), providers=("mistral",))

    assert found == {"openai-chat:mistral+plain": [], "openai-chat:mistral+stream": []}


def test_picture_has_no_case_where_the_provider_takes_none() -> None:
    assert targets(PICTURE, providers=("deepseek",)) == []
    assert targets(PICTURE, providers=("groq",)) == []
    assert targets(PICTURE, providers=("xai",)) == ["openai-chat:xai+plain", "openai-chat:xai+stream"]


def test_scenario_with_a_picture_that_names_such_a_provider_runs_there() -> None:
    named = f"providers: [deepseek]\n{PICTURE}"

    assert targets(named) == ["openai-chat:deepseek+plain", "openai-chat:deepseek+stream"]


def test_every_provider_of_the_wire_is_tested_here() -> None:
    assert CHAT[0] == RESPONSES[0] == "openai"
    assert set(RESPONSES) < set(CHAT)
