"""What the types cannot say of a scenario: names that must agree, fields that exclude each other."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from agent_conformance.scenario.checks.shared import (
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
    ThinkingSpec,
    ToolSpec,
    Turn,
)
from agent_conformance.scenario.yaml_files.problems import described, did_you_mean, listed
from agent_conformance.scenario.yaml_files.reading import KeyPath
from fake_providers import PROVIDERS
from fake_providers.reply import HARMLESS_QUIRKS
from fake_providers.values.json_texts import why_no_schema
from fake_providers.wire_facts import HOSTED_TOOLS, SIGN_REASONING, WIRE_FACTS


def mistakes_in_tools(tools: Sequence[ToolSpec]) -> Found:
    """What is wrong with tools whose types are right. The paths begin with `tools`."""
    for index, tool in enumerate(tools):
        path = ("tools", index)
        if any(other.name == tool.name for other in tools[:index]):
            yield (*path, "name"), f"a tool `{tool.name}` is declared twice. Rename one."
        answers = [field for field in ("returns", "results", "content", "raises") if field in tool.given]
        if len(answers) > 1:
            yield (*path, answers[1]), f"the tool `{tool.name}` has {listed(answers)}. Keep one."
        if tool.results == []:
            yield (*path, "results"), "`results` is empty; it has one entry for each call, and the last repeats."
        if not 0 <= tool.delay <= MOST_SECONDS:
            yield (*path, "delay"), f"`delay` is {described(tool.delay)}; expected seconds from 0 to {MOST_SECONDS}."
        if why := why_no_schema(tool.parameters):
            yield (*path, "parameters"), f"the parameters of `{tool.name}` are no JSON Schema: {why}."


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


# What must agree where a conversation changes its model.


def check_switches(scenario: Scenario) -> Found:
    """Path and sentence of each mistake, also of turns before which the conversation is compacted."""
    for index, turn in enumerate(scenario.conversation):
        if turn.compact:
            yield from (((*("conversation", index), "compact"), why) for why in _why_not_compacted(scenario, index))
        if turn.switch is None:
            continue
        path = ("conversation", index, "switch")
        if bool(turn.switch.model) == (turn.switch.wire is not None):
            yield path, "`switch` has either `model`, by wire, or `wire`. Keep one."
        if index == 0:
            yield path, "the first turn begins with the model of the case. Name it under `model` of the scenario."
        if turn.restart:
            yield path, "`restart` starts a new instance, and `switch` goes on with this one. Give each a turn."
        if any(other.session is not None for other in scenario.conversation):
            yield path, "a scenario with `session` has no `switch`: it would not say of which session."


def _why_not_compacted(scenario: Scenario, index: int) -> Iterator[str]:
    if index == 0 and not scenario.history:
        yield "before the first turn nothing was said yet. Ask for it in a later turn, or give a `history`."
    if scenario.conversation[index].switch is not None:
        yield "`switch` and `compact` both come before the turn. Give each a turn."
    if any(other.session is not None for other in scenario.conversation):
        yield "a scenario with `session` has no `compact`: it would not say of which session."


# What a scenario may say of the reasoning in its history.


def check_thinking(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    named = scenario.wires if isinstance(scenario.wires, list) else []
    if not named or not set(named).isdisjoint(SIGN_REASONING):
        return
    for index, message in enumerate(scenario.history):
        assistant = message.assistant
        if assistant and not isinstance(assistant, str) and isinstance(assistant.thinking, ThinkingSpec):
            yield (
                ("history", index, "assistant", "thinking"),
                f"no provider of `wires` signs reasoning. Those that do: {listed(SIGN_REASONING)}.",
            )


# What must agree where a scenario has a second provider.


def check_fallback(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    second = scenario.fallback
    if second is None:
        return
    if second.provider not in PROVIDERS:
        near = did_you_mean(second.provider, PROVIDERS)
        yield ("fallback", "provider"), f"`{second.provider}` is no provider.{near} Allowed: {listed(PROVIDERS)}."
    elif second.wire is not None and second.wire not in PROVIDERS[second.provider]:
        speaks = listed(PROVIDERS[second.provider])
        yield ("fallback", "wire"), f"`{second.provider}` does not offer `{second.wire}`. It has: {speaks}."
    if not any(reply.fault for turn in scenario.conversation for reply in turn.model):
        yield ("fallback",), "no reply has a `fault`, so that nobody has to ask the second provider."
    if any(turn.switch for turn in scenario.conversation):
        yield ("fallback",), "`fallback` and `switch` each name another provider. Keep one."


TRUNCATES = [name for name, facts in WIRE_FACTS.items() if facts.truncates]
REPEATED = (408, 409, 425, 429)
"""Statuses with which clients send the same request again by themselves, as they do from 500 on."""


def check_window(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    window = scenario.window
    if window is None:
        return
    if window.words is not None:
        status = window.words.status
        if not 400 <= status < 500 or status in REPEATED:
            path = ("window", "words", "status")
            yield path, f"`status` is {status}, which clients repeat or which refuses nothing. Give 400, 413 or 422."
    if window.how != "truncate":
        return
    if window.words is not None:
        yield ("window", "words"), "a window that truncates refuses nothing, so it has no `words`. Keep one of the two."
    if scenario.limits.context_tokens is None:
        yield ("window", "how"), "nobody tells an agent of this window but `limits: {context_tokens: n}`. Give it."
    if scenario.wires != TRUNCATES:
        yield ("window", "how"), "only Ollama truncates like this. Write `wires: [ollama-chat]`."


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


OF_THE_END = ("reply", "narration", "outcome", "request_count")


def check_crashes(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    turns = scenario.conversation
    for index, turn in enumerate(turns):
        if turn.crash is None:
            continue
        path = ("conversation", index)
        if index + 1 == len(turns) or not turns[index + 1].restart:
            yield (*path, "crash"), "after a `crash` the agent is started again: the next turn needs `restart: true`."
        if turn.cancel is not None:
            yield (*path, "cancel"), "`cancel` and `crash` each end this turn. Keep one."
        for demands, place in demands_of(turn, index):
            for field in OF_THE_END:
                if field in demands.given:
                    yield (
                        (*place, field),
                        f"`{field}` is about the end of a turn, which `crash` cuts short. Leave it out.",
                    )


CHANGED_BY_TURN = ("tools", "switch", "compact", "session", "restart")
CHANGED_BY_SCENARIO = ("limits", "window")


def check_extends(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    for index, turn in enumerate(scenario.conversation):
        for demands, path in demands_of(turn, index):
            for number, request in enumerate(demands.requests):
                place = (*path, "requests", number, "extends")
                if request.extends == "previous" and request.at == 1:
                    yield place, "`extends: previous` has nothing to extend at the first request."
                elif request.extends == "prefix":
                    reason = _why_no_prefix(scenario, turn, index, advice="should" in path, at=request.at)
                    if reason:
                        yield place, f"`extends: prefix` {reason}"


def _why_no_prefix(scenario: Scenario, turn: Turn, index: int, *, advice: bool, at: int | str) -> str | None:
    if not advice:
        return "is advice: caches cost money, and no conversation. Put it under `should`."
    if index == 0 and at == 1:
        return "has nothing to extend at the first request of the case."
    for field in CHANGED_BY_SCENARIO:
        if field in scenario.given:
            return f"cannot be expected beside `{field}`: a right agent shortens what it sends."
    earlier = scenario.conversation[: index + 1]
    changed = next((field for one in earlier for field in CHANGED_BY_TURN if field in one.given), None)
    return changed and f"cannot be expected after `{changed}`: a right agent sends another beginning."


ALONE = ("tools", "restart", "cancel", "crash", "steer", "observer", "approve", "switch", "compact")
"""Fields of a turn that say what happens to the agent as a whole."""


def check_sessions(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    said: dict[str, str | None] = {}
    for index, turn in enumerate(scenario.conversation):
        path = ("conversation", index)
        if turn.session is not None and not turn.session.strip():
            yield (*path, "session"), "`session` is empty. Name it, such as `b`, or leave it out for the first session."
        if said.setdefault(turn.user_text, turn.session) != turn.session:
            yield (*path, "user"), "the user says the same in another session. Use other words in each."
        if turn.together:
            before = scenario.conversation[index - 1] if index else None
            yield from (((*path, "together"), problem) for problem in _together(turn, before))


def _together(turn: Turn, before: Turn | None) -> Iterator[str]:
    if before is None:
        yield "the first turn has none before it to run at the same time."
    elif before.together:
        yield "the turn before it already runs together with another. Two run at the same time."
    elif before.session == turn.session:
        yield "it is of the same session as the turn before it. Give it another `session`."
    elif alone := next((name for one in (before, turn) for name in ALONE if getattr(one, name)), None):
        yield f"`{alone}` is about the whole agent, and two turns run here. Leave it out of both."


# What a scenario may say with `effects`, how often a tool runs in the whole case.


def check_effects(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    declared = [tool.name for tool in scenario.tools]
    reason = next((why for turn in scenario.conversation if (why := _why_nothing_may_run(scenario, turn))), None)
    for name, wanted in scenario.effects.items():
        path = ("effects", name)
        yield from undeclared(name, path, declared)
        if min(wanted.min or 0, wanted.max or 0) < 0:
            yield path, "a tool runs at least 0 times. Give numbers from 0."
        elif wanted.min is not None and wanted.max is not None and wanted.min > wanted.max:
            yield path, f"`effects` has the minimum {wanted.min} above the maximum {wanted.max}."
        elif wanted.min and reason:
            yield path, f"a right agent may run nothing where there is {reason}. Give only a `max`."


def _why_nothing_may_run(scenario: Scenario, turn: Turn) -> str | None:
    """What of the turn, or of the scenario, lets a right agent end it before a tool has run."""
    if scenario.window is not None:
        return "a `window`"
    for field in ("crash", "cancel", "steer", "approve"):
        if getattr(turn, field):
            return f"a turn with `{field}`"
    if any(tool.approval for tool in scenario.tools):
        return "a tool with `approval`"
    if any(reply.fault for reply in turn.model):
        return "a reply with a `fault`"
    if any(set(reply.quirks) - HARMLESS_QUIRKS for reply in turn.model):
        return "a reply with `quirks`"
    return "`outcome: either`" if turn.expect.outcome == "either" else None
