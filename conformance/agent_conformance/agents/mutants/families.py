"""Bugs that the models of one family refuse, or one provider alone, where the others take the same history."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agent_conformance.adapter.types import Tool, ToolError
from agent_conformance.agents.mutants.encoding import Body, in_body
from agent_conformance.agents.mutants.mutant import Mutants
from agent_conformance.agents.reference import Defences, prompts
from agent_conformance.agents.reference.history import Call, History, Result

MUTANTS = Mutants()


@MUTANTS.add(
    "M74a_words_beside_a_call",
    "a call goes back without words to a model that takes none there",
    "https://github.com/quarkiverse/quarkus-langchain4j/issues/1983",
    (("round-trip/words-beside-a-call-are-refused", "accepted:bedrock/calls-beside-text"),),
)
@in_body
def _words_beside_a_call(body: Body) -> None:
    for message in body.get("messages", ()):
        if any("toolUse" in block and "text" not in block for block in message["content"] or ()):
            message["content"] = [{"text": "Let me see."}, *message["content"]]


@MUTANTS.add(
    "M74b_question_beside_a_result",
    "something of the assistant stands between a result and a question",
    "https://github.com/strands-agents/harness-sdk/issues/1223",
    (("history/question-after-a-result", "accepted:bedrock/results-beside-text"),),
)
@in_body
def _question_beside_a_result(body: Body) -> None:
    stand_in = {"role": "assistant", "content": [{"text": prompts.UNANSWERED}]}
    if stand_in in body.get("messages", ()):
        body["messages"].remove(stand_in)


@MUTANTS.add(
    "M74c_stand_in_left_out",
    "a history with calls is never sent without a tool",
    "https://github.com/nearai/ironclaw/issues/1629",
    (("no-tools/taken-away-after-a-call", "accepted:bedrock/tool-config-missing"),),
)
@in_body
def _stand_in_left_out(body: Body) -> None:
    if "no_tool" in str(body.get("toolConfig")):
        del body["toolConfig"]


@MUTANTS.add(
    "M74d_results_one_by_one",
    "the results of one message's calls go back in one message",
    "https://github.com/agno-agi/agno/issues/6694",
    (("parallel/all-answered", "accepted:bedrock/tool-results-missing"),),
)
def _results_one_by_one(defences: Defences) -> Defences:
    def apart(history: History) -> History:
        return tuple(
            replace(entry, results=(result,)) if result else entry
            for entry in history
            for result in entry.results or (None,)
        )

    return replace(defences, repair_passes=(*defences.repair_passes, apart))


@MUTANTS.add(
    "M74e_failure_without_a_word",
    "a result that failed says that it did",
    "https://github.com/jlevy/markform/issues/153",
    (("faults/fails-without-a-word", "accepted:anthropic/failed-result-empty"),),
)
def _failure_without_a_word(defences: Defences) -> Defences:
    async def run(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
        try:
            return Result(call.id, call.name, Tool.text(await tool.acall(dict(arguments))))
        except ToolError as error:
            return Result(call.id, call.name, str(error), is_error=True)

    return replace(defences, run_tool=run)
