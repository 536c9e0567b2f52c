"""Edits that give each call its result and each result its call: move, rename, remove."""

from collections.abc import Iterator
from typing import Any

from agent_conformance.commands.check_request.advice.edits import (
    COSTS,
    Edit,
    Kind,
    Operation,
    add,
    listed,
    remove,
    set_to,
    shown,
)
from agent_conformance.commands.check_request.advice.refused_request import (
    Call,
    Place,
    RefusedRequest,
    at,
    belongs,
    calls_of,
    is_call_part,
    is_result_part,
    leaves,
    result_for,
    results_of,
    spelled,
    walk,
)

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


MOST_MERGED = 50


def order_edits(request: RefusedRequest) -> Iterator[Edit]:
    # Two messages of one role become one
    messages = request.conversation
    pairs = [i for i in range(1, len(messages)) if _mergeable(messages[i - 1], messages[i], request.content_key)]
    for index in pairs[:MOST_MERGED]:
        yield _merge(request, [index])
    if len(pairs) > 1:
        yield _merge(request, pairs)
    yield from _results_first(request)
    yield from _moved_parts(request)
    yield from _split(request)
    # A system message moves to the beginning, or to where the wire has instructions.
    for index, message in enumerate(request.conversation):
        if message.get("role") not in ("system", "developer"):
            continue
        place = (request.list_key, index)
        if index:
            operations = (Operation("remove", place), Operation("add", (request.list_key, 0), message))
            yield Edit("move", f"move {spelled(place)} to the beginning", operations, COSTS["move"])
            last = (
                Operation("remove", place),
                Operation("add", (request.list_key, len(request.conversation) - 1), message),
            )
            yield Edit("move", f"move {spelled(place)} to the end", last, COSTS["move"] + 2)
        content = message.get("content")
        if (
            request.wire == "anthropic-messages"
            and "system" not in request.body
            and (bool(content.strip()) if isinstance(content, str) else bool(content))
        ):
            operations = (Operation("add", ("system",), content), Operation("remove", place))
            yield Edit("move", f"move the content of {spelled(place)} to system", operations, COSTS["move"])
    yield from _beginning(request)
    yield from _lost_answers(request)
    # A conversation that ends with the model: say that it is a prefix, or drop what the model has begun.
    messages = request.conversation
    if len(messages) < 2 or messages[-1].get("role") not in ("assistant", "model"):
        return
    place = (request.list_key, len(messages) - 1)
    if request.provider == "mistral":
        prefix = (*place, "prefix")
        yield set_to(prefix, True) if "prefix" in at(request.body, place) else add(prefix, True)
    content = messages[-1].get("content")
    if isinstance(content, str) and content != content.rstrip():
        yield set_to((*place, "content"), content.rstrip(), kind="convert")
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


def _results_first(request: RefusedRequest) -> Iterator[Edit]:
    for index in range(len(request.conversation)):
        parts = list(request.parts(index))
        rest = [part for _, part in parts if not is_result_part(part)]
        results = [part for _, part in parts if is_result_part(part)]
        if results and rest and [*results, *rest] != [part for _, part in parts]:
            content = parts[0][0][:-1]
            moved = [place for place, part in parts if not is_result_part(part)]
            words = f"move {spelled(moved[0])} to after the results of {spelled(content[:2])}"
            yield Edit("move", words, (Operation("replace", content, [*results, *rest]),), COSTS["move"] - 2)


def _moved_parts(request: RefusedRequest) -> Iterator[Edit]:
    """A part of the message in question moves to its beginning or its end."""
    if len(request.place) < 2 or not isinstance(request.place[1], int) or request.place[0] != request.list_key:
        return
    parts = list(request.parts(request.place[1]))
    content = (*request.place[:2], request.content_key)
    for number, (place, part) in enumerate(parts):
        others = [other for n, (_, other) in enumerate(parts) if n != number]
        more = 0 if request.place[:4] == place else 4
        for order, where in (([part, *others], "start"), ([*others, part], "end")):
            if len(parts) > 1 and order != [each for _, each in parts]:
                words = f"move {spelled(place)} to the {where} of {spelled(content)}"
                yield Edit("move", words, (Operation("replace", content, order),), COSTS["move"] + more)


def _split(request: RefusedRequest) -> Iterator[Edit]:
    """Parts that may not be together: into messages of their own, or a part into two."""
    for index, message in enumerate(request.conversation):
        parts = [part for _, part in request.parts(index)]
        place = (request.list_key, index)
        for test, what in ((is_result_part, "results"), (is_call_part, "calls")):
            own = [part for part in parts if test(part)]
            rest = [part for part in parts if not test(part)]
            if own and rest:
                for first, second in ((own, rest), (rest, own)):
                    yield _two_messages(request, place, message, first, second, what)
        for number, part in enumerate(parts if request.wire == "gemini-generate" else ()):
            texts = {key: part[key] for key in ("text", "thought") if key in part}
            other = {key: value for key, value in part.items() if key not in texts}
            if "text" in part and any(is_call_part(p) or is_result_part(p) for p in (other,)):
                here = (*place, request.content_key)
                split = [*parts[:number], texts, other, *parts[number + 1 :]]
                words = f"give the text of {spelled((*here, number))} a part of its own before it"
                yield Edit("move", words, (Operation("replace", here, split),), COSTS["move"] - 2)


def _two_messages(
    request: RefusedRequest, place: Place, message: dict[str, Any], first: list[Any], second: list[Any], what: str
) -> Edit:
    key = request.content_key
    index = place[1] if isinstance(place[1], int) else 0
    operations = (
        Operation("replace", place, {**message, key: first, **_role_of(request, message, first)}),
        Operation("add", (place[0], index + 1), {**message, key: second, **_role_of(request, message, second)}),
    )
    words = f"split {spelled(place)} in two, with its {what} in a message of their own"
    return Edit("move", words, operations, COSTS["move"] + (1 if key == "parts" else 8))


def _role_of(request: RefusedRequest, message: dict[str, Any], parts: list[Any]) -> dict[str, Any]:
    """Results are the tools', which wires with parts send as the user's."""
    is_results = all(is_result_part(part) for part in parts)
    return {"role": "user"} if is_results and message.get("role") in ("model", "assistant") else {}


def _beginning(request: RefusedRequest) -> Iterator[Edit]:
    """The user's message comes first: it is put back, or what stands before the next one goes."""
    messages = request.conversation
    first = next((i for i, m in enumerate(messages) if m.get("role") not in ("system", "developer")), None)
    if first is None or messages[first].get("role") not in ("assistant", "model"):
        return
    place = (request.list_key, first)
    empty = [{"text": ""}] if request.wire == "gemini-generate" else ""
    back = Operation("add", place, {"role": "user", request.content_key: empty})
    note = "the message that the history has lost; tried with an empty text"
    yield Edit("restore", f"put the user's message back before {spelled(place)}", (back,), COSTS["restore"], note)
    user = next((i for i in range(first, len(messages)) if _is_users(request, i)), None)
    if user is not None:
        places = [(request.list_key, index) for index in range(first, user)]
        cost = COSTS["remove"] + 2 * leaves([messages[i] for i in range(first, user)])
        edit = remove(request.body, *places)
        words = f"{edit.words}, so that the user's message comes first"
        yield Edit("remove", words, edit.operations, cost)


def _lost_answers(request: RefusedRequest) -> Iterator[Edit]:
    """Between the results of tools and the user's next message stood the model's answer."""
    messages = request.conversation
    for index in range(1, len(messages) if request.wire == "openai-chat" else 0):
        if messages[index].get("role") == "user" and messages[index - 1].get("role") == "tool":
            place = (request.list_key, index)
            operation = Operation("add", place, {"role": "assistant", "content": ""})
            note = "what the model answered to the result; tried with an empty text"
            words = f"put the model's answer back before {spelled(place)}"
            yield Edit("restore", words, (operation,), COSTS["restore"], note)


def _is_users(request: RefusedRequest, index: int) -> bool:
    message = request.conversation[index]
    content = message.get(request.content_key)
    is_result = isinstance(content, list) and any(is_result_part(part) for part in content)
    return message.get("role") == "user" and bool(content) and not is_result
