"""Which call of a request has which result."""

from collections.abc import Iterator
from itertools import zip_longest

from msgspec import Struct

from agent_conformance.judge.shortened_texts import same_at_start
from fake_providers import View, ViewCall, ViewMessage, ViewResult


class Round(Struct, frozen=True):
    """The calls of one message of the model, and the results before its next message. `at` is its place."""

    at: str
    calls: tuple[ViewCall, ...]
    results: tuple[ViewResult, ...]


class Pairing(Struct, frozen=True):
    """The calls and results of a round that belong together, and those that are left over."""

    pairs: tuple[tuple[ViewCall, ViewResult], ...]
    open_calls: tuple[ViewCall, ...]
    extra_results: tuple[ViewResult, ...]


def rounds(view: View) -> Iterator[Round]:
    """The rounds of a request in order; the first holds the results in front of the model's first message."""
    at = ""
    calls: tuple[ViewCall, ...] = ()
    results: list[ViewResult] = []
    for message in view.messages:
        if message.role == "assistant":
            yield Round(at, calls, tuple(results))
            at, calls, results = message.at, message.calls, []
        else:
            results += message.results
            at = at or message.at
    yield Round(at, calls, tuple(results))


def pairing(round: Round) -> Pairing:
    """Results with an id first, each to the call with that id; then, where either has none, by name and in order."""
    open_calls = list(round.calls)
    pairs: list[tuple[ViewCall, ViewResult]] = []
    unmatched: list[ViewResult] = []
    extra: list[ViewResult] = []
    for result in round.results:
        by_id = (call for call in open_calls if result.id is not None and call.id == result.id)
        _pair(next(by_id, None), result, open_calls=open_calls, pairs=pairs, rest=unmatched)
    for result in unmatched:
        in_order = [call for call in open_calls if result.id is None or call.id is None]
        by_name = [call for call in in_order if result.name is not None and call.name == result.name]
        _pair(next(iter(by_name or in_order), None), result, open_calls=open_calls, pairs=pairs, rest=extra)
    return Pairing(tuple(pairs), tuple(open_calls), tuple(extra))


def _pair(
    call: ViewCall | None,
    result: ViewResult,
    *,
    open_calls: list[ViewCall],
    pairs: list[tuple[ViewCall, ViewResult]],
    rest: list[ViewResult],
) -> None:
    if call is None:
        rest.append(result)
    else:
        open_calls.remove(call)
        pairs.append((call, result))


def same_conversation(view: View, other: View) -> bool:
    return view.system == other.system and view.messages == other.messages


def change_of_beginning(before: View, view: View) -> tuple[str, str] | None:
    """What does not begin as in the request before, as a place and what stands there now.

    A last request without tools, which asks for words, is right.
    """
    if view.tools and before.tools and view.tools[: len(before.tools)] != before.tools:
        return "the declarations", ", ".join(tool.name for tool in view.tools)
    if view.system != before.system:
        return "the system prompt", view.system[same_at_start(before.system, view.system) :]
    for old, new in zip_longest(before.messages, view.messages[: len(before.messages)]):
        if new is None:
            return "the messages", f"{len(view.messages)} of them"
        if not begins_with(new, old):
            return new.at, f"{new.role}: {new.text}"
    return None


def begins_with(new: ViewMessage, old: ViewMessage) -> bool:
    """Whether a message is the same as in the request before, but for what has joined its end."""
    return (
        new.role == old.role
        and new.text.startswith(old.text)
        and new.calls[: len(old.calls)] == old.calls
        and new.results[: len(old.results)] == old.results
    )
