"""Keeping a request within a number of tokens. Knows turns and how to count them; knows no wire.

Nothing is cut apart: a whole step goes, or a call with its results. The current user's message always stays.
"""

import json
from collections.abc import Callable
from dataclasses import replace

from conformance.agents.reference import notes
from conformance.agents.reference.turns import Result, Turn, Turns

LETTERS_A_TOKEN = 4
HEADROOM = 0.85
"""How much of the limit is used: the estimate is rough, and the answer needs room."""
SHORT_RESULT = 400
SHORT_MESSAGE = 400

Shorten = Callable[[str, int], str]


def prune(turns: Turns, budget: int, declared: int, shorten: Shorten) -> Turns:
    """The turns within `budget` tokens, of which the declarations take `declared`; as near as can be done.

    First the oldest steps go; then, within the current one, old results are shortened, the oldest calls go with their
    results, the last results are shortened, and at the very end the user's own message loses its tail.
    """
    room = int(budget * HEADROOM) - declared
    for shrink in (drop_old_steps, shorten_old_results, drop_old_rounds):
        turns = shrink(turns, room, shorten)
        if tokens(turns) <= room:
            return turns
    return shorten_the_rest(turns, room, shorten)


def tokens(turns: Turns) -> int:
    return -(-sum(_letters(turn) for turn in turns) // LETTERS_A_TOKEN)


def drop_old_steps(turns: Turns, room: int, shorten: Shorten) -> Turns:
    """Whole steps, from one user turn to the next, oldest first, never the last."""
    head, body = _split_system(turns)
    starts = [index for index, turn in enumerate(body) if turn.role == "user"]
    for start in starts:
        if tokens(head + body[start:]) <= room:
            return head + body[start:]
    return head + body[starts[-1] :] if starts else turns


def shorten_old_results(turns: Turns, room: int, shorten: Shorten) -> Turns:
    """Results of all but the last round, oldest first, until it fits."""
    rounds = [index for index, turn in enumerate(turns) if turn.role == "results"]
    for index in rounds[:-1]:
        if tokens(turns) <= room:
            break
        turns = _with(turns, index, _shortened_results(turns[index], SHORT_RESULT, shorten))
    return turns


def drop_old_rounds(turns: Turns, room: int, shorten: Shorten) -> Turns:
    """Calls with their results, oldest first; the last round stays."""
    while tokens(turns) > room:
        rounds = [index for index, turn in enumerate(turns) if turn.role == "results"]
        if len(rounds) < 2:
            break
        turns = turns[: rounds[0] - 1] + turns[rounds[0] + 1 :]
    return turns


def shorten_the_rest(turns: Turns, room: int, shorten: Shorten) -> Turns:
    """The last results, then the user's message, each to what room there is."""
    for role, least in (("results", SHORT_RESULT), ("user", SHORT_MESSAGE)):
        for index, turn in enumerate(turns):
            over = tokens(turns) - room
            if turn.role != role or over <= 0:
                continue
            if role == "results":
                each = _letters(turn) - over * LETTERS_A_TOKEN
                turns = _with(turns, index, _shortened_results(turn, max(least, each // len(turn.results)), shorten))
            else:
                keep = max(least, len(turn.text) - over * LETTERS_A_TOKEN)
                turns = _with(turns, index, replace(turn, text=shorten(turn.text, keep)))
    return turns


def shorten(text: str, keep: int) -> str:
    """Two thirds of `keep` letters from the front and the rest from the end, and in between how many are missing."""
    if len(text) <= keep:
        return text
    note = notes.SHORTENED.format(n=len(text) - keep)
    front = max(0, (keep - len(note)) * 2 // 3)
    back = max(0, keep - len(note) - front)
    return text[:front] + note + (text[-back:] if back else "")


def _shortened_results(turn: Turn, keep: int, shorten: Shorten) -> Turn:
    def short(result: Result) -> Result:
        return replace(result, text=shorten(result.text, keep), parts=()) if len(result.text) > keep else result

    return replace(turn, results=tuple(short(result) for result in turn.results))


def _split_system(turns: Turns) -> tuple[Turns, Turns]:
    first = next((i for i, turn in enumerate(turns) if turn.role != "system"), len(turns))
    return turns[:first], turns[first:]


def _with(turns: Turns, index: int, turn: Turn) -> Turns:
    return (*turns[:index], turn, *turns[index + 1 :])


def _letters(turn: Turn) -> int:
    count = len(turn.text) + sum(len(thought.text) for thought in turn.thoughts)
    count += sum(len(call.name) + len(json.dumps(call.arguments)) + len(call.id or "") for call in turn.calls)
    return count + sum(len(result.text) + len(result.call_id or "") for result in turn.results)
