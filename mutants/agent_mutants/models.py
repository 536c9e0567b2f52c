"""Bugs of agents with several models: what one family or provider alone refuses, and a change in a conversation."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agent_conformance.adapter.types import Setup, Tool, ToolError
from agent_conformance.agents.reference import Defences, prompts
from agent_conformance.agents.reference.history import Call, History, Result
from agent_conformance.agents.reference.provider import ProviderError
from agent_conformance.agents.reference.wires import CompletionRequest
from agent_mutants.encoding import Body, in_body
from agent_mutants.mutant import RIGHT, Mutants

# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()

@MUTANTS.replaces("body_bytes", "a call goes back without words to a model that takes none there",
    "https://github.com/quarkiverse/quarkus-langchain4j/issues/1983",
    {"round-trip/words-beside-a-call-are-refused": "accepted:bedrock/calls-beside-text"}, through=in_body)
def M74a_words_beside_a_call(body: Body) -> None:
    for message in body.get("messages", ()):
        if any("toolUse" in block and "text" not in block for block in message["content"] or ()):
            message["content"] = [{"text": "Let me see."}, *message["content"]]

@MUTANTS.replaces("body_bytes", "something of the assistant stands between a result and a question",
    "https://github.com/strands-agents/harness-sdk/issues/1223",
    {"history/question-after-a-result": "accepted:bedrock/results-beside-text"}, through=in_body)
def M74b_question_beside_a_result(body: Body) -> None:
    stand_in = {"role": "assistant", "content": [{"text": prompts.UNANSWERED}]}
    if stand_in in body.get("messages", ()):
        body["messages"].remove(stand_in)

@MUTANTS.replaces("body_bytes", "a history with calls is never sent without a tool",
    "https://github.com/nearai/ironclaw/issues/1629",
    {"no-tools/taken-away-after-a-call": "accepted:bedrock/tool-config-missing"}, through=in_body)
def M74c_stand_in_left_out(body: Body) -> None:
    if "no_tool" in str(body.get("toolConfig")):
        del body["toolConfig"]

@MUTANTS.replaces("last_pass", "the results of one message's calls go back in one message",
    "https://github.com/agno-agi/agno/issues/6694", {"parallel/all-answered": "accepted:bedrock/tool-results-missing"})
def M74d_results_one_by_one(history: History) -> History:
    return tuple(
        replace(entry, results=(result,)) if result else entry
        for entry in history
        for result in entry.results or (None,)
    )

@MUTANTS.replaces("run_tool", "a result that failed says that it did",
    "https://github.com/jlevy/markform/issues/153",
    {"faults/fails-without-a-word": "accepted:anthropic/failed-result-empty"})
async def M74e_failure_without_a_word(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
    try:
        return Result(call.id, call.name, Tool.text(await tool.acall(dict(arguments))))
    except ToolError as error:
        return Result(call.id, call.name, str(error), is_error=True)

@MUTANTS.replaces("switched_setup", "after a change of the model, requests name the new one",
    "https://github.com/NousResearch/hermes-agent/issues/112121",
    {"turns/switched-to-another-model": "named-model",
     "turns/switched-to-another-provider[anthropic, gemini, chat]": "named-model",
     "long-sessions/model-changed-after-ten-turns[anthropic, chat]": "named-model"})
def M52a_old_model_kept(before: Setup, now: Setup) -> Setup:
    """The new address and key are used, and the name of the model is that of the start."""
    return replace(now, model=before.model)

MUTANTS.row("M52b_switch_ignored", "after a change of the provider, the new one is asked",
    "https://github.com/CommonstackAI/UncommonRoute/issues/19",
    {"turns/switched-to-another-provider[anthropic]": "named-model", "pairs/*switch*": "named-model"},
    switched_setup=lambda before, now: before)

@MUTANTS.replaces("body_bytes", "a parameter is sent to the models that take it",
    "https://github.com/anomalyco/opencode/issues/37964",
    {"turns/switched-to-another-model": "accepted:openai/max-tokens-unsupported"})
def M52c_parameter_of_older_models(body: Mapping[str, Any]) -> bytes:
    """`max_tokens` is sent to every model of chat completions."""
    more = {"max_tokens": 1000} if str(body.get("model", "")).startswith("gpt-") and "messages" in body else {}
    return json.dumps({**body, **more}).encode()

@MUTANTS.replaces("fallback_setup", "each provider is asked for its own name of the model",
    "https://github.com/openclaw/openclaw/issues/152871",
    {"turns/rate-limited-at-first[mistral, anthropic]": "named-model",
     "turns/overloaded-after-a-call[mistral]": "named-model", "turns/overloaded-on-one-wire": "named-model",
     "pairs/*fallback*": "named-model"})
def M53a_first_model_at_the_second(setup: Setup) -> Setup | None:
    second = RIGHT.fallback_setup(setup)
    return replace(second, model=setup.model) if second else None

@MUTANTS.changes("a log has no key", "a log of failed requests with their headers",
    {"faults/fails-with-an-observer[*]": "key-kept"})
def M952_headers_in_the_log(defences: Defences) -> Defences:
    setups: list[Setup] = []

    def second_of(setup: Setup) -> Setup | None:
        setups[:] = [setup]
        return defences.fallback_setup(setup)

    def is_passing(error: ProviderError) -> bool:
        headers = {"authorization": f"Bearer {setups[0].api_key}"}
        defences.notify(setups[0].observe, {"error": str(error), "headers": headers})
        return defences.is_passing(error)

    return replace(defences, fallback_setup=second_of, is_passing=is_passing)

@MUTANTS.changes("the second try of a request is the same request",
    "a retry that is built without the choice of a tool", {"loops/forced-after-an-overload": "tool-choice"})
def M953_forced_in_the_first_try(defences: Defences) -> Defences:
    failed: list[bool] = []

    def is_passing(error: ProviderError) -> bool:
        failed.append(True)
        return defences.is_passing(error)

    def full(request: CompletionRequest) -> CompletionRequest:
        free = replace(request, offer=request.offer and replace(request.offer, forced=None))
        return free if failed else request

    return replace(defences, is_passing=is_passing, full_request=full)

@MUTANTS.changes("a second try asks the model that the user has chosen",
    "a client for second tries that was made at the start", {"turns/overloaded-after-a-switch": "named-model"})
def M966_first_model_in_the_second_try(defences: Defences) -> Defences:
    models: list[str] = []
    failed: list[bool] = []

    def is_passing(error: ProviderError) -> bool:
        failed.append(True)
        return defences.is_passing(error)

    def full(request: CompletionRequest) -> CompletionRequest:
        models.append(request.model)
        return replace(request, model=models[0]) if failed else request

    return replace(defences, is_passing=is_passing, full_request=full)

MUTANTS.row("M53b_rate_limit_ends_the_turn", "where the first provider is rate limited, the second one is asked",
    "https://github.com/nicobailon/pi-subagents/issues/1936", {"turns/rate-limited-at-first[mistral]": "1.*"},
    falls_back=lambda error: error.status not in (400, 413, 422, 429))

@MUTANTS.replaces("fallback_setup", "each provider is sent its own key",
    "an agent with one client for two providers, which has the first one's key",
    {"pairs/steering-with-fallback": "key-kept"})
def M901_one_key_for_two_providers(setup: Setup) -> Setup | None:
    second = RIGHT.fallback_setup(setup)
    return second and replace(second, api_key=setup.api_key)
