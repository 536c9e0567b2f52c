"""Documents of every subject, some with more around them: a history, another tool, instructions, a further turn."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from agent_conformance.fuzz.strategies import (
    calls,
    conversations,
    declarations,
    histories,
    rounds,
    settings,
    streams,
    texts,
)
from agent_conformance.fuzz.strategies.parts import KINDS, SYSTEMS, Draw, chance, one_of, some_of, tool_of, turn
from agent_conformance.minimise.documents import Document

Strategy = st.SearchStrategy[Document]

WEIGHTS: Mapping[Strategy, int] = {
    rounds.rounds(): 6,
    rounds.parallel(): 5,
    rounds.any_result(): 5,
    rounds.any_arguments(): 5,
    rounds.long_numbers(): 1,
    rounds.answers(): 3,
    rounds.streamed_text(): 2,
    calls.unknown_names(): 4,
    calls.only_unknown_names(): 3,
    calls.near_names(): 2,
    calls.names_of_others(): 2,
    calls.disabled_tools(): 2,
    declarations.broken_arguments(): 3,
    declarations.loose_arguments(): 2,
    declarations.wrapped_arguments(): 2,
    declarations.odd_numbers(): 1,
    declarations.no_arguments(): 2,
    calls.nameless_calls(): 1,
    calls.odd_ids(): 3,
    calls.loops(): 2,
    declarations.odd_names(): 4,
    declarations.odd_schemas(): 5,
    declarations.many_tools(): 1,
    declarations.enabled_and_disabled(): 3,
    declarations.without_tools(): 3,
    declarations.calls_without_tools(): 3,
    declarations.nothing_is_taught(): 2,
    texts.written_calls(): 16,
    texts.broken_calls(): 6,
    texts.look_alikes(): 14,
    texts.framed_answers(): 4,
    texts.two_written_calls(): 1,
    texts.native_and_written(): 1,
    texts.injected_calls(): 2,
    texts.written_values(): 2,
    streams.sloppy_calls(): 5,
    streams.harmless_oddities(): 4,
    streams.passing_faults(): 7,
    streams.lasting_faults(): 1,
    streams.patience(): 1,
    streams.half_calls(): 3,
    streams.odd_finishes(): 4,
    streams.empty_answers(): 2,
    streams.failing_tools(): 2,
    streams.reasoning(): 5,
    histories.whole_histories(): 6,
    histories.damaged_histories(): 14,
    histories.without_any_user(): 1,
    histories.signed_reasoning(): 3,
    conversations.remembered_turns(): 5,
    conversations.many_short_turns(): 1,
    conversations.cancelled_turns(): 3,
    conversations.killed_turns(): 2,
    conversations.sessions(): 3,
    conversations.approvals(): 5,
    conversations.steered_turns(): 2,
    conversations.changed_models(): 3,
    conversations.second_providers(): 2,
    settings.pruned_turns(): 6,
    settings.long_messages(): 2,
    settings.full_windows(): 3,
    settings.truncating_windows(): 1,
    settings.chosen_tools(): 2,
    settings.shaped_answers(): 2,
    settings.paused_turns(): 3,
    rounds.pictures(): 6,
    settings.half_characters(): 2,
    settings.other_providers(): 3,
}
"""How often each subject is drawn, by how many different bugs are known of it."""
_DRAWN = [strategy for strategy, weight in WEIGHTS.items() for _ in range(weight)]
ITS_OWN = frozenset(
    {"limits", "window", "fallback", "tool_choice", "output_schema", "server_tools", "history", "needs"}
)
"""Fields of documents that nothing is put around: their sizes and first replies matter."""
SHOWN = {"handling": "show"}
ALONE = frozenset({"session", "switch", "crash", "steer", "approve", "tools", "cancel", "restart"})
"""Fields of turns that say what a later turn is."""


@st.composite
def documents(draw: Draw) -> Document:
    """One document, for any agent; which wire and mode it is tried on, the caller draws."""
    made: Document = draw(draw(st.sampled_from(_DRAWN)))
    if any(reply.get("means", SHOWN) != SHOWN for one in made["conversation"] for reply in one.get("model", ())):
        made = {**made, "written_by": ["open-models"]}
    if made.keys() & ITS_OWN or any(one.keys() & ALONE for one in made["conversation"]):
        return made
    if "system" not in made and chance(draw, 25):
        made = {**made, "system": one_of(draw, SYSTEMS)}
    if made.get("tools") and chance(draw, 20):
        made = _with_other_tools(draw, made)
    if chance(draw, 15):
        # One or two questions with answers, before the conversation
        count = draw(st.integers(1, 2))
        made = {
            **made,
            "history": [
                message
                for number in range(1, count + 1)
                for message in ({"user": f"What was on day {number}?"}, {"assistant": f"On day {number} it rained."})
            ],
        }
    if chance(draw, 20):
        # One more turn, in which nothing special happens
        answer = "You are welcome, as ever."
        more: dict[str, Any] = {"restart": True} if chance(draw, 30) else {}
        last = turn("Thank you for all of this.", [{"text": answer}], {"reply": answer}, **more)
        made = {**made, "conversation": [*made["conversation"], last]}
    order = ("tools", "history", "conversation")
    return {
        key: made[key] for key in (*(key for key in made if key not in order), *(key for key in order if key in made))
    }


def _with_other_tools(draw: Draw, made: Document) -> Document:
    """With tools that nobody calls, enabled if another one is, before or behind the others."""
    there = {tool["name"] for tool in made["tools"]}
    if len(there) > 8 or not any(tool.get("enabled", True) for tool in made["tools"]) or "look_up" in str(made):
        return made
    more = [tool_of(kind) for kind in some_of(draw, KINDS, 1, 2) if kind.name not in there]
    tools = [*more, *made["tools"]] if chance(draw, 50) else [*made["tools"], *more]
    return {**made, "tools": tools}
