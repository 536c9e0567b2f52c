"""Bugs with calls as text that are cut off, cannot be read, or stand in a frame of their own."""

import re
from dataclasses import replace

from agent_conformance.adapter.types import AgentError
from agent_conformance.agents.mutants.dialects import VLLM, ZEROCLAW, caught, changed_readers
from agent_conformance.agents.mutants.history import instead, without
from agent_conformance.agents.mutants.mutant import Mutants
from agent_conformance.agents.reference import Defences, history_repair
from agent_conformance.agents.reference.history import Entry, History, Result
from agent_conformance.agents.reference.pruning import Shorten, tokens
from agent_conformance.agents.reference.pseudo_calls.blocks import Block, Position, Reader
from agent_conformance.agents.reference.pseudo_calls.values import TextCall

MUTANTS = Mutants()


@MUTANTS.add(
    "M25p_cut_off_completed",
    "a call that was cut off is not completed and run",
    ZEROCLAW,
    caught(
        "cut-off-inside-a-tag[half-a-*value, half-a-section, half-a-named-tag, half-a-fence, half-an-*, shorthand]",
        by="*",
    ),
)
def _cut_off_completed(defences: Defences) -> Defences:
    """Also in a reply that the limit on tokens ended."""

    def completing(read: Reader) -> Reader:
        def complete(position: Position) -> Block | None:
            block = read(position)
            value = re.search(r"(\w+)\Z", position.text)
            if block is None or block.calls or block.end < len(position.text) or value is None:
                return block
            return replace(block, calls=(TextCall("get_weather", {"city": value[1]}),))

        return complete

    return replace(changed_readers(defences, completing), may_run=lambda answer: True)


@MUTANTS.add(
    "M25q_unreadable_shown",
    "what was meant as a call and does not parse is no answer",
    VLLM,
    caught("broken-calls[*]", "broken-blocks[*]", "invented-results[function-response]"),
)
def _unreadable_shown(defences: Defences) -> Defences:
    def strict(read: Reader) -> Reader:
        def readable(position: Position) -> Block | None:
            block = read(position)
            return block if block is None or block.calls or block.mark else None

        return readable

    return changed_readers(defences, strict)


@MUTANTS.add(
    "M25y_frames_hidden",
    "an answer in the frame of a call is an answer",
    "https://github.com/ggml-org/llama.cpp/blob/master/tests/test-chat.cpp",
    caught(
        "answers-in-frames[direct-answer, final-*, response-*]",
        by="1.should.reply",
    ),
)
def _frames_hidden(defences: Defences) -> Defences:
    def hiding(read: Reader) -> Reader:
        def hide(position: Position) -> Block | None:
            block = read(position)
            framed = block is not None and block.mark and (block.show or block.end - block.start > 10)
            return Block(position.at, len(position.text)) if framed else block

        return hide

    return changed_readers(defences, hiding)


IDS_MUTANTS = Mutants()


@IDS_MUTANTS.add(
    "M7_dup_id",
    "every call in a request has its own id",
    "https://github.com/charmbracelet/crush/issues/3121",
    (("history/foreign-ids[long, with-a-colon, with-a-pipe, named-like-a-function]", "accepted:*"),),
)
def _ids_left(defences: Defences) -> Defences:
    return without(defences, history_repair.unique_ids)


@IDS_MUTANTS.add(
    "M7b_ids_results_fixed_by_id",
    "an id that is used again is a new call with its own result",
    "fastagent issue 26: ids settled over the whole session",
    (("history/ids-used-twice", "own-result"), ("parallel/ids-come-again", "own-result")),
)
def _results_fixed_by_id(defences: Defences) -> Defences:
    def settled(history: History) -> History:
        texts: dict[str | None, str] = {}

        def first(result: Result) -> Result:
            return replace(result, text=texts.setdefault(result.call_id, result.text)) if result.call_id else result

        return tuple(replace(entry, results=tuple(first(result) for result in entry.results)) for entry in history)

    return replace(defences, repair_passes=(settled, *defences.repair_passes))


@IDS_MUTANTS.add(
    "M7c_results_kept_by_id",
    "each call has its own result, even when two have one id",
    "langchain-google-genai 4.4.2: of two calls under one id, one result is sent",
    (("parallel/same-id-twice", "*"),),
)
def _results_kept_by_id(defences: Defences) -> Defences:
    def last(history: History) -> History:
        return tuple(
            replace(
                entry, results=tuple({result.call_id or n: result for n, result in enumerate(entry.results)}.values())
            )
            for entry in history
        )

    return replace(defences, repair_passes=(last, *defences.repair_passes))


@IDS_MUTANTS.add(
    "M2r_results_without_id_dropped",
    "a result without an id belongs to the call before it",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/5743",
    (("history/result-without-an-id", "1.should.*"),),
)
def _results_without_id_dropped(defences: Defences) -> Defences:
    def named(history: History) -> History:
        return tuple(replace(entry, results=tuple(r for r in entry.results if r.call_id)) for entry in history)

    return replace(defences, repair_passes=(named, *defences.repair_passes))


STORED_CALLS_MUTANTS = Mutants()


@STORED_CALLS_MUTANTS.add(
    "M54f_read_to_the_first_bad_call",
    "what comes after a stored call without arguments is sent",
    "https://github.com/MoonshotAI/kimi-cli/issues/2165",
    (("history/arguments-that-do-not-parse[nothing]", "1.*"),),
)
def _read_to_the_first_bad_call(defences: Defences) -> Defences:
    """Of a stored session all after a call without arguments is left out, until the message of the user."""

    def readable(history: History) -> History:
        bad = next((n for n, entry in enumerate(history) if any(not c.arguments for c in entry.calls)), len(history))
        now = max(n for n, entry in enumerate(history) if entry.role == "user")
        return (*history[: min(bad, now)], *history[now:])

    return replace(defences, repair_passes=(readable, *defences.repair_passes))


@STORED_CALLS_MUTANTS.add(
    "M54a_unreadable_call_ends_session",
    "a stored call is sent also if its arguments cannot be read",
    "https://github.com/MoonshotAI/kimi-cli/issues/2165",
    (("history/arguments-that-do-not-parse[cut-off]", "*"),),
)
def _unreadable_call_ends_session(defences: Defences) -> Defences:
    def decoded(history: History) -> History:
        if any(call.arguments is None for entry in history for call in entry.calls):
            raise AgentError("tool call arguments must be a JSON object")
        return history

    return replace(defences, repair_passes=(decoded, *defences.repair_passes))


@STORED_CALLS_MUTANTS.add(
    "M54b_blank_id_is_an_id",
    "a stored call whose id is blank gets one",
    "https://github.com/earendil-works/pi/issues/4854",
    (("history/call-without-an-id[blank]", "accepted:*"),),
)
def _blank_id_is_an_id(defences: Defences) -> Defences:
    def unique(history: History) -> History:
        blank = any(call.id == "" for entry in history for call in entry.calls)
        return history if blank else history_repair.unique_ids(history)

    return instead(defences, history_repair.unique_ids, unique)


@STORED_CALLS_MUTANTS.add(
    "M54c_missing_id_left_out",
    "a stored call without an id is sent with its result",
    "https://github.com/EvoScientist/EvoScientist/pull/399",
    (("history/call-without-an-id[*]", "1.should.*"),),
)
def _missing_id_left_out(defences: Defences) -> Defences:
    def closed(history: History) -> History:
        return tuple(replace(entry, calls=tuple(call for call in entry.calls if call.id)) for entry in history)

    return replace(defences, repair_passes=(closed, *defences.repair_passes))


@STORED_CALLS_MUTANTS.add(
    "M54d_nameless_call_dropped",
    "a call without a name is sent with its result, or neither is",
    "https://github.com/NousResearch/hermes-agent/pull/11435",
    (("tool-names/call-without-a-name", "accepted:*"),),
)
def _nameless_call_dropped(defences: Defences) -> Defences:
    def named(history: History) -> History:
        entries = (replace(entry, calls=tuple(call for call in entry.calls if call.name)) for entry in history)
        return tuple(entry for entry in entries if not entry.is_empty)

    return replace(defences, repair_passes=(*defences.repair_passes, named))


@STORED_CALLS_MUTANTS.add(
    "M54e_long_message_dropped",
    "pruning keeps the message of the turn, also if it is the longest",
    "https://github.com/anomalyco/opencode/issues/17340",
    (("limits/message-longer-than-the-limit", "asked"),),
)
def _long_message_dropped(defences: Defences) -> Defences:
    def prune(history: History, budget: int, declared: int, shorten: Shorten) -> History:
        while tokens(history) + declared > budget and len(history) > 1:
            longest = max(history, key=lambda entry: tokens((entry,)))
            history = tuple(entry for entry in history if entry is not longest)
        return history if any(entry.role == "user" for entry in history) else (*history, Entry("user", "Go on."))

    return replace(defences, prune=prune)
