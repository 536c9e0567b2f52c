"""What an adapter declares of how its requests are to be read: functions of its own, whose answers are checked.

Whoever calls holds no lock: an answer may take any time up to the limit.

An answer may come as a call of the agent's own `reply_tool`. Its calls and results in a request are the model's
answers, and a request that offers this tool alone leaves room for an answer and for nothing else, as one without does.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, structs
from msgspec.structs import replace

from agent_conformance.adapter.contract import AdapterMistake
from agent_conformance.judge.case_evidence import flat
from agent_conformance.run.agent.agent_instance import called_within, kind_of
from agent_conformance.scenario.derived.half_characters import whole_part
from fake_providers import View, ViewCall, ViewMessage
from fake_providers.values.json_texts import read_json
from fake_providers.view import join_runs

HINT_SECONDS = 10.0


class RequestHints(Struct, frozen=True):
    """`tool_names` and `side_request` are as the adapter's instance has them; `seconds` limits each call of them.
    With `instructions_as_message` the system prompt may stand in the first message of the user, as Codex has it, and so
    may system messages of a history."""

    tool_names: Any = None
    side_request: Callable[[dict[str, Any]], Any] | None = None
    reply_tool: tuple[str, str | None] | None = None
    has_own_tools: bool = False
    instructions_as_message: bool = False
    seconds: float = HINT_SECONDS

    def as_recorded(self, view: View, prompts: Iterable[str], said: Iterable[str]) -> View:
        """The view as the laws read it: `prompts` are the system prompt of the case and the system messages of its
        history, `said` what its user says."""
        view = with_objects_written_out(view, said)
        if self.reply_tool is not None:
            view = without_reply_tool(view, self.reply_tool)
        first = next((message for message in view.messages if message.role == "user"), None)
        if not self.instructions_as_message or first is None:
            return view
        told = [prompt for prompt in prompts if prompt and prompt not in view.system and prompt in first.text]
        return structs.replace(view, system="\n".join([view.system, *told])) if told else view

    def declared_names(self, tools: Sequence[str]) -> Mapping[str, str]:
        """The declared name of each of these tools that has one. Raises `AdapterMistake`."""
        given = self.tool_names
        if given is None:
            return {}
        if type(given) is dict:
            return _checked({tool: given.get(tool) for tool in tools})
        return _checked(called_within(self.seconds, "tool_names", _read_names, given, tools))

    def side_answer(self, sent: bytes) -> str | bool:
        """Whether the request is a side request, or the text that answers it. Raises `AdapterMistake`."""
        assert self.side_request is not None
        try:
            body = read_json(sent)
        except ValueError:
            return False
        if not isinstance(body, dict):
            return False
        answer = called_within(self.seconds, "side_request", self.side_request, body)
        if answer is None or type(answer) is bool:
            return bool(answer)
        if isinstance(answer, str):
            return "".join((answer,))
        raise AdapterMistake(
            f"the adapter's side_request returned {kind_of(answer)}; return True, False, or the text of the reply"
        )


def check_names(tool_names: Any) -> None:
    """Raises `AdapterMistake` for what is neither a mapping nor a function."""
    if tool_names is None or isinstance(tool_names, Mapping) or callable(tool_names):
        return
    raise AdapterMistake(
        f"the adapter's tool_names is {kind_of(tool_names)}; "
        "make it a mapping or a function from a tool's name to that on the wire"
    )


def _read_names(given: Any, tools: Sequence[str]) -> dict[str, Any]:
    if isinstance(given, Mapping):
        return {tool: given.get(tool) for tool in tools}
    return {tool: given(tool) for tool in tools}


def _checked(names: Mapping[str, Any]) -> dict[str, str]:
    for tool, name in names.items():
        if name is not None and not isinstance(name, str):
            raise AdapterMistake(f"the adapter's tool_names gave {kind_of(name)} for `{tool}`; give a text, or None")
    return {tool: "".join((name,)) for tool, name in names.items() if name is not None}


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


def with_objects_written_out(view: View, said: Iterable[str]) -> View:
    """The view with nothing in escapes where a message of the user is a JSON object that has what the user `said`: an
    agent may send it so, beside the time.
    """
    opened = tuple(_written_out(message, said) if message.role == "user" else message for message in view.messages)
    is_same = all(one is other for one, other in zip(opened, view.messages, strict=True))
    return view if is_same else replace(view, messages=opened)


def _written_out(message: ViewMessage, said: Iterable[str]) -> ViewMessage:
    text = message.text
    if "\\" not in text or "{" not in text:
        return message
    missing = [one for one in (flat(whole_part(each)) for each in said) if one and one not in flat(text)]
    for part in (text, *text.splitlines()) if missing else ():
        written = _in_plain_characters(part)
        if written is not None and any(one in flat(written) for one in missing):
            text = text.replace(part, written, 1)
    return message if text == message.text else replace(message, text=text)


def _in_plain_characters(text: str) -> str | None:
    """The JSON object that a text is, without any escapes; None for another text."""
    if not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        return _spelled(dict(read_json(text)))
    except (ValueError, RecursionError):
        return None


def _spelled(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {_spelled(inner)}' for name, inner in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_spelled, value))}]"
    return value if isinstance(value, str) else json.dumps(value)
