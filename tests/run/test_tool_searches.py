"""Agents that offer tools after a search: the model searches for what the script calls, and they are accused of nothing
but of tools that no search brings."""

import json
from typing import Any

import pytest

from agent_conformance import Tool
from tests.agents.plain import PlainAgent
from tests.trying import ONE_CALL, TWO_CALLS, only_findings, verdicts


def own(name: str, description: str, parameter: str, schema: dict[str, Any]) -> Tool:
    parameters = {"type": "object", "properties": {parameter: schema}, "required": [parameter]}
    return Tool(name, description, parameters, run=str, arun=None)  # type: ignore[arg-type]


TEXT = {"type": "string"}
QUERY = {"type": "object", "properties": {"query": TEXT}, "required": ["query"]}
SEARCH = own("search_tools", "Finds tools by a word.", "query", TEXT)


class Searches(PlainAgent):
    """Finds tools by the words of a query, and offers them from then on."""

    search = SEARCH

    def __init__(self, setup: Any) -> None:
        super().__init__(setup)
        self.found: list[str] = []
        self.asked: list[Any] = []

    def tools(self) -> list[Tool]:
        return [self.search, *(tool for tool in super().tools() if tool.name in self.found)]

    def run(self, name: str, arguments: Any) -> str:
        if name != self.search.name:
            return super().run(name, arguments)
        found = self.matches(json.dumps(arguments))
        self.found += [tool.name for tool in found]
        return json.dumps([{"name": tool.name, "description": tool.description} for tool in found])

    def matches(self, asked: str) -> list[Tool]:
        return [tool for tool in self.setup.tools if tool.name in asked]


class SearchesByList(Searches):
    search = own("load_tools", "Loads tools.", "names", {"type": "array", "items": TEXT})


class SearchesExactly(Searches):
    search = own("ToolSearch", 'Finds tools: "select:a,b" by their names, else by words.', "query", TEXT)

    def matches(self, asked: str) -> list[Tool]:
        return super().matches(asked) if "select:" in asked else []


class SearchesByWords(Searches):
    """Does not know the names of tools."""

    def matches(self, asked: str) -> list[Tool]:
        return [tool for tool in self.setup.tools if tool.description in asked]


class SearchesInEveryTurn(Searches):
    """Drops what it found from a request once the turn is over, as after a compaction."""

    def begin(self, message: str) -> None:
        super().begin(message)
        self.found = []


@pytest.mark.parametrize("agent", [Searches, SearchesByList, SearchesExactly, SearchesByWords, SearchesInEveryTurn])
@pytest.mark.parametrize("scenario", [ONE_CALL, TWO_CALLS])
def test_agent_that_offers_tools_after_a_search_is_accused_of_nothing(agent: type[Searches], scenario: str) -> None:
    assert {verdict.executions for verdict in verdicts(agent, scenario)} == {scenario.count("- {name: get") or 1}
    assert not [one for found in only_findings(agent, scenario).values() for one in found if one != "steady-prefix"]


def test_search_is_shown_and_takes_up_no_reply() -> None:
    for verdict in verdicts(Searches, ONE_CALL):
        assert "request 1 (search)" in verdict.narrative
        assert verdict.requests == 3


class FindsNone(Searches):
    def matches(self, asked: str) -> list[Tool]:
        return []


class LosesWhatItFinds(Searches):
    def tools(self) -> list[Tool]:
        return [self.search]


@pytest.mark.parametrize("agent", [FindsNone, LosesWhatItFinds])
def test_tool_that_no_search_brings_is_not_offered(agent: type[Searches]) -> None:
    for verdict in verdicts(agent, ONE_CALL):
        (finding,) = [one for one in verdict.findings if one.level == "must"]
        assert finding.id == "offered"
        assert "get_weather, which is enabled, to be offered after search_tools was asked for it" in finding.expected
        assert verdict.narrative.count("(search)") == 2, "by its name, and then by other words"


class ShortensWhatItFinds(Searches):
    def tools(self) -> list[Tool]:
        search, *found = super().tools()
        return [search, *(Tool(one.name, "", one.parameters, run=one.call, arun=one.acall) for one in found)]


def test_tool_that_a_search_brings_is_offered_whole() -> None:
    for verdict in verdicts(ShortensWhatItFinds, ONE_CALL):
        (finding,) = [one for one in verdict.findings if one.level == "must"]
        assert (finding.id, finding.expected) == (
            "offered",
            'get_weather with its description "Current weather for a city."',
        )


class RunsByCode(Searches):
    def tools(self) -> list[Tool]:
        return [self.search, own("run_script", "Runs a script that calls tools.", "code", TEXT)]


def test_tools_that_only_code_can_call_are_not_verified() -> None:
    for verdict in verdicts(RunsByCode, ONE_CALL):
        assert verdict.outcome == "not-verified"
        assert "search_tools describes the tools in a text, and run_script runs them" in str(verdict)


class SearchesAsCodexDoes(PlainAgent):
    """With the search of the Responses API, which the client runs: what it finds stands in the conversation alone."""

    wires = ("openai-responses",)
    drops_what_it_found = False

    def body(self) -> dict[str, Any]:
        search = {"type": "tool_search", "execution": "client", "description": "Finds tools.", "parameters": QUERY}
        return {**self.shape.body(self.messages, []), "model": "gpt-5.5", "tools": [search]}

    def take(self, response: dict[str, Any]) -> Any:
        items = response["output"]
        self.messages += items
        for item in items:
            if item["type"] == "tool_search_call":
                tools = self.shape.body([], [one for one in self.tools() if one.name in item["arguments"]["query"]])
                group = {
                    "type": "namespace",
                    "name": "mcp__suite",
                    "description": "Tools.",
                    "tools": tools.get("tools"),
                }
                members = {"call_id": item["call_id"], "execution": "client", "status": "completed"}
                self.messages.append({"type": "tool_search_output", **members, "tools": [group] if tools else []})
                return self.ask()
        return self.shape.read(response)[1:]

    def begin(self, message: str) -> None:
        if self.drops_what_it_found:
            self.messages = [item for item in self.messages if not item.get("type", "").startswith("tool_search")]
        super().begin(message)


class DropsWhatItFound(SearchesAsCodexDoes):
    """As a compaction does: the model has to search again."""

    drops_what_it_found = True


@pytest.mark.parametrize("agent", [SearchesAsCodexDoes, DropsWhatItFound])
def test_tools_that_stand_in_the_conversation_are_called_in_their_namespace(agent: type[PlainAgent]) -> None:
    twice = (
        f"{ONE_CALL}  - user: And now in Oslo?\n{ONE_CALL.partition('Oslo?')[2].replace('city: Oslo', 'city: Bergen')}"
    )
    for scenario, calls in ((ONE_CALL, 1), (twice, 2)):
        (verdict,) = verdicts(agent, scenario)
        assert [finding for finding in verdict.findings if finding.level == "must"] == []
        assert verdict.executions == calls


class SearchesAsClaudeCodeDoes(Searches):
    """All tools are declared, and deferred: the result of a search refers to those that it found."""

    wires = ("anthropic-messages",)
    search = own("ToolSearch", "Finds tools.", "query", TEXT)

    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = self.shape.body(self.messages, [self.search, *self.setup.tools])
        for tool in body["tools"][1:]:
            tool["defer_loading"] = True
        return body

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        super().answer(results)
        for (_, name, _), block in zip(results, self.messages[-1]["content"], strict=True):
            if name == self.search.name:
                block["content"] = [{"type": "tool_reference", "tool_name": one} for one in self.found]


class LeavesTheSearchToTheProvider(PlainAgent):
    wires = ("anthropic-messages",)

    def body(self) -> dict[str, Any]:
        body = super().body()
        for tool in body["tools"]:
            tool["defer_loading"] = True
        body["tools"].insert(0, {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"})
        return body


class LosesTheSearch(LeavesTheSearchToTheProvider):
    """Sends the results of searches back without the calls, which the provider refuses."""

    def take(self, response: dict[str, Any]) -> Any:
        response["content"] = [block for block in response["content"] if block["type"] != "server_tool_use"]
        return super().take(response)


@pytest.mark.parametrize("agent", [SearchesAsClaudeCodeDoes, LeavesTheSearchToTheProvider])
@pytest.mark.parametrize("scenario", [ONE_CALL, TWO_CALLS])
def test_deferred_tools_are_found_before_they_are_called(agent: type[PlainAgent], scenario: str) -> None:
    (verdict,) = verdicts(agent, scenario)

    assert (verdict.findings, verdict.executions) == ((), 2 if scenario is TWO_CALLS else 1)


def test_search_of_the_provider_that_is_not_kept_whole_is_refused() -> None:
    (verdict,) = verdicts(LosesTheSearch, ONE_CALL)

    assert "accepted:anthropic/server-tool-result-without-use" in [finding.id for finding in verdict.findings]
