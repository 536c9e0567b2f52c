"""What a fake replies without a script: as a model would that obeys the request, and says little. Knows no wire.

It remembers nothing. Everything follows from the request, so conversations cannot disturb each other.
"""

from collections.abc import Sequence
from dataclasses import replace

from fake_providers.http import compact
from fake_providers.reply import Call, Reply
from fake_providers.values.minimal_value import minimal_value
from fake_providers.values.tokens import LETTERS, tokens_of
from fake_providers.view import View, ViewMessage, ViewTool

DONE = "Done."


def default_reply(view: View) -> Reply:
    """A call of the first tool that may be called, where the user asks something or a call is forced; else an answer.

    The answer is the smallest value that fits, where the request has a schema for it. A text that is longer than
    `max_tokens` is cut, with the finish reason for that.
    """
    tool = _tool_to_call(view)
    if tool is not None and (view.forces or _has_new_question(view.messages)):
        arguments = minimal_value(tool.parameters)
        return Reply(calls=(Call(tool.name, arguments if isinstance(arguments, dict) else {}),))
    return shortened(Reply(text=_answer(view)), view.max_tokens)


def shortened(reply: Reply, max_tokens: int | None) -> Reply:
    """The reply with as much of its text as fits into so many tokens."""
    text = reply.text or ""
    if max_tokens is None or tokens_of(len(text)) <= max_tokens:
        return reply
    return replace(reply, text=text[: max(max_tokens, 1) * LETTERS], finish="length")


def _tool_to_call(view: View) -> ViewTool | None:
    if view.forbids_calls:
        return None
    allowed = view.forces or view.allows
    return next((tool for tool in view.tools if not allowed or tool.name in allowed), None)


def _has_new_question(messages: Sequence[ViewMessage]) -> bool:
    """Whether the user has the word, and no tool has answered since the model spoke: a reminder that an agent sends
    with the results is no question.
    """
    for message in reversed(messages):
        if message.results:
            return False
        if message.role == "assistant":
            return message is not messages[-1]
    return True


def _answer(view: View) -> str:
    if view.answer_format == "text":
        return DONE
    value = {} if view.schema is None else minimal_value(view.schema)
    return value if view.answer_format == "enum" and isinstance(value, str) else compact(value)
