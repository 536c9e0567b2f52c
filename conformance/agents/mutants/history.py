"""Bugs that leave a history which strict providers refuse: zeroclaw issue 6302, pull 6303, and what came after."""

import re
from dataclasses import replace
from itertools import pairwise

from conformance.agents.mutants.mutant import Mutant, untouched
from conformance.agents.reference import Parts, healing
from conformance.agents.reference.healing import Pass
from conformance.agents.reference.pruning import Shorten, tokens
from conformance.agents.reference.turns import Result, Turn, Turns

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


def _head_dropped_whole(parts: Parts) -> Parts:
    def drop(turns: Turns) -> Turns:
        first = next((index for index, turn in enumerate(turns) if turn.role == "user"), 0)
        return turns[first:] if any(turn.role != "system" for turn in turns[:first]) else turns

    return instead(parts, healing.drop_leading, drop)


def _result_after_any_answer(parts: Parts) -> Parts:
    def healed(turns: Turns) -> Turns:
        behind = {a.text: b for a, b in pairwise(turns) if b.results and a.role == "model" and not a.calls}
        made: list[Turn] = []
        for turn in healing.heal(turns, parts.passes):
            made += [turn, behind[turn.text]] if turn.text in behind else [turn]
        return tuple(made)

    return replace(parts, passes=(healed,))


def _blanks_left(parts: Parts) -> Parts:
    return without(parts, healing.drop_blank)


def _later_of_two(parts: Parts) -> Parts:
    def latest(turns: Turns) -> Turns:
        following = (*turns[1:], None)
        return tuple(t for t, after in zip(turns, following, strict=True) if after is None or after.role != t.role)

    return instead(parts, healing.merge_neighbours, latest)


def _unanswered_deleted(parts: Parts) -> Parts:
    def deleted(turns: Turns) -> Turns:
        kept: list[Turn] = []
        for turn, after in zip(turns, (*turns[1:], Turn("user")), strict=True):
            whole = not turn.calls or len(turn.calls) == len(after.results)
            stranded = turn.results and not (kept and kept[-1].calls)
            kept += [turn] if whole and not stranded else []
        return tuple(kept)

    return instead(parts, healing.answer_dangling, deleted)


def _this_step_unpruned(parts: Parts) -> Parts:
    def prune(turns: Turns, budget: int, declared: int, shorten: Shorten) -> Turns:
        asked = max(index for index, turn in enumerate(turns) if turn.role == "user")
        return (*parts.prune(turns[: asked + 1], budget, declared, shorten), *turns[asked + 1 :])

    return replace(parts, prune=prune)


def _settled_for_good(parts: Parts) -> Parts:
    def settled(turns: Turns) -> Turns:
        texts: dict[str | None, str] = {}

        def first(result: Result) -> Result:
            return replace(result, text=texts.setdefault(result.call_id, result.text)) if result.call_id else result

        return tuple(replace(turn, results=tuple(first(result) for result in turn.results)) for turn in turns)

    return replace(parts, passes=(settled, *parts.passes))


def _no_id_no_result(parts: Parts) -> Parts:
    def named(turns: Turns) -> Turns:
        return tuple(replace(turn, results=tuple(r for r in turn.results if r.call_id)) for turn in turns)

    return replace(parts, passes=(named, *parts.passes))


MUTANTS = (
    Mutant(
        "M2a_prune_first_user",
        "pruning keeps the current user's message and whole groups of calls and results",
        ISSUE,
        (("history/pruned-past-the-user", "*"), ("history/pruned-between-turns", "*")),
        _last_few,
    ),
    Mutant(
        "M2b_no_sanitizer_on_load",
        "a restored history is made to begin with the user",
        PULL,
        (("history/begins-with-a-*", "user-first"), ("history/begins-with-prose", "user-first")),
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
        (("history/begins-with-a-call", "accepted:*"), ("history/without-any-user", "accepted:*")),
        _leading_model_only,
    ),
    Mutant(
        "M2e_orphan_by_substring",
        "a result counts as answered only by a call, not by an id in prose",
        "https://github.com/zeroclaw-labs/zeroclaw/issues/5813",
        (
            ("history/orphan-result-named-in-a-summary", "accepted:*"),
            ("history/orphan-result-amid", "*"),
            ("history/result-without-an-id", "*"),
        ),
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
        (("history/late-system-message", "*requests*"),),
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
        (("tool-names/invented-name", "accepted:*"), ("tool-names/all-of-a-batch-invented", "accepted:*")),
        _error_before_call,
    ),
    Mutant(
        "M7_dup_id",
        "every call in a request has an id of its own",
        "https://github.com/charmbracelet/crush/issues/3121",
        (("parallel/same-id-twice", "accepted:*"), ("history/foreign-ids", "accepted:*")),
        _ids_left,
    ),
    Mutant(
        "M8_parallel_split",
        "the results of one turn go in one message",
        "https://github.com/zeroclaw-labs/zeroclaw/issues/1476",
        (("parallel/all-answered", "accepted:*"), ("history/parallel-calls-are-kept", "accepted:*")),
        _results_split,
    ),
    Mutant(
        "M12_cancel_dangling",
        "a call that an interrupted step left open gets a result that says so",
        "https://github.com/block/goose/issues/2951",
        (
            ("history/dangling-call*", "*"),
            ("history/half-answered-batch", "*"),
            ("limits/cancelled-at-a-tool", "*"),
        ),
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
    Mutant(
        "M2i_head_dropped_whole",
        "the instructions stay when the head of a history goes",
        PULL,
        (("history/without-any-user", "1.requests*"),),
        _head_dropped_whole,
    ),
    Mutant(
        "M2j_result_after_any_answer",
        "a result needs a call, and not only a message of the assistant above it",
        "https://github.com/zeroclaw-labs/zeroclaw/issues/5743",
        (("history/orphan-result-after-collapse", "accepted:*"),),
        _result_after_any_answer,
    ),
    Mutant(
        "M2k_blanks_left",
        "empty messages are not sent",
        "https://github.com/zeroclaw-labs/zeroclaw/issues/7061",
        (("history/empty-assistant-message", "accepted:*"),),
        _blanks_left,
    ),
    Mutant(
        "M2l_later_of_two",
        "of two turns of one role both texts stay",
        "mudler/cogito, decision messages: neighbours of one role are joined",
        (("history/two-messages-of-one-role", "1.requests*"),),
        _later_of_two,
    ),
    Mutant(
        "M2m_unanswered_deleted",
        "a call without a result costs neither the words nor the results beside it",
        "https://github.com/zeroclaw-labs/zeroclaw/issues/7863",
        (("history/dangling-call-with-text", "1.should.*"), ("history/half-answered-batch", "1.requests*")),
        _unanswered_deleted,
    ),
    Mutant(
        "M2n_this_step_unpruned",
        "a long step is pruned while it goes on, not only before it",
        PULL,
        (("history/pruned-past-the-user", "1.requests*"),),
        _this_step_unpruned,
    ),
    Mutant(
        "M7b_ids_settled_for_good",
        "an id that comes again is a new call with a result of its own",
        "fastagent issue 26: ids settled over the whole session",
        (("history/ids-used-twice", "1.requests*"), ("parallel/ids-come-again", "2.should.*")),
        _settled_for_good,
    ),
    Mutant(
        "M2r_no_id_no_result",
        "a result without an id belongs to the call above it",
        "https://github.com/zeroclaw-labs/zeroclaw/issues/5743",
        (("history/result-without-an-id", "1.should.*"),),
        _no_id_no_result,
    ),
)
