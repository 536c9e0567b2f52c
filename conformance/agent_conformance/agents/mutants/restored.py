"""Bugs with histories of earlier sessions: trusted as they are, or tidied until something is missing."""

from dataclasses import replace

from agent_conformance.agents.mutants.history import without
from agent_conformance.agents.mutants.mutant import Mutant
from agent_conformance.agents.reference import Defences, history_repair
from agent_conformance.agents.reference.history import Entry, History

ZEROCLAW = "https://github.com/zeroclaw-labs/zeroclaw/issues/5743"


def _trusted(defences: Defences) -> Defences:
    return without(
        defences, history_repair.place_results, history_repair.answer_open_calls, history_repair.drop_leading
    )


def _foreign_calls_dropped(defences: Defences) -> Defences:
    def own(entry: Entry) -> Entry:
        calls = tuple(c for c in entry.calls if (c.id or "").startswith(("call_", "toolu_", "chatcmpl-tool-")))
        return replace(entry, calls=calls)

    return replace(defences, repair_passes=(lambda history: tuple(map(own, history)), *defences.repair_passes))


def _batch_dropped_with_a_stray(defences: Defences) -> Defences:
    """A result that belongs to no call makes the whole round invalid."""

    def valid(history: History) -> History:
        ids = {call.id for entry in history for call in entry.calls}
        stray = {id(e) for e in history if any(result.call_id not in ids for result in e.results)}
        pairs = zip(history, (*history[1:], Entry("user")), strict=True)
        return tuple(entry for entry, after in pairs if id(entry) not in stray and id(after) not in stray)

    return replace(defences, repair_passes=(valid, *defences.repair_passes))


def _answers_not_restored(defences: Defences) -> Defences:
    """Of the model's messages only those with calls are stored."""

    def with_calls(history: History) -> History:
        return tuple(entry for entry in history if entry.role != "model" or entry.calls)

    return replace(defences, repair_passes=(with_calls, *defences.repair_passes))


def _restored_instructions_dropped(defences: Defences) -> Defences:
    def first_request(history: History) -> History:
        return (*history[:1], *(entry for entry in history[1:] if entry.role != "system"))

    return replace(defences, repair_passes=(first_request, *defences.repair_passes))


MUTANTS = (
    Mutant(
        "M73a_restored_as_it_is",
        "results at the start of a restored history are not sent",
        ZEROCLAW,
        (("history/begins-with-a-result[one-result, two-results]", "accepted:*"),),
        _trusted,
    ),
    Mutant(
        "M73b_foreign_calls_dropped",
        "a call of another provider stays in the history",
        "https://github.com/unslothai/unsloth/issues/9116",
        (("history/foreign-ids[nine-letters]", "1.requests*"),),
        _foreign_calls_dropped,
    ),
    Mutant(
        "M73c_batch_dropped_with_a_stray",
        "a stray result is removed without the pair beside it",
        ZEROCLAW,
        (("history/orphan-result-amid[other-id]", "1.requests*"),),
        _batch_dropped_with_a_stray,
    ),
    Mutant(
        "M73d_answers_not_restored",
        "what the model said in words is restored",
        "https://github.com/zeroclaw-labs/zeroclaw/issues/7403",
        (("history/well-formed-is-kept[prose]", "1.requests*"),),
        _answers_not_restored,
    ),
    Mutant(
        "M73e_restored_instructions_dropped",
        "the system message of a restored history is sent",
        "https://github.com/zeroclaw-labs/zeroclaw/pull/6303",
        (("history/without-any-user[only-system]", "1.requests*"),),
        _restored_instructions_dropped,
    ),
)
