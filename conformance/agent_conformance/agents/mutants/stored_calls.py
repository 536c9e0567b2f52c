"""Bugs with what stands in the history as it came: calls without an id, a name or arguments, and long messages."""

from dataclasses import replace

from agent_conformance.adapter.types import AgentError
from agent_conformance.agents.mutants.history import instead
from agent_conformance.agents.mutants.mutant import Mutant
from agent_conformance.agents.reference import Defences, history_repair
from agent_conformance.agents.reference.history import Entry, History
from agent_conformance.agents.reference.pruning import Shorten, tokens


def _unreadable_call_ends_session(defences: Defences) -> Defences:
    def decoded(history: History) -> History:
        if any(call.arguments is None for entry in history for call in entry.calls):
            raise AgentError("tool call arguments must be a JSON object")
        return history

    return replace(defences, repair_passes=(decoded, *defences.repair_passes))


def _blank_id_is_an_id(defences: Defences) -> Defences:
    def unique(history: History) -> History:
        blank = any(call.id == "" for entry in history for call in entry.calls)
        return history if blank else history_repair.unique_ids(history)

    return instead(defences, history_repair.unique_ids, unique)


def _missing_id_left_out(defences: Defences) -> Defences:
    def closed(history: History) -> History:
        return tuple(replace(entry, calls=tuple(call for call in entry.calls if call.id)) for entry in history)

    return replace(defences, repair_passes=(closed, *defences.repair_passes))


def _nameless_call_dropped(defences: Defences) -> Defences:
    def named(history: History) -> History:
        entries = (replace(entry, calls=tuple(call for call in entry.calls if call.name)) for entry in history)
        return tuple(entry for entry in entries if not entry.is_empty)

    return replace(defences, repair_passes=(*defences.repair_passes, named))


def _long_message_dropped(defences: Defences) -> Defences:
    def prune(history: History, budget: int, declared: int, shorten: Shorten) -> History:
        while tokens(history) + declared > budget and len(history) > 1:
            longest = max(history, key=lambda entry: tokens((entry,)))
            history = tuple(entry for entry in history if entry is not longest)
        return history if any(entry.role == "user" for entry in history) else (*history, Entry("user", "Go on."))

    return replace(defences, prune=prune)


def _read_to_the_first_bad_call(defences: Defences) -> Defences:
    """Of a stored session all after a call without arguments is left out, until the message of the user."""

    def readable(history: History) -> History:
        bad = next((n for n, entry in enumerate(history) if any(not c.arguments for c in entry.calls)), len(history))
        now = max(n for n, entry in enumerate(history) if entry.role == "user")
        return (*history[: min(bad, now)], *history[now:])

    return replace(defences, repair_passes=(readable, *defences.repair_passes))


MUTANTS = (
    Mutant(
        "M54f_read_to_the_first_bad_call",
        "what comes after a stored call without arguments is sent",
        "https://github.com/MoonshotAI/kimi-cli/issues/2165",
        (("history/arguments-that-do-not-parse[nothing]", "1.*"),),
        _read_to_the_first_bad_call,
    ),
    Mutant(
        "M54a_unreadable_call_ends_session",
        "a stored call is sent also if its arguments cannot be read",
        "https://github.com/MoonshotAI/kimi-cli/issues/2165",
        (("history/arguments-that-do-not-parse[cut-off]", "*"),),
        _unreadable_call_ends_session,
    ),
    Mutant(
        "M54b_blank_id_is_an_id",
        "a stored call whose id is blank gets one",
        "https://github.com/earendil-works/pi/issues/4854",
        (("history/call-without-an-id[blank]", "accepted:*"),),
        _blank_id_is_an_id,
    ),
    Mutant(
        "M54c_missing_id_left_out",
        "a stored call without an id is sent with its result",
        "https://github.com/EvoScientist/EvoScientist/pull/399",
        (("history/call-without-an-id[*]", "1.should.*"),),
        _missing_id_left_out,
    ),
    Mutant(
        "M54d_nameless_call_dropped",
        "a call without a name is sent with its result, or neither is",
        "https://github.com/NousResearch/hermes-agent/pull/11435",
        (("tool-names/call-without-a-name", "accepted:*"),),
        _nameless_call_dropped,
    ),
    Mutant(
        "M54e_long_message_dropped",
        "pruning keeps the message of the turn, also if it is the longest",
        "https://github.com/anomalyco/opencode/issues/17340",
        (("limits/message-longer-than-the-limit", "asked"),),
        _long_message_dropped,
    ),
)
