"""Rules of the parser: the JSON does not match Google's messages. Has the evidence; the parser has the sentences."""

from fake_providers.wires.gemini_generate.rules.rulebook import PARSER, stage_rule
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

STRING = {"type": "string"}
SCHEMA = {"type": "object", "properties": {"city": STRING}}

stage_rule(
    "not-json",
    PARSER,
    why="The body is not JSON; NaN and Infinity, which Python's json writes, are not JSON either.",
    confidence="reported",
    evidence=cite(
        "protocolbuffers/protobuf src/google/protobuf/util/internal/json_stream_parser.cc",
        quote="Unexpected token.",
    ),
    breaking=sample_request(generationConfig={"temperature": float("nan")}),
    accepted=sample_request(generationConfig={"temperature": 0.5}),
)

stage_rule(
    "body-not-object",
    PARSER,
    why="The root of the body is not a JSON object.",
    confidence="reported",
    evidence=cite(
        "protocolbuffers/protobuf src/google/protobuf/util/internal/proto_writer.cc",
        quote="Root element must be a message.",
    ),
    breaking=[],
    accepted=sample_request(),
)

stage_rule(
    "unknown-field",
    PARSER,
    why="An object outside schemas has an unknown key; all unknown keys are reported together.",
    confidence="recorded",
    evidence=cite(
        "crmne/ruby_llm spec/fixtures/vcr_cassettes/Chat_with_structured_output",
        "maruel/genai providers/gemini/testdata/TestClient_Scoreboard/gemini-2.5-flash-lite/GenSync-TopLogprobs.yaml",
        quote='Invalid JSON payload received. Unknown name "response_schema": Cannot find field.',
    ),
    breaking=sample_request(messages=[]),
    accepted=sample_request(),
)

stage_rule(
    "schema-unknown-field",
    PARSER,
    why="`parameters` has a key outside Google's subset of OpenAPI; JSON Schema belongs in `parametersJsonSchema`.",
    confidence="recorded",
    evidence=cite(
        "pydantic/pydantic-ai tests/models/cassettes/test_gemini/test_image_as_binary_content_tool_response.yaml",
        "musistudio/claude-code-router#187",
        "zed-industries/zed#44875",
        quote="Unknown name \"additionalProperties\" at 'tools.function_declarations[0].parameters'",
    ),
    breaking=sample_with_tools(declaration_of({**SCHEMA, "additionalProperties": False})),
    accepted=sample_with_tools(declaration_of(SCHEMA)),
)

stage_rule(
    "schema-type-list",
    PARSER,
    why="`type` is a list; it must be one name, and `nullable` allows null.",
    confidence="verbatim",
    evidence=cite("zed-industries/zed#53919", quote="Proto field is not repeating, cannot start list."),
    breaking=sample_with_property({"type": ["string", "null"]}),
    accepted=sample_with_property(STRING),
)

stage_rule(
    "schema-type-unknown",
    PARSER,
    why="`type` is not one of Google's types, which are accepted in upper and lower case.",
    confidence="verbatim",
    evidence=cite(
        "zereight/gitlab-mcp#166",
        quote="Invalid value at '...value.type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), \"\"",
    ),
    breaking=sample_with_property({"type": ""}),
    accepted=sample_with_property(STRING),
)

stage_rule(
    "schema-enum-not-string",
    PARSER,
    why="A value of an `enum` is not a string.",
    confidence="reported",
    evidence=cite("public code that quotes `enum[0]' (TYPE_STRING), 1`", quote="(TYPE_STRING), 1"),
    breaking=sample_with_property({"type": "string", "enum": [1]}),
    accepted=sample_with_property({"type": "string", "enum": ["1"]}),
)

stage_rule(
    "not-repeated",
    PARSER,
    why="A field with a single value has a list.",
    confidence="verbatim",
    evidence=cite("zed-industries/zed#53919", quote="Proto field is not repeating, cannot start list."),
    breaking=sample_request(user({"text": ["Is it raining?"]})),
    accepted=sample_request(user({"text": "Is it raining?"})),
)

stage_rule(
    "invalid-value",
    PARSER,
    why="A field has a value of the wrong type, such as a string for a message or an object for a string.",
    confidence="verbatim",
    evidence=cite(
        "public write-ups of tool descriptions sent as objects",
        quote="Invalid value at 'tools[0].function_declarations[0].parameters.properties[1].value' (description), "
        "Starting an object on a scalar field",
    ),
    breaking=sample_with_property({"type": "string", "description": {"en": "A city."}}),
    accepted=sample_with_property({"type": "string", "description": "A city."}),
)

stage_rule(
    "response-not-object",
    PARSER,
    why="`functionResponse.response` is not an object; strings, numbers and lists must be put into a key of an object.",
    confidence="verbatim",
    evidence=cite(
        "public code quoting it, of texts and of lists",
        quote="Invalid value at 'contents[2].parts[0].function_response.response' "
        '(type.googleapis.com/google.protobuf.Struct), "text"',
    ),
    breaking=sample_request(user("Rain?"), model(call()), user(result(response="rain"))),
    accepted=sample_request(user("Rain?"), model(call()), user(result())),
)

stage_rule(
    "args-not-object",
    PARSER,
    why="`functionCall.args` is not an object; arguments kept as JSON text must be parsed before they are sent back.",
    confidence="verbatim",
    evidence=cite(
        "public code quoting it (gemini-3.5-flash-lite, 2026-08-13)",
        quote="Invalid value at 'contents[1].parts[0].function_call.args' "
        '(type.googleapis.com/google.protobuf.Struct), "{}"',
    ),
    breaking=sample_request(user("Rain?"), model(call(args='{"city":"Oslo"}')), user(result())),
    accepted=sample_request(user("Rain?"), model(call()), user(result())),
)

stage_rule(
    "part-two-data",
    PARSER,
    why="A part has more than one of text, call, response and media; text next to a call needs a part of its own.",
    confidence="verbatim",
    evidence=cite(
        "googleapis/nodejs-vertexai, merged stream parts, as quoted by public code",
        quote="Invalid value at 'contents[801].parts[0]' (oneof), oneof field 'data' is already set. Cannot set 'text'",
    ),
    breaking=sample_request(user("Rain?"), model({**call(), "text": "One moment."}), user(result())),
    accepted=sample_request(user("Rain?"), model(call()), user(result())),
)

stage_rule(
    "signature-not-base64",
    PARSER,
    why="`thoughtSignature` is not base64, in either of its alphabets.",
    confidence="reported",
    evidence=cite(
        "public code quoting the beginning of it",
        quote="Invalid value at 'contents[151].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed for",
    ),
    breaking=sample_request(user("Rain?"), model({**call(), "thoughtSignature": "{signature}"}), user(result())),
    accepted=sample_request(user("Rain?"), model(call()), user(result())),
)
