"""Scenario documents of every subject, made up from templates: documents with choices, which Hypothesis draws.

What a document expects holds for every right agent; the laws do the rest. Each is without mistakes, and some wire can
express it. Some have more around them, such as another tool or turn.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from agent_conformance.minimise import Document
from agent_conformance.scenario.yaml_files.reading import read
from fake_providers.reply import HARMLESS_QUIRKS

Draw = Callable[[st.SearchStrategy[Any]], Any]
"""What Hypothesis gives to a composite strategy."""
LEFT_OUT = object()
"""In a list or mapping, what is left out."""
_NAME = re.compile(r"\$(?:\{([a-z_]+)\}|([a-z_]+\d?(?:\.-?\w+)*))")


@cache
def data(name: str) -> Any:
    document = read((Path(__file__).with_name("templates") / f"{name}.yaml").read_bytes())
    assert not document.mistakes, document.mistakes
    return document.value


def chance(draw: Draw, percent: int) -> bool:
    """Drawn as a number, whose smallest value means no: what is not needed goes when an example becomes smaller."""
    return bool(draw(st.integers(0, 99)) >= 100 - percent)


class Kept(str):
    """A text of a history that the next request must have."""

    __slots__ = ()


@dataclass(slots=True)
class Scope:
    """The names of one document: its `own`, not filled yet, and what is `known` of them and of all templates'."""

    draw: Draw
    own: Mapping[str, Any]
    known: dict[str, Any] = field(
        default_factory=lambda: {"harmless_quirks": sorted(HARMLESS_QUIRKS - {"text-in-the-start"})}
    )

    def has(self, path: str) -> bool:
        name = path.partition(".")[0]
        return any(name in names for names in (self.known, self.own, data("words"), data("words")["names"]))

    def __getitem__(self, path: str) -> Any:
        """By the path: members of mappings, entries of lists, and `ran`, the calls as `executed` names them."""
        name, *rest = path.split(".")
        if name not in self.known:
            words = data("words")
            made = self.own[name] if name in self.own else words["names"].get(name, words.get(name))
            self.known[name] = self.filled(made)
        value = self.known[name]
        for part in rest:
            if part == "ran":
                value = [_ran(one) for one in value] if isinstance(value, list) else _ran(value)
            else:
                value = value[int(part)] if isinstance(value, list) else value[part]
        return value

    def filled(self, value: Any) -> Any:
        """The value with its names and operators replaced."""
        if isinstance(value, str):
            if (whole := _NAME.fullmatch(value)) and self.has(path := whole[1] or whole[2]):
                return self[path]
            return _NAME.sub(self._as_text, value)
        if isinstance(value, list):
            made: list[Any] = []
            for entry in value:
                one = self.filled(entry)
                if isinstance(entry, dict) and "each" in entry:
                    made += one
                elif one is not LEFT_OUT:
                    made.append(one)
            return made
        if not isinstance(value, dict):
            return value
        operator = OPERATORS.get(next(iter(value), ""))
        if operator is not None:
            return operator(self, value)
        members: dict[str, Any] = {}
        for key, inner in value.items():
            one = self.filled(inner)
            if key == "plus":
                members |= {} if one is LEFT_OUT else one
            elif one is not LEFT_OUT:
                members[self.filled(key)] = one
        return members

    def _as_text(self, found: re.Match[str]) -> str:
        path = found[1] or found[2]
        return str(self[path]) if self.has(path) else found[0]

    def one_of(self, items: Sequence[Any]) -> Any:
        return self.draw(st.sampled_from(items))

    def number(self, bounds: list[int]) -> int:
        least, most = (self.filled(bound) for bound in bounds)
        return int(self.draw(st.integers(least, most)))


def _ran(call: Mapping[str, Any]) -> dict[str, Any]:
    return {call["name"]: call["arguments"]}


def _one_of(scope: Scope, value: Mapping[str, Any]) -> Any:
    items = value["one of"] if isinstance(value["one of"], list) else scope.filled(value["one of"])
    without = scope.filled(value["but"]) if "but" in value else None
    return scope.filled(scope.one_of([item for item in items if item != without or without is None]))


def _chance(scope: Scope, value: Mapping[str, Any]) -> Any:
    return scope.filled(value["of"] if chance(scope.draw, value["chance"]) else value.get("else", LEFT_OUT))


def _when(scope: Scope, value: Mapping[str, Any]) -> Any:
    found = scope.filled(value["when"])
    holds = found == scope.filled(value["is"]) if "is" in value else bool(found)
    return scope.filled(value["of"] if holds else value.get("else", LEFT_OUT))


def _first(scope: Scope, value: Mapping[str, Any]) -> Any:
    return scope.filled(value["of"])[: scope.number(value["first"])]


def _some(scope: Scope, value: Mapping[str, Any]) -> Any:
    least, most = value["some"]
    items = scope.filled(value["of"])
    return scope.draw(st.lists(st.sampled_from(items), min_size=least, max_size=most, unique_by=repr))


def _repeat(scope: Scope, value: Mapping[str, Any]) -> Any:
    """As often as `of` says; a list of numbers are bounds. In documents, `repeat` goes with `times` instead."""
    if "of" not in value:
        return {key: scope.filled(inner) for key, inner in value.items()}
    times = scope.number(value["of"]) if isinstance(value["of"], list) else scope.filled(value["of"])
    found = value["repeat"]
    if isinstance(found, str) and isinstance(one := scope.filled(found), str):
        return one * times
    return [scope.filled(found) for _ in range(times)]


def cut(draw: Draw, text: str) -> list[str]:
    """The text in pieces, between any two characters."""
    places = sorted(set(draw(st.lists(st.integers(1, max(1, len(text) - 1)), max_size=6))))
    edges = [0, *(place for place in places if place < len(text)), len(text)]
    return [text[start:stop] for start, stop in pairwise(edges)]


def _numbered(value: Any, number: int) -> Any:
    """The value with its number in place of `NUMBER`."""
    if isinstance(value, str):
        return number if value == "NUMBER" else value.replace("NUMBER", str(number))
    if isinstance(value, list):
        return [_numbered(inner, number) for inner in value]
    return {key: _numbered(inner, number) for key, inner in value.items()} if isinstance(value, dict) else value


def _all_numbered(scope: Scope, value: Mapping[str, Any]) -> list[Any]:
    return [scope.filled(_numbered(value["numbered"], place + 1)) for place in range(scope.filled(value["of"]))]


def _declared(scope: Scope, value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Tools of these names with one parameter, a text."""
    made = []
    for place, name in enumerate(scope.filled(value["declare"]), 1):
        described = _numbered({"description": value["as"], "returns": value["returns"]}, place)
        made.append(scope.filled({"name": name, "parameters": {value["with"]: "string"}, **described}))
    return made


def _replies(scope: Scope, value: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A reply for each call, or for each so many."""
    calls, size = scope.filled(value["replies with"]), scope.filled(value.get("by", 1))
    more = value.get("plus", {})
    return [scope.filled({"plus": more, "calls": calls[start : start + size]}) for start in range(0, len(calls), size)]


def _misspelled(scope: Scope, value: Mapping[str, Any]) -> list[str]:
    """With one letter left out, or two of them exchanged."""
    name = scope.filled(value["near to"])
    left_out = [name[:place] + name[place + 1 :] for place in range(1, len(name) - 1)]
    exchanged = [name[:n] + name[n + 1] + name[n] + name[n + 2 :] for n in range(1, len(name) - 1)]
    return [other for other in (*left_out, *exchanged) if other != name]


def _arguments(scope: Scope, value: Mapping[str, Any]) -> dict[str, Any]:
    return {name: scope.filled(scope.one_of(scope.own["value"])) for name in scope.filled(value["any arguments"])}


def _schema(scope: Scope, value: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema that a person writes for these arguments and some that are left out."""
    found = schema_for(scope.filled(value["schema for"]))
    optional = {name: {"type": "string"} for name in scope.filled(value["optional"])}
    required = {"required": found["required"]} if found["required"] else {}
    return {**found, "properties": {**found["properties"], **optional}, **required}


TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


def schema_for(value: Any) -> dict[str, Any]:
    kind = TYPES[type(value)]
    if kind == "array":
        return {"type": "array", "items": schema_for(value[0]) if value else {"type": "string"}}
    if kind == "object":
        properties = {name: schema_for(inner) for name, inner in value.items()}
        return {"type": "object", "properties": properties, "required": list(value)}
    return {"type": "number" if kind == "integer" and value == 0 else kind}


_FORM = re.compile(r"(?<![A-Za-z_✿])(CALL|INVOKE|FUNCTION)(?![A-Za-z_✿])")
"""Whole calls; in the marks of some models these are words of their own: `[TOOL_CALL]`, `✿FUNCTION✿`."""
_WORD = re.compile("TEXT|JSON|NAME|KEY|VALUE")
WORDS = ("I look.\n", "Let me check that for you.\n\n", "さっそく確認します。\n")
CLOSING = ("<div></tool_call><span>leak</span>", "[/TOOL_CALLS] leak", "a\n```\nleak")
"""Arguments of forms that close the call too early."""


def _form(scope: Scope, value: Mapping[str, Any]) -> dict[str, Any]:
    """A text of this sort with its call, and what of it may and must not be shown."""
    forms, kind = data("text_forms"), scope["kind"]
    sort = forms[value["form"]]
    form = sort[scope.filled(value["at"])] if "at" in value else scope.one_of(sort)
    form = {"raw": form} if isinstance(form, str) else form
    said = scope.filled(value.get("value", "$value"))
    arguments = json.dumps({kind["parameter"]: said}, ensure_ascii=False)
    words = {"TEXT": json.dumps(arguments, ensure_ascii=False), "JSON": arguments}
    words |= {"NAME": kind["name"], "KEY": kind["parameter"], "VALUE": said}
    raw = _FORM.sub(lambda found: str(forms[found[0]]), form["raw"])
    call = _WORD.sub(lambda found: words[found[0]], raw)
    if "around" in value:
        call = call.replace("SHOW", scope.filled(value["around"]))
    is_call = value["form"] in ("run", "run_or_hide", "hide") and not form.get("alone")
    before = "" if not is_call or chance(scope.draw, 40) else scope.one_of(WORDS)
    marks = [kind["name"] if mark == "NAME" else mark for mark in form.get("marks", ())]
    leak = next((text for text in CLOSING if json.dumps(text)[1:-1] in raw or text in raw), said)
    return {
        "text": before + call,
        "call": call,
        "calls": [{"name": kind["name"], "arguments": {kind["parameter"]: leak}}],
        "shown": form.get("words", before.strip()),
        "hidden": [kind["name"], *marks],
        "marks": marks,
        "needs_tools": not form["raw"].startswith(("<think", "SHOW<think")) or "NAME" in marks,
    }


OPERATORS: Mapping[str, Callable[[Scope, Mapping[str, Any]], Any]] = {
    # What is drawn: an entry other than `but`, `of` in so many percent and `else` otherwise, the first few or some of a
    # list, a number from two bounds, an entry of `value` for each name
    "one of": _one_of,
    "chance": _chance,
    "first": _first,
    "some": _some,
    "number from": lambda scope, value: scope.number(value["number from"]),
    "any arguments": _arguments,
    "cut": lambda scope, value: cut(scope.draw, scope.filled(value["cut"])),
    "form": _form,
    # Lists: entries of another, those of lists in a list, so many of one template, each with its NUMBER
    "each": lambda scope, value: scope.filled(value["each"]),
    "flat": lambda scope, value: [one for several in scope.filled(value["flat"]) for one in several],
    "repeat": _repeat,
    "numbered": _all_numbered,
    "pick": lambda scope, value: scope.filled(value["pick"])[scope.filled(value["at"])],
    "size of": lambda scope, value: len(scope.filled(value["size of"])),
    # Tools, their calls, replies with them and what is expected of these
    "declare": _declared,
    "schema for": _schema,
    "call each": lambda scope, value: [
        {"name": name, "arguments": scope.filled(value["with"])} for name in scope.filled(value["call each"])
    ],
    "replies with": _replies,
    "ran in": lambda scope, value: [_ran(call) for one in scope.filled(value["ran in"]) for call in one["calls"]],
    "results of": lambda scope, value: [
        {"at": place, "results": [result]} for place, result in enumerate(scope.filled(value["results of"]), 2)
    ],
    # Texts
    "json text": lambda scope, value: json.dumps(scope.filled(value["json text"]), ensure_ascii=False),
    "joined": lambda scope, value: "".join(map(str, scope.filled(value["joined"]))),
    "kept": lambda scope, value: Kept(value["kept"]),
    "near to": _misspelled,
    "titled": lambda scope, value: scope.filled(value["titled"]).title(),
    "dashed": lambda scope, value: scope.filled(value["dashed"]).replace("_", "-"),
    "listable": lambda scope, value: _listable(scope.filled(value["listable"])),
    "when": _when,
}
"""By the first member of a mapping."""


def _listable(name: str) -> Any:
    """A name that an agent can write as it is."""
    return name if name.isidentifier() and name.isascii() and len(name) < 64 else LEFT_OUT


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
