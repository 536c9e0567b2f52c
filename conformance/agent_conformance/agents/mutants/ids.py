"""Bugs with the ids of calls and results: used twice, settled once for all, or missing."""

from dataclasses import replace

from agent_conformance.agents.mutants.history import without
from agent_conformance.agents.mutants.mutant import Mutant
from agent_conformance.agents.reference import Defences, history_repair
from agent_conformance.agents.reference.history import History, Result


def _ids_left(defences: Defences) -> Defences:
    return without(defences, history_repair.unique_ids)


def _results_fixed_by_id(defences: Defences) -> Defences:
    def settled(history: History) -> History:
        texts: dict[str | None, str] = {}

        def first(result: Result) -> Result:
            return replace(result, text=texts.setdefault(result.call_id, result.text)) if result.call_id else result

        return tuple(replace(entry, results=tuple(first(result) for result in entry.results)) for entry in history)

    return replace(defences, repair_passes=(settled, *defences.repair_passes))


def _results_kept_by_id(defences: Defences) -> Defences:
    def last(history: History) -> History:
        return tuple(
            replace(
                entry, results=tuple({result.call_id or n: result for n, result in enumerate(entry.results)}.values())
            )
            for entry in history
        )

    return replace(defences, repair_passes=(last, *defences.repair_passes))


def _results_without_id_dropped(defences: Defences) -> Defences:
    def named(history: History) -> History:
        return tuple(replace(entry, results=tuple(r for r in entry.results if r.call_id)) for entry in history)

    return replace(defences, repair_passes=(named, *defences.repair_passes))


MUTANTS = (
    Mutant(
        "M7_dup_id",
        "every call in a request has its own id",
        "https://github.com/charmbracelet/crush/issues/3121",
        (("history/foreign-ids[long, with-a-colon, with-a-pipe, named-like-a-function]", "accepted:*"),),
        _ids_left,
    ),
    Mutant(
        "M7b_ids_results_fixed_by_id",
        "an id that is used again is a new call with its own result",
        "fastagent issue 26: ids settled over the whole session",
        (("history/ids-used-twice", "1.requests*"), ("parallel/ids-come-again", "2.should.*")),
        _results_fixed_by_id,
    ),
    Mutant(
        "M7c_results_kept_by_id",
        "each call has its own result, even when two have one id",
        "langchain-google-genai 4.4.2: of two calls under one id, one result is sent",
        (("parallel/same-id-twice", "*"),),
        _results_kept_by_id,
    ),
    Mutant(
        "M2r_results_without_id_dropped",
        "a result without an id belongs to the call before it",
        "https://github.com/zeroclaw-labs/zeroclaw/issues/5743",
        (("history/result-without-an-id", "1.should.*"),),
        _results_without_id_dropped,
    ),
)
