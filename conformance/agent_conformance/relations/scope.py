"""Which cases a relation is about: those in which what it changes must not matter, whatever the agent's style.

Knows the format of scenarios.
"""

from collections.abc import Iterator
from typing import Literal, get_args

from agent_conformance.scenario.cases import Case
from agent_conformance.scenario.derived.faults import fault_of
from agent_conformance.scenario.derived.pictures import has_pictures
from agent_conformance.scenario.model import ReplySpec, Scenario, Turn
from fake_providers.provider_facts import own_provider
from fake_providers.reply import HARMLESS_QUIRKS

Relation = Literal["repeat", "stream", "cuts", "wire", "names", "order"]

RELATIONS: tuple[Relation, ...] = get_args(Relation)


MOST_ROUNDS = 3
"""Answers with calls in one turn that no agent takes for a loop."""


def is_about(relation: Relation, case: Case) -> bool:
    scenario = case.scenario
    if depends_on_time(scenario):
        return False
    match relation:
        case "stream" | "cuts":
            return case.mode == "stream" and not any(map(_depends_on_pieces, _replies(scenario)))
        case "wire":
            return case.provider == own_provider(case.wire) and not _is_of_a_wire(scenario)
        case "order":
            return len(scenario.tools) > 1
        case "names":
            return bool(scenario.tools) and not has_pictures(scenario)  # they are drawn by the names of tools
        case _:
            return True


def compares_texts(relation: Relation, scenario: Scenario) -> bool:
    """Whether the texts of answers are compared: of an answer that is more than prose, a user who reads along has
    already what a plain response leaves out.
    """
    return relation != "stream" or not any(_is_more_than_prose(reply) for reply in _replies(scenario))


def _is_more_than_prose(reply: ReplySpec) -> bool:
    return reply.means is not None and reply.means.handling != "show"


def depends_on_time(scenario: Scenario) -> bool:
    """Whether what happens depends on which of two things is first."""
    turns = scenario.conversation
    return scenario.limits.seconds is not None or any(
        turn.cancel or turn.crash or turn.steer or turn.together or any(map(_is_silent, turn.model)) for turn in turns
    )


def _replies(scenario: Scenario) -> Iterator[ReplySpec]:
    return (reply for turn in scenario.conversation for reply in turn.model)


def _is_silent(reply: ReplySpec) -> bool:
    return reply.fault is not None and reply.fault.connection == "silent"


def _depends_on_pieces(reply: ReplySpec) -> bool:
    """Whether a part of the reply arrives, or calls in odd deltas: what there is to read depends on the mode and on how
    the text is cut.
    """
    fault = fault_of(reply)
    is_cut = fault is not None and (fault.is_cut or fault.ends is not None or fault.error_event is not None)
    return is_cut or not HARMLESS_QUIRKS.issuperset(reply.quirks)


def _is_of_a_wire(scenario: Scenario) -> bool:
    """Whether providers may differ in it: each has its own errors, limits, reasoning, forms of answers and ids.

    A history that no provider takes as it is may have to be repaired otherwise for each. An agent that has had enough
    of a loop forbids calls where a wire can say that, and leaves out its tools elsewhere: another answer follows.
    """
    replies = list(_replies(scenario))
    return (
        scenario.wires is not None
        or bool(scenario.providers or scenario.model or scenario.server_tools)
        or scenario.window is not None
        or scenario.fallback is not None
        or scenario.output_schema is not None
        or scenario.tool_choice is not None
        or scenario.limits.context_tokens is not None
        or bool(scenario.history)
        or has_pictures(scenario)
        or any(turn.switch is not None or _is_long(turn) for turn in scenario.conversation)
        or any(map(_is_said_otherwise, replies))
    )


def _is_long(turn: Turn) -> bool:
    """Whether the model calls tools so often in a turn that an agent may stop it."""
    calling = [reply for reply in turn.model if reply.calls]
    return len(calling) > MOST_ROUNDS or any(reply.forever or reply.until or reply.times > 1 for reply in calling)


def _is_said_otherwise(reply: ReplySpec) -> bool:
    if reply.thinking or reply.finish is not None or reply.fault is not None or reply.quirks or reply.server_calls:
        return True
    return any("id" in call.model_fields_set or call.arguments_text is not None for call in reply.calls)
