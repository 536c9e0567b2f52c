"""The model calls what it is offered, by the name under which it is offered; what is missing is one finding."""

from typing import Any, ClassVar

import pytest

from agent_conformance import Setup, Tool
from tests.agents.plain import PlainAgent
from tests.trying import only_findings, verdicts

DICTIONARY = """
tools:
  - name: 辞書
    description: Looks up a word.
    parameters: {word: string}
    returns: a fruit
conversation:
  - user: What is a pear?
    model:
      - calls: [{name: 辞書, arguments: {word: pear}}]
        until: answered
      - text: A pear is a fruit.
    expect:
      executed: [{辞書: {word: pear}}]
      reply: A pear is a fruit.
"""

TWINS = """
tools:
  - {name: notion.search, description: Searches the wiki., parameters: {words: string}, returns: from the wiki}
  - {name: notion_search, description: Searches the notes., parameters: {words: string}, returns: from the notes}
conversation:
  - user: Search the notes for pears, then the wiki.
    model:
      - calls: [{name: notion_search, arguments: {words: pears}}]
      - calls: [{name: notion.search, arguments: {words: pears}}]
      - text: Found in both.
    expect:
      executed: [{notion_search: {words: pears}}, {notion.search: {words: pears}}]
      reply: Found in both.
"""

TWO_ROUNDS = """
tools:
  - {name: look_up, description: Looks up a word., parameters: {word: string}, returns: a fruit}
conversation:
  - user: What are a pear and a quince?
    model:
      - calls: [{name: look_up, arguments: {word: pear}}]
      - calls: [{name: look_up, arguments: {word: quince}}]
      - text: Fruits.
    expect: {executed: [{look_up: {word: pear}}, {look_up: {word: quince}}]}
"""

WRITES = """
tools:
  - {name: write_file, description: Writes a file., parameters: {path: string}, returns: written}
conversation:
  - user: Write a file.
    model:
      - calls: [{name: write_file, arguments: {path: a}}]
      - text: Written.
    expect: {executed: [{write_file: {path: a}}]}
"""

INVENTED = """
tools:
  - {name: look_up, description: Looks up a word., parameters: {word: string}, returns: a fruit}
conversation:
  - user: What is a pear?
    model:
      - calls: [{name: write_file, arguments: {path: pear}}]
      - text: I do not know.
"""


class Renames(PlainAgent):
    """Offers tools under names of its own, and maps them back."""

    wire_names: ClassVar = {"辞書": "__", "look_up": "look_up"}
    description: str | None = None

    def tools(self) -> list[Tool]:
        return [
            Tool(self.wire_names[t.name], self.description or t.description, t.parameters, run=t.call, arun=t.acall)
            for t in super().tools()
        ]


class NeverLeadsBack(Renames):
    """Wrong: knows its tools by their own names alone."""

    def run(self, name: str, arguments: Any) -> str:
        return "There is no such tool." if name in self.wire_names.values() else super().run(name, arguments)


class RenamesBeyondRecognition(Renames):
    """Wrong: loses the description as well."""

    description = "x"


class DeclaresItsNames(RenamesBeyondRecognition):
    """Right: says what its tools are called."""

    def tool_names(self, tool: str) -> str:
        return self.wire_names[tool]


class Merges(PlainAgent):
    """Wrong: keeps tools by their cleaned names, so that one of two is lost; `keeps` says which."""

    keeps = -1

    def tools(self) -> list[Tool]:
        tool = super().tools()[self.keeps]
        return [Tool("notion_search", tool.description, tool.parameters, run=tool.call, arun=tool.acall)]


class MergesIntoTheFirst(Merges):
    keeps = 0


class OffersOnce(PlainAgent):
    """Wrong: offers its tools in the first request of a turn, and runs them as long as it likes."""

    def body(self) -> dict[str, Any]:
        tools = [] if any(self.messages[-1] in self.shape.results([r]) for r in self.results) else self.tools()
        return self.shape.body(self.messages, tools)

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        self.results = tuple(results)
        super().answer(results)

    results: tuple[tuple[Any, str, str], ...] = ()


class HasOwnTools(PlainAgent):
    """Has a real tool `write_file`, and offers the scenario's tools under another name, or (wrong) not at all."""

    features = PlainAgent.features | {"own-tools"}
    defers = False
    was_run = False

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.tool_names = {tool.name: f"mcp__{tool.name}" for tool in setup.tools}

    def tools(self) -> list[Tool]:
        schema = {"type": "object", "properties": {}}
        own = Tool("write_file", "Writes content.", schema, run=self.write, arun=self.never)
        given = [
            Tool(self.tool_names[t.name], t.description, t.parameters, run=t.call, arun=t.acall)
            for t in super().tools()
        ]
        return [own] if self.defers else [own, *given]

    def write(self, arguments: Any) -> str:
        type(self).was_run = True
        return "written for real"

    async def never(self, _: Any) -> Any:
        raise AssertionError


class DefersTools(HasOwnTools):
    defers = True


@pytest.mark.parametrize(("agent", "text"), [(Renames, DICTIONARY), (HasOwnTools, WRITES), (PlainAgent, TWO_ROUNDS)])
def test_right_agent_may_offer_a_tool_under_another_name(agent: Any, text: str) -> None:
    assert set(map(tuple, only_findings(agent, text).values())) == {()}
    assert not getattr(agent, "was_run", False)


@pytest.mark.parametrize(
    ("agent", "text", "finding"),
    [
        (NeverLeadsBack, DICTIONARY, "1.executed"),
        (RenamesBeyondRecognition, DICTIONARY, "offered"),
        (Merges, TWINS, "offered"),
        (MergesIntoTheFirst, TWINS, "offered"),
        (OffersOnce, TWO_ROUNDS, "offered"),
        (DefersTools, WRITES, "offered"),
    ],
)
def test_tool_that_cannot_be_called_is_one_finding(agent: Any, text: str, finding: str) -> None:
    assert set(map(tuple, only_findings(agent, text).values())) == {(finding,)}
    assert not getattr(agent, "was_run", False)


@pytest.mark.parametrize("wire", DeclaresItsNames.wires)
def test_tool_without_its_name_and_description_is_known_by_its_declared_name(wire: str) -> None:
    (verdict,) = verdicts(DeclaresItsNames, DICTIONARY, wires=(wire,))
    (finding,) = verdict.findings

    assert finding.got == 'the description "x"'
    assert finding.consequences == ()


def test_own_tool_of_an_invented_name_leaves_the_case_not_verified() -> None:
    reason = "the agent has a tool of its own named write_file, which this case takes for unknown"

    assert set(map(tuple, only_findings(HasOwnTools, INVENTED).values())) == {(f"not-verified: {reason}",)}
    assert not HasOwnTools.was_run
