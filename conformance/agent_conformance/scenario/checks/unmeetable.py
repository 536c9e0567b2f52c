"""Demands that no agent can meet: the script of the model, the tools and the texts leave no room for them.

`impossible` is certain. `improbable` is about words that only the agent itself could have made up.
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from copy import deepcopy
from functools import reduce
from operator import getitem
from typing import TYPE_CHECKING, Any

from agent_conformance.scenario.checks import Found, demands_of
from agent_conformance.scenario.model import (
    CallSpec,
    Cancel,
    Crash,
    Demands,
    ExecutedExpectation,
    RequestExpectation,
    Scenario,
    Steer,
    Turn,
)
from agent_conformance.scenario.yaml_files.reading import KeyPath
from fake_providers.values.json_texts import read_json, validator_of, why_no_schema

if TYPE_CHECKING:
    from jsonschema_rs import Validator

SHOWN = 100

# More coercions than a right demand needs, in some hundredths of a second.
MOST_TRIES = 200


def impossible(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    schemas = {tool.name: tool.parameters for tool in scenario.tools if not why_no_schema(tool.parameters)}
    for index, turn in enumerate(scenario.conversation):
        yield from _after_the_end(turn, ("conversation", index, "model"))
        for demands, path in demands_of(turn, index):
            refused = [
                (at, f"the parameters of `{name}` refuse `{_json(wanted)}`, so it never runs with that.")
                for at, name, wanted in _executions(demands.executed, (*path, "executed"))
                if name in schemas and not _may_fit(validator_of(schemas[name]), {} if wanted is None else wanted)
            ]
            yield from _in_all_choices(demands.executed, refused)
            # Whether more requests than replies of the script may get one.
            others = scenario.window or scenario.fallback or scenario.summaries
            if not (bool(others) or any(reply.forever or reply.until for reply in turn.model)):
                yield from _beyond_the_script(turn, demands, path)
    yield from _beyond_the_calls(scenario)


def _after_the_end(turn: Turn, path: KeyPath) -> Found:
    """A right agent ends its turn with a text beside which nothing is called, and sends no other request."""
    for index, reply in enumerate(turn.model[:-1]):
        goes_on = reply.calls or reply.server_calls or reply.fault or reply.finish or reply.quirks or reply.means
        if (not goes_on and not reply.forever and bool((reply.text or "").strip())) and not turn.model[index + 1].spare:
            message = "the reply above ends the turn, so this one never comes. Give it another turn, or `spare: true`."
            yield (*path, index + 1), message


def _beyond_the_script(turn: Turn, demands: Demands, path: KeyPath) -> Found:
    count = sum(reply.times for reply in turn.model)
    replies = "1 reply" if count == 1 else f"{count} replies"
    for index, request in enumerate(demands.requests):
        if isinstance(request.at, int) and request.at > count:
            message = f"the model has {replies} in this turn, so there is no request {request.at}."
            yield (*path, "requests", index, "at"), message
    wanted = demands.request_count
    if wanted is not None and (wanted.min or 0) > count:
        message = f"the model has {replies} in this turn, so there are not {wanted.min} requests that get one."
        yield (*path, "request_count"), message


def _beyond_the_calls(scenario: Scenario) -> Found:
    """What happens at a call, runs of tools, and results of which there are more than the model's calls."""
    messages = [message.assistant for message in scenario.history]
    written = sum(len(message.calls) for message in messages if message and not isinstance(message, str))
    count = float(written)
    for index, turn in enumerate(scenario.conversation):
        path: KeyPath = ("conversation", index)
        for reply in turn.model:
            calls = len(reply.calls) + (len(reply.means.calls) if reply.means else 0)
            written += calls * reply.times
            count += float("inf") if calls and (reply.forever or reply.until is not None) else calls * reply.times
        moments: list[tuple[KeyPath, Cancel | Crash | Steer | None]] = [
            (("cancel",), turn.cancel),
            (("crash",), turn.crash),
            *((("steer", number), steer) for number, steer in enumerate(turn.steer)),
        ]
        for at, moment in moments:
            if moment is not None and moment.at == "tool" and moment.n > count:
                yield (*path, *at), f"the model makes {_counted(count)} until here, so no tool runs at call {moment.n}."
        for demands, where in demands_of(turn, index):
            for number, request in enumerate(demands.requests):
                if (wanted := len(request.results or ())) > written:
                    message = f"the model makes {_counted(written)} until here, so there are not {wanted} results."
                    yield (*where, "requests", number, "results"), message
    for name, runs in scenario.effects.items():
        if (runs.min or 0) > count:
            yield ("effects", name), f"the model makes {_counted(count)}, so no tool runs {runs.min} times."


def _counted(calls: float) -> str:
    return "1 call" if calls == 1 else f"{calls:.0f} calls"


def _may_fit(validator: "Validator", value: Any) -> bool:
    """Whether the schema takes it, or what an agent may make of it by coercing values in it, as laws allow."""
    # Each value may be coerced in two ways, so that n of them have 2^n: after so many tries it may fit.
    tries = iter(range(MOST_TRIES))

    def fits(value: Any, coerced: frozenset[KeyPath]) -> bool:
        error = next(iter(validator.iter_errors(value)), None)
        if error is None or next(tries, None) is None:
            return True
        return any(
            fits(_with(value, path[:-1], path[-1], made), coerced | {path})
            for path in dict.fromkeys(_places(error))
            if path and path not in coerced
            for made in _coercions(reduce(getitem, path, value))
        )

    return fits(value, frozenset())


def _places(error: Any) -> Iterator[KeyPath]:
    """Where a value does not fit; of `anyOf` and `oneOf` also the places within each alternative."""
    yield tuple(error.instance_path)
    for alternative in getattr(error.kind, "context", ()):
        for inner in alternative:
            yield from _places(inner)


def _with(value: Any, outer: Iterable[str | int], last: str | int, made: Any) -> Any:
    whole = deepcopy(value)
    reduce(getitem, outer, whole)[last] = made
    return whole


def _coercions(value: Any) -> list[Any]:
    """Numbers, booleans, lists and objects as text and out of text, and a list of one value."""
    if value is None:
        return []
    if isinstance(value, list | dict):
        return [json.dumps(value, ensure_ascii=False, default=str)]
    if not isinstance(value, str):
        return [json.dumps(value, ensure_ascii=False, default=str), [value]]
    with suppress(ValueError):
        return [read_json(value), [value]]
    return [[value]]


def _in_all_choices(executed: ExecutedExpectation | None, found: list[tuple[KeyPath, str]]) -> Found:
    """Of several lists one is enough."""
    choices = executed.one_of if executed else None
    if choices is None or {at[-3] for at, _ in found} == {*range(len(choices))}:
        yield from found


def _executions(executed: ExecutedExpectation | None, path: KeyPath) -> Iterator[tuple[KeyPath, str, Any]]:
    if executed is None:
        return
    lists = [((*path, field), getattr(executed, field) or []) for field in ("in_order", "any_order")]
    lists += [((*path, "one_of", index), choice) for index, choice in enumerate(executed.one_of or [])]
    for at, executions in lists:
        for index, execution in enumerate(executions):
            for name, wanted in execution.items():
                yield (*at, index, name), name, wanted


# What nobody in the scenario says or calls.


def improbable(scenario: Scenario) -> Found:
    """Path and sentence of each doubt."""
    data = scenario.data(only_given=True)
    for turn in data["conversation"]:
        turn.pop("expect", None)
    said = _plain("\n".join(_texts(data)))
    calls = [
        call
        for turn in scenario.conversation
        for reply in turn.model
        for call in [*reply.calls, *(reply.means.calls if reply.means else [])]
    ]
    for message in scenario.history:
        calls += message.assistant.calls if message.assistant and not isinstance(message.assistant, str) else []
    for index, turn in enumerate(scenario.conversation):
        for demands, path in demands_of(turn, index):
            uncalled = [
                (at, f"the model never calls `{name}` with `{_json(wanted)}`. Demand what it calls.")
                for at, name, wanted in _executions(demands.executed, (*path, "executed"))
                if not any(_may_be(call, name, wanted) for call in calls)
            ]
            yield from _in_all_choices(demands.executed, uncalled)
            for at, text in _wanted_texts(demands, path):
                if _plain(text) not in said:
                    found = _plain(text)[:SHOWN]
                    yield at, f"nobody says `{found}`: no user, model, tool or history. Demand what somebody says."


def _may_be(call: CallSpec, name: str, wanted: Any) -> bool:
    if call.name != name and name not in call.may_run:
        return False
    if call.means is not None:
        return bool(call.means.arguments == wanted)
    if call.arguments_text is None:
        return (call.arguments or {}) == (wanted or {})
    # What an agent makes of a broken text is its own affair, but it makes up no name and no value.
    sent = [call.arguments_text]
    with suppress(ValueError):
        sent += _texts(read_json(call.arguments_text))
    text = _plain("\n".join(sent))
    return all(_plain(leaf) in text or _plain(_json(leaf)[1:-1]) in text for leaf in _leaves(wanted))


def _leaves(value: Any) -> Iterator[str]:
    """Names and values within."""
    if isinstance(value, dict):
        yield from value
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _leaves(inner)
    elif value is not None:
        yield str(value)


def _wanted_texts(demands: Demands, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    reply = demands.reply
    if reply is not None:
        yield from (((*path, "reply", "contains", index), text) for index, text in enumerate(reply.contains))
        yield from (((*path, "reply", "one_of", index), text) for index, text in enumerate(reply.one_of))
        whole = ((*path, "reply", field) for field in ("equals", "exactly") if getattr(reply, field))
        yield from ((at, getattr(reply, str(at[-1]))) for at in whole)
    yield from (((*path, "state", index), text) for index, text in enumerate(demands.state))
    for index, request in enumerate(demands.requests):
        yield from _texts_of_request(request, (*path, "requests", index))


def _texts_of_request(request: RequestExpectation, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    for field in ("contains", "in_order"):
        yield from (((*path, field, index), text) for index, text in enumerate(getattr(request, field)))
    for field in ("added", "system"):
        expected = getattr(request, field)
        for index, text in enumerate(expected.contains if expected else ()):
            yield (*path, field, "contains", index), text
    for number, result in enumerate(request.results or ()):
        if isinstance(result, str):
            yield (*path, "results", number), result
        else:
            yield from (((*path, "results", number, "contains", i), text) for i, text in enumerate(result.contains))


def _texts(value: Any) -> Iterator[str]:
    """All texts of a document, names included, and other values as JSON writes them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _texts_in(value)
        yield from _texts_in(value.values())
        yield _json(value)
    elif isinstance(value, (list, tuple)):
        yield from _texts_in(value)
    elif value is not None:
        yield _json(value)


def _texts_in(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        yield from _texts(value)


def _plain(text: str) -> str:
    """What is compared: words without their case and the space between them."""
    return re.sub(r"\s+", " ", str(text)).strip().casefold()


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
