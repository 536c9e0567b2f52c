"""Pruning: keeps a request within a number of tokens.

It drops whole turns, or calls with their results, never a part of them. The current user message always stays.
"""

import json
from collections.abc import Callable
from dataclasses import replace

from agent_conformance.agents.reference import prompts
from agent_conformance.agents.reference.history import Entry, History, Result

CHARACTERS_PER_TOKEN = 4
HEADROOM = 0.85
"""How much of the limit is used: the estimate is rough, and the answer needs room."""
SHORT_RESULT = 400
SHORT_MESSAGE = 400

Shorten = Callable[[str, int], str]


def prune(history: History, budget: int, declared: int, shorten: Shorten) -> History:
    """The history within `budget` tokens, of which the declarations take `declared`; as near as possible.

    First the oldest turns go. Then, within the current turn, old results are shortened, the oldest calls go with their
    results, the last results are shortened, and at last the user's own message.
    """
    room = int(budget * HEADROOM) - declared
    for shrink in (drop_old_turns, shorten_old_results, drop_old_rounds):
        history = shrink(history, room, shorten)
        if tokens(history) <= room:
            return history
    return shorten_the_rest(history, room, shorten)


def tokens(history: History) -> int:
    return -(-sum(_characters(entry) for entry in history) // CHARACTERS_PER_TOKEN)


def drop_old_turns(history: History, room: int, shorten: Shorten) -> History:
    """Drop whole turns, each from one user message to the next, oldest first, never the current one."""
    head, body = _split_system(history)
    starts = [index for index, entry in enumerate(body) if entry.role == "user" and not entry.is_within]
    for start in starts:
        if tokens(head + body[start:]) <= room:
            return head + body[start:]
    return head + body[starts[-1] :] if starts else history


def shorten_old_results(history: History, room: int, shorten: Shorten) -> History:
    """Shorten the results of all but the last round, oldest first, until the history fits."""
    rounds = [index for index, entry in enumerate(history) if entry.role == "results"]
    for index in rounds[:-1]:
        if tokens(history) <= room:
            break
        history = _with(history, index, _shortened_results(history[index], SHORT_RESULT, shorten))
    return history


def drop_old_rounds(history: History, room: int, shorten: Shorten) -> History:
    """Drop calls with their results, oldest first; the last round stays."""
    while tokens(history) > room:
        rounds = [index for index, entry in enumerate(history) if entry.role == "results"]
        if len(rounds) < 2:
            break
        history = history[: rounds[0] - 1] + history[rounds[0] + 1 :]
    return history


def shorten_the_rest(history: History, room: int, shorten: Shorten) -> History:
    """Shorten the last results, then the user's message, to the room that is left."""
    for role, least in (("results", SHORT_RESULT), ("user", SHORT_MESSAGE)):
        for index, entry in enumerate(history):
            over = tokens(history) - room
            if entry.role != role or over <= 0:
                continue
            if role == "results":
                each = _characters(entry) - over * CHARACTERS_PER_TOKEN
                history = _with(
                    history, index, _shortened_results(entry, max(least, each // len(entry.results)), shorten)
                )
            else:
                keep = max(least, len(entry.text) - over * CHARACTERS_PER_TOKEN)
                history = _with(history, index, replace(entry, text=shorten(entry.text, keep)))
    return history


def shorten(text: str, keep: int) -> str:
    """Two thirds of `keep` characters from the start, the rest from the end, and between them how many are missing."""
    if len(text) <= keep:
        return text
    note = prompts.SHORTENED.format(n=len(text) - keep)
    front = max(0, (keep - len(note)) * 2 // 3)
    back = max(0, keep - len(note) - front)
    return text[:front] + note + (text[-back:] if back else "")


def _shortened_results(entry: Entry, keep: int, shorten: Shorten) -> Entry:
    def short(result: Result) -> Result:
        return replace(result, text=shorten(result.text, keep)) if len(result.text) > keep else result

    return replace(entry, results=tuple(short(result) for result in entry.results))


def _split_system(history: History) -> tuple[History, History]:
    first = next((i for i, entry in enumerate(history) if entry.role != "system"), len(history))
    return history[:first], history[first:]


def _with(history: History, index: int, entry: Entry) -> History:
    return (*history[:index], entry, *history[index + 1 :])


def _characters(entry: Entry) -> int:
    count = len(entry.text) + len(json.dumps(entry.blocks)) + sum(len(thought.text) for thought in entry.thoughts)
    count += sum(len(call.name) + len(json.dumps(call.arguments)) for call in entry.calls)
    return count + sum(len(result.text) for result in entry.results)
