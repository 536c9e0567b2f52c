"""Bugs in how a request is written as JSON: a bug of each sort, in the parts that every API has.

What else can be wrong there is what the rules of the fakes refuse; each of their samples is played in the tests.
"""

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from agent_conformance.agents.mutants.mutant import Change, Mutant
from agent_conformance.agents.reference import Defences

Body = dict[str, Any]
SCENARIO = "round-trip/result-comes-back"


def _in_body(edit: Callable[[Body], None]) -> Change:
    """A change of the agent that edits a copy of each request before it is written."""

    def change(defences: Defences) -> Defences:
        def written(body: Any) -> bytes:
            edited = copy.deepcopy(dict(body))
            edit(edited)
            return defences.body_bytes(edited)

        return replace(defences, body_bytes=written)

    return change


def _conversation_left_out(body: Body) -> None:
    for key in ("messages", "contents", "input"):
        body.pop(key, None)


def _function_left_out(body: Body) -> None:
    """The calls of chat completions, in the form that Responses has; the other APIs have no such member."""
    for message in body.get("messages") or ():
        for call in message.get("tool_calls") or ():
            call.update(call.pop("function", {}))


def _nested(body: Body) -> None:
    if body.get("tools") and "functionDeclarations" not in body["tools"][0]:
        body["tools"] = [{"type": "function", "function": tool.get("function") or tool} for tool in body["tools"]]


def _spoiled(name: str, breaks: str, source: str, edit: Callable[[Body], None]) -> Mutant:
    return Mutant(name, breaks, source, ((SCENARIO, "accepted:*"),), _in_body(edit))


MUTANTS = (
    _spoiled(
        "M60f_conversation_left_out",
        "the request has its conversation",
        "https://github.com/ikechan8370/chatgpt-plugin/issues/733",
        _conversation_left_out,
    ),
    _spoiled(
        "M62g_function_left_out",
        "name and arguments of a call are where the API has them",
        "calls in the form of another OpenAI endpoint",
        _function_left_out,
    ),
    _spoiled(
        "M63b_nested",
        "a tool is declared in the form of this API",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter: name and schema under `function`",
        _nested,
    ),
)
