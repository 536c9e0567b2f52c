"""Edits that give each call its result and each result its call: move, rename, remove."""

from collections.abc import Iterator
from typing import Any

from agent_conformance.commands.check_request.advice.calls import (
    Call,
    belongs,
    calls_of,
    is_result_part,
    result_for,
    results_of,
)
from agent_conformance.commands.check_request.advice.edits import COSTS, Edit, Kind, Operation, listed, remove, shown
from agent_conformance.commands.check_request.advice.places import Place, at, spelled, walk
from agent_conformance.commands.check_request.advice.refused_request import RefusedRequest

NEAR = 60
"""Messages around the refusal whose calls are looked at with their results."""
IDS = ("id", "call_id", "tool_call_id", "tool_use_id", "toolUseId")


def pairing_edits(request: RefusedRequest) -> Iterator[Edit]:
    calls, results = calls_of(request), results_of(request)
    yield from answer_edits(request, calls, results)
    yield from _moved_results(request, calls, results)
    called, answered = ({one.id or one.name for one in several} for several in (calls, results))
    alone = {call.place for call in calls if (call.id or call.name) not in answered}
    alone |= {result.place for result in results if (result.id or result.name) not in called}
    for result in results:
        if result.place in alone:
            yield from _adopted(request, result, calls, results)
    for one in (*calls, *results):
        if one.place in alone or one_is_at(request, (one,)):
            yield _removed(request, (one,), is_paired=one.place not in alone)
    for call in calls:
        if call.place not in alone and abs(call.message - place_of_refusal(request)) > NEAR:
            continue
        paired = [result for result in results if belongs(result, call)]
        if not paired or one_is_at(request, (call, *paired)):
            yield _removed(request, (call, *paired))
    yield from _texts_for_files(request)


def _texts_for_files(request: RefusedRequest) -> Iterator[Edit]:
    """In a result, a text of the agent's own in place of a picture or another part that is not taken there."""
    for result in results_of(request):
        key = "output" if request.wire == "openai-responses" else "content"
        parts = at(request.body, result.place).get(key)
        kind = "input_text" if request.wire == "openai-responses" else "text"
        for number, part in enumerate(parts if isinstance(parts, list) else ()):
            if isinstance(part, dict) and part.get("type") not in ("text", "input_text", None):
                place = (*result.place, key, number)
                words = f"write a text in place of the {part['type']} at {spelled(place)}"
                text = {"type": kind, "text": f"({part['type']})"}
                yield Edit("set", words, (Operation("replace", place, text),), COSTS["move"], "what the file shows")


def _moved_results(request: RefusedRequest, calls: tuple[Call, ...], results: tuple[Call, ...]) -> Iterator[Edit]:
    """Results that are not where their call wants them."""
    if request.wire not in ("openai-chat", "openai-responses"):
        return
    first_calls = {call.id: call for call in reversed(calls)}
    for result in results:
        call = first_calls.get(result.id)
        if call is None or result.message == call.message + 1:
            continue
        value = at(request.body, result.place)
        target = call.message + 1 - (result.message < call.message)
        words = f"move {spelled(result.place)} to after {spelled((request.list_key, call.message))}"
        moved = (Operation("remove", result.place), Operation("add", (request.list_key, target), value))
        yield Edit("move", words, moved, COSTS["move"])


def _adopted(
    request: RefusedRequest, result: Call, calls: tuple[Call, ...], results: tuple[Call, ...]
) -> Iterator[Edit]:
    """A result without a call gets the id of a call without a result that is right before it."""
    if request.wire == "gemini-generate":
        return
    answered = {other.id for other in results}
    free = [c for c in calls if c.id and c.id not in answered and c.message < result.message]
    for call in reversed(free):
        has_id = result.id_place[-1] in at(request.body, result.place)
        kind: Kind = "rename" if has_id else "add"
        words = f'{"set" if has_id else "add"} {spelled(result.id_place)}{" to" if has_id else ":"} "{call.id}"'
        yield Edit(kind, words, (Operation("replace" if has_id else "add", result.id_place, call.id),), COSTS[kind] - 3)


def _removed(request: RefusedRequest, several: tuple[Call, ...], *, is_paired: bool = False) -> Edit:
    """Without these calls and results; a message with nothing else goes as a whole, and so does an empty list."""
    places: list[Place] = []
    gone = {one.place for one in several}
    for one in several:
        place = _what_goes(request, one, gone)
        if place not in places:
            places.append(place)
    return remove(request.body, *places, more=(0 if one_is_at(request, several) else 5) + (15 if is_paired else -6))


def place_of_refusal(request: RefusedRequest) -> int:
    """The index of the message that the refusal is about; 0 where it is about none."""
    index = request.place[1] if len(request.place) > 1 else 0
    return index if isinstance(index, int) else 0


def one_is_at(request: RefusedRequest, several: tuple[Call, ...]) -> bool:
    return any(request.place[: len(one.place)] == one.place for one in several)


def _what_goes(request: RefusedRequest, one: Call, gone: set[Place]) -> Place:
    if len(one.place) == 2:
        return one.place
    siblings = at(request.body, one.place[:-1])
    if any((*one.place[:-1], number) not in gone for number in range(len(siblings))):
        return one.place
    message = request.conversation[one.message]
    if request.wire == "openai-chat" and message.get("content"):
        return one.place[:-1]
    return one.place[:2]


def renumbered(request: RefusedRequest, place: Place, new: str) -> Edit:
    """Another id at one place, for the call and for its results."""
    old = at(request.body, place)
    conversation = walk(request.body.get(request.list_key), (request.list_key,))
    same = [where for where, value in conversation if where[-1] in IDS and value == old and type(value) is type(old)]
    places = same if place[-1] != "id" or request.wire != "openai-responses" else [place]
    words = f'rename the id {shown(old)} to "{new}" at {listed(places)}'
    return Edit("rename", words, tuple(Operation("replace", p, new) for p in places), COSTS["rename"])


def duplicate_edits(request: RefusedRequest) -> Iterator[Edit]:
    """Of calls with the same id in one message, the later one and its result get an id of their own."""
    seen: dict[tuple[int, str | None], int] = {}
    calls, results = calls_of(request), results_of(request)
    for call in calls:
        key = (call.message, call.id)
        seen[key] = seen.get(key, 0) + 1
        if seen[key] < 2 or not isinstance(call.id, str):
            continue
        first = next(other for other in calls if (other.message, other.id) == key)
        if at(request.body, first.place) == at(request.body, call.place):
            words = f"remove {spelled(call.place)}, which is {spelled(first.place)} again"
            yield Edit("remove", words, (Operation("remove", call.place),), COSTS["add"])
        new = f"{call.id}_{seen[key]}"
        own = [result for result in results if result.id == call.id][seen[key] - 1 : seen[key]]
        places = [call.id_place, *(result.id_place for result in own)]
        words = f'rename the second {call.id} to "{new}" at {listed(places)}'
        yield Edit("rename", words, tuple(Operation("replace", place, new) for place in places), COSTS["rename"])


# Edits that answer calls without a result, with a placeholder, at the place that each wire has for results.

FILL_IN = "tried with a placeholder for the result of the tool"


def answer_edits(request: RefusedRequest, calls: tuple[Call, ...], results: tuple[Call, ...]) -> Iterator[Edit]:
    """Of each message, the calls without a result: all of them, and each alone."""
    open_calls: dict[int, list[Call]] = {}
    own: dict[str | None, list[Call]] = {}
    for result in results:
        own.setdefault(result.id or result.name, []).append(result)
    for call in calls:
        if not any(_is_near(request, result, call) for result in own.get(call.id or call.name, ())):
            open_calls.setdefault(call.message, []).append(call)
    for several in open_calls.values():
        yield _answered(request, several)
        if len(several) > 1:
            yield from (_answered(request, [call]) for call in several)


def _is_near(request: RefusedRequest, result: Call, call: Call) -> bool:
    """Whether the result is where this wire takes it."""
    if request.wire == "openai-responses":
        return result.message > call.message
    return call.message < result.message < _end_of_results(request, call.message)


def _end_of_results(request: RefusedRequest, message: int) -> int:
    """The first message after those with the results of this one."""
    messages = request.conversation
    end = message + 1
    if request.wire != "openai-chat":
        return end + (end < len(messages) and messages[end].get("role") in ("user", "function"))
    while end < len(messages) and messages[end].get("role") == "tool":
        end += 1
    return end


def _answered(request: RefusedRequest, calls: list[Call]) -> Edit:
    results = [result_for(request, call) for call in calls]
    message = calls[-1].message
    if request.wire in ("openai-chat", "openai-responses"):
        end = _end_of_results(request, message) if request.wire == "openai-chat" else message + 1
        where, operations = _inserted(request, end, results)
    elif _takes_results(request, message + 1):
        where, operations = _put_first(request, message + 1, results)
    else:
        where, operations = _inserted(request, message + 1, [{"role": "user", request.content_key: results}])
    return Edit("answer", f"answer {_names(calls)} {where}", operations, COSTS["answer"] + len(calls), FILL_IN)


def _names(calls: list[Call]) -> str:
    names = [call.id or call.name or "the call" for call in calls]
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _inserted(request: RefusedRequest, index: int, values: list[Any]) -> tuple[str, tuple[Operation, ...]]:
    """New messages or items."""
    operations = (Operation("add", (request.list_key, index + n), value) for n, value in enumerate(values))
    return f"after {spelled((request.list_key, index - 1))}", tuple(operations)


def _takes_results(request: RefusedRequest, index: int) -> bool:
    """Whether there is a message of the user that results can be part of; Google's must have some already."""
    messages = request.conversation
    if index >= len(messages) or messages[index].get("role") not in ("user", "function"):
        return False
    content = messages[index].get(request.content_key)
    if request.wire == "anthropic-messages":
        return isinstance(content, str | list)
    return isinstance(content, list) and any(is_result_part(part) for part in content)


def _put_first(request: RefusedRequest, index: int, results: list[Any]) -> tuple[str, tuple[Operation, ...]]:
    """Before what the user says, after the results that are there; a text becomes a block."""
    here: Place = (request.list_key, index)
    content = request.conversation[index][request.content_key]
    if isinstance(content, str):
        blocks = [*results, *([{"type": "text", "text": content}] if content else [])]
        operation = Operation("replace", (*here, request.content_key), blocks)
        return f"at the start of {spelled(here)}", (operation,)
    count = sum(is_result_part(part) for part in content)
    where = f"after the results of {spelled(here)}" if count else f"at the start of {spelled(here)}"
    added = (Operation("add", (*here, request.content_key, count + n), one) for n, one in enumerate(results))
    return where, tuple(added)
