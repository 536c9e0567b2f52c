"""Rules of the validator on schemas, reported as bullets that name the property. The validator has the sentences."""

from fake_providers.wires.gemini_generate.rules.rulebook import VALIDATOR, stage_rule
from fake_providers.wires.gemini_generate.rules.samples import cite, sample_with_property

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
