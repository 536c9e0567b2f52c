"""Bugs in how a request is written as JSON: a bug of each sort, in the parts that every API has.

What else can be wrong there is what the rules of the fakes refuse; each of their samples is played in the tests.
"""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from agent_conformance.agents.mutants.mutant import Change, Mutants
from agent_conformance.agents.reference import Defences

Body = dict[str, Any]
SPOILED = (("round-trip/result-comes-back", "accepted:*"),)

MUTANTS = Mutants()


def in_body(edit: Callable[[Body], None]) -> Change:
    """A change of the agent that edits a copy of each request before it is written."""

    def change(defences: Defences) -> Defences:
        def written(body: Any) -> bytes:
            edited = copy.deepcopy(dict(body))
            edit(edited)
            return defences.body_bytes(edited)

        return replace(defences, body_bytes=written)

    return change


@MUTANTS.add(
    "M60f_conversation_left_out",
    "the request has its conversation",
    "https://github.com/ikechan8370/chatgpt-plugin/issues/733",
    SPOILED,
)
@in_body
def _conversation_left_out(body: Body) -> None:
    for key in ("messages", "contents", "input"):
        body.pop(key, None)


@MUTANTS.add(
    "M62g_function_left_out",
    "name and arguments of a call are where the API has them",
    "calls in the form of another OpenAI endpoint",
    SPOILED,
)
@in_body
def _function_left_out(body: Body) -> None:
    """The calls of chat completions, in the form that Responses has; the other APIs have no such member."""
    for message in body.get("messages") or ():
        for call in message.get("tool_calls") or ():
            call.update(call.pop("function", {}))


@MUTANTS.add(
    "M63b_nested",
    "a tool is declared in the form of this API",
    "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter: name and schema under `function`",
    SPOILED,
)
@in_body
def _nested(body: Body) -> None:
    if body.get("tools") and "functionDeclarations" not in body["tools"][0]:
        body["tools"] = [{"type": "function", "function": tool.get("function") or tool} for tool in body["tools"]]


CLAUDE_CODE = "https://github.com/anthropics/claude-code/issues/69927"


def _sent_as_escape(defences: Defences) -> Defences:
    return replace(defences, body_bytes=lambda body: json.dumps(body).encode())


HALF_CHARACTERS_MUTANTS = Mutants()


@HALF_CHARACTERS_MUTANTS.add(
    "M48c_middle_cut_by_units",
    "a text whose middle is cut out goes on with a whole character",
    "https://github.com/elizaOS/eliza/pull/18079",
    (("limits/emojis-are-cut-whole[even]", "accepted:anthropic/lone-surrogate"),),
)
def _middle_cut_by_units(defences: Defences) -> Defences:
    def shorten(text: str, keep: int) -> str:
        units = text.encode("utf-16-le")
        front = 2 * (keep // 2 - 2)
        return (units[:front] + "...".encode("utf-16-le") + units[-front:]).decode("utf-16-le", "surrogatepass")

    return replace(_sent_as_escape(defences), shorten=shorten)


HALF_CHARACTERS_MUTANTS.add(
    "M48a_half_characters_sent",
    "half a character is replaced before it is sent",
    CLAUDE_CODE,
    (
        ("faults/half-a-character", "accepted:anthropic/lone-surrogate"),
        ("faults/half-a-character-restored[*]", "accepted:anthropic/lone-surrogate"),
    ),
)(_sent_as_escape)


@HALF_CHARACTERS_MUTANTS.add(
    "M48b_cut_by_units",
    "a text is cut between characters",
    CLAUDE_CODE,
    (("limits/emojis-are-cut-whole[odd]", "accepted:anthropic/lone-surrogate"),),
)
def _cut_by_units(defences: Defences) -> Defences:
    def shorten(text: str, keep: int) -> str:
        """As in languages whose texts are lists of UTF-16 units."""
        return text.encode("utf-16-le")[: 2 * keep].decode("utf-16-le", "surrogatepass")

    return replace(_sent_as_escape(defences), shorten=shorten)
