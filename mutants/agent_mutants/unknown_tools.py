"""Bugs with names that no tool has: LocalAGI pull 481 and similar ones."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from agent_conformance.adapter.types import Tool
from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.bounds import REQUESTS, SAME_NAME, Bounds
from agent_mutants.mutant import RIGHT, Mutants

LOCALAGI = "https://github.com/mudler/LocalAGI/pull/481"
ENDLESS = 10_000
VERBS = ("stop", "finish", "reply", "send_message", "update_state", "tool_call")


class Unbounded(Bounds):
    """Never exhausted, and without a limit on requests."""

    @property
    def exhausted(self) -> bool:
        return False


class BoundedByName(Bounds):
    """Counts only each name."""

    @property
    def exhausted(self) -> bool:
        return any(count > SAME_NAME for count in self.names.values())


class TwoCorrections(Bounds):
    """Exhausted as soon as the model was wrong twice."""

    @property
    def exhausted(self) -> bool:
        return self.corrections > 1


class AsCalled(dict[str, str]):
    """Names on the wire. A name that no tool has is its own, whatever its characters."""

    def get(self, key: str, default: Any = None) -> Any:
        return super().get(key, key)


# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()

@MUTANTS.replaces("resolve", "a name that begins like another is its own",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/6546",
    {"declarations/names-within-names[longer-at-the-end]": "declared-only"})
def M5m_beginning_is_enough(name: str, enabled: Mapping[str, Tool], known: Iterable[Tool]) -> Tool | None:
    return next((tool for own, tool in enabled.items() if name.startswith(own)), None)

@MUTANTS.replaces("resolve", "a name that is part of another is its own",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/6546",
    {"declarations/names-within-names[short]": "declared-only"})
def M5n_longest_name_that_has_it(name: str, enabled: Mapping[str, Tool], known: Iterable[Tool]) -> Tool | None:
    return enabled[max(fitting, key=len)] if (fitting := [own for own in enabled if name in own]) else None

@MUTANTS.replaces("resolve", "a disabled tool does not run under an alias",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/6546",
    {"tool-names/disabled-tool-is-unknown[by-an-alias]": "declared-only"})
def M5o_alias_of_any_tool(name: str, enabled: Mapping[str, Tool], known: Iterable[Tool]) -> Tool | None:
    """Tools have aliases, and nobody looks whether the tool of an alias is offered."""
    aliases = {f"functions.{tool.name}": tool for tool in known}
    return RIGHT.resolve(name, enabled, known) or aliases.get(name)

@MUTANTS.changes("a call under a prefixed name is run or answered",
    "zeroclaw, names with a prefix of default_api or functions",
    {"tool-names/near-miss[name-space, functions-in-front]": "1.requests*"})
def M5p_prefixed_left_to_others(defences: Defences) -> Defences:
    """A name with a prefix belongs to another server, which is expected to answer."""

    def resolve(name: str, enabled: Mapping[str, Tool], known: Iterable[Tool]) -> Tool | None:
        return None if "." in name else defences.resolve(name, enabled, known)

    def nothing(name: str, offered: Iterable[str]) -> str:
        return "" if "." in name else defences.unknown_tool(name, offered)

    return replace(defences, resolve=resolve, unknown_tool=nothing)

MUTANTS.row("M5a_nil_action_empty_result", "the model gets the answer that a tool does not exist", LOCALAGI,
    {"tool-names/invented-name[misspelled]": "1.requests*",
     "tool-names/invented-name-and-no-tool-runs": "1.requests*",
     "tool-names/near-miss[server-in-front, other-case, dashes, channel-behind]": "1.requests*",
     "tool-names/wrapped-call[tool-call, function]": "1.requests*"}, unknown_tool=lambda name, offered: "")

@MUTANTS.replaces("notify", "an observer changes nothing",
    LOCALAGI, {"tool-names/invented-name-with-an-observer": "answers"})
def M5b_crash_with_observer(observe: Callable[[Any], None] | None, event: Mapping[str, Any]) -> None:
    if observe is not None and event["event"] == "unknown-tool":
        raise AttributeError("'NoneType' object has no attribute 'definition'")
    RIGHT.notify(observe, event)

MUTANTS.row("M5c_unbounded_correction", "the corrections in a turn are limited",
    LOCALAGI, {"tool-names/invented-name-for-ever": "bounded", "loops/same-call-*": "bounded"},
    bounds=lambda limits: Unbounded(ENDLESS))

MUTANTS.shown("M5d_abort_run", "an unknown name does not end the turn",
    "mudler/cogito, toolSelection",
    {"tool-names/invented-name[misspelled]": "1.outcome",
     "tool-names/invented-in-a-batch[invented-last, invented-first]": "*", "tool-names/wrapped-call[tool-call]": "1.*",
     "tool-names/invented-five-times": "1.should.outcome"})

MUTANTS.row("M5e_control_verbs_corrected", "verbs that the agent handles itself are not unknown tools",
    LOCALAGI, {}, reason="an agent's own verbs are its own tools, which no scenario can call")

MUTANTS.row("M5f_no_list", "the correction lists the available tools",
    LOCALAGI, {"tool-names/invented-name[misspelled]": "1.should.*"},
    unknown_tool=lambda name, offered: f"Error: there is no tool named {name!r}.")

MUTANTS.row("M5g_per_name_only", "the corrections in a turn are limited, also if the name is new each time",
    LOCALAGI, {"tool-names/new-name-each-time": "bounded", "pseudo-calls/hidden-block-for-ever": "bounded"},
    bounds=lambda limits: BoundedByName(ENDLESS))

@MUTANTS.replaces("resolve", "a tool of the user's may have the name of a control verb",
    LOCALAGI, {"declarations/names-of-control-verbs[*]": "1.executed"})
def M5i_verbs_kept_for_itself(name: str, enabled: Mapping[str, Tool], known: Iterable[Tool]) -> Tool | None:
    return None if name in VERBS else RIGHT.resolve(name, enabled, known)

@MUTANTS.replaces("resolve", "a name is compared in full",
    "zeroclaw, unique suffixes of activated tools",
    {"declarations/names-within-names[longer-at-the-front]": "declared-only",
     "tool-names/ambiguous-near-miss": "declared-only"})
def M5j_ending_is_enough(name: str, enabled: Mapping[str, Tool], known: Iterable[Tool]) -> Tool | None:
    return next((tool for own, tool in enabled.items() if own.endswith(name) or name.endswith(own)), None)

MUTANTS.row("M5k_invented_name_sent_back", "an invented name goes back in characters that the provider accepts",
    LOCALAGI, {"tool-names/invented-name-of-odd-characters[*]": "accepted:*"},
    wire_names=lambda names: AsCalled(RIGHT.wire_names(names)))

MUTANTS.row("M5l_two_corrections", "a second mistake is corrected like the first, and the call after it runs",
    LOCALAGI, {"tool-names/invented-twice[the-same-again, another]": "1.executed"},
    bounds=lambda limits: TwoCorrections(limits.requests or REQUESTS))
