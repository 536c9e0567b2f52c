from reference_setups import Recorder

from agent_conformance.agents.reference.tools import VALID, declare, object_schema, resolve, wire_names


def test_valid_names_stay_and_the_others_get_valid_ones():
    names = ["get_weather", "node.js", "3d/render", "tool name", "天气", "x" * 80, ""]

    mapping = wire_names(names)

    assert mapping["get_weather"] == "get_weather"
    assert all(VALID.fullmatch(name) for name in mapping.values())


def test_names_that_become_equal_stay_different():
    names = ["notion.search", "notion_search", "notion/search", "half\ud800", "half\udc00", "y" * 70, "y" * 71]

    mapping = wire_names(names)

    assert mapping["notion_search"] == "notion_search"
    assert len(set(mapping.values())) == len(names)


def test_mapping_does_not_depend_on_the_order():
    assert wire_names(["a.b", "a_b"]) == wire_names(["a_b", "a.b"])


def test_tool_is_found_by_wire_name_own_name_and_after_a_prefix():
    tool = Recorder().tool("node.js")
    enabled = {"node_js": tool}

    assert resolve("node_js", enabled) is tool
    assert resolve("node.js", enabled) is tool
    assert resolve("functions.node_js", enabled) is tool
    assert resolve("functions.node_js:0", enabled) is tool


def test_near_misses_and_disabled_tools_are_not_found():
    off = Recorder().tool("shell", is_enabled=lambda: False)
    enabled = {"get_weather": Recorder().tool()}

    assert resolve("get_wether", enabled) is None
    assert resolve("weather", enabled) is None
    assert resolve("shell", enabled, [off]) is None
    assert resolve("functions.shell", enabled, [off]) is None


def test_no_tools_are_not_declared_at_all():
    assert declare({}) is None


def test_tools_are_declared_with_description_and_schema():
    offer = declare({"get_weather": Recorder().tool()})

    assert offer is not None
    assert offer.declarations[0].description == "What get_weather does."
    assert offer.declarations[0].schema["properties"] == {"city": {"type": "string"}}


def test_schema_becomes_an_object_without_unions_on_top():
    schema = {"anyOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "string"}}}]}

    assert object_schema(schema) == {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    assert object_schema({}) == {"type": "object", "properties": {}}
    assert object_schema({"type": "object", "properties": {"a": {}}, "required": ["a"]})["required"] == ["a"]
