"""Bugs that leave a history which strict providers refuse: zeroclaw issue 6302, pull 6303, and later ones."""

import re
from dataclasses import replace
from itertools import pairwise

from agent_conformance.agents.reference import Defences, history_repair
from agent_conformance.agents.reference.history import Entry, History
from agent_conformance.agents.reference.pruning import Shorten, tokens
from agent_mutants.mutant import RIGHT, Mutants

ISSUE = "https://github.com/zeroclaw-labs/zeroclaw/issues/6302"
PULL = "https://github.com/zeroclaw-labs/zeroclaw/pull/6303"


# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()

MUTANTS.shown("M2a_prune_first_user", "pruning keeps the current user's message and whole groups of calls and results",
    ISSUE, {"history/pruned-past-the-user": "*", "history/pruned-between-turns": "*"})

MUTANTS.row("M2b_no_sanitizer_on_load", "a restored history begins with the user", PULL,
    {"history/begins-with-a-call": "user-first",
     "history/begins-with-a-result[assistant-after-the-result]": "user-first",
     "history/begins-with-prose[*]": "user-first"}, drop_leading=None)

MUTANTS.row("M2c_sanitizer_empties", "a history without a user message is left as it is",
    PULL, {}, reason="every turn adds a user message, so that no request is without one")

@MUTANTS.replaces("drop_leading", "results at the start of a history are dropped as well as calls",
    PULL, {"history/begins-with-a-call[*]": "accepted:*", "history/without-any-user[call-and-result]": "accepted:*"})
def M2d_sanitize_only_leading_assistant(history: History) -> History:
    system = tuple(entry for entry in history if entry.role == "system")
    rest = [entry for entry in history if entry.role != "system"]
    while rest and rest[0].role == "model":
        del rest[0]
    return (*system, *rest)

@MUTANTS.replaces("place_results", "a result belongs to a call, not to an id in prose",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/5813",
    {"history/orphan-result-named-in-a-summary": "accepted:*", "history/orphan-result-amid[same-id-again]": "*",
     "history/result-without-an-id": "*"}, answer_open_calls=None)
def M2e_orphan_by_substring(history: History) -> History:
    kept: list[Entry] = []
    for entry in history:
        texts = " ".join(t.text for t in kept) + " ".join(str(c.id) for t in kept for c in t.calls)
        results = tuple(result for result in entry.results if (result.call_id or "-") in texts)
        kept.append(replace(entry, results=results))
    return tuple(kept)

@MUTANTS.replaces("prune", "a call and its results are pruned together",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/5823",
    {"history/pruned-amid-parallel-results": "*",
     "history/pruned-after-restoring[long-prompt-and-answers, a-group-at-the-cut]": "*",
     "history/pruned-between-turns": "*", "history/pruned-past-the-user": "*", "pairs/window-and-*": "accepted:*",
     "pairs/window-with-*": "accepted:*", "pairs/*-with-window": "accepted:*"})
def M2f_partial_group_drop(history: History, budget: int, declared: int, shorten: Shorten) -> History:
    while tokens(history) + declared > budget and any(entry.calls for entry in history):
        first = next(index for index, entry in enumerate(history) if entry.calls)
        history = history[:first] + history[first + 1 :]
    return history

@MUTANTS.replaces("merge_system_messages", "system messages in the middle are merged into the first",
    PULL, {"history/late-system-message": "*requests*"})
def M2g_drops_system(history: History) -> History:
    systems = tuple(entry for entry in history if entry.role == "system" and entry.text.strip())
    return (*systems[:1], *(entry for entry in history if entry.role != "system"))

@MUTANTS.replaces("first_pass", "text before a call, in a message of its own, does not remove the call",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/7403", {"history/preamble-before-a-call-is-kept": "*"})
def M2h_repair_drops_answered_call(history: History) -> History:
    roles = ["", *(entry.role for entry in history)]
    return tuple(t for t, before in zip(history, roles, strict=False) if not (t.calls and before == "model"))

@MUTANTS.replaces("last_pass", "a result comes after its call",
    "mudler/cogito, ExecuteTools: the skip message is added before the call it answers",
    {"tool-names/invented-name[*]": "accepted:*", "tool-names/all-of-a-batch-invented": "accepted:*"})
def M5h_skip_before_call(history: History) -> History:
    changed = list(history)
    for i, entry in enumerate(changed[1:], 1):
        if entry.results and all(re.match("Error: there is no tool", r.text) for r in entry.results):
            changed[i - 1], changed[i] = entry, changed[i - 1]
    return tuple(changed)

MUTANTS.shown("M8a_one_result_each", "every result of a batch is kept, not only the one right after the calls",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/5743",
    {"parallel/all-answered": "paired", "history/parallel-calls-are-kept": "paired"})

@MUTANTS.replaces("last_pass", "the results of one turn go in one message",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/1476", {},
    reason="openai, anthropic and gemini accept the results of one turn in several messages in a row")
def M8_parallel_split(history: History) -> History:
    pieces = (
        [replace(entry, results=(r,)) for r in entry.results] if entry.results else [entry] for entry in history
    )
    return tuple(piece for group in pieces for piece in group)

MUTANTS.shown("M12_cancel_dangling", "a call that an interrupted turn left open gets a result that says so",
    "https://github.com/block/goose/issues/2951",
    {"history/dangling-call[*]": "*", "history/dangling-call-with-text": "*",
     "history/half-answered-batch[first-is-answered, second-is-answered]": "*", "limits/cancelled-at-a-tool": "*",
     "limits/cancelled-in-a-batch": "*"})

MUTANTS.row("M14_roles_repeated", "two messages of one role become one",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/937", {"history/two-messages-of-one-role": "accepted:*"},
    merge_neighbours=None, reason="openai, anthropic and gemini accept several messages of one role in a row")

@MUTANTS.replaces("drop_leading", "the instructions stay when the start of a history is dropped",
    PULL, {"history/without-any-user[prose-and-a-result]": "1.requests*"})
def M2i_head_dropped_whole(history: History) -> History:
    first = next((index for index, entry in enumerate(history) if entry.role == "user"), 0)
    return history[first:] if any(entry.role != "system" for entry in history[:first]) else history

@MUTANTS.changes("a result needs a call, not only an assistant message before it",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/5743",
    {"history/orphan-result-after-collapse[truncated, exchange-collapsed]": "accepted:*"})
def M2j_result_after_any_answer(defences: Defences) -> Defences:
    def repaired(history: History) -> History:
        results_after = {a.text: b for a, b in pairwise(history) if b.results and a.role == "model" and not a.calls}
        changed: list[Entry] = []
        for entry in history_repair.repair(history, RIGHT.repair_passes):
            changed += [entry, results_after[entry.text]] if entry.text in results_after else [entry]
        return tuple(changed)

    return replace(defences, repair_passes=(repaired,))

MUTANTS.row("M2k_blanks_left", "empty messages are not sent",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/7061",
    {"history/empty-assistant-message[nothing, blanks]": "accepted:*"}, drop_empty=None)

@MUTANTS.replaces("merge_neighbours", "of two messages of one role both texts stay",
    "mudler/cogito, decision messages: neighbours of one role are joined",
    {"history/two-messages-of-one-role[two-of-the-assistant, two-of-the-user]": "1.requests*"})
def M2l_later_of_two(history: History) -> History:
    following = (*history[1:], None)
    return tuple(t for t, after in zip(history, following, strict=True) if after is None or after.role != t.role)

@MUTANTS.replaces("answer_open_calls", "a call without a result removes neither the text nor the other results",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/7863",
    {"history/dangling-call-with-text": "1.should.*", "history/half-answered-batch[first-is-answered]": "1.requests*"})
def M2m_unanswered_deleted(history: History) -> History:
    kept: list[Entry] = []
    for entry, after in zip(history, (*history[1:], Entry("user")), strict=True):
        whole = not entry.calls or len(entry.calls) == len(after.results)
        stranded = entry.results and not (kept and kept[-1].calls)
        kept += [entry] if whole and not stranded else []
    return tuple(kept)

@MUTANTS.replaces("prune", "a long turn is pruned while it runs, not only before it",
    PULL, {"history/pruned-past-the-user": "fits"})
def M2n_this_turn_unpruned(history: History, budget: int, declared: int, shorten: Shorten) -> History:
    start = max(index for index, entry in enumerate(history) if entry.role == "user")
    return (*RIGHT.prune(history[: start + 1], budget, declared, shorten), *history[start + 1 :])

MUTANTS.row("M2s_overflow_not_recognised", "a request that is too long for the model is shortened",
    "https://github.com/aaif-goose/goose/issues/11048",
    {"limits/result-larger-than-the-window": "survives", "limits/older-turns-larger-than-the-window": "1.should.*"},
    does_not_fit=lambda error: False)
