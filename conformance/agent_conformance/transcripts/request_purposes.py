"""What a request of an agent is for: its own conversation, a question whether a call may run, a search for tools.

The conversation is known by its instructions and tools. A model that is asked whether a call may run must say nothing
else than the answer in the form that is wanted: agents take anything else for a refusal, and run nothing.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from fake_providers import View, ViewTool
from fake_providers.values.minimal_value import minimal_value

ABOUT = re.compile(
    r"\b(safe|unsafe|allow\w*|permi\w+|approv\w+|den(?:y|ied)|block\w*|danger\w*|harm\w*|malicious|risk\w*|destructive)\b",
    re.I,
)
GOOD = r"safe|allow(?:ed)?|approved?|permit(?:ted)?|accept(?:ed)?|proceed|harmless|benign|low"
BAD = "unsafe|deny|denied|block(?:ed)?|reject(?:ed)?|dangerous|harmful|malicious|risky|destructive|refused?|high"
CHOICE = re.compile(r"[`'\"<]?\b(\w+)\b[`'\">]?(?: ?[,/|] ?(?:or )?| or )[`'\"<]?\b(\w+)\b")
"""Two words of which the answer is to be one: `yes or no`, `"allow"/"deny"`."""
YES, NO = ("yes", "true", "1"), ("no", "false", "0")
TAG = re.compile(r"<(\w+)>\s*(\w+)(?:\s*(?:/|\||or)\s*\w+)?\s*</\1>")


def allowing_answer(view: View) -> str | None:
    """The answer that lets a call run; None where nothing of the kind is asked for."""
    said = f"{view.system}\n{view.messages[-1].text if view.messages else ''}"
    if not ABOUT.search(said):
        return None
    if isinstance(view.schema, Mapping) and isinstance(view.schema.get("properties"), Mapping):
        return _filled(view.schema)
    for tag, value in TAG.findall(said):
        if value.lower() in (*YES, *NO):
            return f"<{tag}>{_word(YES if not _is_bad(tag) else NO, value)}</{tag}>"
    for words in _choices(said):
        lower = [word.lower() for word in words]
        if lower[0] in (*YES, *NO) and lower[1] in (*YES, *NO):
            return words[lower.index(next(one for one in lower if one in (NO if _is_bad(said) else YES)))]
        good = [word for word in words if re.fullmatch(GOOD, word, re.I)]
        if len(good) == 1 and any(re.fullmatch(BAD, word, re.I) for word in words):
            return good[0]
    return None


def _choices(said: str) -> Iterator[tuple[str, str]]:
    start = 0
    while match := CHOICE.search(said, start):
        yield match[1], match[2]
        start = match.start(2)


def _is_bad(text: str) -> bool:
    """Whether `yes` to this forbids the call: what is asked is whether it is bad, and not whether it is good."""
    return bool(re.search(rf"\b({BAD})\b", text, re.I)) and not re.search(rf"\b({GOOD})\b", text, re.I)


def _word(of: tuple[str, ...], like: str) -> str:
    """The one of these words that is written like the other."""
    lower = like.lower()
    place = YES.index(lower) if lower in YES else NO.index(lower)
    return of[place]


def _filled(schema: Mapping[str, Any]) -> str:
    value = minimal_value(schema)
    filled = dict(value) if isinstance(value, Mapping) else {}
    for name, one in schema["properties"].items():
        words = [word for word in one.get("enum", ()) if isinstance(word, str)] if isinstance(one, Mapping) else []
        good = next((word for word in words if re.fullmatch(f"{GOOD}|yes|none", word, re.I)), None)
        if good is not None:
            filled[name] = good
        elif isinstance(one, Mapping) and one.get("type") == "boolean":
            filled[name] = not _is_bad(re.sub(r"[_-]|(?<=[a-z])(?=[A-Z])", " ", name))
    return json.dumps(filled)


SHORTEST_LINE = 12
"""Characters by which a line of instructions is recognised."""


class MainRequest(NamedTuple):
    """The instructions of the agent's conversations, and the names of its own tools in them."""

    system: str
    tools: frozenset[str]

    def is_of_another(self, view: View, is_of_case: Callable[[str], bool]) -> bool:
        """Whether a request has other instructions and other tools, and none of the case's or one that searches for
        them. Where the conversations have no instructions, the tools alone tell.
        """
        names = {tool.name for tool in view.tools}
        if not view.system.strip() or keeps_instructions(view.system, self.system):
            return False
        if any(is_of_case(name) or is_name_of_search(name) for name in names):
            return False
        return not names >= self.tools if names else bool(self.system.strip())


def keeps_instructions(now: str, before: str) -> bool:
    """Whether these instructions have half of the lines of those before: dates and folders in others may differ, and
    programs put the same rules of a sandbox or of style into the instructions of all their agents.
    """
    flat = " ".join(now.split())
    lines = [line for one in before.splitlines() if len(line := " ".join(one.split())) >= SHORTEST_LINE]
    return bool(lines) and 2 * sum(line in flat for line in lines) >= len(lines)


NOUN_FIRST = re.compile(r"(^|_)tools?_(search|finder|lookup|discovery)(_|$)")
VERB_FIRST = re.compile(
    r"(^|_)(search|find|discover|lookup|look_up|load|query)"
    r"(_(for|and|load|available|deferred|mcp|more|new|tool|the))*_(tools|functions|toolsets)$"
)
"""`search_tool` alone is a tool that searches something else."""
EXACT = "select:"
"""How Claude Code's `ToolSearch` is asked for tools by their names."""
ASKED = ("query", "queries", "names", "tool_names", "name", "tool_name", "pattern", "regex", "keywords", "keyword", "q")
"""How the parameter with the words is called, the likeliest first."""
CODE = re.compile(r"^(code|script|source|program|tool_?name|tool_?id|function_?name|calls)$", re.I)
"""How the parameter of a tool is called that runs other tools: by code, or by their names."""


def is_name_of_search(name: str) -> bool:
    """Whether a tool of this name searches for tools."""
    flat = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()).strip("_")
    return bool(NOUN_FIRST.search(flat) or VERB_FIRST.search(flat))


def search_tool_of(view: View, tools: Collection[str]) -> ViewTool | None:
    """The agent's own tool that searches for others; `tools` are those of the scenario, in whose names the view is."""
    return next((one for one in view.callable_tools if one.name not in tools and is_name_of_search(one.name)), None)


def searches(tool: ViewTool, names: Mapping[str, str], view: View, *, again: bool) -> Iterator[dict[str, Any]]:
    """The arguments of the calls that search for the tools of these names, each with its description. `again`: by other
    words than their names, since those found nothing.
    """
    schema = tool.parameters if isinstance(tool.parameters, Mapping) else {}
    properties = {name: one for name, one in _members(schema, "properties").items() if isinstance(one, Mapping)}
    filled = minimal_value(schema) if properties else {}
    least = dict(filled) if isinstance(filled, Mapping) else {}
    asked = _asked(properties, schema.get("required"))
    known = [named_in(view, tool, name) for name in names]
    if asked is None:
        yield least
    elif properties[asked].get("type") == "array":
        yield {**least, asked: known}
    elif EXACT in f"{tool.description} {properties[asked].get('description')}" and not again:
        yield {**least, asked: EXACT + ",".join(known)}
    elif again:
        yield from ({**least, asked: _words(name, text)} for name, text in names.items())
    else:
        yield from ({**least, asked: name} for name in known)


def _asked(properties: Mapping[str, Mapping[str, Any]], required: Any) -> str | None:
    texts = [name for name, one in properties.items() if one.get("type") in ("string", "array") and "enum" not in one]
    needed = required if isinstance(required, list) else []
    by_name = [name for name in ASKED if name in texts]
    return next(iter([*by_name, *(name for name in texts if name in needed), *texts]), None)


def named_in(view: View, tool: ViewTool, name: str) -> str:
    """The tool's name as the request says it, where it lists what can be found: `mcp__suite__get_weather`."""
    said = f"{tool.description}\n{view.texts}"
    found = re.findall(rf"(?<![\w.:/-])[\w.:-]*{re.escape(name)}(?![\w-])", said)
    return max(found, key=len, default=name)


def _words(name: str, description: str) -> str:
    return " ".join(f"{re.sub(r'[^A-Za-z0-9]+', ' ', name)} {description}".split())


def runs_others(view: View, tools: Collection[str], search: ViewTool) -> str:
    """The name of the agent's own tool that runs what a search has found, by code or by name; empty without one."""
    own = (one for one in view.callable_tools if one.name not in tools and one.name != search.name)
    return next((one.name for one in own if any(map(CODE.match, _members(one.parameters, "properties")))), "")


def found_for_code(view: View) -> tuple[str, str] | None:
    """The tool that searches and the one that runs what it finds, where the first says that this is how it is run."""
    search = search_tool_of(view, ())
    runner = runs_others(view, (), search) if search is not None else ""
    return (search.name, runner) if search is not None and runner and runner in search.description else None


def _members(value: Any, name: str) -> Mapping[str, Any]:
    inner = value.get(name) if isinstance(value, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}
