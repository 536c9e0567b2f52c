"""Mending a history before every request, so that any strict provider takes it. Knows turns; knows no wire.

Each pass is a small function from turns to turns; `heal` runs them in order. Whatever a session, a pruner, a crash or a
cancelled step has left behind, afterwards the conversation starts with the user, each call is answered once, right
after the turn that made it, by a result with its id, and no turn is empty.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from conformance.agents.reference import notes
from conformance.agents.reference.turns import Call, Result, Turn, Turns

Pass = Callable[[Turns], Turns]
VALID_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")


def heal(turns: Turns, passes: Iterable[Pass]) -> Turns:
    for mend in passes:
        turns = mend(turns)
    return turns


def merge_system(turns: Turns) -> Turns:
    """All system turns become one in front: most providers take one, and only there."""
    texts = [turn.text for turn in turns if turn.role == "system" and turn.text.strip()]
    rest = tuple(turn for turn in turns if turn.role != "system")
    return (Turn("system", "\n\n".join(texts)), *rest) if texts else rest


def seat_results(turns: Turns) -> Turns:
    """Every result goes right behind the turn that made its call; a result without a call is dropped.

    Results pair by id, those without one by name and order. The first result of a call counts.
    """
    seated: list[Turn] = []
    behind: dict[int, list[Result]] = {}
    asking = -1
    for turn in turns:
        if turn.role != "results":
            seated.append(turn)
            if turn.calls:
                asking = len(seated) - 1
                behind[asking] = []
        elif asking >= 0:
            behind[asking] += turn.results
    for index in reversed(behind):
        results = _answers(seated[index].calls, behind[index])
        if results:
            seated.insert(index + 1, Turn("results", results=results))
    return tuple(seated)


def _answers(calls: tuple[Call, ...], results: list[Result]) -> tuple[Result, ...]:
    """One result a call, in the order of the calls; calls that have none are left out."""
    pool = list(results)
    chosen: list[Result] = []
    for call in calls:
        found = next((result for result in pool if answers(result, call)), None)
        if found is not None:
            pool.remove(found)
            chosen.append(replace(found, call_id=call.id, name=call.name))
    return tuple(chosen)


def answers(result: Result, call: Call) -> bool:
    if result.call_id and call.id:
        return result.call_id == call.id
    return result.name in (None, call.name)


def unique_ids(turns: Turns) -> Turns:
    """A call whose id is missing, used before, or not taken by every provider gets a new one; so does its result."""
    seen: set[str] = set()
    made: list[Turn] = []
    ids: list[str] = []
    for number, turn in enumerate(turns):
        fixed = turn
        if turn.calls:
            ids = []
            for place, call in enumerate(turn.calls):
                fresh = (
                    call.id
                    if call.id and VALID_ID.fullmatch(call.id) and call.id not in seen
                    else _mint(number, place, seen)
                )
                seen.add(fresh)
                ids.append(fresh)
            fixed = replace(turn, calls=tuple(replace(c, id=i) for c, i in zip(turn.calls, ids, strict=True)))
        elif turn.results and len(turn.results) == len(ids):
            fixed = replace(turn, results=tuple(replace(r, call_id=i) for r, i in zip(turn.results, ids, strict=True)))
        made.append(fixed)
    return tuple(made)


def _mint(number: int, place: int, seen: set[str]) -> str:
    return next(
        i for extra in range(1000) if (i := f"call_{number}_{place}{'_' * bool(extra)}{extra or ''}") not in seen
    )


def answer_dangling(turns: Turns) -> Turns:
    """A call without a result, left by an interrupted step, gets one that says so."""
    made: list[Turn] = []
    for index, turn in enumerate(turns):
        if turn.role == "results":
            continue
        made.append(turn)
        if turn.calls:
            after = turns[index + 1] if index + 1 < len(turns) else None
            given = list(after.results) if after is not None and after.role == "results" else []
            made.append(Turn("results", results=tuple(_answer_or_stub(call, given) for call in turn.calls)))
    return tuple(made)


def _answer_or_stub(call: Call, given: list[Result]) -> Result:
    found = next((result for result in given if answers(result, call)), None)
    if found is None:
        return Result(call.id, call.name, notes.INTERRUPTED, is_error=True)
    given.remove(found)
    return found


def drop_blank(turns: Turns) -> Turns:
    """Providers refuse empty messages."""
    return tuple(turn for turn in turns if not turn.blank)


def drop_leading(turns: Turns) -> Turns:
    """Everything before the first user turn goes, system turns aside; without any user turn all of it stays."""
    first = next((index for index, turn in enumerate(turns) if turn.role == "user"), None)
    if first is None:
        return turns
    return (*(turn for turn in turns[:first] if turn.role == "system"), *turns[first:])


def merge_neighbours(turns: Turns) -> Turns:
    """Two turns of one role in a row become one: several providers demand that roles alternate."""
    made: list[Turn] = []
    for turn in turns:
        last = made[-1] if made else None
        if last is not None and last.role == turn.role:
            made[-1] = replace(
                last,
                text="\n\n".join(text for text in (last.text, turn.text) if text.strip()),
                calls=last.calls + turn.calls,
                results=last.results + turn.results,
                thoughts=last.thoughts + turn.thoughts,
                signature=turn.signature or last.signature,
            )
        else:
            made.append(turn)
    return tuple(made)


PASSES: tuple[Pass, ...] = (
    merge_system,
    seat_results,
    drop_blank,
    answer_dangling,
    unique_ids,
    drop_leading,
    merge_neighbours,
)
