"""Rules of the first stage: the JSON does not fit Google's messages. Knows the evidence; the parser knows the words."""

from fakes.wires.gemini_generate.rules.rulebook import (
    PARSER,
    asking,
    call,
    declared,
    declaring,
    model,
    remark_rule,
    result,
    said,
    user,
    with_property,
)

STRING = {"type": "string"}
SCHEMA = {"type": "object", "properties": {"city": STRING}}

remark_rule(
    "not-json",
    PARSER,
    why="The body is no JSON: NaN and Infinity, which Python's json writes, are none.",
    confidence="reported",
    evidence=said(
        "protocolbuffers/protobuf src/google/protobuf/util/internal/json_stream_parser.cc",
        quote="Unexpected token.",
    ),
    breaking=asking(generationConfig={"temperature": float("nan")}),
    accepted=asking(generationConfig={"temperature": 0.5}),
)

remark_rule(
    "body-not-object",
    PARSER,
    why="The root of the body is no JSON object.",
    confidence="reported",
    evidence=said(
        "protocolbuffers/protobuf src/google/protobuf/util/internal/proto_writer.cc",
        quote="Root element must be a message.",
    ),
    breaking=[],
    accepted=asking(),
)

remark_rule(
    "unknown-field",
    PARSER,
    why="A key that its message does not have, outside schemas; told with the others of the body.",
    confidence="recorded",
    evidence=said(
        "crmne/ruby_llm spec/fixtures/vcr_cassettes/Chat_with_structured_output",
        "maruel/genai providers/gemini/testdata/TestClient_Scoreboard/gemini-2.5-flash-lite/GenSync-TopLogprobs.yaml",
        quote='Invalid JSON payload received. Unknown name "response_schema": Cannot find field.',
    ),
    breaking=asking(messages=[]),
    accepted=asking(),
)

remark_rule(
    "schema-unknown-field",
    PARSER,
    why="`parameters` takes Google's subset of OpenAPI; `parametersJsonSchema` takes JSON Schema.",
    confidence="recorded",
    evidence=said(
        "pydantic/pydantic-ai tests/models/cassettes/test_gemini/test_image_as_binary_content_tool_response.yaml",
        "musistudio/claude-code-router#187",
        "zed-industries/zed#44875",
        quote="Unknown name \"additionalProperties\" at 'tools.function_declarations[0].parameters'",
    ),
    breaking=declaring(declared({**SCHEMA, "additionalProperties": False})),
    accepted=declaring(declared(SCHEMA)),
)

remark_rule(
    "schema-type-list",
    PARSER,
    why="`type` is one name; what may be null says `nullable`.",
    confidence="verbatim",
    evidence=said("zed-industries/zed#53919", quote="Proto field is not repeating, cannot start list."),
    breaking=with_property({"type": ["string", "null"]}),
    accepted=with_property(STRING),
)

remark_rule(
    "schema-type-unknown",
    PARSER,
    why="`type` is no type of Google's; names are taken in any case.",
    confidence="verbatim",
    evidence=said(
        "zereight/gitlab-mcp#166",
        quote="Invalid value at '...value.type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), \"\"",
    ),
    breaking=with_property({"type": ""}),
    accepted=with_property(STRING),
)

remark_rule(
    "schema-enum-not-string",
    PARSER,
    why="The values of an `enum` are strings.",
    confidence="reported",
    evidence=said("public code that quotes `enum[0]' (TYPE_STRING), 1`", quote="(TYPE_STRING), 1"),
    breaking=with_property({"type": "string", "enum": [1]}),
    accepted=with_property({"type": "string", "enum": ["1"]}),
)

remark_rule(
    "not-repeated",
    PARSER,
    why="A list where the message has one value.",
    confidence="verbatim",
    evidence=said("zed-industries/zed#53919", quote="Proto field is not repeating, cannot start list."),
    breaking=asking(user({"text": ["Is it raining?"]})),
    accepted=asking(user({"text": "Is it raining?"})),
)

remark_rule(
    "invalid-value",
    PARSER,
    why="A value of another type than the field's: a text for a message, an object for a text.",
    confidence="verbatim",
    evidence=said(
        "public write-ups of tool descriptions sent as objects",
        quote="Invalid value at 'tools[0].function_declarations[0].parameters.properties[1].value' (description), "
        "Starting an object on a scalar field",
    ),
    breaking=with_property({"type": "string", "description": {"en": "A city."}}),
    accepted=with_property({"type": "string", "description": "A city."}),
)

remark_rule(
    "response-not-object",
    PARSER,
    why="`functionResponse.response` is a Struct: texts, numbers and lists go into a key of an object.",
    confidence="verbatim",
    evidence=said(
        "public code quoting it, of texts and of lists",
        quote="Invalid value at 'contents[2].parts[0].function_response.response' "
        '(type.googleapis.com/google.protobuf.Struct), "text"',
    ),
    breaking=asking(user("Rain?"), model(call()), user(result(response="rain"))),
    accepted=asking(user("Rain?"), model(call()), user(result())),
)

remark_rule(
    "args-not-object",
    PARSER,
    why="`functionCall.args` is a Struct: arguments kept as JSON text are parsed before they are sent back.",
    confidence="verbatim",
    evidence=said(
        "public code quoting it (gemini-3.5-flash-lite, 2026-08-13)",
        quote="Invalid value at 'contents[1].parts[0].function_call.args' "
        '(type.googleapis.com/google.protobuf.Struct), "{}"',
    ),
    breaking=asking(user("Rain?"), model(call(args='{"city":"Oslo"}')), user(result())),
    accepted=asking(user("Rain?"), model(call()), user(result())),
)

remark_rule(
    "part-two-data",
    PARSER,
    why="A part holds one of text, call, response and media; text beside a call is a part of its own.",
    confidence="verbatim",
    evidence=said(
        "googleapis/nodejs-vertexai, merged stream parts, as quoted by public code",
        quote="Invalid value at 'contents[801].parts[0]' (oneof), oneof field 'data' is already set. Cannot set 'text'",
    ),
    breaking=asking(user("Rain?"), model({**call(), "text": "One moment."}), user(result())),
    accepted=asking(user("Rain?"), model(call()), user(result())),
)

remark_rule(
    "signature-not-base64",
    PARSER,
    why="`thoughtSignature` is bytes: anything outside both alphabets of base64 does not parse.",
    confidence="reported",
    evidence=said(
        "public code quoting the beginning of it",
        quote="Invalid value at 'contents[151].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed for",
    ),
    breaking=asking(user("Rain?"), model({**call(), "thoughtSignature": "{signature}"}), user(result())),
    accepted=asking(user("Rain?"), model(call()), user(result())),
)
