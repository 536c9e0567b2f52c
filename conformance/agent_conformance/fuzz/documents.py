"""Scenario documents of every subject, some with more around them, such as another tool or turn.

What a document expects holds for every right agent; the laws do the rest. Each is without mistakes, and some wire can
express it.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from hypothesis import strategies as st

from agent_conformance.fuzz.templates import Draw, Kept, Scope, chance, data
from agent_conformance.minimise.documents import Document

SUBJECTS = ("histories", "rounds", "calls", "declarations", "texts", "streams", "conversations", "settings")
OF_A_TURN = ("user", "observer", "model", "expect")
"""Members of templates that are of the only turn."""
ITS_OWN = frozenset(
    {"limits", "window", "fallback", "tool_choice", "output_schema", "server_tools", "history", "needs"}
)
"""Fields of documents that nothing is put around: their sizes and first replies matter."""
SHOWN = {"handling": "show"}
ALONE = frozenset({"session", "switch", "crash", "steer", "approve", "tools", "cancel", "restart", "repeat"})
"""Fields of turns that say what a later turn is."""


@cache
def templates() -> tuple[tuple[Mapping[str, Any], ...], ...]:
    """The variants of each template, as often as its weight says, by how many bugs are known."""
    found = []
    for subject in SUBJECTS:
        entries = data(subject)
        common = entries[0].get("common", {})
        for entry in entries[bool(common) :]:
            found += [variants_of(_merged(common, entry))] * entry.get("weight", 1)
    return tuple(found)


def variants_of(template: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    return tuple(_merged(template, variant) for variant in template.pop("variants", [{}]))


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """With the members of both; of `let` too."""
    if isinstance(other.get("plus"), dict):
        other = {**other["plus"], **{key: value for key, value in other.items() if key != "plus"}}
    return {**one, **other, "let": {**one.get("let", {}), **other.get("let", {})}}


def is_of_others(document: Document) -> bool:
    """Whether it has rules, words or errors under 200 of other providers than the wire's own, whom an agent may never
    meet.
    """
    replies = [reply for turn in document["conversation"] for reply in turn.get("model", ())]
    faults = [reply.get("fault", {}) for reply in replies]
    fails_under_200 = any(isinstance(fault.get("body"), dict) and "status" not in fault for fault in faults)
    return "providers" in document or "words" in document.get("window", {}) or fails_under_200


@st.composite
def documents(draw: Draw) -> Document:
    """One document, for any agent; which wire and mode it is tried on, the caller draws."""
    made = made_from(draw, draw(st.sampled_from(draw(st.sampled_from(templates())))))
    if any(reply.get("means", SHOWN) != SHOWN for one in made["conversation"] for reply in one.get("model", ())):
        made = {**made, "written_by": ["open-models"]}
    if is_of_others(made):
        made = {**made, "needs": [*made.get("needs", ()), "open-models"]}
    if made.keys() & ITS_OWN or any(one.keys() & ALONE for one in made["conversation"]):
        return made
    scope = Scope(draw, {})
    if "system" not in made and chance(draw, 25):
        made = {**made, "system": scope.filled({"one of": "$systems"})}
    if made.get("tools") and chance(draw, 20):
        made = _with_another_tool(scope, made)
    if chance(draw, 15):
        days = [[{"user": f"What was on day {n}?"}, {"assistant": f"On day {n} it rained."}] for n in (1, 2)]
        made = {**made, "history": [message for day in days[: draw(st.integers(1, 2))] for message in day]}
    if chance(draw, 20):
        # One more turn, in which nothing special happens
        answer = "You are welcome, as ever."
        last = {"user": "Thank you for all of this.", "model": [{"text": answer}], "expect": {"reply": answer}}
        restarts = {"restart": True} if chance(draw, 30) else {}
        made = {**made, "conversation": [*made["conversation"], {**last, **restarts}]}
    order = ("tools", "history", "conversation")
    return {
        key: made[key] for key in (*(key for key in made if key not in order), *(key for key in order if key in made))
    }


def _with_another_tool(scope: Scope, made: Document) -> Document:
    """With a tool that nobody calls, enabled if another one is, before or behind the others."""
    tool = scope["tool"]
    there = {tool["name"] for tool in made["tools"]}
    enabled = any(tool.get("enabled", True) for tool in made["tools"])
    if len(there) > 8 or not enabled or "look_up" in str(made) or tool["name"] in there:
        return made
    return {**made, "tools": [tool, *made["tools"]] if chance(scope.draw, 50) else [*made["tools"], tool]}


def made_from(draw: Draw, template: Mapping[str, Any]) -> Document:
    """The document of one variant, which is another one for each draw."""
    scope = Scope(draw, template["let"])
    kept: list[str] = []
    history = numbered(scope.filled(template.get("history", [])), kept)
    scope.known["kept"] = kept
    outside = ("weight", "let", "history", "turns", *OF_A_TURN)
    fields = scope.filled({key: value for key, value in template.items() if key not in outside})
    if "model_name" in fields:
        fields["model"] = fields.pop("model_name")
    turns = template.get("turns") or [{key: template[key] for key in OF_A_TURN if key in template}]
    conversation = scope.filled(turns)
    for place, one in enumerate(conversation):
        if "repeat" not in one:
            conversation[place] = {"user": scope["question2" if place else "question"], **one}
    tools = fields.pop("tools") if "tools" in fields else scope.filled(["$tool"])
    history = fields.pop("history", history)
    described = {"description": fields.pop("description"), "profile": fields.pop("profile", "hardened"), **fields}
    inside = {**({"tools": tools} if tools else {}), **({"history": history} if history else {})}
    return {**described, **inside, "conversation": conversation}


def numbered(history: list[dict[str, Any]], kept: list[str]) -> list[dict[str, Any]]:
    """The messages with the number of the user's last one in place of `#`; adds the texts that are kept."""
    number = 0

    def replaced(value: Any) -> Any:
        if isinstance(value, str):
            text = value.replace("#", str(number))
            if isinstance(value, Kept):
                kept.append(text)
            return text
        if isinstance(value, list):
            return [replaced(inner) for inner in value]
        return {key: replaced(inner) for key, inner in value.items()} if isinstance(value, dict) else value

    made = []
    for message in history:
        number += "user" in message
        made.append(replaced(message))
    return made
