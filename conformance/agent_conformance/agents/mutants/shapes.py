"""Bugs with answers that have a shape, and with calls that the setup forces or forbids."""

from dataclasses import replace

from agent_conformance.agents.mutants.mutant import Mutant
from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.tools import forced_tool
from agent_conformance.agents.reference.wires.wire import CompletionRequest


def _forced_in_every_request(defences: Defences) -> Defences:
    return replace(defences, forced_tool=lambda choice, names, turn, provider: forced_tool(choice, names, (), provider))


def _forced_while_reasoning(defences: Defences) -> Defences:
    return replace(defences, forced_tool=lambda choice, names, turn, _: forced_tool(choice, names, turn, ""))


def _choice_dropped(defences: Defences) -> Defences:
    return replace(defences, forced_tool=lambda *_: None)


def _calls_not_forbidden(defences: Defences) -> Defences:
    return replace(defences, forbids_calls=lambda choice: False)


def _schema_in_every_request(defences: Defences) -> Defences:
    return replace(defences, shapes_beside_tools=lambda wire, model: True)


def _schema_forgotten(defences: Defences) -> Defences:
    def without_schema(request: CompletionRequest) -> CompletionRequest:
        after_results = request.history[-1].role == "results"
        return replace(defences.full_request(request), schema=None if after_results else request.schema)

    return replace(defences, full_request=without_schema)


MUTANTS = (
    Mutant(
        "M49a_forced_in_every_request",
        "a forced tool is no longer forced after its result",
        "https://github.com/openai/openai-agents-python/pull/263",
        (("loops/forced-tool-is-forced-once[named, required, required-elsewhere]", "tool-choice"),),
        _forced_in_every_request,
    ),
    Mutant(
        "M49b_forced_while_reasoning",
        "a tool is not forced while the model reasons",
        "https://github.com/deepseek-ai/DeepSeek-V3/issues/1376",
        (("reasoning/forced-tool-while-reasoning", "accepted:deepseek/tool-choice-while-thinking"),),
        _forced_while_reasoning,
    ),
    Mutant(
        "M49c_choice_dropped",
        "the first request forces what the setup says",
        "https://github.com/agno-agi/agno/issues/4869",
        (("loops/forced-tool-is-forced-once[named, required-elsewhere]", "tool-choice"),),
        _choice_dropped,
    ),
    Mutant(
        "M49d_calls_not_forbidden",
        "each request forbids calls where the setup does",
        "https://github.com/NousResearch/hermes-agent/pull/1714",
        (("no-tools/calls-are-forbidden", "tool-choice"),),
        _calls_not_forbidden,
    ),
    Mutant(
        "M49e_schema_in_every_request",
        "a schema leaves room for calls",
        "https://github.com/ollama/ollama/issues/8095",
        (("round-trip/answer-with-a-schema[newest-models]", "1.executed"),),
        _schema_in_every_request,
    ),
    Mutant(
        "M49f_schema_forgotten",
        "the request that the model answers has the schema",
        "https://github.com/langchain-ai/langchain/issues/36349",
        (("round-trip/answer-with-a-schema[older-gemini]", "1.reply"),),
        _schema_forgotten,
    ),
)
