"""Bugs with the model's reasoning: shown, run, or used as an answer."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.history import Call, History, Result
from agent_conformance.agents.reference.pseudo_calls import Cut, Reading, Rules, leave_cuts_out, read_text
from agent_conformance.agents.reference.pseudo_calls.values import TextCall
from agent_mutants.mutant import RIGHT, Mutants

# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()

@MUTANTS.replaces("round_entries", "each block of a reply's reasoning goes back",
    "https://github.com/lidge-jun/opencodex/pull/5140", {"reasoning/thoughts-in-blocks": "1.should.requests*"})
def M22o_last_thought_alone(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
    return RIGHT.round_entries(replace(answer, thoughts=answer.thoughts[-1:]), calls, results)

@MUTANTS.replaces("round_entries", "the model's own signature of a call goes back",
    "https://github.com/musistudio/claude-code-router/pull/1291",
    {"reasoning/signature-goes-back-to-gemini": "1.should.requests*",
     "reasoning/thoughts-go-back-with-the-result": "1.should.requests*"})
def M22p_documented_signature_for_each_call(
    answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]
) -> History:
    return RIGHT.round_entries(answer, tuple(replace(call, signature=None) for call in calls), results)

@MUTANTS.replaces("final_text", "native reasoning is not part of the reply",
    "zeroclaw, reasoning_content does not leak", {"reasoning/field-is-not-the-answer": "stream-is-reply"})
def M22c_thoughts_in_reply(answer: Answer, history: History) -> str:
    return "\n".join([*(thought.text for thought in answer.thoughts), answer.text])

@MUTANTS.replaces("final_text", "native reasoning does not stand in for a reply without text",
    "zeroclaw, reasoning_content_does_not_leak_when_content_empty", {"reasoning/field-alone-is-no-reply": "1.reply"})
def M22d_thoughts_for_want_of_text(answer: Answer, history: History) -> str:
    return answer.text or "\n".join(thought.text for thought in answer.thoughts)

@MUTANTS.replaces("calls_in_text", "a call that is written inside reasoning does not run",
    "https://github.com/PrimeIntellect-ai/renderers/pull/80",
    {"reasoning/call-inside-reasoning[on-lines, tags-with-names]": "declared-only",
     "pseudo-calls/calls-within-thoughts[draft-and-call, torn]": "sent-arguments"})
def M22e_calls_in_thoughts_run(
    answer: Answer, reading: Reading, history: History, names: frozenset[str]
) -> tuple[TextCall, ...]:
    return () if answer.calls else read_text(answer.text, names, Rules(hides_thoughts=False)).calls

MUTANTS.row("M22g_tags_shown", "reasoning tags in a text are not shown",
    "zeroclaw, sanitizes_native_tool_call_text",
    {"reasoning/tags-beside-a-call": "no-protocol-text",
     "pseudo-calls/calls-within-thoughts[draft-alone]": "stream-is-reply",
     "pseudo-calls/calls-within-thoughts[the-same-twice]": "once"}, hides_thoughts=False)

@MUTANTS.replaces("leave_out", "a closing tag of reasoning counts without its opening",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/3765",
    {"reasoning/closing-tag-alone[in-line, on-lines, with-a-prefix, of-mistral]": "no-protocol-text"})
def M22h_pairs_of_tags_only(text: str, cuts: Sequence[Cut]) -> str:
    return leave_cuts_out(text, [cut for cut in cuts if re.match(r"<\w|\[\w", text[cut.start :])])

MUTANTS.row("M51a_foreign_signatures_sent", "what another provider has signed is not sent",
    "https://github.com/can1357/oh-my-pi/issues/6379",
    {"reasoning/signed-by-another[another]": "accepted:*", "turns/switched-to-another-provider[openai]": "accepted:*",
     "turns/overloaded-after-a-call[openai]": "accepted:*",
     "long-sessions/model-changed-after-ten-turns[responses]": "accepted:*"},
    readable_reasoning=lambda history, provider: history)

@MUTANTS.replaces("readable_reasoning", "reasoning without its signature is not sent",
    "https://github.com/openclaw/openclaw/issues/120596",
    {"reasoning/signed-by-another[nobody]": "accepted:anthropic/thinking-signature"})
def M51b_signatures_made_up(history: History, provider: str) -> History:
    """Where the store has lost a signature, the name of the field stands in its place."""
    return tuple(
        replace(
            entry,
            thoughts=tuple(
                replace(thought, signature=thought.signature or "thinking") for thought in entry.thoughts
            ),
        )
        for entry in RIGHT.readable_reasoning(history, provider)
    )

@MUTANTS.replaces("readable_reasoning", "reasoning goes back as it came",
    "https://github.com/anthropics/claude-code/issues/63203",
    {"reasoning/signed-by-another[own]": "accepted:anthropic/thinking-*",
     "reasoning/kept-over-a-restart": "accepted:anthropic/thinking-*"})
def M51c_thoughts_tidied(history: History, provider: str) -> History:
    """The reasoning is rewritten, and keeps the signature of what it was."""
    return tuple(
        replace(
            entry, thoughts=tuple(replace(thought, text=thought.text.rstrip(".")) for thought in entry.thoughts)
        )
        for entry in RIGHT.readable_reasoning(history, provider)
    )

@MUTANTS.replaces("body_bytes", "reasoning goes back with the calls after it where the provider demands it",
    "https://github.com/earendil-works/pi/issues/3636",
    {"reasoning/goes-back-to-deepseek[*]": "accepted:deepseek/reasoning-content-required"})
def M51d_reasoning_field_left_out(body: Mapping[str, Any]) -> bytes:
    """A client that knows the members of OpenAI's messages alone."""
    messages = [
        {name: value for name, value in message.items() if name != "reasoning_content"}
        for message in body.get("messages", ())
    ]
    return RIGHT.body_bytes({**body, "messages": messages} if messages else body)

MUTANTS.row("M22q_refused_thoughts_for_ever", "a thought whose signature was refused is left out",
    "https://github.com/can1357/oh-my-pi/pull/12006", {"reasoning/own-signature-is-refused": "1.*"},
    refuses_thoughts=lambda error, sent: False)
