"""How the scripted model finds tools that a request does not offer: by the agent's own tool that searches for them.

It searches for what the next reply of the script calls, by the names of the tools and then by other words. A search is
no reply of the script: what it finds is offered in the next request, which then gets that reply.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping

from msgspec import Struct, field

from agent_conformance.run.provider.model_script import NextReply, name_of
from agent_conformance.run.provider.tool_names import Naming
from agent_conformance.scenario.model import Scenario
from agent_conformance.transcripts.tool_search import runs_others, search_tool_of, searches
from fake_providers import Call, Reply, View, ViewTool

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
