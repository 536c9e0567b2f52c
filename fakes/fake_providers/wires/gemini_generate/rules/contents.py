"""Rules of the validator on contents, names and schemas, reported together as bullets. It has the sentences."""

from fake_providers.wires.gemini_generate.rules.rulebook import VALIDATOR, stage_rule
from fake_providers.wires.gemini_generate.rules.samples import (
    call,
    cite,
    declaration_of,
    model,
    result,
    sample_request,
    sample_with_property,
    sample_with_tools,
    user,
)

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}

stage_rule(
    "contents-missing",
    VALIDATOR,
    why="`contents` is missing or empty.",
    confidence="verbatim",
    evidence=cite(
        "ikechan8370/chatgpt-plugin#733",
        quote="* GenerateContentRequest.contents: contents is not specified",
    ),
    breaking={"contents": []},
    accepted={"contents": [user("Is it raining in Oslo?")]},
)

stage_rule(
    "parts-empty",
    VALIDATOR,
    why="A content has an empty list of parts. A content without the key, as Google itself sends it, is accepted.",
    confidence="verbatim",
    evidence=cite(
        "egoist/chatwise-releases#250",
        "vercel/ai#3775",
        "QuantumNous/new-api#1060",
        quote="* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.",
    ),
    breaking=sample_request(user("Rain?"), {"role": "model", "parts": []}, user("Well?")),
    accepted=sample_request(user("Rain?"), {"role": "model", "parts": [{"text": ""}]}, user("Well?")),
)

stage_rule(
    "part-without-data",
    VALIDATOR,
    why="A part is empty. One with only a thought signature, or with metadata such as `videoMetadata`, is accepted.",
    confidence="verbatim",
    evidence=cite(
        "54xzh/FLIT#70",
        quote="contents[2].parts[1].data: required oneof field 'data' must have one initialized field",
    ),
    breaking=sample_request(user({})),
    accepted=sample_request(user({"text": "Is it raining in Oslo?"})),
)

stage_rule(
    "call-name-empty",
    VALIDATOR,
    why="A call in the history has no name.",
    confidence="inferred",
    evidence=cite("the rule on the names of function responses", quote="Name cannot be empty."),
    breaking=sample_request(user("Rain?"), model(call("")), user(result())),
    accepted=sample_request(user("Rain?"), model(call()), user(result())),
)

stage_rule(
    "response-name-empty",
    VALIDATOR,
    why="A function response has no name. Any name that is not empty is accepted, even without a call of that name.",
    confidence="verbatim",
    evidence=cite(
        "public code quoting it",
        quote="* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.",
    ),
    breaking=sample_request(user("Rain?"), model(call()), user(result(""))),
    accepted=sample_request(user("Rain?"), model(call()), user(result())),
)

stage_rule(
    "function-name-invalid",
    VALIDATOR,
    why=(
        "A declared name has characters other than letters, digits and _.:- or does not start with a letter or "
        "underscore."
    ),
    confidence="verbatim",
    evidence=cite(
        "google-gemini/gemini-cli#2966",
        "google-gemini/gemini-cli#6704",
        "microsoft/vscode-copilot-release#7928",
        quote="Invalid function name. Must start with a letter or an underscore.",
    ),
    breaking=sample_with_tools(declaration_of(SCHEMA, name="get weather")),
    accepted=sample_with_tools(declaration_of(SCHEMA)),
)


STRING = {"type": "string"}
FILLED = {"type": "object", "properties": {"name": STRING}}

stage_rule(
    "schema-items-missing",
    VALIDATOR,
    why="An array anywhere in the schema has no `items`.",
    confidence="verbatim",
    evidence=cite(
        "AstrBotDevs/AstrBot#6029",
        "NousResearch/hermes-agent#69924",
        "kkrishnan90/gemini-desktop#7",
        quote="parameters.properties[tags].items: missing field.",
    ),
    breaking=sample_with_property({"type": "array"}),
    accepted=sample_with_property({"type": "array", "items": STRING}),
)

stage_rule(
    "schema-properties-empty",
    VALIDATOR,
    why=(
        "A nested object has no properties. At the root of the parameters, and as an alternative of a parameter, it is "
        "accepted."
    ),
    confidence="verbatim",
    evidence=cite(
        "browser-use/browser-use#3786",
        "pipecat-ai/pipecat-flows#110",
        "mastra-ai/mastra, recording, gemini-2.0-flash (accepted in `anyOf`)",
        quote="properties: should be non-empty for OBJECT type",
    ),
    breaking=sample_with_property({"type": "object"}),
    accepted=sample_with_property(FILLED),
)

stage_rule(
    "schema-properties-on-non-object",
    VALIDATOR,
    why="`properties` or `required` is on a schema of another type than OBJECT.",
    confidence="verbatim",
    evidence=cite(
        "anomalyco/opencode#11889",
        "anomalyco/opencode#43495",
        quote="parameters.properties[data].properties: only allowed for OBJECT type",
    ),
    breaking=sample_with_property({"type": "string", "required": ["name"]}),
    accepted=sample_with_property(STRING),
)

stage_rule(
    "schema-enum-on-non-string",
    VALIDATOR,
    why="`enum` is on a schema of another type than STRING.",
    confidence="verbatim",
    evidence=cite("public code quoting its end", quote="enum: only allowed for STRING type"),
    breaking=sample_with_property({"type": "integer", "enum": ["1"]}),
    accepted=sample_with_property({"type": "string", "enum": ["1"]}),
)

stage_rule(
    "schema-required-undefined",
    VALIDATOR,
    why="`required` names a property that is not in `properties`.",
    confidence="verbatim",
    evidence=cite(
        "iBUHub/AIStudioToAPI#154",
        quote="function_declarations[1].parameters.required[0]: property is not defined",
    ),
    breaking=sample_with_property(STRING, required=["town"]),
    accepted=sample_with_property(STRING, required=["city"]),
)

stage_rule(
    "schema-format-unsupported",
    VALIDATOR,
    why="The `format` of a string is neither enum nor date-time.",
    confidence="verbatim",
    evidence=cite(
        "public code quoting its end",
        quote="only 'enum' and 'date-time' are supported for STRING type",
    ),
    breaking=sample_with_property({"type": "string", "format": "uri"}),
    accepted=sample_with_property({"type": "string", "format": "date-time"}),
)
