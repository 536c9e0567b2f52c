import pytest

from conformance.run.tool_names import mapped_back, offered_name
from fakes import View, ViewCall, ViewMessage, ViewTool


@pytest.mark.parametrize(
    ("name", "offered", "tool_names", "found"),
    [
        ("get_weather", ["get_weather", "x"], None, "get_weather"),
        ("get_weather", ["mcp__get_weather", "x"], None, "mcp__get_weather"),
        ("get_weather", ["w"], {"get_weather": "w"}, "w"),
        ("get_weather", ["w"], lambda name: "w", "w"),
        ("write_file", ["write_file", "mcp_write_file"], {"write_file": "mcp_write_file"}, "mcp_write_file"),
        ("write_file", ["write_file"], {"write_file": "mcp_write_file"}, "write_file"),
        ("write_file", ["write_file", "mcp__s_write_file"], {"write_file": "s_write_file"}, "mcp__s_write_file"),
        ("node.js", ["node.js", "mcp__s_node_js"], {"node.js": "s_node.js"}, "mcp__s_node_js"),
        ("search", ["s_search", "s_web_search"], {"search": "s_search"}, "s_search"),
        ("search", ["a_s_search", "b_s_search", "search"], {"search": "s_search"}, "search"),
        ("node.js", ["node_js"], None, "node_js"),
        ("mcp:server.tool", ["mcp_server_tool"], None, "mcp_server_tool"),
        ("get_weather", ["a_get_weather", "b_get_weather"], None, None),
        ("get_weather", ["forget_weather"], None, None),
        ("get_weather", [], None, None),
        ("辞書", ["___"], None, None),
    ],
)
def test_tool_is_found_by_its_offered_name(name, offered, tool_names, found) -> None:  # type: ignore[no-untyped-def]
    assert offered_name(name, offered, tool_names) == found


def view_of(*names: str) -> View:
    call = ViewCall("1", names[0], {}, "{}")
    tools = tuple(ViewTool(name, "", {}) for name in names)
    return View("m", False, messages=(ViewMessage("assistant", "messages[0]", calls=(call,)),), tools=tools)


def test_view_has_the_names_of_the_scenario() -> None:
    view = mapped_back(view_of("mcp__get_weather"), ["get_weather"], None)

    assert view.tools[0].name == "get_weather"
    assert view.messages[0].calls[0].name == "get_weather"


def test_one_offered_tool_never_matches_two() -> None:
    view = mapped_back(view_of("notion_search"), ["notion.search", "notion_search"], None)

    assert [tool.name for tool in view.tools] == ["notion_search"]


def test_tool_of_the_agents_own_with_a_scenarios_name_is_marked() -> None:
    view = mapped_back(view_of("write_file", "mcp_write_file"), ["write_file"], {"write_file": "mcp_write_file"})

    assert [tool.name for tool in view.tools] == ["write_file (the agent's own)", "write_file"]
    assert view.messages[0].calls[0].name == "write_file (the agent's own)"
