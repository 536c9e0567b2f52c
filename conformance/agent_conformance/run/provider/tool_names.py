"""The name under which a request offers each of the scenario's tools, and the way back.

The scripted model finds tools that a request does not offer by the agent's own tool that searches for them: it searches
for what the next reply of the script calls, by the names of the tools and then by other words. A search is no reply of
the script: what it finds is offered in the next request, which then gets that reply.

It also fills in, unjudged, what an agent asks for in the declaration of a case's tool, such as a summary or the risk
of a call, and what the agent takes out before the tool runs.
"""

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec import Struct, field, structs
from msgspec.structs import replace

from agent_conformance.judge.declarations import added_requirements
from agent_conformance.run.provider.model_script import NextReply, name_of
from agent_conformance.scenario.model import Scenario, ToolSpec
from agent_conformance.transcripts.request_purposes import runs_others, search_tool_of, searches
from fake_providers import Call, Reply, View, ViewCall, ViewTool
from fake_providers.values.minimal_value import minimal_value

ToolNames = Mapping[str, str] | Callable[[str], str | None] | None
SEPARATORS = ("__", "_", "-", ".", ":", "/")
OWN = " (the agent's own)"


class Named(NamedTuple):
    """What a tool of the scenario or of a request is recognised by."""

    name: str
    description: str
    declared: str | None = None
    """The name that the adapter declares for a tool of the scenario."""


Likeness = Callable[[Named, Named], bool]


class Naming(Struct, frozen=True):
    """What is known of an agent's names: what its adapter declares, and whether it has tools of its own."""

    tool_names: ToolNames = None
    has_own_tools: bool = False

    def declared(self, name: str) -> str | None:
        """The declared name; None where nothing is declared."""
        given = self.tool_names
        if given is None:
            return None
        return given.get(name) if type(given) is dict or isinstance(given, Mapping) else given(name)

    def offered(self, specs: Sequence[ToolSpec], tools: Sequence[ViewTool]) -> dict[str, str]:
        """From the scenario's name of each tool that is offered to its name in the request; one to one.

        The surest likeness comes first: the declared name, or the only one that ends in it; the same name, the only one
        that ends in it after a separator, the only one that differs from it in special characters, each with the
        description and then without it; at last the description alone.
        """
        named = tuple(Named(spec.name, spec.description, self.declared(spec.name)) for spec in specs)
        there = tuple(Named(tool.name, tool.description) for tool in tools)
        return dict(_offered(named, there, self.has_own_tools))


@lru_cache(maxsize=256)
def _offered(specs: tuple[Named, ...], tools: tuple[Named, ...], has_own_tools: bool) -> Mapping[str, str]:
    """Cached: most requests of a case, and those of a scenario's other cases, offer the same tools."""
    found: dict[str, str] = {}
    for is_like in _likenesses(has_own_tools):
        open_specs = [spec for spec in specs if spec.name not in found]
        free = [tool for tool in tools if tool.name not in found.values()]
        # The pairs in which neither has another candidate
        candidates = {spec.name: {tool.name for tool in free if is_like(spec, tool)} for spec in open_specs}
        only = {name: next(iter(names)) for name, names in candidates.items() if len(names) == 1}
        claims = [wire_name for names in candidates.values() for wire_name in names]
        found |= {name: wire_name for name, wire_name in only.items() if claims.count(wire_name) == 1}
    return found


def _likenesses(has_own_tools: bool) -> Iterator[Likeness]:
    yield _all_of(_has_declared_name, _has_description)
    yield _has_declared_name
    yield _ends_in_declared_name
    yield _ends_in_cleaned_declared_name
    for by_name in (_has_name, _ends_in_name, _has_alike_name):
        yield _all_of(_may_have_another_name, by_name, _has_no_other_description)
    # An agent with tools of its own may have one of this name, which the model must not call.
    by_names = (_ends_in_name, _has_alike_name) if has_own_tools else (_has_name, _ends_in_name, _has_alike_name)
    for by_name in by_names:
        yield _all_of(_may_have_another_name, by_name)
    yield _all_of(_is_not_the_literal, _has_description)


def _has_declared_name(spec: Named, tool: Named) -> bool:
    return tool.name == spec.declared


def _ends_in_declared_name(spec: Named, tool: Named) -> bool:
    declared = spec.declared
    return declared is not None and any(tool.name.endswith(separator + declared) for separator in SEPARATORS)


def _ends_in_cleaned_declared_name(spec: Named, tool: Named) -> bool:
    bare = _bare(spec.declared or "")
    return bool(bare) and f"_{_bare(tool.name)}".endswith(f"_{bare}") and tool.name != spec.name


def _may_have_another_name(spec: Named, tool: Named) -> bool:
    """With a declared name a tool is offered under that name, or made unique, and never under a similar one."""
    return spec.declared is None


def _is_not_the_literal(spec: Named, tool: Named) -> bool:
    return spec.declared is None or tool.name != spec.name


def _all_of(*likenesses: Likeness) -> Likeness:
    return lambda spec, tool: all(is_like(spec, tool) for is_like in likenesses)


def _has_description(spec: Named, tool: Named) -> bool:
    wanted = " ".join(spec.description.split())
    return bool(wanted) and wanted in " ".join(tool.description.split())


def _has_no_other_description(spec: Named, tool: Named) -> bool:
    """Where either has none, it says nothing against the name."""
    return not spec.description.strip() or not tool.description.strip() or _has_description(spec, tool)


def _has_name(spec: Named, tool: Named) -> bool:
    return tool.name == spec.name


def _ends_in_name(spec: Named, tool: Named) -> bool:
    return any(tool.name.endswith(separator + spec.name) for separator in SEPARATORS)


def _has_alike_name(spec: Named, tool: Named) -> bool:
    bare = _bare(spec.name)
    return bool(bare) and _bare(tool.name) == bare and tool.name != spec.name


def _bare(name: str) -> str:
    """What remains of a name in every provider's pattern of names."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def mapped_back(
    view: View, specs: Sequence[ToolSpec], naming: Naming, offered: Mapping[str, str] | None = None
) -> View:
    """The view with the scenario's names for offered tools and for calls and results of them.

    A tool of the agent's own that has the name of one of the scenario's is marked as the agent's own. `offered` is what
    the naming says of these tools, where it is known.
    """
    back = _way_back(view, specs, naming, naming.offered(specs, view.tools) if offered is None else offered)
    if not back:
        return view
    return replace(
        view,
        forces=frozenset(back.get(name, name) for name in view.forces),
        allows=None if view.allows is None else frozenset(back.get(name, name) for name in view.allows),
        tools=tuple(replace(tool, name=back.get(tool.name, tool.name)) for tool in view.tools),
        messages=tuple(
            replace(
                message,
                calls=tuple(replace(call, name=back.get(call.name, call.name)) for call in message.calls),
                results=tuple(
                    replace(result, name=back.get(result.name, result.name) if result.name else result.name)
                    for result in message.results
                ),
            )
            for message in view.messages
        ),
    )


def _way_back(view: View, specs: Sequence[ToolSpec], naming: Naming, offered: Mapping[str, str]) -> dict[str, str]:
    """From names in the request to the scenario's, for those that differ. A tool that is not offered may be called."""
    back = {wire_name: name for name, wire_name in offered.items() if wire_name != name}
    own = {tool.name for tool in view.tools} - set(offered.values())
    for name in (spec.name for spec in specs):
        declared = None if name in offered else naming.declared(name)
        if declared is not None and declared != name:
            back.setdefault(declared, name)
        if name in own:
            back.setdefault(name, f"{name}{OWN}")
    return back


MOST_SEARCHES = 2


class ToolSearches(Struct):
    """Those of one case. `counts` has how often the model has searched for each tool since that was last offered."""

    scenario: Scenario
    counts: Counter[str] = field(default_factory=Counter)

    def tool_in(self, view: View) -> ViewTool | None:
        """The agent's own tool that searches for others, in a view with the scenario's names."""
        return search_tool_of(view, [tool.name for tool in self.scenario.tools])

    def reply(
        self,
        view: View,
        following: Callable[[], NextReply],
        *,
        offered: Mapping[str, str],
        enabled: Collection[str],
        naming: Naming,
    ) -> Reply | str | None:
        """The search for what the reply that is `following` calls, where that is enabled and not offered; beside
        deferred tools also for a name that no tool has. None where all is offered, or was searched for in vain; a text
        where no model can call it, which says why.
        """
        tool = self.tool_in(view)
        if tool is None:
            return None
        for name in offered:
            del self.counts[name]
        reply = following()
        called = dict.fromkeys(name_of(call, reply.repetition) for call in reply.spec.calls)
        known = {spec.name: spec.description for spec in self.scenario.tools}
        invents = any(spec.deferred for spec in self.scenario.tools)
        missing = {
            name: known.get(name, "")
            for name in called
            if name not in offered and (name in enabled or (invents and name not in known))
        }
        times = max((self.counts[name] for name in missing), default=0)
        results = " ".join(
            word for message in view.messages for result in message.results for word in result.text.split()
        )
        is_told = any(name in results or " ".join(text.split()) in results for name, text in missing.items() if text)
        runner = runs_others(view, known, tool)
        if times and is_told and runner:
            return f"{tool.name} describes the tools in a text, and {runner} runs them: no model of the suite uses it"
        if not missing or times == MOST_SEARCHES:
            return None
        self.counts.update(missing.keys())
        wanted = {naming.declared(name) or name: text for name, text in missing.items()}
        asked = searches(tool, wanted, view, again=times > 0)
        return Reply(calls=tuple(Call(tool.name, arguments) for arguments in asked))


Added = Mapping[str, Mapping[str, Any]]
"""By the scenario's name of a tool: the parameters and what the model writes for each."""


def own_parameters(view: View, specs: Sequence[ToolSpec]) -> dict[str, dict[str, Any]]:
    """What the declarations of this request require besides; the view has the scenario's names of its tools."""
    wanted = {spec.name: spec.parameters for spec in specs}
    added = {}
    for tool in view.tools:
        if tool.name in wanted and (names := added_requirements(wanted[tool.name], tool.parameters)):
            added[tool.name] = {name: _written(name, tool.parameters) for name in names}
    return added


def _written(name: str, declared: Mapping[str, Any]) -> Any:
    properties = declared.get("properties")
    schema = properties.get(name) if isinstance(properties, Mapping) else None
    if not isinstance(schema, Mapping):
        return None
    referred = {word: declared[word] for word in ("$defs", "definitions") if word in declared}
    return minimal_value({**referred, **schema})


def filled_in(call: Call, values: Mapping[str, Any]) -> Call | None:
    """The call with these arguments too; None for a text that has no object to put them into."""
    if not values:
        return call
    if call.arguments_text is None:
        return dataclasses.replace(call, arguments={**(call.arguments or {}), **values})
    text = _filled_text(call.arguments_text, values)
    return None if text is None else dataclasses.replace(call, arguments_text=text)


def _filled_text(text: str, values: Mapping[str, Any]) -> str | None:
    """In front of the rest of the text, which may be cut off. A model that has to say something says no blank text."""
    begun = text.lstrip()
    if begun.rstrip() in ("", "null", "{}"):
        return json.dumps(values, ensure_ascii=False)
    if begun.startswith("{"):
        return _beginning(values) + begun[1:]
    if begun.startswith('"'):
        try:
            inner = json.loads(text)
        except ValueError:
            return None
        filled = _filled_text(inner, values)
        return None if filled is None else json.dumps(filled, ensure_ascii=False)
    return None


def _beginning(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False)[:-1] + ", "


def without_added(view: View, added: Added) -> View:
    """The view with the arguments of each call that its tool takes."""
    if not added or not any(call.name in added for message in view.messages for call in message.calls):
        return view
    messages = (
        structs.replace(message, calls=tuple(_without(call, added.get(call.name, {})) for call in message.calls))
        for message in view.messages
    )
    return structs.replace(view, messages=tuple(messages))


def _without(call: ViewCall, values: Mapping[str, Any]) -> ViewCall:
    if isinstance(call.arguments, dict):
        rest = {name: value for name, value in call.arguments.items() if name not in values}
        if len(rest) == len(call.arguments):
            return call
        return structs.replace(call, arguments=rest, arguments_text=json.dumps(rest, ensure_ascii=False))
    if values and call.arguments is None:
        return structs.replace(call, arguments_text=call.arguments_text.replace(_beginning(values), "{", 1))
    return call
