"""The subcommand `data`: write the scenarios that send each class of characters and each kind of schema everywhere.

A class is sent in one place a file: a message, the instructions, an argument, a result, a reply, over a restart and a
compaction. A schema is declared, called with and returned. What another scenario has already is left out here.
"""

import argparse
from collections.abc import Callable, Mapping
from typing import Any

from agent_conformance.minimise import Document, yaml_text
from agent_conformance.scenario.files import bundled_scenarios

SUMMARY = "write the scenarios that send each class of characters and each kind of schema"
DESCRIPTION = "Write the scenarios `characters-*`, `*-of-schema` and `value-outside-an-enum`, from tables of data."
EXAMPLES = """\
examples:
  ./dev python -m tools data"""
WRITTEN = "\nWritten by `python -m tools data`."
CORE_WIRES = ["openai-chat", "anthropic-messages", "gemini-generate"]

LINES = "first line\r\nsecond line\r\n\r\nthird line"
SCRIPTS = "页面 – ñandú – שלום – ไทย – 🌏 – “it’s…” ½"
OTHER_LINES = "left\u2028right, above\u2029below, before\u0085after"
DIGITS = {"repeat": "0123456789", "times": 3000}
DIGITS_OF_A_REPLY = {"repeat": "0123456789", "times": 600}
LAYOUT = "if it rains:\n    stay in\n    read:\n\ta book"
MARKUP = (
    "Sure, the lamps:\n\n# In **Bergen**\n- [two](https://example.org/lamps?floor=2&sort=price#top), `one`\n"
    "- /review, @ann, ann@example.org and ~~#12~~\n- if a<b and c>d: no error"
)
SOME_DIGITS = {"repeat": "0123456789", "times": 100}
CHARACTERS: Mapping[str, tuple[Any, list[Any]]] = {
    "nul": ("left of it\0right of it", ["left of it", "right of it"]),
    "line-ends": (LINES, ["first line", "second line", "third line"]),
    "scripts": (SCRIPTS, [SCRIPTS]),
    "escapes": (r"C:\new\table, \u00e9 and \\n", [r"C:\new\table, \u00e9 and \\n"]),
    "html": ("<b>a &amp; b</b> &lt;i&gt;", ["a &amp; b", "&lt;i&gt;"]),
    "templates": ("{{ name }}, ${HOME}, {user} and %s", ["{{ name }}, ${HOME}, {user} and %s"]),
    "layout": (LAYOUT, [LAYOUT]),
    "markup": (MARKUP, [MARKUP]),
    "without-blanks": (DIGITS, ["0123456789"]),
    "other-line-ends": (OTHER_LINES, ["left", "right", "above", "below", "before", "after"]),
}
"""By class: a text, and the parts of it that every right agent keeps, whatever it does about tags, line ends and what
is long. That nothing long is cut without a mark is for the laws.
"""
TYPED = ("line-ends", "scripts", "escapes", "html", "templates", "layout", "markup", "without-blanks")
"""What a user can say: a program that is given a message as an argument cannot be given a NUL."""
ORDERS = {"repeat": "order of two lamps, 20 euros\n", "times": 7000}
READ_FILE = {"name": "read_file", "description": "Reads a file.", "parameters": {"path": "string"}}
READ = {"calls": [{"name": "read_file", "arguments": {"path": "notes.txt"}}]}


def characters_in_a_message() -> Document:
    others = [name for name in TYPED if name not in ("templates", "layout")]
    rows = {name: {"text": CHARACTERS[name][0], "kept": CHARACTERS[name][1]} for name in others}
    turn = {
        "user": "$text",
        "model": [{"text": "I see."}],
        "expect": {"reply": "I see.", "requests": [{"at": 1, "contains": "$kept"}]},
    }
    return _document("a message of the user may have any characters", {"conversation": [turn]}, rows)


def characters_in_the_instructions() -> Document:
    rows = {name: {"text": CHARACTERS[name][0], "kept": CHARACTERS[name][1]} for name in TYPED if name != "templates"}
    turn = {
        "user": "May I return it?",
        "model": [{"text": "Ask a person."}],
        "expect": {"reply": "Ask a person.", "requests": [{"at": "each", "contains": "$kept"}]},
    }
    return _document("the system prompt may have any characters", {"system": "$text", "conversation": [turn]}, rows)


def characters_in_an_argument() -> Document:
    tool = {"name": "note", "description": "Keeps a note.", "parameters": {"text": "string"}, "returns": "kept"}
    call = {"note": {"text": "$text"}}
    turn = {
        "user": "Keep this.",
        "model": [{"calls": [{"name": "note", "arguments": {"text": "$text"}}]}, {"text": "Kept."}],
        "expect": {"executed": [call], "reply": "Kept.", "requests": [{"at": 2, "calls": [call]}]},
    }
    rows = {name: {"text": CHARACTERS[name][0]} for name in ("nul", "escapes", "html", "templates", "layout", "markup")}
    return _document(
        "an argument may have any characters", {"tools": [tool], "conversation": [turn]}, rows, wires=CORE_WIRES
    )


def characters_in_a_result() -> Document:
    rows: dict[str, Any] = {name: CHARACTERS[name] for name in ("nul", "html", "markup", "without-blanks")}
    rows["line-ends"] = (LINES, [LINES])
    rows["200000-characters"] = (ORDERS, [])  # Claude Code stores it in a file, and says so: the laws read that
    turn = {
        "user": "What is in notes.txt?",
        "model": [READ, {"text": "Some notes."}],
        "expect": {"reply": "Some notes.", "requests": [{"at": 2, "results": [{"contains": "$kept"}]}]},
    }
    document = {"tools": [{**READ_FILE, "returns": "$text"}], "conversation": [turn]}
    kept = {name: {"text": text, "kept": parts} for name, (text, parts) in rows.items()}
    return _document("a result may have any characters", document, kept, wires=CORE_WIRES)


def characters_in_a_reply() -> Document:
    first = {"user": "What is in it?", "model": [{"text": "$text"}], "expect": {"reply": {"contains": "$kept"}}}
    then = {
        "user": "Is that all?",
        "model": [{"text": "It is."}],
        "expect": {"reply": "It is.", "requests": [{"at": 1, "contains": "$kept"}]},
    }
    rows = {name: {"text": text, "kept": kept} for name, (text, kept) in CHARACTERS.items()}
    # Of a reply nothing is left out, and it fits into the window that LlamaIndex keeps of a conversation
    rows["without-blanks"] = {"text": DIGITS_OF_A_REPLY, "kept": [DIGITS_OF_A_REPLY]}
    rows["markup"]["kept"] = ["Sure, the lamps:", "Bergen", "two"]  # which may be rendered
    document = _document("a reply may have any characters", {"conversation": [first, then]}, rows)
    del document["modes"]
    return document


def characters_after_a_restart() -> Document:
    turn = {
        "user": "And is that all?",
        "restart": True,
        "model": [{"text": "It is."}],
        "expect": {
            "executed": [],
            "reply": "It is.",
            "state": "$kept",
            "should": {"requests": [{"at": 1, "results": [{"contains": "$kept_of_result"}]}]},
        },
    }
    return _document("a conversation of any characters outlives a restart", _read_then(turn), _said_and_returned())


def characters_after_a_compaction() -> Document:
    turn = {
        "user": "And is that all?",
        "compact": True,
        "model": [{"text": "It is."}],
        "expect": {"executed": [], "reply": "It is.", "should": {"requests": [{"at": 1, "contains": "$kept"}]}},
    }
    document = {"summaries": [{"text": "$returns"}], **_read_then(turn)}
    rows = {
        name: {"text": row["text"], "returns": row["returns"], "kept": row["kept_of_result"]}
        for name, row in _said_and_returned().items()
        if name not in ("layout", "markup")  # of which a summary keeps nothing
    }
    return _document("a conversation of any characters is made shorter", document, rows)


def _read_then(turn: Document) -> Document:
    """The user says the text, and a tool returns it; then comes this turn."""
    first = {"user": "$text", "model": [READ, {"text": "I have read it."}], "expect": {"reply": "I have read it."}}
    return {"tools": [{**READ_FILE, "returns": "$returns"}], "conversation": [first, turn]}


def _said_and_returned() -> dict[str, Document]:
    rows: dict[str, Document] = {}
    for name, (text, kept) in {**CHARACTERS, "without-blanks": (SOME_DIGITS, [SOME_DIGITS])}.items():
        said, of_said = (text, kept) if name in TYPED else ("What is in notes.txt?", ["What is in notes.txt?"])
        rows[name] = {"text": said, "kept": of_said, "returns": text, "kept_of_result": kept}
    return rows


ANY_OBJECT = {"type": "object"}
KINDS: Mapping[str, tuple[Any, Any]] = {
    "boolean": ({"type": "boolean"}, False),
    "integer": ({"type": "integer"}, -3),
    "number": ({"type": "number"}, 0.5),
    "null": ({"type": ["string", "null"]}, None),
    "open-object": ({**ANY_OBJECT, "additionalProperties": True}, {"pears": 3, "name": "Ann"}),
    "map-of-numbers": ({**ANY_OBJECT, "additionalProperties": {"type": "integer"}}, {"pears": 3}),
    "object-without-properties": (ANY_OBJECT, {"pears": {"ripe": True}}),
    "list-of-numbers": ({"type": "array", "items": {"type": "integer"}}, [3, 1, 2]),
    "list-of-lists": ({"type": "array", "items": {"type": "array", "items": {"type": "string"}}}, [["a"], ["b", "c"]]),
    "list-of-objects": (
        {"type": "array", "items": {**ANY_OBJECT, "properties": {"at": {"enum": ["top", "end"]}}, "required": ["at"]}},
        [{"at": "end"}],
    ),
    "enum-of-numbers": ({"type": "number", "enum": [0.5, 1, 2]}, 0.5),
    "enum-with-null": ({"type": ["string", "null"], "enum": ["low", None]}, None),
    "enum-of-all-types": ({"enum": ["auto", 2, True]}, 2),
}
SHAPES: Mapping[str, tuple[Any, Any]] = {
    "nullable": ({"type": "string", "nullable": True}, "pear"),
    "date-time": ({"type": "string", "format": "date-time"}, "2026-11-28T09:00:00Z"),
    "uuid": ({"type": "string", "format": "uuid"}, "8F14E45F-CEEA-467F-9575-1A2B3C4D5E6F"),
    "uri": ({"type": "string", "format": "uri"}, "https://example.org/a?b=c&d=%20#e"),
    "pattern": ({"type": "string", "pattern": r"^[A-Z]{2}-\d+$"}, "NO-17"),
    "range": ({"type": "integer", "minimum": -5, "maximum": 5, "multipleOf": 2}, -4),
    "items": ({"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True}, ["b", "a"]),
    "default": ({"type": "integer", "default": 10}, 0),
    "title": ({"type": "string", "title": "Kind", "examples": ["pear"], "$comment": "of fruit"}, "pear"),
    "pattern-properties": ({**ANY_OBJECT, "patternProperties": {"^x-": {"type": "integer"}}}, {"x-a": 1}),
    "all-of": ({"allOf": [{"type": "integer"}, {"minimum": 1}]}, 2),
    "not": ({"type": "integer", "not": {"const": 0}}, 2),
    "tree": (
        {**ANY_OBJECT, "properties": {"name": {"type": "string"}, "within": {"$ref": "#/properties/value"}}},
        {"name": "a", "within": {"name": "b"}},
    ),
}


def kinds_of_schema() -> Document:
    return _schemas("a property of each type is offered, filled in and returned", KINDS)


def shapes_of_schema() -> Document:
    document = _schemas("a property with any word of a schema is offered, filled in and returned", SHAPES)
    parameters = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    beside = {"allOf": [{"properties": {"value": {"type": "integer"}}, "required": ["value"]}]}
    document["examples"]["all-of-beside-required"] = {"parameters": {**parameters, **beside}, "value": 7}
    return document


OUTSIDE: Mapping[str, tuple[Any, Any, Any]] = {
    "text": ({"type": "string", "enum": ["low", "lower", "off"]}, "lowest", "off"),
    "number": ({"type": "integer", "enum": [10, 50, 90]}, 51, 90),
    "in-a-list": ({"type": "array", "items": {"type": "string", "enum": ["fan", "lamp"]}}, ["fans"], ["lamp"]),
}
"""By name: the schema of a property, a value that it refuses, and what the model then writes."""


def value_outside_an_enum() -> Document:
    tool = {"name": "set_mode", "description": "Sets the mode.", "parameters": "$parameters", "returns": "set"}
    turn = {
        "user": "Set the mode.",
        "model": [
            {"calls": [{"name": "set_mode", "arguments": {"value": "$written"}}]},
            {"calls": [{"name": "set_mode", "arguments": {"value": "$meant"}}]},
            {"text": "It is set."},
        ],
        "expect": {
            "executed": [{"set_mode": {"value": "$meant"}}],
            "reply": "It is set.",
            "requests": [{"at": 2, "added": {"blank": False}}],
        },
    }
    rows = {
        name: {"parameters": {"type": "object", "properties": {"value": schema}}, "written": written, "meant": meant}
        for name, (schema, written, meant) in OUTSIDE.items()
    }
    document = _document("a value outside an enum runs nothing", {"tools": [tool], "conversation": [turn]}, rows)
    return {**document, "profile": "hardened"}


def _schemas(description: str, table: Mapping[str, tuple[Any, Any]]) -> Document:
    call = {"name": "a", "value": "$value"}
    tool = {"name": "store", "description": "Stores a value.", "parameters": "$parameters", "returns": {"is": "$value"}}
    turn = {
        "user": "Store it under the name a.",
        "model": [{"calls": [{"name": "store", "arguments": call}]}, {"text": "It is stored."}],
        "expect": {
            "executed": [{"store": call}],
            "reply": "It is stored.",
            "requests": [{"at": 2, "results": [{"value": {"is": "$value"}}]}],
        },
    }
    rows: dict[str, Document] = {}
    for name, (schema, value) in table.items():
        properties = {"name": {"type": "string"}, "value": schema}
        parameters = {"type": "object", "properties": properties, "required": ["name", "value"]}
        rows[name] = {"parameters": parameters, "value": value}
    document = _document(description, {"tools": [tool], "conversation": [turn]}, rows, wires=CORE_WIRES)
    return {**document, "profile": "hardened"}


def _document(
    description: str, document: Document, rows: Mapping[str, Document], *, wires: str | list[str] = "first"
) -> Document:
    head = {"description": description, "profile": "core", "wires": wires, "modes": "first"}
    return {**head, **document, "examples": dict(rows)}


GITHUB = "https://github.com/"
FILES: Mapping[str, tuple[Callable[[], Document], str, str]] = {
    "round-trip/characters-in-a-message": (
        characters_in_a_message,
        "What the user pastes has any characters. What is read as markup, an escape or the end is lost to the model.",
        "beekeeper-studio/bks-ai-shell/issues/50",
    ),
    "round-trip/characters-in-the-instructions": (
        characters_in_the_instructions,
        "Instructions are read from files and put together from templates, which know some characters as their own.",
        "langchain-ai/deepagents/issues/6198",
    ),
    "round-trip/characters-in-an-argument": (
        characters_in_an_argument,
        "A tool that writes a file writes what it is given: one character that is read as an escape spoils it.",
        "Kilo-Org/kilocode/pull/4052",
    ),
    "round-trip/characters-in-a-result": (
        characters_in_a_result,
        "Files have NULs, line ends of Windows and long lines. What is cut off at one of them, the model makes up.",
        "agynio/v1/issues/1250",
    ),
    "round-trip/characters-in-a-reply": (
        characters_in_a_reply,
        "A reply goes to the user and back to the model. What is rendered for the one is not what the other has said.",
        "newo-ether/Agora/issues/72",
    ),
    "history/characters-after-a-restart": (
        characters_after_a_restart,
        "A store that takes no NUL, or reads a text back in another encoding, loses the conversation that has it.",
        "ginlix-ai/LangAlpha/pull/190",
    ),
    "limits/characters-after-a-compaction": (
        characters_after_a_compaction,
        "What was said is put into the template of a summary. Its braces and its escapes are no part of that.",
        "openJiuwen-ai/agent-core/pull/46",
    ),
    "arguments/value-outside-an-enum": (
        value_outside_an_enum,
        "The model writes what the schema does not have. To take the nearest value is to run what nobody asked for.",
        "",
    ),
    "declarations/kinds-of-schema": (
        kinds_of_schema,
        "Code that knows a few types of a schema takes the others for texts, or leaves them and their tool out.",
        "google-gemini/gemini-cli/issues/6632",
    ),
    "declarations/shapes-of-schema": (
        shapes_of_schema,
        "Validators write words into schemas that an agent has no code for. The tool and its arguments stay.",
        "Eigenwise/atomic-agents/pull/283",
    ),
}


Cell = tuple[str, str | None]
ELSEWHERE: Mapping[tuple[str, str], Cell] = {
    ("a-message", "templates"): ("round-trip/message-as-it-was-written", "braces"),
    ("a-message", "layout"): ("round-trip/message-as-it-was-written", "code"),
    ("the-instructions", "templates"): ("round-trip/braces-in-the-instructions", None),
    ("an-argument", "line-ends"): ("arguments/exact-values", "line-ends"),
    ("an-argument", "scripts"): ("arguments/exact-values", "scripts"),
    ("an-argument", "without-blanks"): ("arguments/exact-values", "long"),
    ("a-result", "scripts"): ("round-trip/kinds-of-result", "other-scripts"),
    ("a-result", "layout"): ("round-trip/kinds-of-result", "layout"),
    ("a-result", "escapes"): ("round-trip/values-of-a-result", "backslashes"),
    ("a-result", "templates"): ("round-trip/values-of-a-result", "braces"),
}
"""What another scenario sends already, by place and class: its id and row, if it has rows."""


def place_of(name: str) -> str:
    """The place in the id of a file: `a-message` of `round-trip/characters-in-a-message`."""
    return name.rpartition("/characters-")[2].partition("-")[2]


def _cells(name: str, make: Callable[[], Document]) -> dict[str, Cell | None]:
    place = place_of(name)
    rows = make()["examples"]
    return {kind: (name, kind) if kind in rows else ELSEWHERE.get((place, kind)) for kind in CHARACTERS}


PLACES = {name: _cells(name, make) for name, (make, _, _) in FILES.items() if "/characters-" in name}
"""By file, where each class of characters is sent at its place; None where no file sends it."""


def files() -> dict[str, str]:
    """The text of each file by its id."""
    return {
        name: yaml_text(_with_source(make(), source), comment + WRITTEN)
        for name, (make, comment, source) in FILES.items()
    }


def _with_source(document: Document, source: str) -> Document:
    """The thread stands after the head, which is `description` and `profile`."""
    head = {key: document[key] for key in ("description", "profile")}
    return {**head, **({"source": GITHUB + source} if source else {}), **document}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None."""


def run(options: argparse.Namespace) -> int:
    for name, text in files().items():
        (bundled_scenarios() / f"{name}.yaml").write_text(text, encoding="utf-8")
    return 0
