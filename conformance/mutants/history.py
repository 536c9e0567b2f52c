"""Bugs that leave a history which strict providers refuse: zeroclaw issue 6302, pull 6303, and what came after."""

import re
from dataclasses import replace

from conformance.mutants.mutant import Mutant, untouched
from conformance.reference import Parts, healing
from conformance.reference.healing import Pass
from conformance.reference.pruning import Shorten, tokens
from conformance.reference.turns import Turn, Turns

ISSUE = "https://github.com/zeroclaw-labs/zeroclaw/issues/6302"
PULL = "https://github.com/zeroclaw-labs/zeroclaw/pull/6303"


def without(parts: Parts, *passes: Pass) -> Parts:
    return replace(parts, passes=tuple(p for p in parts.passes if p not in passes))


def instead(parts: Parts, old: Pass, new: Pass) -> Parts:
    return replace(parts, passes=tuple(new if p is old else p for p in parts.passes))


def _last_few(parts: Parts) -> Parts:
    def prune(turns: Turns, budget: int, declared: int, shorten: Shorten) -> Turns:
        if tokens(turns) + declared <= budget:
            return turns
        return (*(turn for turn in turns[:1] if turn.role == "system"), *turns[-4:])

    return replace(parts, prune=prune)


def _not_mended_on_load(parts: Parts) -> Parts:
    return without(parts, healing.drop_leading)


def _leading_model_only(parts: Parts) -> Parts:
    def drop(turns: Turns) -> Turns:
        system = tuple(turn for turn in turns if turn.role == "system")
        rest = [turn for turn in turns if turn.role != "system"]
        while rest and rest[0].role == "model":
            del rest[0]
        return (*system, *rest)

    return instead(parts, healing.drop_leading, drop)


def _orphan_named_in_prose(parts: Parts) -> Parts:
    def answered(turns: Turns) -> Turns:
        kept: list[Turn] = []
        for turn in turns:
            told = " ".join(t.text for t in kept) + " ".join(str(c.id) for t in kept for c in t.calls)
            results = tuple(result for result in turn.results if (result.call_id or "-") in told)
            kept.append(replace(turn, results=results))
        return tuple(kept)

    return instead(without(parts, healing.answer_dangling), healing.seat_results, answered)


def _results_without_calls(parts: Parts) -> Parts:
    def prune(turns: Turns, budget: int, declared: int, shorten: Shorten) -> Turns:
        while tokens(turns) + declared > budget and any(turn.calls for turn in turns):
            first = next(index for index, turn in enumerate(turns) if turn.calls)
            turns = turns[:first] + turns[first + 1 :]
        return turns

    return replace(parts, prune=prune)


def _late_system_dropped(parts: Parts) -> Parts:
    def first_only(turns: Turns) -> Turns:
        systems = tuple(turn for turn in turns if turn.role == "system" and turn.text.strip())
        return (*systems[:1], *(turn for turn in turns if turn.role != "system"))

    return instead(parts, healing.merge_system, first_only)


def _healthy_call_dropped(parts: Parts) -> Parts:
    def strip(turns: Turns) -> Turns:
        roles = ["", *(turn.role for turn in turns)]
        return tuple(t for t, before in zip(turns, roles, strict=False) if not (t.calls and before == "model"))

    return replace(parts, passes=(strip, *parts.passes))


def _dangling_left(parts: Parts) -> Parts:
    return without(parts, healing.answer_dangling)


def _ids_left(parts: Parts) -> Parts:
    return without(parts, healing.unique_ids)


def _results_split(parts: Parts) -> Parts:
    def split(turns: Turns) -> Turns:
        pieces = ([replace(turn, results=(r,)) for r in turn.results] if turn.results else [turn] for turn in turns)
        return tuple(piece for group in pieces for piece in group)

    return replace(parts, passes=(*parts.passes, split))


def _error_before_call(parts: Parts) -> Parts:
    def swap(turns: Turns) -> Turns:
        made = list(turns)
        for i, turn in enumerate(made[1:], 1):
            if turn.results and all(re.match("Error: there is no tool", r.text) for r in turn.results):
                made[i - 1], made[i] = turn, made[i - 1]
        return tuple(made)

    return replace(parts, passes=(*parts.passes, swap))


def _roles_repeated(parts: Parts) -> Parts:
    return without(parts, healing.merge_neighbours)


MUTANTS = (
    Mutant(
        "M2a_prune_first_user",
        "pruning keeps the current user's message and whole groups of calls and results",
        ISSUE,
        (("history/pruned-past-the-user", "*"),),
        _last_few,
    ),
    Mutant(
        "M2b_no_sanitizer_on_load",
        "a restored history is made to begin with the user",
        PULL,
        (("history/begins-with-a-call", "*"),),
        _not_mended_on_load,
    ),
    Mutant(
        "M2c_sanitizer_empties",
        "a history without any user turn is left as it is",
        PULL,
        (),
        untouched,
        reachable=False,
        reason="every step brings a user's message, so that no request is without one",
    ),
    Mutant(
        "M2d_sanitize_only_leading_assistant",
        "results at the head of a history go as well as calls",
        PULL,
        (("history/begins-with-a-*", "*"),),
        _leading_model_only,
    ),
    Mutant(
        "M2e_orphan_by_substring",
        "a result counts as answered only by a call, not by an id in prose",
        "https://github.com/zeroclaw-labs/zeroclaw/issues/5813",
        (("history/orphan-result-named-in-a-summary", "*"),),
        _orphan_named_in_prose,
    ),
    Mutant(
        "M2f_partial_group_drop",
        "a call and its results are pruned together",
        "https://github.com/zeroclaw-labs/zeroclaw/issues/5823",
        (("history/pruned-*", "*"),),
        _results_without_calls,
    ),
    Mutant(
        "M2g_drops_system",
        "system messages in the middle are merged into the first",
        PULL,
        (("history/late-system-message", "*"),),
        _late_system_dropped,
    ),
    Mutant(
        "M2h_overheal",
        "words in front of a call, in a message of their own, do not cost the call",
        "https://github.com/zeroclaw-labs/zeroclaw/issues/7403",
        (("history/preamble-before-a-call-is-kept", "*"),),
        _healthy_call_dropped,
    ),
    Mutant(
        "M5h_skip_before_call",
        "a result stands behind its call",
        "mudler/cogito, ExecuteTools: the skip message is added before the call it answers",
        (("tool-names/invented-name", "*"),),
        _error_before_call,
    ),
    Mutant(
        "M7_dup_id",
        "every call in a request has an id of its own",
        "https://github.com/charmbracelet/crush/issues/3121",
        (("parallel/same-id-twice", "*"),),
        _ids_left,
    ),
    Mutant(
        "M8_parallel_split",
        "the results of one turn go in one message",
        "https://github.com/zeroclaw-labs/zeroclaw/issues/1476",
        (("parallel/all-answered", "accepted:*"),),
        _results_split,
    ),
    Mutant(
        "M12_cancel_dangling",
        "a call that an interrupted step left open gets a result that says so",
        "https://github.com/block/goose/issues/2951",
        (("history/dangling-call*", "*"), ("limits/cancelled-*", "*")),
        _dangling_left,
    ),
    Mutant(
        "M14_roles_repeated",
        "two turns of one role become one",
        "https://github.com/zeroclaw-labs/zeroclaw/issues/937",
        (("history/two-messages-of-one-role", "accepted:*"),),
        _roles_repeated,
        reachable=False,
        reason="openai, anthropic and gemini take several messages of one role in a row",
    ),
)
