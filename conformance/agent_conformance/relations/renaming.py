"""Other names for the tools of a scenario, wherever it names them, and the way back.

Each letter is replaced by another one, the same everywhere: what is long stays long, names that are nearly the same
stay so, and separators, cases and digits stay where they are.
"""

import codecs
import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from msgspec import Struct

from agent_conformance.scenario.model import (
    AssistantMessage,
    CallSpec,
    HistoryMessage,
    NamedToolSpec,
    Scenario,
    TextMeaning,
    ToolMessage,
)

LONG = 6
"""Letters of a name that are in no other word by chance."""


class Renaming(Struct, frozen=True):
    """`pattern` finds the names as whole words in texts, and `loosely` also as models and agents spell them. The same
    letters lead to the other name and back.
    """

    pattern: re.Pattern[str]
    loosely: re.Pattern[str]
    others: re.Pattern[str]
    """Finds the other names, also where an agent has put them together, or other characters between their words."""

    def name(self, name: str) -> str:
        return self.loosely.sub(_other, name)

    def back(self, text: str) -> str:
        return self.others.sub(_other, text)

    def text(self, text: str) -> str:
        return self.pattern.sub(_other, text)

    def value(self, value: Any) -> Any:
        """Every text in a JSON value, keys too."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(inner) for inner in value]
        if isinstance(value, dict):
            return {self.text(key): self.value(inner) for key, inner in value.items()}
        return value


def renaming_of(scenario: Scenario) -> Renaming | None:
    """None where there is nothing to rename, or where another name already stands in the scenario."""
    names = {tool.name for tool in scenario.tools if re.search("[A-Za-z]", tool.name)}
    if not names:
        return None
    found = _loose_pattern(names)
    names |= {name for name in _names_called(scenario) if not found.search(name) and get_close_matches(name, names)}
    others = _any_of([codecs.encode(name, "rot13") for name in names])
    if others.search(repr(scenario)):
        return None
    return Renaming(_pattern(map(re.escape, names)), _loose_pattern(names), others)


def _any_of(names: list[str]) -> re.Pattern[str]:
    """Long ones also within a word: no other word has them."""
    long = [name for name in names if len(name) >= LONG]
    patterns = [_loose_pattern(names).pattern, *map(_spelled, sorted(long, key=len, reverse=True))]
    return re.compile("|".join(patterns), re.IGNORECASE)


def _other(found: re.Match[str]) -> str:
    return codecs.encode(found[0], "rot13")


def _pattern(words: Iterable[str], flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    """Neighbours that are no letters do not make another word: agents put prefixes and numbers around names."""
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return re.compile(rf"(?<![A-Za-z])(?:{'|'.join(longest_first)})(?![A-Za-z])", flags)


def _loose_pattern(names: Iterable[str]) -> re.Pattern[str]:
    """In any case, and with any characters between their words that are no blank."""
    return _pattern(map(_spelled, names), re.IGNORECASE)


def _spelled(name: str) -> str:
    words = [re.escape(word) for word in re.split(r"[^A-Za-z0-9]+", name) if word]
    return r"[^A-Za-z0-9\s]+".join(words)


def _names_called(scenario: Scenario) -> Iterator[str]:
    yield from (
        call.name for reply in (reply for turn in scenario.conversation for reply in turn.model) for call in reply.calls
    )
    for message in scenario.history:
        if isinstance(message.assistant, AssistantMessage):
            yield from (call.name for call in message.assistant.calls)


def renamed(scenario: Scenario, new: Renaming) -> Scenario:
    """The scenario with other names. What is expected is left as it is: nobody judges it."""
    choice = scenario.tool_choice
    changes: dict[str, Any] = {
        "system": new.text(scenario.system),
        "tools": [
            tool.changed(
                {
                    "name": new.name(tool.name),
                    "description": new.text(tool.description),
                    "parameters": new.value(tool.parameters),
                    "returns": new.value(tool.returns),
                    "structured": new.value(tool.structured),
                    "results": new.value(tool.results),
                    "content": _parts(tool.content, new),
                    "raises": new.value(tool.raises),
                }
            )
            for tool in scenario.tools
        ],
        "history": [_message(message, new) for message in scenario.history],
        "conversation": [
            turn.changed(
                {
                    "user": _parts(turn.user, new),
                    "model": [
                        reply.changed(
                            {
                                "text": new.value(reply.text),
                                "thinking": new.value(reply.thinking),
                                "chunks": _chunks(reply.chunks, new),
                                "blocks": _chunks(reply.blocks, new),
                                "thoughts": _chunks(reply.thoughts, new),
                                "calls": _calls(reply.calls, new),
                                "means": _meaning(reply.means, new),
                            }
                        )
                        for reply in turn.model
                    ],
                    "tools": new.value(turn.tools),
                    "approve": {new.name(name): answer for name, answer in turn.approve.items()},
                }
            )
            for turn in scenario.conversation
        ],
        "output_schema": new.value(scenario.output_schema),
    }
    if isinstance(choice, NamedToolSpec):
        changes["tool_choice"] = choice.changed({"tool": new.name(choice.tool)})
    return scenario.changed(changes)


def _parts(parts: Any, new: Renaming) -> Any:
    """A text, or a list of texts and pictures."""
    if not isinstance(parts, list):
        return new.value(parts)
    return [part.changed({"text": new.text(part.text)}) if part.text else part for part in parts]


def _calls(calls: Iterable[CallSpec], new: Renaming) -> list[CallSpec]:
    return [
        call.changed(
            {
                "name": new.name(call.name),
                "arguments": new.value(call.arguments),
                "arguments_text": new.value(call.arguments_text),
                "may_run": new.value(call.may_run),
            }
        )
        for call in calls
    ]


def _message(message: HistoryMessage, new: Renaming) -> HistoryMessage:
    if message.tool is not None:
        return message.changed({"tool": _result(message.tool, new)})
    said = message.assistant
    if isinstance(said, AssistantMessage):
        changes = {"text": new.text(said.text), "calls": _calls(said.calls, new)}
        return message.changed({"assistant": said.changed(changes)})
    changes = {"user": _parts(message.user, new), "system": new.value(message.system), "assistant": new.value(said)}
    return message.changed(changes)


def _result(message: ToolMessage, new: Renaming) -> ToolMessage:
    return message.changed({"name": new.value(message.name), "result": new.value(message.result)})


def _chunks(chunks: list[str], new: Renaming) -> list[str]:
    """Cut where they were: a name may go over several chunks, and another one is as long."""
    rest, cut = new.text("".join(chunks)), []
    for chunk in chunks:
        cut.append(rest[: len(chunk)])
        rest = rest[len(chunk) :]
    return cut


def _meaning(means: TextMeaning | None, new: Renaming) -> TextMeaning | None:
    if means is None:
        return None
    changes = {"calls": _calls(means.calls, new), "show": new.value(means.show)}
    return means.changed({**changes, "never_show": new.value(means.never_show)})
