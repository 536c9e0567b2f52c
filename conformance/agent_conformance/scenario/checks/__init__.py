"""What is wrong or doubtful in a scenario whose types are right.

Here is what the checks share: the shape of a mistake, and the expectations of a turn with their places.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from email.utils import parsedate_to_datetime
from itertools import islice, pairwise

from agent_conformance.scenario.model import Demands, FaultSpec, NamedToolSpec, ReplySpec, Scenario, Turn
from agent_conformance.scenario.yaml_files import described, did_you_mean, listed
from agent_conformance.scenario.yaml_files.reading import KeyPath
from fake_providers.values.json_texts import validator_of, why_no_schema

Found = Iterator[tuple[KeyPath, str]]
"""The path and the sentence of each mistake."""

MOST_SECONDS = 60
"""The most seconds of a `delay` or a `retry_after`: a run waits for them."""


def demands_of(turn: Turn, number: int) -> Iterator[tuple[Demands, KeyPath]]:
    """`expect` of the turn with this number from 0, and `should` below it, each with its path."""
    path: KeyPath = ("conversation", number, "expect")
    yield turn.expect, path
    if turn.expect.should is not None:
        yield turn.expect.should, (*path, "should")


def undeclared(name: str, path: KeyPath, names: Iterable[str]) -> Found:
    """The mistake that a tool of this name is not among `names`, if it is not."""
    known = list(dict.fromkeys(names))
    if name not in known:
        allowed = f"Declared: {listed(known)}." if known else "The scenario declares no tools."
        yield path, f"`{name}` is no tool of this scenario.{did_you_mean(name, known)} {allowed}"


def mistakes_in_fault(fault: FaultSpec, path: KeyPath) -> Found:
    if not fault.given:
        yield path, "`fault` says nothing. Give a `status`, a `cut_after` or an `error_event`."
    if fault.cut_after is not None and fault.cut_at is not None:
        yield (*path, "cut_at"), "`cut_after` and `cut_at` each say where the reply is cut. Keep one."
    if fault.status is not None and not 100 <= fault.status <= 599:
        yield (*path, "status"), f"`status` is {described(fault.status)}; expected one of HTTP, from 100 to 599."
    if fault.retry_after is not None and not 0 <= fault.retry_after <= MOST_SECONDS:
        found = described(fault.retry_after)
        yield (*path, "retry_after"), f"`retry_after` is {found}; expected seconds from 0 to {MOST_SECONDS}."
    if fault.retry_date is None:
        return
    if fault.status is None:
        yield (*path, "retry_date"), "`retry_date` is a header of an error. Give its `status`."
    try:
        parsedate_to_datetime(fault.retry_date)
    except ValueError:
        found = described(fault.retry_date)
        yield (*path, "retry_date"), f"`retry_date` is {found}; expected a date like Wed, 21 Oct 2015 07:28:00 GMT."


def check_approvals(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    asking = [tool.name for tool in scenario.tools if tool.approval is not None]
    for index, turn in enumerate(scenario.conversation):
        path = ("conversation", index)
        yield from _of_answers(turn, (*path, "approve"), asking)
        yield from _unanswered(turn, (*path, "model"), asking)
        for demands, place in demands_of(turn, index):
            yield from _of_demands(demands, place, asking)
        if turn.cancel is not None and turn.cancel.at == "approval" and not turn.approve:
            yield (*path, "cancel", "at"), "nobody asks in this turn: say in `approve` what the user answers."
        if pending(turn) and turn.expect.outcome is not None:
            yield (*path, "expect", "outcome"), "`outcome` says how a turn ends whose answers are there. Leave it out."
    yield from _of_pending(scenario.conversation)


def pending(turn: Turn) -> list[str]:
    """The tools about which the user has not answered by the end of this turn."""
    return [
        tool for tool, given in turn.approve.items() if "pending" in (given if isinstance(given, list) else [given])
    ]


def _of_answers(turn: Turn, path: KeyPath, asking: list[str]) -> Found:
    for tool, given in turn.approve.items():
        yield from _not_asking(tool, (*path, tool), asking)
        if given == []:
            yield (*path, tool), "this list is empty. Write one answer for each call, or a single one for all."


def _unanswered(turn: Turn, path: KeyPath, asking: list[str]) -> Found:
    for index, reply in enumerate(turn.model):
        for place, call in enumerate(reply.calls):
            if call.name in asking and call.name not in turn.approve:
                yield (
                    (*path, index, "calls", place, "name"),
                    f"`{call.name}` has `approval: ask`. Say in `approve` of this turn what the user answers.",
                )


def _of_demands(demands: Demands, path: KeyPath, asking: list[str]) -> Found:
    for index, call in enumerate(demands.approvals or []):
        if len(call) != 1:
            yield (
                (*path, "approvals", index),
                f"a call has {len(call)} names; expected one, such as `{{delete_file: {{path: a.txt}}}}`.",
            )
        for name in call:
            yield from _not_asking(name, (*path, "approvals", index, name), asking)


def _of_pending(turns: list[Turn]) -> Found:
    for index, (turn, following) in enumerate(pairwise([*turns, None])):
        for tool in pending(turn) if turn is not None else ():
            at = ("conversation", index, "approve", tool)
            if following is None or not following.restart:
                yield at, "`pending` is answered after a restart: the next turn needs `restart: true`."
            elif isinstance(following.approve.get(tool, []), list):
                yield at, f"`{tool}` is pending. Give one answer in `approve` of the next turn: `{{{tool}: true}}`."


def _not_asking(name: str, path: KeyPath, asking: Iterable[str]) -> Found:
    known = list(asking)
    if name not in known:
        allowed = f"Those that do: {listed(known)}." if known else "No tool does."
        yield path, f"`{name}` is no tool with `approval: ask`.{did_you_mean(name, known)} {allowed}"


def check_shapes(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    yield from _of_choice(scenario)
    yield from _of_schema(scenario)
    for number, turn in enumerate(scenario.conversation):
        for demands, path in demands_of(turn, number):
            yield from _of_shape_demands(scenario, demands, (*path, "reply", "json"))


def _of_choice(scenario: Scenario) -> Found:
    choice = scenario.tool_choice
    enabled = [tool.name for tool in scenario.tools if tool.enabled]
    if choice is None or choice == "auto":
        return
    if choice == "none":
        for number, turn in enumerate(scenario.conversation):
            for index, reply in enumerate(turn.model):
                if reply.calls:
                    at = ("conversation", number, "model", index, "calls")
                    yield at, "`tool_choice: none` forbids calls, so this reply is never sent. Leave it out."
        return
    named = choice.tool if isinstance(choice, NamedToolSpec) else None
    if named is not None and named not in enabled:
        there = f"Enabled: {listed(enabled)}." if enabled else "The scenario has none."
        yield ("tool_choice", "tool"), f"`{named}` is no tool that is enabled from the start. {there}"
    elif not enabled:
        yield ("tool_choice",), "`tool_choice` demands a call, and no tool is enabled from the start."
    replies = enumerate(scenario.conversation[0].model)
    first = next(((place, reply) for place, reply in replies if reply.fault is None), None)
    called = [call.name for call in first[1].calls] if first else []
    if first and not (named in called if named else called):
        wanted = f"`{named}`" if named else "a tool"
        path = ("conversation", 0, "model", first[0])
        yield path, f"`tool_choice` makes the model call {wanted} first, and this reply does not."


def _of_schema(scenario: Scenario) -> Found:
    schema, path = scenario.output_schema, ("output_schema",)
    if schema is None:
        return
    if schema.get("type") != "object" or not schema.get("properties"):
        yield path, "`output_schema` is no object with properties, which several providers demand of an answer."
    if why := why_no_schema(schema):
        yield path, f"`output_schema` is no JSON Schema: {why}."


def _of_shape_demands(scenario: Scenario, demands: Demands, path: KeyPath) -> Found:
    if demands.reply is None or "json" not in demands.reply.given:
        return
    if scenario.output_schema is None:
        yield path, "`json` is what an agent replies that has an `output_schema`, which this scenario lacks."
        return
    try:
        errors = validator_of(scenario.output_schema).iter_errors(demands.reply.json)
    except ValueError:
        return  # the schema itself is wrong, which is a mistake of its own
    for error in islice(errors, 1):
        yield path, f"`json` is not of the `output_schema`: {error.message.splitlines()[0]}."


def check_enabling(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    declared = [tool.name for tool in scenario.tools]
    enabled = [tool.name for tool in scenario.tools if tool.enabled]
    for index, tool in enumerate(scenario.tools):
        for place, name in enumerate(tool.enables):
            path = ("tools", index, "enables", place)
            yield from undeclared(name, path, declared)
            if name in enabled:
                yield path, f"`{name}` is enabled from the start. Give it `enabled: false`."


SHORTEST = 4
FREE = ("request_count", "executed", "reply")


def check_idle_limit(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    replies = (reply for turn in scenario.conversation for reply in turn.model)
    is_silent = any(reply.fault is not None and reply.fault.connection == "silent" for reply in replies)
    seconds = scenario.limits.idle_seconds
    if seconds is not None and seconds <= 0:
        yield ("limits", "idle_seconds"), f"`idle_seconds` is {seconds}; expected seconds, more than 0."
    elif seconds is not None and not is_silent:
        message = "no reply falls silent, so nothing shows whether an agent keeps to it. Give one a `fault`: "
        yield ("limits", "idle_seconds"), f"{message}`{{cut_at: 200, connection: silent}}`."


def _replies_in(turn: Turn) -> float:
    """How many requests of a turn the model may answer."""
    replies = (math.inf if one.forever or one.until is not None else one.times for one in turn.model)
    return sum(replies)


def check_steering(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    for index, turn in enumerate(scenario.conversation):
        if not turn.steer:
            continue
        path = ("conversation", index)
        for number, steer in enumerate(turn.steer):
            if len(steer.user.strip()) < SHORTEST:
                message = f"`user` of `steer` is too short to be found again: at least {SHORTEST} characters."
                yield (*path, "steer", number, "user"), message
            before = turn.steer[number - 1] if number else None
            if steer.at == "request" and steer.n > (most := _replies_in(turn)):
                message = f"the model answers {most:.0f} requests in this turn, and no request {steer.n}."
                yield (*path, "steer", number, "n"), message
            if before is not None and before.at == steer.at and steer.n <= before.n:
                message = f"the message before it comes at call {turn.steer[number - 1].n} too. Give each a later call."
                yield (*path, "steer", number, "n"), message
        for field, end in (("cancel", turn.cancel), ("crash", turn.crash)):
            if end is not None and any(steer.at == end.at and steer.n >= end.n for steer in turn.steer):
                message = f"`{field}` ends the turn at {end.at} {end.n}, before all is said. Give it a later `n`."
                yield (*path, field), message
        for demands, place in demands_of(turn, index):
            yield from _of_steering_demands(demands, place)


def _of_steering_demands(demands: Demands, path: KeyPath) -> Found:
    for field in FREE:
        if field in demands.given:
            yield (*path, field), f"`{field}` is the agent's choice in a turn with `steer`. Expect it of the next turn."
    for index, selector in enumerate(demands.requests):
        if isinstance(selector.at, int) and selector.at > 1:
            at = (*path, "requests", index, "at")
            yield at, "in a turn with `steer` the number of requests is the agent's choice. Use `each` or `last`."


CALLS_NEEDED = {
    "same-index": 2,
    "interleaved": 2,
    "no-index": 1,
    "growing-index": 1,
    "late-id": 1,
    "id-in-every-delta": 1,
    "repeated-name": 1,
    "arguments-as-object": 1,
}
ONE_OF_THESE = (
    ("same-index", "no-index", "growing-index", "interleaved", "late-id"),
    ("arguments-as-object", "growing-index", "interleaved", "late-id"),
    ("arguments-as-object", "id-in-every-delta"),
    ("arguments-as-object", "repeated-name"),
    ("late-id", "id-in-every-delta"),
)
"""Nobody could put the calls together, or one of the two changes nothing."""


def mistakes_in_quirks(reply: ReplySpec) -> Found:
    """Path and sentence of each quirk that this reply cannot have."""
    for index, quirk in enumerate(reply.quirks):
        earlier = reply.quirks[:index]
        needed = CALLS_NEEDED.get(quirk, 0)
        if quirk in earlier:
            yield ("quirks", index), f"`{quirk}` stands twice. Keep one."
        elif needed > len(reply.calls):
            calls = "two `calls`" if needed == 2 else "`calls`"
            yield ("quirks", index), f"`{quirk}` changes how {calls} are sent, which this reply does not have."
        elif quirk == "text-in-the-start" and not (reply.text or reply.thinking):
            yield ("quirks", index), f"`{quirk}` changes how a text is sent, which this reply does not have."
        elif clash := _clash(quirk, earlier):
            yield ("quirks", index), f"{listed((clash, quirk))} exclude each other. Keep one."
        else:
            if quirk == "arguments-as-object" and any(call.arguments_text is not None for call in reply.calls):
                yield ("quirks", index), f"`{quirk}` sends `arguments`, and a call has `arguments_text`. Keep one."
            no_ids = any("id" in call.given and call.id is None for call in reply.calls)
            if quirk in ("late-id", "id-in-every-delta") and no_ids:
                yield ("quirks", index), f"`{quirk}` says where the id stands, and a call has none. Keep one."


def _clash(quirk: str, earlier: Sequence[str]) -> str | None:
    if earlier and "text-in-the-start" in (quirk, earlier[0]):
        return earlier[0]  # of another wire
    groups = (group for group in ONE_OF_THESE if quirk in group)
    return next((other for group in groups for other in earlier if other in group), None)


def mistakes_in_server_calls(scenario: Scenario) -> Found:
    """Path and sentence of each mistake in `server_calls` and `finish: pause`."""
    for number, turn in enumerate(scenario.conversation):
        is_open = False
        for index, reply in enumerate(turn.model):
            path: KeyPath = ("conversation", number, "model", index)
            yield from _of_reply(reply, path, declared=list(scenario.server_tools), is_open=is_open)
            is_open = any(call.result is None for call in reply.server_calls)


def _of_reply(reply: ReplySpec, path: KeyPath, *, declared: list[str], is_open: bool) -> Found:
    if reply.finish == "pause" and (reply.calls or not reply.server_calls):
        yield (*path, "finish"), "`finish: pause` needs `server_calls`, and has no `calls` beside them."
    for index, call in enumerate(reply.server_calls):
        at = (*path, "server_calls", index)
        if call.name not in declared:
            yield (*at, "name"), f"`{call.name}` is not among the `server_tools` of this scenario. Name it there."
        if call.result is None and (reply.finish != "pause" or call is not reply.server_calls[-1]):
            yield at, "only the last call of a reply with `finish: pause` may be left open. Give its `result`."
        if call.arguments is None and (index or not is_open or call.result is None):
            yield (
                at,
                "without `arguments` it is the call that the reply before left open, and that left none. Give them.",
            )
