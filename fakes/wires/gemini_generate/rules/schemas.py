"""Rules of the second stage on schemas: bullets that name the property. The validator knows the words."""

from fakes.wires.gemini_generate.rules.rulebook import VALIDATOR, remark_rule, said, with_property

STRING = {"type": "string"}
FILLED = {"type": "object", "properties": {"name": STRING}}

remark_rule(
    "schema-items-missing",
    VALIDATOR,
    why="An array that does not say what it holds, anywhere in the schema.",
    confidence="verbatim",
    evidence=said(
        "AstrBotDevs/AstrBot#6029",
        "NousResearch/hermes-agent#69924",
        "kkrishnan90/gemini-desktop#7",
        quote="parameters.properties[tags].items: missing field.",
    ),
    breaking=with_property({"type": "array"}),
    accepted=with_property({"type": "array", "items": STRING}),
)

remark_rule(
    "schema-properties-empty",
    VALIDATOR,
    why="A nested object without properties. At the root of the parameters, and as one of the alternatives of a "
    "parameter, it was accepted.",
    confidence="verbatim",
    evidence=said(
        "browser-use/browser-use#3786",
        "pipecat-ai/pipecat-flows#110",
        "mastra-ai/mastra, recorded exchange, gemini-2.0-flash (accepted in `anyOf`)",
        quote="properties: should be non-empty for OBJECT type",
    ),
    breaking=with_property({"type": "object"}),
    accepted=with_property(FILLED),
)

remark_rule(
    "schema-properties-on-non-object",
    VALIDATOR,
    why="`properties` or `required` on a node of another type.",
    confidence="verbatim",
    evidence=said(
        "anomalyco/opencode#11889",
        "anomalyco/opencode#43495",
        quote="parameters.properties[data].properties: only allowed for OBJECT type",
    ),
    breaking=with_property({"type": "string", "required": ["name"]}),
    accepted=with_property(STRING),
)

remark_rule(
    "schema-enum-on-non-string",
    VALIDATOR,
    why="`enum` on a node of another type than STRING.",
    confidence="verbatim",
    evidence=said("public code quoting its end", quote="enum: only allowed for STRING type"),
    breaking=with_property({"type": "integer", "enum": ["1"]}),
    accepted=with_property({"type": "string", "enum": ["1"]}),
)

remark_rule(
    "schema-required-undefined",
    VALIDATOR,
    why="`required` names what `properties` does not have.",
    confidence="verbatim",
    evidence=said(
        "iBUHub/AIStudioToAPI#154",
        quote="function_declarations[1].parameters.required[0]: property is not defined",
    ),
    breaking=with_property(STRING, required=["town"]),
    accepted=with_property(STRING, required=["city"]),
)

remark_rule(
    "schema-format-unsupported",
    VALIDATOR,
    why="A string's `format` other than enum and date-time.",
    confidence="verbatim",
    evidence=said(
        "public code quoting its end",
        quote="only 'enum' and 'date-time' are supported for STRING type",
    ),
    breaking=with_property({"type": "string", "format": "uri"}),
    accepted=with_property({"type": "string", "format": "date-time"}),
)
