"""Repairs a history before every request, so that any strict provider accepts it.

Each pass is a small function from history to history; `repair` runs them in order. Whatever a session, a pruner, a
crash or a cancelled turn has left, afterwards the conversation starts with the user, each call has one result with its
id right after the message that made it, and no message is empty.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from agent_conformance.agents.reference import prompts
from agent_conformance.agents.reference.history import Call, Entry, History, Result, error_result

RepairPass = Callable[[History], History]
VALID_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
"""What every provider takes but Mistral: Anthropic these characters, OpenAI's chat completions at most 40."""


def repair(history: History, repair_passes: Iterable[RepairPass]) -> History:
    for repair_pass in repair_passes:
        history = repair_pass(history)
    return history


def merge_system_messages(history: History) -> History:
    """Merge all system messages into one at the start: most providers accept one, and only there."""
    texts = [entry.text for entry in history if entry.role == "system" and entry.text.strip()]
    rest = tuple(entry for entry in history if entry.role != "system")
    return (Entry("system", "\n\n".join(texts)), *rest) if texts else rest


def place_results(history: History) -> History:
    """Move every result right after the message with its call, and drop results without a call.

    Results pair by id, those without one by name and order. The first result of a call counts.
    """
    placed: list[Entry] = []
    results_after: dict[int, list[Result]] = {}
    calling = -1
    for entry in history:
        if entry.role != "results":
            placed.append(entry)
            if entry.calls:
                calling = len(placed) - 1
                results_after[calling] = []
        elif calling >= 0:
            results_after[calling] += entry.results
    for index in reversed(results_after):
        results = _ordered_results(placed[index].calls, results_after[index])
        if results:
            placed.insert(index + 1, Entry("results", results=results))
    return tuple(placed)


def _ordered_results(calls: tuple[Call, ...], results: list[Result]) -> tuple[Result, ...]:
    """One result for each call that has one, in the order of the calls."""
    pool = list(results)
    chosen: list[Result] = []
    for call in calls:
        found = next((result for result in pool if belongs_to(result, call)), None)
        if found is not None:
            pool.remove(found)
            chosen.append(replace(found, name=call.name))
    return tuple(chosen)


def belongs_to(result: Result, call: Call) -> bool:
    if result.call_id and call.id:
        return result.call_id == call.id
    return result.name in (None, call.name)


def unique_ids(history: History) -> History:
    """Give a call a new id, and its result too, if its id is missing, used before, or refused by some provider."""
    used: set[str] = set()
    repaired: list[Entry] = []
    ids: list[str] = []
    for number, entry in enumerate(history):
        fixed = entry
        if entry.calls:
            ids = []
            for place, call in enumerate(entry.calls):
                new_id = (
                    call.id
                    if call.id and VALID_ID.fullmatch(call.id) and call.id not in used
                    else _new_id(number, place, used)
                )
                used.add(new_id)
                ids.append(new_id)
            fixed = replace(entry, calls=tuple(replace(c, id=i) for c, i in zip(entry.calls, ids, strict=True)))
        elif entry.results and len(entry.results) == len(ids):
            fixed = replace(
                entry, results=tuple(replace(r, call_id=i) for r, i in zip(entry.results, ids, strict=True))
            )
        repaired.append(fixed)
    return tuple(repaired)


def _new_id(number: int, place: int, used: set[str]) -> str:
    return next(
        i for extra in range(1000) if (i := f"call_{number}_{place}{'_' * bool(extra)}{extra or ''}") not in used
    )


def answer_open_calls(history: History) -> History:
    """Add a result to a call that an interrupted turn has left without one."""
    repaired: list[Entry] = []
    for index, entry in enumerate(history):
        if entry.role == "results":
            continue
        repaired.append(entry)
        if entry.calls:
            after = history[index + 1] if index + 1 < len(history) else None
            results = list(after.results) if after is not None else []
            repaired.append(Entry("results", results=tuple(_result_or_stub(call, results) for call in entry.calls)))
    return tuple(repaired)


def _result_or_stub(call: Call, results: list[Result]) -> Result:
    found = next((result for result in results if belongs_to(result, call)), None)
    if found is None:
        return error_result(call, prompts.INTERRUPTED)
    results.remove(found)
    return found


def drop_empty(history: History) -> History:
    """Providers refuse empty messages."""
    return tuple(entry for entry in history if not entry.is_empty)


def drop_open_blocks(history: History) -> History:
    """Drop calls of the provider's own tools that have no result, except at the end, where the provider goes on."""
    answered = {block.get("tool_use_id") for entry in history for block in entry.blocks}

    def closed(entry: Entry) -> Entry:
        kept = (b for b in entry.blocks if b["type"] != "server_tool_use" or b["id"] in answered)
        return replace(entry, blocks=tuple(kept))

    return tuple(closed(entry) if entry.blocks and entry is not history[-1] else entry for entry in history)


def drop_leading(history: History) -> History:
    """Drop everything before the first user message but system messages; without a user message nothing."""
    first = next((index for index, entry in enumerate(history) if entry.role == "user"), 0)
    return (*(entry for entry in history[:first] if entry.role == "system"), *history[first:])


def merge_neighbours(history: History) -> History:
    """Merge messages of one role in a row: several providers demand that roles alternate."""
    repaired: list[Entry] = []
    for entry in history:
        last = repaired[-1] if repaired else None
        if last is not None and last.role == entry.role and not (last.blocks or entry.blocks):
            repaired[-1] = replace(
                last,
                text="\n\n".join(text for text in (last.text, entry.text) if text.strip()),
                calls=last.calls + entry.calls,
                results=last.results + entry.results,
                thoughts=last.thoughts + entry.thoughts,
                signature=entry.signature or last.signature,
                pictures=last.pictures + entry.pictures,
            )
        else:
            repaired.append(entry)
    return tuple(repaired)


REPAIR_PASSES: tuple[RepairPass, ...] = (
    merge_system_messages,
    place_results,
    drop_empty,
    answer_open_calls,
    unique_ids,
    drop_open_blocks,
    drop_leading,
    merge_neighbours,
)
