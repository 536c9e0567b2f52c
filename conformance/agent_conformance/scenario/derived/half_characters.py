"""Where a scenario has half of a surrogate pair, as is left when a text is cut in an emoji."""

import json
import re
from collections.abc import Iterator
from typing import Any

from agent_conformance.scenario.model import Scenario

HALF = re.compile("[\ud800-\udfff]")


def sent_by_the_model(scenario: Scenario) -> bool:
    """Whether a reply has one, also as an escape in an `arguments_text`. Not every wire can send it."""
    replies = [reply for turn in scenario.conversation for reply in turn.model]
    calls = [call for reply in replies for call in reply.calls]
    texts = [*(reply.text for reply in replies), *(reply.thinking for reply in replies)]
    written = [call.arguments_text or "" for call in calls]
    return _has_half([texts, written, [call.arguments for call in calls]]) or any(
        "\\u" in text and HALF.search(_unescaped(text)) for text in written
    )


def given_to_the_agent(scenario: Scenario) -> bool:
    """Whether the system prompt, a tool, the history or the user has one."""
    tools = [[tool.description, tool.returns, tool.structured, tool.results, tool.raises] for tool in scenario.tools]
    parts = [part.text for tool in scenario.tools for part in tool.content or ()]
    said = [turn.user_text for turn in scenario.conversation]
    return _has_half([scenario.system, tools, parts, said]) or _has_half(
        [message.data() for message in scenario.history]
    )


def whole_part(text: str) -> str:
    """The text up to its first half of a character: an agent may replace that in several ways."""
    found = HALF.search(text)
    return text if found is None else text[: found.start()]


def _has_half(value: Any) -> bool:
    return any(not text.isascii() and HALF.search(text) for text in texts_in(value))


def _unescaped(text: str) -> str:
    """The text with the escapes of JSON; pairs of them are one character."""
    return re.sub(r"(?:\\u[0-9a-fA-F]{4})+", lambda match: str(json.loads(f'"{match[0]}"')), text.replace("\\\\", ""))


def texts_in(value: Any) -> Iterator[str]:
    """Each text, each key of an object, and each number and boolean as text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from texts_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts_in(inner)
    elif value is not None:
        yield str(value)
