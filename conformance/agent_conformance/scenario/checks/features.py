"""Which fields of a scenario exclude each other: switches, fallbacks, windows, crashes, sessions, effects."""

from collections.abc import Iterator

from agent_conformance.scenario.checks import (
    Found,
    demands_of,
    undeclared,
)
from agent_conformance.scenario.model import (
    Scenario,
    ThinkingSpec,
    Turn,
)
from agent_conformance.scenario.yaml_files import did_you_mean, listed
from fake_providers import PROVIDERS
from fake_providers.reply import HARMLESS_QUIRKS
from fake_providers.wire_facts import SIGN_REASONING, WIRE_FACTS

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
    session = scenario.conversation[index].session
    is_new = all(before.session != session for before in scenario.conversation[:index])
    if is_new and (session is not None or not scenario.history):
        yield "before its first turn nothing was said yet. Ask for it in a later turn, or give a `history`."
    if scenario.conversation[index].switch is not None:
        yield "`switch` and `compact` both come before the turn. Give each a turn."


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
