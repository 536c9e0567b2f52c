"""What the types cannot say of a scenario: names that must agree, fields that exclude each other."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from agent_conformance.scenario.checks import (
    MOST_SECONDS,
    Found,
    check_approvals,
    check_enabling,
    check_idle_limit,
    check_shapes,
    check_steering,
    demands_of,
    mistakes_in_fault,
    mistakes_in_quirks,
    mistakes_in_server_calls,
    undeclared,
)
from agent_conformance.scenario.checks.features import (
    check_crashes,
    check_effects,
    check_extends,
    check_fallback,
    check_sessions,
    check_switches,
    check_thinking,
    check_window,
)
from agent_conformance.scenario.checks.unmeetable import impossible
from agent_conformance.scenario.derived.faults import usage_of
from agent_conformance.scenario.derived.pictures import check_parts
from agent_conformance.scenario.model import (
    CallSpec,
    Demands,
    ExecutedExpectation,
    ReplyExpectation,
    ReplySpec,
    RequestExpectation,
    Scenario,
    ToolSpec,
    Turn,
)
from agent_conformance.scenario.yaml_files import described, listed
from agent_conformance.scenario.yaml_files.reading import KeyPath
from fake_providers.values.json_texts import validator_of, why_no_schema
from fake_providers.wire_facts import HOSTED_TOOLS


def mistakes_in_tools(tools: Sequence[ToolSpec]) -> Found:
    """What is wrong with tools whose types are right. The paths begin with `tools`."""
    for index, tool in enumerate(tools):
        path = ("tools", index)
        if any(other.name == tool.name for other in tools[:index]):
            yield (*path, "name"), f"a tool `{tool.name}` is declared twice. Rename one."
        answers = [field for field in ("returns", "results", "content", "raises") if field in tool.given]
        if len(answers) > 1:
            yield (*path, answers[1]), f"the tool `{tool.name}` has {listed(answers)}. Keep one."
        yield from _of_structured(tool, path)
        if tool.results == []:
            yield (*path, "results"), "`results` is empty; it has one entry for each call, and the last repeats."
        if not 0 <= tool.delay <= MOST_SECONDS:
            yield (*path, "delay"), f"`delay` is {described(tool.delay)}; expected seconds from 0 to {MOST_SECONDS}."
        if why := why_no_schema(tool.parameters):
            yield (*path, "parameters"), f"the parameters of `{tool.name}` are no JSON Schema: {why}."


def _of_structured(tool: ToolSpec, path: KeyPath) -> Found:
    """What is wrong with structured data and its schema."""
    named = f"the tool `{tool.name}`"
    if tool.structured is None:
        if tool.output_schema is not None:
            yield (*path, "output_schema"), f"{named} has an `output_schema` and no `structured` data. Add them."
        return
    if others := [field for field in ("results", "content", "raises") if field in tool.given]:
        yield (*path, "structured"), f"{named} has `structured` and {listed(others)}. It stands beside `returns` alone."
    elif not isinstance(tool.returns, str | None):
        yield (*path, "returns"), f"`returns` is {described(tool.returns)}; beside `structured` it is a text."
    schema, at = tool.output_schema, (*path, "output_schema")
    if schema is None:
        return
    if schema.get("type") != "object":
        yield at, f"the `output_schema` of `{tool.name}` is of no object, which MCP demands. Add `type: object`."
        return
    if why := why_no_schema(schema):
        yield at, f"the `output_schema` of `{tool.name}` is no JSON Schema: {why}."
        return
    for error in islice(validator_of(schema).iter_errors(tool.structured), 1):
        said = error.message.splitlines()[0]
        yield (*path, "structured"), f"`structured` is not of the `output_schema` of `{tool.name}`: {said}."


def check(scenario: Scenario) -> Found:
    """Path and sentence of each mistake in a scenario whose types are right."""
    declared = [tool.name for tool in scenario.tools]
    yield from _of_description(scenario)
    for field in ("wires", "providers", "modes"):
        if getattr(scenario, field) == []:
            yield (field,), f"`{field}` is an empty list, so no case is left. Leave it out to allow all."
    yield from mistakes_in_tools(scenario.tools)
    yield from check_parts(scenario)
    yield from mistakes_in_server_calls(scenario)
    # Names under which the model calls, in the script and in the history
    replies = [call.name for turn in scenario.conversation for reply in turn.model for call in reply.calls]
    messages = [message.assistant for message in scenario.history]
    scripted = {
        *replies,
        *(call.name for message in messages if message and not isinstance(message, str) for call in message.calls),
    }
    for index, turn in enumerate(scenario.conversation):
        yield from _of_turn(
            turn, index, has_fallback=scenario.fallback is not None, declared=declared, scripted=scripted
        )
    yield from check_approvals(scenario)
    yield from check_crashes(scenario)
    yield from check_effects(scenario)
    yield from check_extends(scenario)
    yield from check_steering(scenario)
    yield from check_enabling(scenario)
    yield from check_sessions(scenario)
    yield from check_switches(scenario)
    yield from check_fallback(scenario)
    yield from check_thinking(scenario)
    yield from check_shapes(scenario)
    yield from check_window(scenario)
    yield from check_idle_limit(scenario)
    yield from check_summaries(scenario, declared)
    yield from impossible(scenario)


def _of_description(scenario: Scenario) -> Found:
    if not scenario.description.strip():
        yield ("description",), "`description` is empty. Write the fact that holds for a right agent."
    if re.search(r"\bshould\b", scenario.description, re.IGNORECASE):
        yield ("description",), '`description` says "should". Write a fact in the present tense.'
    for index, old in enumerate(scenario.formerly):
        if not re.fullmatch(r"[a-z0-9-]+/[a-z0-9-]+", old):
            yield ("formerly", index), f"`{old}` is no id. Expected area and file name, such as `history/old-name`."


def _of_turn(turn: Turn, number: int, *, has_fallback: bool, declared: list[str], scripted: set[str]) -> Found:
    path: KeyPath = ("conversation", number)
    for index, name in enumerate(turn.tools or ()):
        yield from undeclared(name, (*path, "tools", index), declared)
    for index, reply in enumerate(turn.model):
        yield from _of_reply(reply, (*path, "model", index), declared=declared)
    if not has_fallback:
        yield from _never_reached(turn.model, (*path, "model"))
    for demands, place in demands_of(turn, number):
        yield from _of_demands(demands, place, declared=declared, scripted=scripted)
    if turn.expect.outcome == "cancelled" and turn.cancel is None:
        yield (*path, "expect", "outcome"), "`outcome` is `cancelled`, and the turn has no `cancel`."


def _of_sources(reply: ReplySpec, path: KeyPath) -> Found:
    for index, source in enumerate(reply.sources):
        at = (*path, "sources", index)
        if (source.url is None) == (source.file is None):
            yield at, "a source is a page or a file. Give `url` or `file`."
        elif source.text is not None and source.text not in (reply.text or ""):
            yield (*at, "text"), f"`{source.text}` does not stand in the text of this reply. Cite a part of it."
    for index, call in enumerate(reply.server_calls):
        if call.server is None and call.name not in HOSTED_TOOLS:
            known = ", ".join(f"`{name}`" for name in HOSTED_TOOLS)
            yield (
                (*path, "server_calls", index, "name"),
                f"`{call.name}` is no tool that a provider runs here. Name one of {known}, or give its MCP `server`.",
            )


def _never_reached(replies: list[ReplySpec], path: KeyPath) -> Found:
    for index, reply in enumerate(replies[:-1]):
        if reply.forever:
            yield (*path, index + 1), "the reply above is given `forever`, so this one never comes."


def mistakes_in_reply(reply: ReplySpec) -> Found:
    """What is wrong with a reply by itself, in no scenario."""
    return _of_reply(reply, (), declared=[call.name for call in reply.calls])


def _of_reply(reply: ReplySpec, path: KeyPath, *, declared: list[str]) -> Found:
    if reply.text is None and not (reply.calls or reply.server_calls or reply.thinking or reply.fault or reply.finish):
        yield path, 'this reply says nothing. Write `text: ""` for an empty one.'
    yield from _of_sources(reply, path)
    for field, whole in (("chunks", "text"), ("blocks", "text"), ("thoughts", "thinking")):
        said = getattr(reply, whole) or ""
        if (given := getattr(reply, field)) and "".join(given) != said:
            yield (*path, field), _difference(field, "".join(given), whole, said)
    if reply.chunks and reply.blocks:
        yield (*path, "blocks"), "`chunks` and `blocks` each say how the text is split. Keep one."
    if reply.until and not reply.calls:
        yield (*path, "until"), "`until: answered` waits for the result of a call, and this reply has no `calls`."
    often = [field for field in ("times", "forever", "until") if field in reply.given]
    if len(often) > 1:
        yield (*path, often[1]), f"{listed(often)} each say how often this reply is given. Keep one."
    for at, given in ((("id",), reply.id), *((("item_ids", place), one) for place, one in enumerate(reply.item_ids))):
        if given == "":
            yield (*path, *at), "no provider sends an empty id. Write one, or leave it out, and the provider makes it."
    if reply.means is not None and reply.text is None:
        yield (*path, "means"), "`means` explains a `text`, which this reply does not have."
    if reply.fault is not None:
        yield from mistakes_in_fault(reply.fault, (*path, "fault"))
    try:
        usage_of(reply)
    except ValueError as error:
        yield (*path, "usage"), str(error)
    yield from _of_finish(reply, (*path, "finish"))
    for at, message in mistakes_in_quirks(reply):
        yield (*path, *at), message
    for index, call in enumerate(reply.calls):
        yield from _of_call(call, (*path, "calls", index), declared=declared)
    meant = reply.means.calls if reply.means else []
    for index, call in enumerate(meant):
        at = (*path, "means", "calls", index)
        yield from undeclared(call.name, (*at, "name"), declared)
        yield from _of_call(call, at, declared=declared)


def _of_finish(reply: ReplySpec, path: KeyPath) -> Found:
    if reply.finish == "tool_calls" and reply.calls:
        yield (
            path,
            "`finish: tool_calls` is for a reply without `calls`. With calls it is what is sent anyway.",
        )
    if reply.finish in ("unexpected-call", "blocked-prompt") and (reply.calls or reply.text):
        yield path, f"`finish: {reply.finish}` comes without content. Leave `text` and `calls` out."


def _difference(field: str, joined: str, whole: str, said: str) -> str:
    same = next((i for i, (a, b) in enumerate(zip(said, joined, strict=False)) if a != b), min(len(said), len(joined)))
    there, here = _around(joined, same), _around(said, same)
    return f"`{field}` join to `{there}` where `{whole}` has `{here}`. They must be equal."


def _around(text: str, at: int) -> str:
    cut = text[max(0, at - 8) : at + 12]
    return cut if cut else "nothing"


def _of_call(call: CallSpec, path: KeyPath, *, declared: list[str]) -> Found:
    for index, name in enumerate(call.may_run):
        yield from undeclared(name, (*path, "may_run", index), declared)


def _of_demands(demands: Demands, path: KeyPath, *, declared: list[str], scripted: set[str]) -> Found:
    if demands.reply is not None:
        yield from _of_reply_expectation(demands.reply, (*path, "reply"))
    if demands.executed is not None:
        yield from _of_executed(demands.executed, (*path, "executed"), declared)
    count = demands.request_count
    if count and count.min is not None and count.max is not None and count.min > count.max:
        yield (*path, "request_count"), f"`request_count` has the minimum {count.min} above the maximum {count.max}."
    for index, selector in enumerate(demands.requests):
        at = (*path, "requests", index)
        yield from _of_selector(selector, at, declared=declared, scripted=scripted)


def _of_reply_expectation(reply: ReplyExpectation, path: KeyPath) -> Found:
    if not reply.given:
        yield path, "`reply` demands nothing. Leave it out, or say what the agent's reply is."
    if reply.matches is not None:
        try:
            re.compile(reply.matches)
        except re.error as error:
            yield (*path, "matches"), f"`matches` is no regular expression: {error}."


def _of_executed(executed: ExecutedExpectation, path: KeyPath, declared: list[str]) -> Found:
    if len(executed.given) != 1:
        yield path, "`executed` is a list, or has exactly one of `any_order`, `one_of`."
    for field in ("in_order", "any_order"):
        yield from _of_executions(getattr(executed, field) or [], (*path, field), declared)
    for index, choice in enumerate(executed.one_of or []):
        yield from _of_executions(choice, (*path, "one_of", index), declared)


def _of_executions(executions: list[dict[str, Any]], path: KeyPath, names: Iterable[str]) -> Found:
    for index, execution in enumerate(executions):
        if len(execution) != 1:
            message = (
                f"an execution has {len(execution)} names; expected one, such as `{{get_weather: {{city: Oslo}}}}`."
            )
            yield (*path, index), message
        for name in execution:
            yield from undeclared(name, (*path, index, name), names)


def _of_selector(selector: RequestExpectation, path: KeyPath, *, declared: list[str], scripted: set[str]) -> Found:
    if selector.given == {"at"}:
        yield path, "this demands nothing of the request. Say what it holds, such as `contains: [Oslo]`."
    names = selector.tools if isinstance(selector.tools, list) else []
    for field, tools in (("tools", names), ("lacks_tools", selector.lacks_tools)):
        for index, name in enumerate(tools):
            yield from undeclared(name, (*path, field, index), declared)
    yield from _of_executions(selector.calls or [], (*path, "calls"), [*declared, *sorted(scripted)])


OF_THE_SCRIPT = ("times", "forever", "until", "spare", "means", "quirks")
"""What a reply to the conversation has, and a summary has not."""


def check_summaries(scenario: Scenario, declared: list[str]) -> Found:
    """Path and sentence of each mistake."""
    if scenario.summaries and not scenario.may_be_shortened:
        message = (
            "nobody has a reason to sum up. Give a `window`, `limits: {context_tokens: n}` or a turn with `compact`."
        )
        yield ("summaries",), message
    for index, reply in enumerate(scenario.summaries):
        path = ("summaries", index)
        yield from _of_reply(reply, path, declared=declared)
        for field in OF_THE_SCRIPT:
            if field in reply.given:
                message = f"`{field}` is for replies of the conversation. Leave it out: the last summary repeats."
                yield (*path, field), message
        if reply.fault is not None and reply.fault.connection is not None:
            yield (*path, "fault", "connection"), "a summary fails with a `status`, not with its `connection`."
