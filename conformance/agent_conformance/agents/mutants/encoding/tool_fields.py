"""Bugs with the list of tools and the choice among them: the form of another API, names that are gone."""

import json

from agent_conformance.agents.mutants.encoding.bodies import Body, declarations_of, each, in_body, spoiled, tools_of

SCENARIO = "round-trip/result-comes-back"
SCHEMA_KEYS = ("parameters", "input_schema", "parametersJsonSchema")


def _flat(body: Body) -> None:
    if body.get("tools") and "functionDeclarations" not in body["tools"][0]:
        body["tools"] = [{"type": "function", **(tool.get("function") or tool)} for tool in body["tools"]]


def _nested(body: Body) -> None:
    if body.get("tools") and "functionDeclarations" not in body["tools"][0]:
        body["tools"] = [{"type": "function", "function": tool.get("function") or tool} for tool in body["tools"]]


def _by_name(body: Body) -> None:
    if body.get("tools"):
        body["tools"] = {declaration["name"]: declaration for declaration in declarations_of(body)}


def _as_texts(body: Body) -> None:
    if body.get("tools"):
        body["tools"] = [json.dumps(tool) for tool in body["tools"]]


def _types_left_out(tool: Body) -> None:
    tool.pop("type", None)


def _names_left_out(declaration: Body) -> None:
    declaration.pop("name", None)


def _null_names(declaration: Body) -> None:
    declaration["name"] = None


def _empty_names(declaration: Body) -> None:
    declaration["name"] = ""


def _schemas_left_out(declaration: Body) -> None:
    for key in SCHEMA_KEYS:
        declaration.pop(key, None)


def _schemas_as_mcp_names_them(declaration: Body) -> None:
    for key in SCHEMA_KEYS:
        if key in declaration:
            declaration["inputSchema"] = declaration.pop(key)
            return


def _schemas_as_texts(declaration: Body) -> None:
    for key in SCHEMA_KEYS:
        if key in declaration:
            declaration[key] = json.dumps(declaration[key])


def _own_members(declaration: Body) -> None:
    declaration["tags"] = ["text"]


def _twice(body: Body) -> None:
    for tool in tools_of(body):
        if "functionDeclarations" in tool:
            tool["functionDeclarations"] *= 2
            return
    if body.get("tools"):
        body["tools"] *= 2


def _choice_as_word(body: Body) -> None:
    if body.get("tools"):
        body["tool_choice"] = "any"


def _choice_of_another_form(body: Body) -> None:
    if body.get("tools"):
        body["tool_choice"] = {"type": "function"}


def _choice_of_a_tool_that_is_gone(body: Body) -> None:
    name = "a_tool_that_is_gone"
    if not body.get("tools"):
        return
    if "function" in body["tools"][0]:
        body["tool_choice"] = {"type": "function", "function": {"name": name}}
    elif "input_schema" in body["tools"][0]:
        body["tool_choice"] = {"type": "tool", "name": name}
    elif "functionDeclarations" not in body["tools"][0]:
        body["tool_choice"] = {"type": "function", "name": name}


def _choice_as_list(body: Body) -> None:
    body["tool_choice"] = ["auto"]


def _choice_without_tools(body: Body) -> None:
    body["tool_choice"] = {"type": "auto"} if "max_tokens" in body else "auto"


def _parallel_without_tools(body: Body) -> None:
    body["parallel_tool_calls"] = True


def _choice_without_a_name(body: Body) -> None:
    if body.get("tools") and "input_schema" in body["tools"][0]:
        body["tool_choice"] = {"type": "tool"}


MUTANTS = (
    spoiled(
        "M63a_flat",
        "a tool is declared in the form of this API",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter: name and schema beside `type`",
        SCENARIO,
        in_body(_flat),
    ),
    spoiled(
        "M63b_nested",
        "a tool is declared in the form of this API",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter: name and schema under `function`",
        SCENARIO,
        in_body(_nested),
    ),
    spoiled(
        "M63c_by_name",
        "the tools are a list",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter: `tools` as an object",
        SCENARIO,
        in_body(_by_name),
    ),
    spoiled(
        "M63d_as_texts",
        "a tool is an object, and not its JSON",
        "declarations kept in a database as text",
        SCENARIO,
        in_body(_as_texts),
    ),
    spoiled(
        "M63e_types_left_out",
        "a tool has its type",
        "https://github.com/openai/openai-cookbook/issues/1248",
        SCENARIO,
        each(tools_of, _types_left_out),
    ),
    spoiled(
        "M63f_names_left_out",
        "a tool has its name",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter: a function without a name",
        SCENARIO,
        each(declarations_of, _names_left_out),
    ),
    spoiled(
        "M63g_null_names",
        "the name of a tool is a text",
        "declarations of functions without a name",
        SCENARIO,
        each(declarations_of, _null_names),
    ),
    spoiled(
        "M63h_empty_names",
        "the name of a tool is not empty",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter: an empty name",
        SCENARIO,
        each(declarations_of, _empty_names),
    ),
    spoiled(
        "M63i_schemas_left_out",
        "a tool has its schema",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter: a tool without `input_schema`",
        SCENARIO,
        each(declarations_of, _schemas_left_out),
    ),
    spoiled(
        "M63j_schemas_as_mcp_names_them",
        "the schema is where the API has it",
        "declarations of MCP that are sent as they came",
        SCENARIO,
        each(declarations_of, _schemas_as_mcp_names_them),
    ),
    spoiled(
        "M63k_schemas_as_texts",
        "a schema is an object, and not its JSON",
        "https://github.com/FoundationAgents/OpenManus/issues/1162",
        SCENARIO,
        each(declarations_of, _schemas_as_texts),
    ),
    spoiled(
        "M63l_own_members",
        "what the agent stores with a tool stays at home",
        "error tables of public clients: an extra key of a tool",
        SCENARIO,
        each(declarations_of, _own_members),
    ),
    spoiled(
        "M63m_twice",
        "a tool is declared once",
        "0xPlaygrounds/rig, recorded refusals of a name that is declared twice",
        SCENARIO,
        in_body(_twice),
    ),
    spoiled(
        "M63n_choice_as_word",
        "the choice has the words of this API",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter: `any`, which another API knows",
        SCENARIO,
        in_body(_choice_as_word),
    ),
    spoiled(
        "M63o_choice_of_another_form",
        "the choice has the form of this API",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter: a choice that names no function",
        SCENARIO,
        in_body(_choice_of_another_form),
    ),
    spoiled(
        "M63p_choice_of_a_tool_that_is_gone",
        "the choice names a tool of the request",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter: a function that is not in `tools`",
        SCENARIO,
        in_body(_choice_of_a_tool_that_is_gone),
    ),
    spoiled(
        "M63q_choice_as_list",
        "the choice is a word or an object",
        "recorded refusals, kangminlee-maker/local-OAuth-CLI-API-adapter: a `tool_choice` of another type",
        SCENARIO,
        in_body(_choice_as_list),
    ),
    spoiled(
        "M63r_choice_without_tools",
        "without tools there is no choice among them",
        "three public threads that quote the refusal",
        "no-tools/all-disabled",
        in_body(_choice_without_tools),
    ),
    spoiled(
        "M63s_parallel_without_tools",
        "without tools nothing is said about parallel calls",
        "https://github.com/openai/swarm/issues/30",
        "no-tools/all-disabled",
        in_body(_parallel_without_tools),
    ),
    spoiled(
        "M63t_choice_without_a_name",
        "a choice of one tool names it",
        "error tables of public clients",
        SCENARIO,
        in_body(_choice_without_a_name),
    ),
)
