"""Bugs that make an agent forget, repeat or rewrite what was said: within a step, between steps, over a restart."""

from dataclasses import replace
from pathlib import Path

from conformance.agents.mutants.mutant import Mutant
from conformance.agents.reference import Parts
from conformance.agents.reference.turns import Turn, Turns
from conformance.agents.reference.wires.wire import Asking

OPENCLAWP = "https://github.com/lezama/openclawp/pull/83"
ZEROCLAW = "https://github.com/zeroclaw-labs/zeroclaw/issues/7403"


def last_asked(turns: Turns) -> int:
    """Where the step that is running began."""
    return max((index for index, turn in enumerate(turns) if turn.role == "user"), default=0)


def _earlier_steps_forgotten(parts: Parts) -> Parts:
    def this_step(asking: Asking) -> Asking:
        system = tuple(turn for turn in asking.turns if turn.role == "system")
        return replace(asking, turns=(*system, *asking.turns[last_asked(asking.turns) :]))

    return replace(parts, whole_request=this_step)


def _old_rounds_dropped(parts: Parts) -> Parts:
    def prose(turns: Turns) -> Turns:
        now = last_asked(turns)
        return tuple(turn for i, turn in enumerate(turns) if i > now or not (turn.calls or turn.results))

    return replace(parts, passes=(*parts.passes, prose))


def _calls_of_gone_tools_cut(parts: Parts) -> Parts:
    def cut(asking: Asking) -> Asking:
        offered = {declaration.name for declaration in asking.offer.declarations} if asking.offer else set()

        def known(turn: Turn) -> Turn:
            calls = tuple(call for call in turn.calls if asking.names.get(call.name, call.name) in offered)
            return replace(turn, calls=calls)

        return replace(asking, turns=tuple(turn for turn in map(known, asking.turns) if not turn.blank))

    return replace(parts, whole_request=cut)


def _instructions_repeated(parts: Parts) -> Parts:
    def repeated(turns: Turns) -> Turns:
        system = "".join(turn.text for turn in turns[:1] if turn.role == "system")
        first = next((turn for turn in turns if turn.role == "user"), None)
        return tuple(
            replace(turn, text=f"{system}\n\n{turn.text}") if turn.role == "user" and turn is not first else turn
            for turn in turns
        )

    return replace(parts, passes=(*parts.passes, repeated))


def _said_before_left_out(parts: Parts) -> Parts:
    def once(turns: Turns) -> Turns:
        said: set[str] = set()
        made = []
        for turn in turns:
            new = replace(turn, results=tuple(result for result in turn.results if result.text not in said))
            said |= {turn.text, *(result.text for result in turn.results)}
            made += [] if new.blank else [new]
        return tuple(made)

    return replace(parts, passes=(*parts.passes, once))


def _first_result_of_each_tool(parts: Parts) -> Parts:
    def first(turns: Turns) -> Turns:
        by_name: dict[str | None, str] = {}
        return tuple(
            replace(turn, results=tuple(replace(r, text=by_name.setdefault(r.name, r.text)) for r in turn.results))
            for turn in turns
        )

    return replace(parts, passes=(*parts.passes, first))


def _restart_forgets(parts: Parts) -> Parts:
    def nothing(folder: Path) -> Turns | None:
        return None

    return replace(parts, load=nothing)


def _interrupted_step_forgotten(parts: Parts) -> Parts:
    return replace(parts, ended_early=lambda turns, start: turns[:start])


MUTANTS = (
    Mutant(
        "M2o_old_rounds_dropped",
        "the calls and results of earlier steps stay in the history",
        ZEROCLAW,
        (("history/well-formed-is-kept", "1.requests*"), ("round-trip/restored-call", "1.requests*")),
        _old_rounds_dropped,
    ),
    Mutant(
        "M2p_calls_of_gone_tools_cut",
        "a call stays in the history though its tool is gone",
        "https://github.com/mudler/LocalAGI/pull/481",
        (("history/call-of-a-tool-that-is-gone", "accepted:*"), ("no-tools/taken-away-after-a-call", "accepted:*")),
        _calls_of_gone_tools_cut,
    ),
    Mutant(
        "M2q_instructions_repeated",
        "the instructions stand once, in front",
        "zeroclaw, the system prompt is not doubled on the second turn",
        (("history/system-message-is-not-doubled", "2.requests*"),),
        _instructions_repeated,
    ),
    Mutant(
        "M4h_said_before_left_out",
        "a result counts though its words were said before",
        "https://github.com/microsoft/agent-framework/issues/4682",
        (("round-trip/result-comes-back", "accepted:*"),),
        _said_before_left_out,
    ),
    Mutant(
        "M4i_first_result_of_each_tool",
        "a result belongs to its call, not to the name of its tool",
        "https://github.com/mudler/LocalAGI/pull/481",
        (("round-trip/same-tool-in-two-rounds", "1.requests*"),),
        _first_result_of_each_tool,
    ),
    Mutant(
        "M18a_earlier_steps_forgotten",
        "a step knows the steps before it",
        OPENCLAWP,
        (("round-trip/next-turn-remembers", "2.requests*"),),
        _earlier_steps_forgotten,
    ),
    Mutant(
        "M18b_restart_forgets",
        "a conversation outlives its process",
        "zeroclaw, persisted sessions are restored whole",
        (("history/restarted-session", "2.state"),),
        _restart_forgets,
    ),
    Mutant(
        "M18c_interrupted_step_forgotten",
        "what the user said stays, though the step was interrupted",
        "https://github.com/open-octo/octo-agent/pull/1520",
        (("limits/cancelled-*", "2.should.*"),),
        _interrupted_step_forgotten,
    ),
)
