"""Bugs in how a request is written as JSON: a bug of each sort, in the parts that every API has.

What else can be wrong there is what the rules of the fakes refuse; each of their samples is played in the tests.
"""

import copy
import json
from collections.abc import Callable
from typing import Any

from agent_mutants.mutant import RIGHT, Mutants

Body = dict[str, Any]
CLAUDE_CODE = "https://github.com/anthropics/claude-code/issues/69927"
SPOILED = {"round-trip/result-comes-back": "accepted:*"}


def in_body(edit: Callable[[Body], None]) -> Callable[[Any], bytes]:
    """Edits a copy of each request before it is written."""

    def written(body: Any) -> bytes:
        edited = copy.deepcopy(dict(body))
        edit(edited)
        return RIGHT.body_bytes(edited)

    return written


def sent_as_escapes(body: Any) -> bytes:
    return json.dumps(body).encode()


# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()

@MUTANTS.replaces("body_bytes", "the request has its conversation",
    "https://github.com/ikechan8370/chatgpt-plugin/issues/733", SPOILED, through=in_body)
def M60f_conversation_left_out(body: Body) -> None:
    for key in ("messages", "contents", "input"):
        body.pop(key, None)

@MUTANTS.replaces("body_bytes", "name and arguments of a call are where the API has them",
    "calls in the form of another OpenAI endpoint", SPOILED, through=in_body)
def M62g_function_left_out(body: Body) -> None:
    """The calls of chat completions, in the form that Responses has; the other APIs have no such member."""
    for message in body.get("messages") or ():
        for call in message.get("tool_calls") or ():
            call.update(call.pop("function", {}))

@MUTANTS.replaces("body_bytes", "a tool is declared in the form of this API",
    "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter: name and schema under `function`", SPOILED,
    through=in_body)
def M63b_nested(body: Body) -> None:
    if body.get("tools") and "functionDeclarations" not in body["tools"][0]:
        body["tools"] = [{"type": "function", "function": tool.get("function") or tool} for tool in body["tools"]]

HALF_CHARACTERS = Mutants()

@HALF_CHARACTERS.replaces("shorten", "a text whose middle is cut out goes on with a whole character",
    "https://github.com/elizaOS/eliza/pull/18079",
    {"limits/emojis-are-cut-whole[even]": "accepted:anthropic/lone-surrogate"}, body_bytes=sent_as_escapes)
def M48c_middle_cut_by_units(text: str, keep: int) -> str:
    units = text.encode("utf-16-le")
    front = 2 * (keep // 2 - 2)
    return (units[:front] + "...".encode("utf-16-le") + units[-front:]).decode("utf-16-le", "surrogatepass")

HALF_CHARACTERS.row("M48a_half_characters_sent", "half a character is replaced before it is sent", CLAUDE_CODE,
    {"faults/half-a-character": "accepted:anthropic/lone-surrogate",
     "faults/half-a-character-restored[*]": "accepted:anthropic/lone-surrogate"}, body_bytes=sent_as_escapes)

@HALF_CHARACTERS.replaces("shorten", "a text is cut between characters",
    CLAUDE_CODE, {"limits/emojis-are-cut-whole[odd]": "accepted:anthropic/lone-surrogate"},
    body_bytes=sent_as_escapes)
def M48b_cut_by_units(text: str, keep: int) -> str:
    """As in languages whose texts are lists of UTF-16 units."""
    return text.encode("utf-16-le")[: 2 * keep].decode("utf-16-le", "surrogatepass")
