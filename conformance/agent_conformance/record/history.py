"""What a request has that the one before had not, message by message, so that its whole history can be put together.

Knows views; no transcript, and no file.
"""

from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher

from fake_providers import View
from fake_providers.neutral_text import CallIds, labelled, message_lines
from fake_providers.view import ViewMessage

AS_BEFORE = "history as before"
EXCEPT = f"{AS_BEFORE}, except"
NO_SYSTEM = "no system text any more"

MOST_ALIGNED = 400
"""Of so many changed messages it is found out which stayed; of more, all are gone or new: the search is quadratic."""

Opcode = tuple[str, int, int, int, int]


def history_lines(view: View, previous: View | None, ids: CallIds, *, indent: str) -> Iterator[str]:
    """The system text where it changed, what became of each earlier message, then the new messages.

    `previous` is the request before of the same conversation. Messages are counted from 1, without system messages.
    """
    if view.system != (previous.system if previous else ""):
        yield from labelled("system", view.system, indent) if view.system else (f"{indent}{NO_SYSTEM}",)
    if previous is None:
        yield from _messages(view.messages, ids, indent)
        return
    *earlier, (_, _, _, first_new, _) = _changes(previous.messages, view.messages)
    if previous.messages:
        yield f"{indent}{EXCEPT if earlier else AS_BEFORE}"
    for change in earlier:
        yield from _changed(change, view.messages, ids, f"{indent}  ")
    yield from _messages(view.messages[first_new:], ids, indent)


def offers(view: View, previous: View | None) -> str:
    """The names of the tools that the request offers, where they are others than before."""
    names = [tool.name for tool in view.tools]
    if previous is not None and names == [tool.name for tool in previous.tools]:
        return "offers as before"
    return f"offers {', '.join(names) or 'nothing'}"


def _messages(messages: Sequence[ViewMessage], ids: CallIds, indent: str) -> Iterator[str]:
    for message in messages:
        yield from message_lines(message, ids, indent)


def _changed(change: Opcode, messages: Sequence[ViewMessage], ids: CallIds, indent: str) -> Iterator[str]:
    """One change of the earlier messages; what a message is now stands below it."""
    kind, first, end, new_first, new_end = change
    if kind == "delete":
        yield (
            f"{indent}message {first + 1} is gone"
            if end == first + 1
            else (f"{indent}messages {first + 1} to {end} are gone")
        )
        return
    yield f"{indent}message {first + 1} is now" if kind == "replace" else f"{indent}before message {first + 1} is new"
    yield from _messages(messages[new_first:new_end], ids, f"{indent}  ")


def _changes(old: Sequence[ViewMessage], new: Sequence[ViewMessage]) -> list[Opcode]:
    """Each message that was replaced, is gone or was put between the earlier ones; last, what was appended."""
    start = 0
    while start < min(len(old), len(new)) and _key(old[start]) == _key(new[start]):
        start += 1
    if start == len(old):
        return [("insert", start, start, start, len(new))]
    changes = [change for opcode in _opcodes(old, new, start) for change in _single(opcode, old, new)]
    if changes and changes[-1][0] == "insert" and changes[-1][1] == len(old):
        return changes
    return [*changes, ("insert", len(old), len(old), len(new), len(new))]


def _opcodes(old: Sequence[ViewMessage], new: Sequence[ViewMessage], start: int) -> list[Opcode]:
    """What differs from the first message on that is not the same."""
    if max(len(old), len(new)) - start > MOST_ALIGNED:
        return [("replace", start, len(old), start, len(new))]
    keys = [_key(message) for message in old[start:]], [_key(message) for message in new[start:]]
    matcher: SequenceMatcher[Hashable] = SequenceMatcher(None, *keys, autojunk=False)
    return [
        (kind, a + start, b + start, c + start, d + start)
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind != "equal"
    ]


def _single(opcode: Opcode, old: Sequence[ViewMessage], new: Sequence[ViewMessage]) -> Iterator[Opcode]:
    """Messages that were replaced one by one, as long as the roles agree; the rest is gone, and new."""
    kind, first, end, new_first, new_end = opcode
    while kind == "replace" and first < end and new_first < new_end and old[first].role == new[new_first].role:
        yield ("replace", first, first + 1, new_first, new_first + 1)
        first, new_first = first + 1, new_first + 1
    if first < end:
        yield ("delete", first, end, new_first, new_first)
    if new_first < new_end:
        yield ("insert", end, end, new_first, new_end)


def _key(message: ViewMessage) -> Hashable:
    """Its content. `at` is left out: a message that was put before it moves its place in the body."""
    calls = tuple((call.id, call.name, call.arguments_text) for call in message.calls)
    results = tuple((result.id, result.text, result.is_error, result.pictures) for result in message.results)
    return (message.role, message.text, message.thinking, calls, results, message.pictures)
