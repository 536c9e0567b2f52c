"""Each of the scenario's tools is found under its name in the request, one to one, and none of the agent's own is."""

from types import MappingProxyType
from typing import Any

import pytest
from msgspec.structs import replace

from agent_conformance.run.provider.tool_names import Naming, mapped_back
from agent_conformance.scenario.model import ToolSpec
from fake_providers import View, ViewCall, ViewMessage, ViewTool

WIKI = ToolSpec(name="notion.search", description="Searches the wiki.")
NOTES = ToolSpec(name="notion_search", description="Searches the notes.")
WRITE = ToolSpec(name="write_file", description="Writes a file.")

SEPARATORS = ("__", "_", "-", ".", ":", "/")
"""Between the name of a server and that of its tool."""


def spec_of(name: str) -> ToolSpec:
    return ToolSpec(name=name, description="What it does.")


def tools_of(*names: str, description: str = "") -> list[ViewTool]:
    return [ViewTool(name, description, {}) for name in names]


@pytest.mark.parametrize(
    ("name", "offered", "tool_names", "found"),
    [
        ("get_weather", ["get_weather", "x"], None, "get_weather"),
        ("get_weather", ["mcp__get_weather", "x"], None, "mcp__get_weather"),
        ("get_weather", ["w"], {"get_weather": "w"}, "w"),
        ("get_weather", ["w"], lambda name: "w", "w"),
        ("get_weather", ["w"], MappingProxyType({"get_weather": "w"}), "w"),
        ("write_file", ["write_file", "mcp_write_file"], {"write_file": "mcp_write_file"}, "mcp_write_file"),
        ("write_file", ["write_file"], {"write_file": "mcp_write_file"}, None),
        ("write_file", ["write_file"], {"other": "mcp_other"}, "write_file"),
        ("write_file", ["write_file", "mcp__s_write_file"], {"write_file": "s_write_file"}, "mcp__s_write_file"),
        ("node.js", ["node.js", "mcp__s_node_js"], {"node.js": "s_node.js"}, "mcp__s_node_js"),
        ("search", ["s_search", "s_web_search"], {"search": "s_search"}, "s_search"),
        ("search", ["a_s_search", "b_s_search", "search"], {"search": "s_search"}, None),
        ("node.js", ["node_js"], None, "node_js"),
        ("mcp:server.tool", ["mcp_server_tool"], None, "mcp_server_tool"),
        ("get_weather", ["a_get_weather", "b_get_weather"], None, None),
        *(("look", [f"server{separator}look"], None, f"server{separator}look") for separator in SEPARATORS),
        *(("look", [f"a{separator}l"], {"look": "l"}, f"a{separator}l") for separator in SEPARATORS),
        ("look", ["server+look"], None, None),
        ("get_weather", ["forget_weather"], None, None),
        ("get_weather", [], None, None),
        ("辞書", ["___"], None, None),
    ],
)
def test_tool_is_found_by_its_offered_name(name: str, offered: list[str], tool_names: Any, found: str | None) -> None:
    assert Naming(tool_names).offered([spec_of(name)], tools_of(*offered)).get(name) == found


def test_tool_is_found_by_its_description_where_its_name_does_not_lead_back() -> None:
    offered = tools_of("__", description="What it does. Use it wisely.")

    assert Naming().offered([spec_of("辞書")], offered) == {"辞書": "__"}
    assert Naming().offered([spec_of("辞書")], [*offered, *tools_of("_", description="What it does.")]) == {}


def test_tool_that_was_made_unique_is_found_under_a_declared_name() -> None:
    offered = [
        ViewTool("notion_search", "Searches the wiki.", {}),
        ViewTool("notion_search_2", "Searches the notes.", {}),
    ]
    found = Naming(lambda name: name.replace(".", "_")).offered([WIKI, NOTES], offered)

    assert found == {"notion.search": "notion_search", "notion_search": "notion_search_2"}


@pytest.mark.parametrize(("description", "found"), [("Searches the wiki.", "notion.search"), ("", "notion_search")])
def test_one_offered_tool_is_one_of_two_that_collide(description: str, found: str) -> None:
    offered = tools_of("notion_search", description=description)

    assert Naming().offered([WIKI, NOTES], offered) == {found: "notion_search"}


def test_tool_of_the_agents_own_is_not_taken_for_one_of_the_same_name() -> None:
    own = ViewTool("write_file", "Writes content to a specified file.", {})
    given = ViewTool("suite__write_file", "Writes a file.", {})

    assert Naming().offered([WRITE], [own, given]) == {"write_file": "suite__write_file"}
    assert Naming(has_own_tools=True).offered([WRITE], [own]) == {}
    assert Naming(has_own_tools=True).offered([WRITE], tools_of("write_file")) == {"write_file": "write_file"}
    assert Naming().offered([WRITE], [own]) == {"write_file": "write_file"}  # its description was changed


def view_of(*names: str) -> View:
    call = ViewCall("1", names[0], {}, "{}")
    return View(
        "m", False, messages=(ViewMessage("assistant", "messages[0]", calls=(call,)),), tools=tuple(tools_of(*names))
    )


def test_view_has_the_names_of_the_scenario() -> None:
    view = mapped_back(view_of("mcp__get_weather"), [spec_of("get_weather")], Naming())

    assert view.tools[0].name == "get_weather"
    assert view.messages[0].calls[0].name == "get_weather"


def test_call_of_a_tool_that_is_not_offered_has_its_name_by_the_mapping() -> None:
    not_offered = replace(view_of("w"), tools=())

    view = mapped_back(not_offered, [spec_of("get_weather")], Naming({"get_weather": "w"}))

    assert view.messages[0].calls[0].name == "get_weather"


def test_one_offered_tool_never_matches_two() -> None:
    view = mapped_back(view_of("notion_search"), [WIKI, NOTES], Naming())

    assert [tool.name for tool in view.tools] == ["notion_search"]


def test_tool_of_the_agents_own_with_a_scenarios_name_is_marked() -> None:
    view = mapped_back(view_of("write_file", "mcp_write_file"), [WRITE], Naming({"write_file": "mcp_write_file"}))

    assert [tool.name for tool in view.tools] == ["write_file (the agent's own)", "write_file"]
    assert view.messages[0].calls[0].name == "write_file (the agent's own)"


def test_description_decides_between_tools_that_are_declared_under_one_name() -> None:
    shared = {"search": "search", "find": "search"}
    specs = [ToolSpec(name="search", description="Searches."), ToolSpec(name="find", description="Finds.")]

    assert dict(Naming(shared).offered(specs, tools_of("search", description="Searches."))) == {"search": "search"}
    assert dict(Naming(shared).offered(specs, tools_of("search", description="Finds."))) == {"find": "search"}
