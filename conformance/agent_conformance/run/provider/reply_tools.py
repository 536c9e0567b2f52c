"""An answer that comes as a call of the agent's own tool, as every law reads it: as the model's text.

An adapter declares that tool as `reply_tool`. Its calls and results in a request are the model's answers, and a request
that offers this tool alone leaves room for an answer and for nothing else, as one without tools does.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from fake_providers import View, ViewCall, ViewMessage
from fake_providers.view import join_runs

ReplyTool = tuple[str, str | None]
"""The name of the tool, and the argument that is the answer; None where all arguments are, as JSON."""
FIELDS = frozenset({"tools", "tool_choice", "parallel_tool_calls"})


def with_answers_as_texts(view: View, tool: ReplyTool) -> View:
    """The view with each answer that was a call as a text of the model, and without the result of that call."""
    if not any(call.name == tool[0] for message in view.messages for call in message.calls):
        return view
    return replace(view, messages=join_runs(_as_texts(view.messages, tool)))


def _as_texts(messages: tuple[ViewMessage, ...], tool: ReplyTool) -> Iterator[ViewMessage]:
    answered: set[str | None] = set()
    answer = ""
    for message in messages:
        answers = {id(call): text for call in message.calls if (text := _answer(call, tool)) is not None}
        if message.role == "assistant":
            if answer and message.text.strip() == answer.strip() and not message.calls:
                continue  # the answer that the call before had, once more
            answered = {call.id for call in message.calls if id(call) in answers}
            answer = "\n".join(answers.values())
            said = [message.text, *(text for text in answers.values() if text not in message.text)]
            calls = tuple(call for call in message.calls if id(call) not in answers)
            yield replace(message, text="\n".join(filter(None, said)), calls=calls) if answers else message
            continue
        results = tuple(one for one in message.results if not (one.id in answered or one.name == tool[0]))
        if len(results) == len(message.results):
            yield message
        elif results or message.text or message.pictures:
            yield replace(message, results=results)
        if message.role == "user":
            answer = ""


def _answer(call: ViewCall, tool: ReplyTool) -> str | None:
    """What this call says to the user, if it is one of the tool."""
    if call.name != tool[0] or not isinstance(call.arguments, dict):
        return None
    if tool[1] is None:
        return call.arguments_text
    text = call.arguments.get(tool[1])
    return text if isinstance(text, str) else None


def without_reply_tool(view: View, tool: ReplyTool) -> View:
    """A view that offers this tool alone as one that offers none."""
    if [one.name for one in view.tools] != [tool[0]]:
        return view
    return replace(view, tools=(), fields=view.fields - FIELDS, forces=frozenset(), forbids_calls=False, allows=None)
