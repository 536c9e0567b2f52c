"""Right agents that are the reference agent in all but the words of their own that they add to its requests.

They know its history and its defences; they must not know the laws or the fakes.
"""

import json
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from typing import Any, ClassVar

from agent_conformance.agents.reference import prompts, tools
from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.history import Call, Entry, History, Result
from agent_conformance.agents.reference.wires import CompletionRequest
from agent_conformance.reference import Adapter as Reference

REMINDER = "<system-reminder>\nThere are {n} entries. Your list of things to do is empty.\n</system-reminder>"


def rewriting(change: Callable[[History], History]) -> Any:
    """The reference agent's defences, with each request but that for a summary made of another history."""

    def full_request(request: CompletionRequest) -> CompletionRequest:
        is_own = request.history[-1].text == prompts.SUMMARISE
        return request if is_own else replace(request, history=change(request.history))

    return replace(Reference.defences, full_request=full_request)


def reminded(history: History) -> History:
    """The newest message ends with a reminder, which no later request has."""
    note, last = REMINDER.format(n=len(history)), history[-1]
    if last.role == "model":  # that the provider has paused goes back as it is
        return history
    if last.role == "user":
        return (*history[:-1], replace(last, text=f"{last.text}\n\n{note}"))
    return (*history, Entry("user", note, is_within=True))


def noted(history: History) -> History:
    """The system prompt ends with notes, which change."""
    said = [entry for entry in history if entry.role == "user"]
    notes = "".join(f"\n- message {n} has {len(one.text)} characters" for n, one in enumerate(said, 1))
    system = f"{history[0].text}\n\n# Notes{notes}\n- in all: {len(said)}"
    return (replace(history[0], text=system.strip()), *history[1:])


def planned(history: History) -> History:
    """Behind each message of the user stands a plan of the agent's own, as if the model had made it."""
    plan = (
        Entry("model", "Plan:\n1. See what is wanted.\n2. Answer."),
        Entry("user", "Carry out the plan.", is_within=True),
    )
    return tuple(
        each
        for entry in history
        for each in ((entry, *plan) if entry.role == "user" and entry.text and not entry.is_within else (entry,))
    )


def told(history: History) -> History:
    """Calls are told as text, and the results of a batch in one message of the user, with marks."""
    return tuple(in_words(entry) for entry in history)


def in_words(entry: Entry) -> Entry:
    if entry.role == "results":
        count = len(entry.results)
        texts = (
            f"=== Result {n} of {count}: {one.name} ===\n{one.text}\n=== End of result {n} ==="
            for n, one in enumerate(entry.results, 1)
        )
        pictures = tuple(picture for one in entry.results for picture in one.pictures)
        return Entry("user", "\n".join(texts), pictures=pictures, is_within=True)
    if not entry.calls:
        return entry
    calls = (f"I call {call.name} with {json.dumps(call.arguments, ensure_ascii=False)}" for call in entry.calls)
    return Entry("model", "\n".join(filter(None, (entry.text, *calls))))


def framing(frame: Callable[[Result], str]) -> Any:
    """The reference agent's defences, with other words around each result."""

    def round_entries(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
        model, answered = Reference.defences.round_entries(answer, calls, results)
        framed = (one if one.pending else replace(one, text=frame(one)) for one in answered.results)
        return (model, replace(answered, results=tuple(framed)))

    return replace(Reference.defences, round_entries=round_entries)


def in_json(result: Result) -> str:
    shown = {"tool": result.name, "output": result.text, "milliseconds": 12}
    return json.dumps(shown, ensure_ascii=False, indent=2)


def in_tags(result: Result) -> str:
    return f'<tool_result name="{result.name}">\n<![CDATA[\n{result.text}\n]]>\n</tool_result>'


class Reminded(Reference):
    wires = ("anthropic-messages", "openai-chat")
    defences: ClassVar = rewriting(reminded)


class Noted(Reference):
    wires = ("openai-responses", "gemini-generate")
    defences: ClassVar = rewriting(noted)


class Planned(Reference):
    wires = ("openai-chat",)
    defences: ClassVar = rewriting(planned)


class Told(Reference):
    wires = ("openai-chat", "anthropic-messages")
    features = Reference.features - {"native-tools", "server-tools"}
    defences: ClassVar = rewriting(told)


class InJson(Reference):
    wires = ("openai-chat", "gemini-generate")
    features = Reference.features - {"tool-search"}  # it reads the results of its search in the form of before
    defences: ClassVar = framing(in_json)


class InTags(Reference):
    wires = ("openai-responses", "anthropic-messages")
    features = InJson.features
    defences: ClassVar = framing(in_tags)


class SumsUpEachTurn(Reference):
    """After each turn a summary takes the place of the conversation."""

    wires = ("openai-chat", "anthropic-messages")

    async def send(self, message: Any, session: str | None = None) -> AsyncGenerator[str, None]:
        async for piece in super().send(message, session):
            yield piece
        if session is None:
            await self.compact()


class Prefixed(Reference):
    """Offers each tool under the agent's name, which no adapter declares."""

    wires = ("openai-chat",)
    defences: ClassVar = replace(
        Reference.defences,
        wire_names=lambda names: {name: f"mine__{known}"[:64] for name, known in tools.wire_names(names).items()},
    )

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        self.tool_names = None


def agreed(history: History) -> History:
    """The system prompt is the first exchange with the model."""
    if history[0].role != "system" or not history[0].text:
        return history
    return (Entry("user", history[0].text), Entry("model", "I keep to that."), *history[1:])


class Agreed(Reference):
    wires = ("openai-chat", "anthropic-messages")
    instructions_as_message = True
    defences: ClassVar = rewriting(agreed)


def in_each_user(history: History, shape: Callable[[str, int], str]) -> History:
    """With other words around what the user says at the beginning of each turn, by its number."""
    number, changed = 0, []
    for entry in history:
        if entry.role == "user" and entry.text and not entry.is_within:
            number += 1
            changed.append(replace(entry, text=shape(entry.text, number)))
        else:
            changed.append(entry)
    return tuple(changed)


def packaged(text: str, number: int) -> str:
    package = {"type": "user_message", "time": f"2026-11-30 10:{number:02}", "message": text}
    return json.dumps(package, ensure_ascii=number % 2 == 0)


class Packaged(Reference):
    """What the user says is an object with the time, as in Letta."""

    wires = ("openai-chat", "anthropic-messages")
    defences: ClassVar = rewriting(lambda history: in_each_user(history, packaged))


def remembered(history: History) -> History:
    """The system prompt ends with what the user said before."""
    said = [entry.text for entry in history if entry.role == "user" and entry.text and not entry.is_within]
    notes = "".join(f"\n- The user said: {' '.join(text.split())[:60]}" for text in said[:-1])
    if not notes:
        return history
    is_first = history[0].role == "system"
    system = f"{history[0].text if is_first else ''}\n\n<memory>{notes}\n</memory>".strip()
    return (Entry("system", system), *history[is_first:])


class Remembers(Reference):
    wires = ("openai-responses", "anthropic-messages")
    defences: ClassVar = rewriting(remembered)


def in_one_message(history: History) -> History:
    """What was before the turn stands in its message."""
    start = max(
        (i for i, one in enumerate(history) if one.role == "user" and one.text and not one.is_within), default=0
    )
    head = sum(entry.role == "system" for entry in history[:start])
    older, now = history[head:start], history[start]
    if not older:
        return history
    told = "\n".join(line for entry in older for line in lines_of(entry))
    pictures = (*(one for entry in older for one in pictures_of(entry)), *now.pictures)
    text = f"<conversation_history>\n{told}\n</conversation_history>\n\nThe user's new message:\n{now.text}"
    return (*history[:head], replace(now, text=text, pictures=pictures), *history[start + 1 :])


def lines_of(entry: Entry) -> list[str]:
    lines = [f"{entry.role}: {entry.text}"] if entry.text else []
    lines += [f"called {call.name} with {json.dumps(call.arguments, ensure_ascii=False)}" for call in entry.calls]
    return lines + [f"{one.name} returned: {one.text}" for one in entry.results]


def pictures_of(entry: Entry) -> tuple[Any, ...]:
    return (*entry.pictures, *(picture for one in entry.results for picture in one.pictures))


class InOneMessage(Reference):
    wires = ("openai-chat", "gemini-generate")
    features = Told.features
    defences: ClassVar = rewriting(in_one_message)


def as_job(entry: Entry) -> History:
    """A result says that a job was started; what came of it is in a message behind all results."""
    if entry.role != "results":
        return (entry,)
    started = (replace(one, text=f"Job {n} was started.", pictures=()) for n, one in enumerate(entry.results, 1))
    outputs = (f'<output job="{n}" tool="{one.name}">\n{one.text}\n</output>' for n, one in enumerate(entry.results, 1))
    behind = Entry("user", "\n".join(outputs), pictures=pictures_of(entry), is_within=True)
    return (replace(entry, results=tuple(started)), behind)


class InJobs(Reference):
    wires = ("openai-chat", "gemini-generate")
    features = Told.features
    defences: ClassVar = rewriting(lambda history: tuple(one for entry in history for one in as_job(entry)))


class TellsAfterARestart(Reference):
    """Another instance has what was said and done before the last turn as one message."""

    wires = ("openai-chat", "anthropic-messages")

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        history = self._history_entries
        starts = [i for i, one in enumerate(history) if one.role == "user" and one.text and not one.is_within]
        if setup.history or len(starts) < 2 or any(one.pending for entry in history for one in entry.results):
            return
        older, last = history[: starts[-1]], history[starts[-1] :]
        told = "\n".join(
            ["The session before this, word for word:", *(line for one in older for line in lines_of(one))]
        )
        pictures = tuple(picture for entry in older for picture in pictures_of(entry))
        self._history_entries = (Entry("user", told, pictures=pictures), Entry("model", "I have read it."), *last)


STYLES = {
    "reminded": Reminded,
    "noted": Noted,
    "planned": Planned,
    "told": Told,
    "in-json": InJson,
    "sums-up-each-turn": SumsUpEachTurn,
    "packaged": Packaged,
    "remembers": Remembers,
    "in-one-message": InOneMessage,
    "in-jobs": InJobs,
    "tells-after-a-restart": TellsAfterARestart,
}
