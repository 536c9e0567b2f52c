"""A model that writes a call as text calls the tool by the name that it was offered."""

import re
from typing import Any

import pytest
from msgspec.structs import replace

from agent_conformance import Tool
from agent_conformance.run.provider.model_script import in_offered_names
from agent_conformance.scenario.model import ReplySpec
from tests.agents.plain import PlainAgent
from tests.trying import only_findings

SCENARIO = """
wires: [openai-chat]
tools:
  - {name: shell, description: Runs a command., returns: hello}
conversation:
  - user: Say hello in a shell.
    model:
      - text: "I use the shell.\\n<run>shell</run>"
        means:
          handling: run
          show: I use the shell.
          calls: [{name: shell}]
          never_show: ["<run>", "shell</run>"]
      - text: It says hello.
    expect: {reply: It says hello., executed: [{shell: {}}]}
"""


class Prefixes(PlainAgent):
    """Offers each tool under a name of its own, and reads calls of these names in texts."""

    prefix = "mine__"

    def tools(self) -> list[Tool]:
        return [replace_name(tool, f"{self.prefix}{tool.name}") for tool in super().tools()]

    def take(self, response: dict[str, Any]) -> Any:
        text, calls = super().take(response)
        found = re.search(r"<run>(\w+)</run>", text)
        if not calls and found and self.reads(found[1]):
            self.messages += self.shape.user(f"The result: {self.run(self.offered(found[1]), {})}")
            return self.ask()
        return text, calls

    def reads(self, name: str) -> bool:
        return name in {tool.name for tool in self.tools()}

    def offered(self, name: str) -> str:
        return name


class DeclaresTheNames(Prefixes):
    @property
    def tool_names(self) -> dict[str, str]:
        return {tool.name: f"{self.prefix}{tool.name}" for tool in self.setup.tools}


class KnowsTheBareName(Prefixes):
    """Wrong: it takes no name that it offers for one."""

    def reads(self, name: str) -> bool:
        return name in {tool.name for tool in self.setup.tools}

    def offered(self, name: str) -> str:
        return f"{self.prefix}{name}"


def replace_name(tool: Tool, name: str) -> Tool:
    return Tool(
        name, tool.description, tool.parameters, run=tool.call, arun=tool.acall, is_enabled=lambda: tool.enabled
    )


@pytest.mark.parametrize("agent", [Prefixes, DeclaresTheNames])
def test_right_agent_with_names_of_its_own_passes(agent: type) -> None:
    assert only_findings(agent, SCENARIO) == {"openai-chat+plain": []}


def test_agent_that_shows_a_call_of_an_offered_name_does_not() -> None:
    assert only_findings(KnowsTheBareName, SCENARIO) == {"openai-chat+plain": ["no-protocol-text"]}


def reply(text: str, **fields: Any) -> ReplySpec:
    means = {"handling": "run", "calls": [{"name": "look"}], "never_show": ["look]"]}
    return ReplySpec.read({"text": text, "means": means, **fields})


def test_name_stays_in_other_words_and_in_what_is_shown() -> None:
    spec = reply("I look.\n[look] looking, look-up")
    named = in_offered_names(
        spec.changed({"means": spec.means and spec.means.changed({"show": "I look."})}), {"look": "x_look"}
    )

    assert named.text == "I look.\n[x_look] looking, look-up"
    assert named.means is not None
    assert named.means.never_show == ["x_look]"]


def test_text_is_cut_where_it_was_unless_that_is_within_a_name() -> None:
    assert in_offered_names(reply("[look]", chunks=["[", "look]"]), {"look": "x_look"}).chunks == ["[", "x_look]"]
    assert in_offered_names(reply("[look]", chunks=["[lo", "ok]"]), {"look": "x_look"}).chunks == []


@pytest.mark.parametrize("names", [{}, {"look": "look"}, {"other": "x_other"}])
def test_reply_without_another_name_is_the_same(names: dict[str, str]) -> None:
    spec = reply("[look]")

    assert in_offered_names(spec, names) is spec


def test_prose_about_a_tool_stays() -> None:
    spec = reply("[look]").changed({"means": replace(reply("[look]").means, handling="show")})

    assert in_offered_names(spec, {"look": "x_look"}) is spec
