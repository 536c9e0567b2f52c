"""What made-up scenarios are built of: tools, arguments, results, texts, turns."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

from hypothesis import strategies as st

from agent_conformance.minimise.documents import Document

Item = TypeVar("Item")
Draw = Callable[[st.SearchStrategy[Any]], Any]
"""What Hypothesis gives to a composite strategy."""
Tool = dict[str, Any]
Turn = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """A tool with one parameter, a text; some of its arguments and results."""

    name: str
    description: str
    parameter: str
    values: tuple[str, ...]
    results: tuple[str, ...]


KINDS = (
    Kind(
        "get_weather",
        "Current weather for a city.",
        "city",
        ("Oslo", "Rome", "Zürich", "東京"),
        ("7 degrees and rain", "20 degrees and sun", "fog since dawn"),
    ),
    Kind(
        "look_up",
        "Looks up a word in the dictionary.",
        "word",
        ("pear", "quince", "leek", "rowan"),
        ("a sweet fruit", "a hard yellow fruit", "a long vegetable"),
    ),
    Kind(
        "read_file",
        "Reads a file of the project.",
        "path",
        ("notes.txt", "src/main page.md", "öl.csv"),
        ("three short lines", "nothing but zeros", "a list of names"),
    ),
    Kind("job_status", "The status of a job.", "job", ("42", "7-b"), ("it is queued", "it runs now", "done at noon")),
    Kind(
        "send_mail",
        "Sends a mail to somebody.",
        "to",
        ("Ann", "bo@example.org"),
        ("sent as number 4711", "the mail is out"),
    ),
    Kind("search_notes", "Searches the notes.", "query", ("tea", "snow 2024"), ("two notes", "no such note")),
)
SYSTEMS = ("You are a helpful assistant.", "Answer in English.", "Answer in rhyme, and never name a competitor.")
QUESTIONS = (
    "What is it?",
    "Please find out.",
    "Would you look, please?",
    "Und wie ist es dort?",
    "Tell me, and be brief.",
    "What do you know about it?",
)
PLAIN_REPLIES = (
    "That is what I found.",
    "It is as you said.",
    "I have looked, and it is fine.",
    "Here is the answer.",
    "Nothing more is known.",
)
REPLIES = (
    *PLAIN_REPLIES,
    "Yes",
    "0",
    "!",
    "null",
    "Grüße, 世界 🌏!",
    "ha ha ha, 2011",
    "one\n\ntwo",
    "A list:\n\n- first\n- second",
    "Use `print(1)`, or:\n\n```python\nprint(1)\n```\nThat is all.",
    "Costs are 5 < 7 & 9 > 3, as in a[0] = {b}.",
    'He said "no" and \\ left.',
)
TEXTS = (
    "home",
    " a blank on each side ",
    'hello "world" <>&\'\n\t',
    '{"key": "value"}',
    "</tool_call> and [/TOOL_CALL]",
    "页面 – ñandú – 🌏",
    "42",
    "true",
    "null",
    "[1, 2]",
    "<tag attribute='1'>",
    "C:\\temp\\new",
    "a,b;c|d",
    "x" * 3000,
)
"""Arguments that code which helps too much changes."""
CORRECTED: dict[str, Any] = {"at": 2, "added": {"blank": False}}
"""The request after a call that did not run says something about it."""


def one_of(draw: Draw, items: Sequence[Item]) -> Item:
    chosen: Item = draw(st.sampled_from(items))
    return chosen


def chance(draw: Draw, percent: int) -> bool:
    """Drawn as a number, whose smallest value means no: what is not needed goes when an example becomes smaller."""
    return bool(draw(st.integers(0, 99)) >= 100 - percent)


def some_of(draw: Draw, items: Sequence[Item], least: int, most: int) -> list[Item]:
    """Different ones, in any order."""
    return draw(st.lists(st.sampled_from(items), min_size=least, max_size=most, unique_by=repr))  # type: ignore[no-any-return]


def tool_of(kind: Kind, **fields: Any) -> Tool:
    """With its first result, unless `fields` say what it returns."""
    answer = {} if fields.keys() & {"returns", "results", "content", "raises"} else {"returns": kind.results[0]}
    return {
        "name": kind.name,
        "description": kind.description,
        "parameters": {kind.parameter: "string"},
        **answer,
        **fields,
    }


def call_of(kind: Kind, value: str, **fields: Any) -> dict[str, Any]:
    return {"name": kind.name, "arguments": {kind.parameter: value}, **fields}


def ran(call: dict[str, Any]) -> dict[str, Any]:
    """The call as `executed` and `calls` name it."""
    return {call["name"]: call["arguments"]}


def question(draw: Draw, number: int = 1) -> str:
    """Another one for each number."""
    return f"{one_of(draw, QUESTIONS)} This is number {number}."


def reply_to(draw: Draw, number: int = 1) -> str:
    """Words of the model that no other turn has."""
    return f"{one_of(draw, PLAIN_REPLIES)} So much for number {number}."


def cut(draw: Draw, text: str) -> list[str]:
    """The text in pieces, between any two characters."""
    places = sorted(set(draw(st.lists(st.integers(1, max(1, len(text) - 1)), max_size=6))))
    edges = [0, *(place for place in places if place < len(text)), len(text)]
    return [text[start:stop] for start, stop in pairwise(edges)]


def turn(user: Any, model: Sequence[Any], expect: Mapping[str, Any] | None = None, **fields: Any) -> Turn:
    return {"user": user, **fields, "model": list(model), **({"expect": expect} if expect else {})}


def document(description: str, turns: list[Turn], *, tools: Sequence[Tool] = (), **fields: Any) -> Document:
    """Fields come before tools, and history between tools and conversation, as in a file that a person writes."""
    history = fields.pop("history", None)
    made: Document = {"description": description, "profile": fields.pop("profile", "hardened"), **fields}
    if tools:
        made["tools"] = list(tools)
    if history:
        made["history"] = history
    return {**made, "conversation": turns}
