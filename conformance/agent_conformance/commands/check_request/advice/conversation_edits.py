"""Edits of the conversation: each call gets its result and each result its call, and messages an order."""

import hashlib
import re
from collections.abc import Collection, Iterator
from typing import Any

from agent_conformance.commands.check_request.advice.refused_request import (
    COSTS,
    Call,
    Edit,
    Kind,
    Op,
    Operation,
    Place,
    RefusedRequest,
    at,
    belongs,
    calls_and_results,
    is_call_part,
    is_result_part,
    leaves,
    listed,
    remove,
    set_to,
    shown,
    spelled,
    walk,
)
from agent_conformance.commands.check_request.advice.value_edits import IDS
from fake_providers.wire_facts import WIRE_FACTS

NEAR = 60
"""Messages around the refusal whose calls are looked at with their results."""
TEXT = "(the result of the tool)"
FILL_IN = "tried with a placeholder for the result of the tool"


def pairing_edits(request: RefusedRequest) -> Iterator[Edit]:
    calls, results = calls_and_results(request)
    called, answered = ({one.id or one.name for one in several} for several in (calls, results))
    lonely = [call for call in calls if (call.id or call.name) not in answered]
    strays = [result for result in results if (result.id or result.name) not in called]
    yield from _answers(request, calls, results)
    yield from _moved_results(request, calls, results)
    yield from _duplicates(request, calls, results)
    yield from _ids(request, lonely, strays)
    about = request.place[1] if len(request.place) > 1 and isinstance(request.place[1], int) else 0
    yield from _texts_for_files(request, results)
    for one in (*calls, *results):
        is_alone = one in lonely or one in strays
        if is_alone or _is_at(request, one):
            yield _removed(request, (one,), more=-6 if is_alone else 15)
    for call in calls:
        pair = (call, *(result for result in results if belongs(result, call)))
        if (call in lonely or abs(call.message - about) <= NEAR) and any(_is_at(request, one) for one in pair):
            yield _removed(request, pair, more=-6)


def _texts_for_files(request: RefusedRequest, results: tuple[Call, ...]) -> Iterator[Edit]:
    """In a result, a text of the agent's own in place of a picture or another part that is not taken there."""
    key, kind = ("output", "input_text") if request.wire == "openai-responses" else ("content", "text")
    for result in results:
        parts = at(request.body, result.place).get(key)
        for number, part in enumerate(parts if isinstance(parts, list) else ()):
            if isinstance(part, dict) and part.get("type") not in ("text", "input_text", None):
                place = (*result.place, key, number)
                words = f"write a text in place of the {part['type']} at {spelled(place)}"
                operation = Operation("replace", place, {"type": kind, "text": f"({part['type']})"})
                yield Edit("set", words, (operation,), COSTS["move"], "what the file shows")


def _is_at(request: RefusedRequest, one: Call) -> bool:
    return request.place[: len(one.place)] == one.place


def _removed(request: RefusedRequest, several: tuple[Call, ...], *, more: int) -> Edit:
    """Without these calls and results; a message with nothing else goes as a whole, and so does an empty list."""
    gone = {one.place for one in several}
    places: list[Place] = []
    for one in several:
        place = one.place
        siblings = () if len(place) == 2 else at(request.body, place[:-1])
        if siblings and all((*place[:-1], number) in gone for number in range(len(siblings))):
            has_text = not WIRE_FACTS[request.wire].results_are_parts and request.conversation[one.message].get(
                "content"
            )
            place = place[:-1] if has_text else place[:2]
        if place not in places:
            places.append(place)
    return remove(request.body, *places, more=more + (0 if any(_is_at(request, one) for one in several) else 5))


def _answers(request: RefusedRequest, calls: tuple[Call, ...], results: tuple[Call, ...]) -> Iterator[Edit]:
    """Of each message, the calls without a result where this wire takes it: all of them, and each alone."""
    unanswered: dict[int, list[Call]] = {}
    own: dict[str | None, list[Call]] = {}
    for result in results:
        own.setdefault(result.id or result.name, []).append(result)
    for call in calls:
        end = _end_of_results(request, call.message)
        if not any(call.message < result.message < end for result in own.get(call.id or call.name, ())):
            unanswered.setdefault(call.message, []).append(call)
    for several in unanswered.values():
        yield _answered(request, several)
        if len(several) > 1:
            yield from (_answered(request, [call]) for call in several)


def _end_of_results(request: RefusedRequest, message: int) -> int:
    """The first message after those that may have the results of this one."""
    messages = request.conversation
    end = message + 1
    if WIRE_FACTS[request.wire].results_are_parts:
        return end + (end < len(messages) and messages[end].get("role") in ("user", "function"))
    if request.wire == "openai-responses":
        return len(messages)
    while end < len(messages) and messages[end].get("role") == "tool":
        end += 1
    return end


def _answered(request: RefusedRequest, calls: list[Call]) -> Edit:
    key, index = request.content_key, calls[-1].message + 1
    results: list[Any] = [_result_for(request.wire, call) for call in calls]
    following = request.conversation[index] if index < len(request.conversation) else {}
    content = following.get(key) if following.get("role") in ("user", "function") else None
    here: Place = (request.list_key, index)
    if request.wire == "anthropic-messages" and isinstance(content, str):
        where = f"at the start of {spelled(here)}"
        blocks = [*results, *([{"type": "text", "text": content}] if content else [])]
        operations = [Operation("replace", (*here, key), blocks)]
    elif (
        WIRE_FACTS[request.wire].results_are_parts
        and isinstance(content, list)
        and (request.wire[0] == "a" or any(map(is_result_part, content)))
    ):
        # Before what the user says, after the results that are there; Google's and Bedrock's must have some already
        count = sum(map(is_result_part, content))
        where = f"{'after the results' if count else 'at the start'} of {spelled(here)}"
        operations = [Operation("add", (*here, key, count + n), one) for n, one in enumerate(results)]
    else:
        if WIRE_FACTS[request.wire].results_are_parts:
            results = [{"role": "user", key: results}]
        elif request.wire == "openai-chat":
            index = _end_of_results(request, calls[-1].message)
        where = f"after {spelled((request.list_key, index - 1))}"
        operations = [Operation("add", (request.list_key, index + n), one) for n, one in enumerate(results)]
    names = [call.id or call.name or "the call" for call in calls]
    words = " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
    return Edit("answer", f"answer {words} {where}", tuple(operations), COSTS["answer"] + len(calls), FILL_IN)


def _result_for(wire: str, call: Call) -> dict[str, Any]:
    """A result with a placeholder, as this wire has it: a message, an item, or a part of a message."""
    same = {"id": call.id} if isinstance(call.id, str) else {}
    results: dict[str, dict[str, Any]] = {
        "anthropic-messages": {"type": "tool_result", "tool_use_id": call.id, "content": TEXT},
        "bedrock-converse": {"toolResult": {"toolUseId": call.id, "content": [{"text": TEXT}]}},
        "gemini-generate": {"functionResponse": {**same, "name": call.name, "response": {"result": TEXT}}},
        "openai-responses": {"type": f"{call.type}_output", "call_id": call.id, "output": TEXT},
    }
    return results.get(wire, {"role": "tool", "tool_call_id": call.id, "content": TEXT})


def _moved_results(request: RefusedRequest, calls: tuple[Call, ...], results: tuple[Call, ...]) -> Iterator[Edit]:
    """Results that are messages or items of their own, and not right after their call."""
    first_calls = {call.id: call for call in reversed(calls)}
    for result in results:
        call = first_calls.get(result.id)
        if call is not None and result.message != call.message + 1 and len(result.place) == 2:
            target = call.message + 1 - (result.message < call.message)
            words = f"move {spelled(result.place)} to after {spelled((request.list_key, call.message))}"
            added = Operation("add", (request.list_key, target), at(request.body, result.place))
            yield Edit("move", words, (Operation("remove", result.place), added), COSTS["move"])


def _duplicates(request: RefusedRequest, calls: tuple[Call, ...], results: tuple[Call, ...]) -> Iterator[Edit]:
    """Of calls with the same id in one message, the later one and its result get an id of their own."""
    seen: dict[tuple[int, str | None], list[Call]] = {}
    for call in calls:
        same = seen.setdefault((call.message, call.id), [])
        same.append(call)
        if len(same) < 2 or not call.id:
            continue
        if at(request.body, same[0].place) == at(request.body, call.place):
            words = f"remove {spelled(call.place)}, which is {spelled(same[0].place)} again"
            yield Edit("remove", words, (Operation("remove", call.place),), COSTS["add"])
        own = [result for result in results if result.id == call.id][len(same) - 1 : len(same)]
        new, places = f"{call.id}_{len(same)}", [call.id_place, *(result.id_place for result in own)]
        words = f'rename the second {call.id} to "{new}" at {listed(places)}'
        yield Edit("rename", words, tuple(Operation("replace", place, new) for place in places), COSTS["rename"])


def _ids(request: RefusedRequest, lonely: list[Call], strays: list[Call]) -> Iterator[Edit]:
    """The id of the only one without a partner; and for the id in question another one, at all its places."""
    for mine, others in ((strays, lonely), (lonely, strays)):
        for one in mine:
            earlier = [other.id for other in others if other.id and (other.message < one.message) == (mine is strays)]
            is_there = one.id_place[-1] in at(request.body, one.id_place[:-1])
            op: Op = "replace" if is_there else "add"
            kind: Kind = "rename" if is_there else "add"
            for id in reversed(earlier):
                why = f'set {spelled(one.id_place)} to "{id}", as its {"call" if mine is strays else "result"} has it'
                words = why if is_there else f'add {spelled(one.id_place)}: "{id}"'
                yield Edit(kind, words, (Operation(op, one.id_place, id),), COSTS[kind] - 3)
    if not request.missing and request.place and request.place[-1] in IDS and request.place[0] == request.list_key:
        old, place = request.value, request.place
        known = [(where, value) for where, value in walk(request.body[place[0]], place[:1]) if where[-1] in IDS]
        same = [where for where, value in known if value == old and type(value) is type(old)]
        places = same if place[-1] != "id" or request.wire != "openai-responses" else [place]
        for new in _new_ids(request, old, {value for _, value in known if isinstance(value, str) and value != old}):
            words = f'rename the id {shown(old)} to "{new}" at {listed(places)}'
            yield Edit("rename", words, tuple(Operation("replace", one, new) for one in places), COSTS["rename"])


def _new_ids(request: RefusedRequest, old: Any, taken: set[str]) -> Iterator[str]:
    """The first is the nearest to the old id; the last has Mistral's nine letters and digits."""
    text = old if isinstance(old, str) else str(old)
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    # What ids of this type begin with, where the refusal says so.
    match = re.search(r"(?:begins with '|\^)(\w+?)_?['\[]", request.violation.message)
    prefix = f"{match[1]}_" if match else ""
    bare = text or f"call_{request.place[1]}"
    yield prefix + suited(bare, most=40 - len(prefix), taken={one.removeprefix(prefix) for one in taken})
    yield f"{prefix}{digest[:16]}"
    yield digest[:9]


_UNSUITED = re.compile(r"[^A-Za-z0-9_-]+")


def suited(name: str, *, most: int = 64, taken: Collection[str] = ()) -> str:
    """The name with characters that every provider takes, as short as `most`. Another name never becomes the same, nor
    one that is `taken`."""
    new = _UNSUITED.sub("_", name).strip("_") or "x"
    if len(new) <= most and new not in taken:
        return new
    return f"{new[: most - 9]}_{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:8]}"


MOST_MERGED = 50


def order_edits(request: RefusedRequest) -> Iterator[Edit]:
    messages, key = request.conversation, request.content_key
    pairs = [index for index in range(1, len(messages)) if _mergeable(messages[index - 1], messages[index], key)]
    for indexes in ([index] for index in pairs[:MOST_MERGED]):
        yield _merge(request, indexes)
    if len(pairs) > 1:
        yield _merge(request, pairs)
    for index, message in enumerate(messages):
        yield from _reordered(request, index, message)
        if message.get("role") in ("system", "developer"):
            yield from _moved_system(request, index, message)
    yield from _put_back(request)
    if len(messages) > 1 and messages[-1].get("role") in ("assistant", "model"):
        # What the model has begun is dropped, or its last blank
        place = (request.list_key, len(messages) - 1)
        text = messages[-1].get("content")
        if isinstance(text, str) and text != text.rstrip():
            yield set_to((*place, "content"), text.rstrip(), kind="convert")
        yield remove(request.body, place, more=-4)


def _mergeable(one: dict[str, Any], other: dict[str, Any], key: str) -> bool:
    same = one.get("role") == other.get("role") in ("user", "assistant", "model", "system")
    kinds = type(one.get(key)) is type(other.get(key)) and isinstance(one.get(key), str | list)
    return same and kinds and not one.get("tool_calls")


def _merge(request: RefusedRequest, indexes: list[int]) -> Edit:
    operations: list[Operation] = []
    merged = dict(enumerate(request.conversation))
    for index in sorted(indexes, reverse=True):
        one, other = merged[index - 1], merged[index]
        mine, its = one[request.content_key], other[request.content_key]
        joined = "\n\n".join(text for text in (mine, its) if text) if isinstance(mine, str) else [*mine, *its]
        merged[index - 1] = {**one, **other, request.content_key: joined}
        operations.append(Operation("replace", (request.list_key, index - 1), merged[index - 1]))
        operations.append(Operation("remove", (request.list_key, index)))
    places = [f"{spelled((request.list_key, i))} into {spelled((request.list_key, i - 1))}" for i in indexes]
    words = f"merge {places[0]}" + (f", and {len(places) - 1} more neighbours of one role" if places[1:] else "")
    return Edit("move", words, tuple(operations), COSTS["move"] + len(indexes) - 1)


def _reordered(request: RefusedRequest, index: int, message: dict[str, Any]) -> Iterator[Edit]:
    """The parts of a message: its results first, one of them at its end or its start, or in two messages."""
    parts = [part for _, part in request.parts(index)]
    place: Place = (request.list_key, index)
    content = (*place, request.content_key)
    for test, what in ((is_result_part, "results"), (is_call_part, "calls")):
        own, rest = ([part for part in parts if test(part) is wanted] for wanted in (True, False))
        if not own or not rest:
            continue
        if what == "results" and [*own, *rest] != parts:
            first = next(n for n, part in enumerate(parts) if not test(part))
            words = f"move {spelled((*content, first))} to after the results of {spelled(place)}"
            yield Edit("move", words, (Operation("replace", content, [*own, *rest]),), COSTS["move"] - 2)
        for halves in ((own, rest), (rest, own)):
            # Results are the tools', which wires with parts send as the user's
            is_models = message.get("role") in ("model", "assistant")
            roles = [{"role": "user"} if is_models and all(map(is_result_part, half)) else {} for half in halves]
            one, other = (
                {**message, request.content_key: half, **role} for half, role in zip(halves, roles, strict=True)
            )
            operations = (Operation("replace", place, one), Operation("add", (place[0], index + 1), other))
            words = f"split {spelled(place)} in two, with its {what} in a message of their own"
            yield Edit("move", words, operations, COSTS["move"] + (1 if request.content_key == "parts" else 8))
    for number, part in enumerate(parts if request.place[:2] == place and len(parts) > 1 else ()):
        here, others = (*content, number), [*parts[:number], *parts[number + 1 :]]
        more = 0 if request.place[:4] == here else 4
        for order, where in (([part, *others], "start"), ([*others, part], "end")):
            if order != parts:
                words = f"move {spelled(here)} to the {where} of {spelled(content)}"
                yield Edit("move", words, (Operation("replace", content, order),), COSTS["move"] + more)


def _moved_system(request: RefusedRequest, index: int, message: dict[str, Any]) -> Iterator[Edit]:
    """A system message moves to the beginning, or to where the wire has instructions."""
    place = (request.list_key, index)
    gone, content = Operation("remove", place), message.get("content")
    if index:
        back = Operation("add", (request.list_key, 0), message)
        yield Edit("move", f"move {spelled(place)} to the beginning", (gone, back), COSTS["move"])
    is_said = bool(content.strip()) if isinstance(content, str) else bool(content)
    if request.wire == "anthropic-messages" and "system" not in request.body and is_said:
        moved = (Operation("add", ("system",), content), gone)
        yield Edit("move", f"move the content of {spelled(place)} to system", moved, COSTS["move"])


def _put_back(request: RefusedRequest) -> Iterator[Edit]:
    """A message that the history has lost: the user's first one, or the model's after a result."""
    messages = request.conversation
    empty: Any = [{"text": ""}] if request.wire == "gemini-generate" else ""
    first = next((i for i, m in enumerate(messages) if m.get("role") not in ("system", "developer")), len(messages))
    begins_with_model = first < len(messages) and messages[first].get("role") in ("assistant", "model")
    lost = [(first, "user", "the user's message", "the message that the history has lost")] if begins_with_model else []
    for index in range(1, len(messages) if request.wire == "openai-chat" else 0):
        if messages[index].get("role") == "user" and messages[index - 1].get("role") == "tool":
            lost.append((index, "assistant", "the model's answer", "what the model answered to the result"))
    for index, role, what, note in lost:
        place = (request.list_key, index)
        back = Operation("add", place, {"role": role, request.content_key: empty})
        words = f"put {what} back before {spelled(place)}"
        yield Edit("restore", words, (back,), COSTS["restore"], f"{note}; tried with an empty text")
    user = next(
        (index for index in range(first, len(messages)) if _is_users(messages[index], request.content_key)), None
    )
    if begins_with_model and user is not None:
        places = [(request.list_key, index) for index in range(first, user)]
        edit = remove(request.body, *places)
        cost = COSTS["remove"] + 2 * leaves([*messages[first:user]])
        yield Edit("remove", f"{edit.words}, so that the user's message comes first", edit.operations, cost)


def _is_users(message: dict[str, Any], key: str) -> bool:
    content = message.get(key)
    is_result = isinstance(content, list) and any(map(is_result_part, content))
    return message.get("role") == "user" and bool(content) and not is_result
