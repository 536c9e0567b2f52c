"""Replies of a script made for one request: with the names that it offers, and with ids. Knows no request loop."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from conformance.record.transcript import ServedCall
from conformance.run.model_script import NextReply, name_of, reply_of
from conformance.run.requests_of_turn import is_harmful
from conformance.run.shapes import in_words, reply_call, says_schema
from conformance.run.tool_names import Naming
from conformance.scenario.model import Scenario
from fakes import MADE_BY_PROVIDER, Call, Reply, View
from fakes.ids import Ids
from fakes.wire import Wire


@dataclass(frozen=True, slots=True)
class Offer:
    """What one request offers: `names` are its tools, `of_scenario` leads from the scenario's names to these."""

    names: tuple[str, ...]
    of_scenario: Mapping[str, str]
    sent: Mapping[str, str]
    """The name under which the model calls each of the scenario's tools: as offered, else as declared."""
    enabled: Collection[str]
    withheld: tuple[str, ...]
    """Enabled tools that the request does not offer, by the scenario's names."""


class ReplyMaker:
    """Of one case. `ids` makes the ids of its calls."""

    def __init__(self, scenario: Scenario, ids: Ids) -> None:
        self._tools = [tool.name for tool in scenario.tools]
        self._specs = scenario.tools
        self._schema = scenario.output_schema
        self._ids = ids

    def offer(self, view: View, naming: Naming, enabled: Collection[str]) -> Offer:
        names = naming.offered(self._specs, view.tools)
        return Offer(
            names=tuple(tool.name for tool in view.tools),
            of_scenario=names,
            sent={tool: naming.declared(tool) or tool for tool in self._tools} | names,
            enabled=enabled,
            withheld=tuple(tool for tool in self._tools if tool in enabled and tool not in names),
        )

    def taken_name(self, following: NextReply, offer: Offer) -> str:
        """A name that no tool of the scenario has, although the reply calls it, and a tool of the agent's own has."""
        own = {*offer.names}.difference(offer.of_scenario.values())
        called = (name_of(call, following.repetition) for call in following.spec.calls)
        return next((name for name in called if name in own and name not in self._tools), "")

    def reply(self, following: NextReply, offer: Offer, wire: Wire) -> tuple[Reply, tuple[ServedCall, ...]]:
        """The reply with the names and ids that are sent, and what it calls: of what is enabled, only what is offered.

        A disabled tool is called by the name that the adapter declares, which is none of a tool of the agent's own.
        """
        reply, specs = reply_of(following.spec, following.repetition, names=offer.sent, withheld=offer.withheld)
        reply = replace(reply, calls=tuple(self._with_id(call, wire) for call in reply.calls))
        calls = tuple(
            ServedCall(
                spec=spec,
                name=(name := name_of(spec, following.repetition)),
                wire_name=call.name,
                id=call.id if isinstance(call.id, str) else None,
                offered=call.name in offer.names,
                enabled=name in offer.enabled,
            )
            for spec, call in zip(specs, reply.calls, strict=True)
        )
        return reply, calls

    def in_shape(self, reply: Reply, view: View) -> Reply:
        """A model that is not told the schema of the case writes no JSON."""
        if self._schema is None or says_schema(view, self._schema, self._tools):
            return reply
        return in_words(reply)

    def through_reply_tool(self, reply: Reply, tool: tuple[str, str | None] | None, offer: Offer, wire: Wire) -> Reply:
        """The reply as a call of the tool with which the agent lets its model answer, if it offers that."""
        if tool is None or tool[0] not in offer.names or not reply.text or reply.calls or is_harmful(reply):
            return reply
        call = reply_call(reply, *tool)
        return reply if call is None else replace(reply, text=None, finish=None, calls=(self._with_id(call, wire),))

    def _with_id(self, call: Call, wire: Wire) -> Call:
        return replace(call, id=wire.call_id(self._ids)) if call.id is MADE_BY_PROVIDER else call
