"""What a model replies to LangChain's standard suite: the default of the fakes, and the few values that it demands."""

import re
from typing import Any

from fake_providers import Call, Reply
from fake_providers.view import View

QUOTED = re.compile("'([^']+)'")
JOKE = '{"setup": "Why do cats purr?", "punchline": "They are well."}'
"""The JSON that a request describes in its text alone."""
LONG = "The cat sat on the mat, and looked out into the rain. " * 4


def reply_to(view: View) -> Reply | None:
    """None is the default reply: it obeys `tool_choice` and the schema for an answer."""
    last = view.messages[-1]
    arguments = _arguments(view.tools[0].name, last.text) if view.tools and last.role == "user" else None
    if arguments is not None and not view.forces - {view.tools[0].name}:
        return Reply(calls=(Call(view.tools[0].name, arguments),))
    if view.answer_format == "json" and view.schema is None:
        return Reply(text=JOKE)
    if view.answer_format == "text" and not view.tools:
        return Reply(text=LONG)
    return None


def _arguments(tool: str, question: str) -> dict[str, Any] | None:
    """Of the tools whose arguments the suite compares; for another tool None."""
    if tool == "magic_function":
        return {"input": 3}
    if tool == "unicode_customer":
        return {"customer_name": "".join(QUOTED.findall(question)), "description": "A company"}
    return None
