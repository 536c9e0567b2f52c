"""What a scenario may say with `tool_choice` and `output_schema`. Knows no line and no wire."""

from itertools import islice

from agent_conformance.scenario.checks.mistakes import Found, demands_of
from agent_conformance.scenario.model import Demands, NamedToolSpec, Scenario
from agent_conformance.scenario.yaml_files.problems import listed
from agent_conformance.scenario.yaml_files.reading import KeyPath
from fake_providers.values.json_schemas import validator_of, why_no_schema


def check_shapes(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    yield from _of_choice(scenario)
    yield from _of_schema(scenario)
    for number, turn in enumerate(scenario.conversation):
        for demands, path in demands_of(turn, number):
            yield from _of_demands(scenario, demands, (*path, "reply", "json"))


def _of_choice(scenario: Scenario) -> Found:
    choice = scenario.tool_choice
    enabled = [tool.name for tool in scenario.tools if tool.enabled]
    if choice is None or choice == "auto":
        return
    if choice == "none":
        yield from _calls_that_are_forbidden(scenario)
        return
    named = choice.tool if isinstance(choice, NamedToolSpec) else None
    if named is not None and named not in enabled:
        there = f"Enabled: {listed(enabled)}." if enabled else "The scenario has none."
        yield ("tool_choice", "tool"), f"`{named}` is no tool that is enabled from the start. {there}"
    elif not enabled:
        yield ("tool_choice",), "`tool_choice` demands a call, and no tool is enabled from the start."
    first = scenario.conversation[0].model[:1]
    called = [call.name for reply in first for call in reply.calls]
    if first and not (named in called if named else called):
        wanted = f"`{named}`" if named else "a tool"
        path = ("conversation", 0, "model", 0)
        yield path, f"`tool_choice` makes the model call {wanted} first, and this reply does not."


def _calls_that_are_forbidden(scenario: Scenario) -> Found:
    for number, turn in enumerate(scenario.conversation):
        for index, reply in enumerate(turn.model):
            if reply.calls:
                path = ("conversation", number, "model", index, "calls")
                yield path, "`tool_choice: none` forbids calls, so this reply is never sent. Leave it out."


def _of_schema(scenario: Scenario) -> Found:
    schema, path = scenario.output_schema, ("output_schema",)
    if schema is None:
        return
    if schema.get("type") != "object" or not schema.get("properties"):
        yield path, "`output_schema` is no object with properties, which several providers demand of an answer."
    if why := why_no_schema(schema):
        yield path, f"`output_schema` is no JSON Schema: {why}."


def _of_demands(scenario: Scenario, demands: Demands, path: KeyPath) -> Found:
    if demands.reply is None or "json" not in demands.reply.model_fields_set:
        return
    if scenario.output_schema is None:
        yield path, "`json` is what an agent replies that has an `output_schema`, which this scenario lacks."
        return
    try:
        errors = validator_of(scenario.output_schema).iter_errors(demands.reply.json)
    except ValueError:
        return  # the schema itself is wrong, which is a mistake of its own
    for error in islice(errors, 1):
        yield path, f"`json` is not of the `output_schema`: {error.message.splitlines()[0]}."
