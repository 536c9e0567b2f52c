"""Edits that answer calls without a result, with a placeholder, at the place that each wire has for results."""

from collections.abc import Iterator
from typing import Any

from agent_conformance.commands.check_request.advice.calls import Call, is_result_part, result_for
from agent_conformance.commands.check_request.advice.edits import COSTS, Edit, Operation
from agent_conformance.commands.check_request.advice.places import Place, spelled
from agent_conformance.commands.check_request.advice.refused_request import RefusedRequest

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
