"""Edits of the order of messages and parts: merge, move, split, and what the beginning and the end must be."""

from collections.abc import Iterator
from typing import Any

from agent_conformance.commands.check_request.advice.calls import is_call_part, is_result_part
from agent_conformance.commands.check_request.advice.edits import COSTS, Edit, Operation, add, remove, set_to
from agent_conformance.commands.check_request.advice.places import Place, at, leaves, spelled
from agent_conformance.commands.check_request.advice.refused_request import RefusedRequest

MOST_MERGED = 50


def order_edits(request: RefusedRequest) -> Iterator[Edit]:
    yield from _merged(request)
    yield from _results_first(request)
    yield from _moved_parts(request)
    yield from _split(request)
    yield from _system(request)
    yield from _beginning(request)
    yield from _lost_answers(request)
    yield from _end(request)


def _merged(request: RefusedRequest) -> Iterator[Edit]:
    """Two messages of one role become one."""
    messages = request.conversation
    pairs = [i for i in range(1, len(messages)) if _mergeable(messages[i - 1], messages[i], request.content_key)]
    for index in pairs[:MOST_MERGED]:
        yield _merge(request, [index])
    if len(pairs) > 1:
        yield _merge(request, pairs)


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


def _system(request: RefusedRequest) -> Iterator[Edit]:
    """A system message moves to the beginning, or to where the wire has instructions."""
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
        if request.wire == "anthropic-messages" and "system" not in request.body and _has_words(content):
            operations = (Operation("add", ("system",), content), Operation("remove", place))
            yield Edit("move", f"move the content of {spelled(place)} to system", operations, COSTS["move"])


def _has_words(content: Any) -> bool:
    return bool(content.strip()) if isinstance(content, str) else bool(content)


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


def _end(request: RefusedRequest) -> Iterator[Edit]:
    """A conversation that ends with the model: say that it is a prefix, or drop what the model has begun."""
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
