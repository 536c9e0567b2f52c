"""Rules of the parser, where the JSON does not match Google's messages, and of the validator on contents, names and
schemas, which reports all it finds as bullets. Both have the sentences; here is the evidence.
"""

from fake_providers import remedies
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_MESSAGE, ANY_PARAMETER, ANY_PART, ANY_TOOL
from fake_providers.wires.gemini_generate.rules.rulebook import GEMINI, PARSER, VALIDATOR
from fake_providers.wires.gemini_generate.rules.samples import (
    call,
    declaration_of,
    exchange,
    result,
    sample_request,
    sample_with_property,
    sample_with_tools,
    user,
)

STRING = {"type": "string"}
SCHEMA = {"type": "object", "properties": {"city": STRING}}
FILLED = {"type": "object", "properties": {"name": STRING}}

# A table: two rows are to be compared.
# fmt: off
PARSER.row("not-json", "The body is not JSON; NaN and Infinity, which Python's json writes, are not JSON either.",
    ANY_PART, remedy=remedies.JSON_LIBRARY,
    wrong=sample_request(generationConfig={"temperature": float("nan")}),
    right=sample_request(generationConfig={"temperature": 0.5}),
    reported={"protocolbuffers/protobuf src/google/protobuf/util/internal/json_stream_parser.cc": "Unexpected token."})
PARSER.row("body-not-object", "The root of the body is not a JSON object.",
    ANY_PART, remedy=remedies.ONE_OBJECT,
    wrong=[], right=sample_request(),
    reported={"protocolbuffers/protobuf src/google/protobuf/util/internal/proto_writer.cc":
        "Root element must be a message."})
PARSER.row("unknown-field", "An object outside schemas has an unknown key; all unknown keys are reported together.",
    ANY_PART, remedy=remedies.KNOWN_MEMBERS,
    wrong=sample_request(messages=[]), right=sample_request(),
    recorded={"crmne/ruby_llm spec/fixtures/vcr_cassettes/Chat_with_structured_output":
        'Invalid JSON payload received. Unknown name "response_schema": Cannot find field.',
        "maruel/genai providers/gemini/testdata/TestClient_Scoreboard/gemini-2.5-flash-lite/GenSync-TopLogprobs.yaml":
        ""})
PARSER.row("schema-unknown-field",
    "`parameters` has a key outside Google's subset of OpenAPI; JSON Schema belongs in `parametersJsonSchema`.",
    ANY_TOOL,
    remedy=Remedy("schemas",
        "Send JSON Schema in `parametersJsonSchema`, or remove keywords that `parameters` does not know."),
    wrong=sample_with_tools(declaration_of({**SCHEMA, "additionalProperties": False})),
    right=sample_with_tools(declaration_of(SCHEMA)),
    recorded={"pydantic/pydantic-ai tests/models/cassettes/test_gemini/test_image_as_binary_content_tool_response.yaml":
        "Unknown name \"additionalProperties\" at 'tools.function_declarations[0].parameters'",
        "musistudio/claude-code-router#187": "", "zed-industries/zed#44875": ""})
PARSER.row("schema-type-list", "`type` is a list; it must be one name, and `nullable` allows null.",
    ANY_TOOL, remedy=Remedy("schemas", "Write one type, and `nullable` in place of `null`."),
    wrong=sample_with_property({"type": ["string", "null"]}), right=sample_with_property(STRING),
    verbatim={"zed-industries/zed#53919": "Proto field is not repeating, cannot start list."})
PARSER.row("schema-type-unknown", "`type` is not one of Google's types, which are accepted in upper and lower case.",
    ANY_TOOL, remedy=remedies.CONVERT_SCHEMA,
    wrong=sample_with_property({"type": ""}), right=sample_with_property(STRING),
    verbatim={"zereight/gitlab-mcp#166":
        "Invalid value at '...value.type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), \"\""})
PARSER.row("schema-enum-not-string", "A value of an `enum` is not a string.",
    ANY_TOOL, remedy=remedies.ENUM_TEXTS,
    wrong=sample_with_property({"type": "string", "enum": [1]}),
    right=sample_with_property({"type": "string", "enum": ["1"]}),
    reported={"public code that quotes `enum[0]' (TYPE_STRING), 1`": "(TYPE_STRING), 1"})
PARSER.row("not-repeated", "A field with a single value has a list.",
    ANY_PART, remedy=remedies.VALUE,
    wrong=sample_request(user({"text": ["Is it raining?"]})), right=sample_request(user({"text": "Is it raining?"})),
    verbatim={"zed-industries/zed#53919": "Proto field is not repeating, cannot start list."})
PARSER.row("invalid-value",
    "A field has a value of the wrong type, such as a string for a message or an object for a string.",
    ANY_PART, remedy=remedies.VALUE,
    wrong=sample_with_property({"type": "string", "description": {"en": "A city."}}),
    right=sample_with_property({"type": "string", "description": "A city."}),
    verbatim={"public write-ups of tool descriptions sent as objects":
        "Invalid value at 'tools[0].function_declarations[0].parameters.properties[1].value' (description), "
        "Starting an object on a scalar field"})
PARSER.row("response-not-object",
    "`functionResponse.response` is not an object; strings, numbers and lists must be put into a key of an object.",
    ANY_MESSAGE, remedy=Remedy("results", 'Put what the tool returned under a key, as in `{"result":...}`.'),
    wrong=exchange(answer=result(response="rain")), right=exchange(),
    verbatim={"public code quoting it, of texts and of lists":
        "Invalid value at 'contents[2].parts[0].function_response.response' "
        '(type.googleapis.com/google.protobuf.Struct), "text"'})
PARSER.row("args-not-object",
    "`functionCall.args` is not an object; arguments kept as JSON text must be parsed before they are sent back.",
    ANY_MESSAGE, remedy=remedies.ARGUMENTS_AS_OBJECT,
    wrong=exchange(call(args='{"city":"Oslo"}')), right=exchange(),
    verbatim={"public code quoting it (gemini-3.5-flash-lite, 2026-08-13)":
        "Invalid value at 'contents[1].parts[0].function_call.args' "
        '(type.googleapis.com/google.protobuf.Struct), "{}"'})
PARSER.row("part-two-data",
    "A part has more than one of text, call, response and media; text next to a call needs a part of its own.",
    ANY_MESSAGE, remedy=Remedy("pictures", "Give each text, call, response and file a part of its own."),
    wrong=exchange({**call(), "text": "One moment."}), right=exchange(),
    verbatim={"googleapis/nodejs-vertexai, merged stream parts, as quoted by public code":
        "Invalid value at 'contents[801].parts[0]' (oneof), oneof field 'data' is already set. Cannot set 'text'"})
PARSER.row("signature-not-base64", "`thoughtSignature` is not base64, in either of its alphabets.",
    ANY_MESSAGE, remedy=remedies.SIGNATURE_UNCHANGED,
    wrong=exchange({**call(), "thoughtSignature": "{signature}"}), right=exchange(),
    reported={"public code quoting the beginning of it":
        "Invalid value at 'contents[151].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed for"})
VALIDATOR.row("contents-missing", "`contents` is missing or empty.",
    ANY_PART, remedy=remedies.CONVERSATION,
    wrong={"contents": []}, right={"contents": [user("Is it raining in Oslo?")]},
    verbatim={"ikechan8370/chatgpt-plugin#733": "* GenerateContentRequest.contents: contents is not specified"})
VALIDATOR.row("value-range",
    "A number of `generationConfig` is outside its range, or there are too many stop sequences.",
    ANY_PARAMETER, checked="2026-11-29", providers=GEMINI, remedy=remedies.KEEP_IN_RANGE,
    wrong=sample_request(generationConfig={"temperature": 5}),
    right=sample_request(generationConfig={"temperature": 2}),
    verbatim={"public code that measured it": "temperature must be in the range [0.0, 2.0]"})
VALIDATOR.row("response-mime-type", "The answer is to be of a media type that no text model writes.",
    ANY_PARAMETER, checked="2026-11-29", providers=GEMINI, remedy=remedies.FORMAT_SHAPE,
    wrong=sample_request(generationConfig={"responseMimeType": "image/png"}),
    right=sample_request(generationConfig={"responseMimeType": "text/plain"}),
    verbatim={"ten public projects": "allowed mimetypes are `text/plain`, `application/json`, `application/xml`, "
        "`application/yaml` and `text/x.enum`."})
VALIDATOR.row("parts-empty",
    "A content has an empty list of parts. A content without the key, as Google itself sends it, is accepted.",
    ANY_MESSAGE, remedy=remedies.LEAVE_OUT_EMPTY,
    wrong=sample_request(user("Rain?"), {"role": "model", "parts": []}, user("Well?")),
    right=sample_request(user("Rain?"), {"role": "model", "parts": [{"text": ""}]}, user("Well?")),
    verbatim={"egoist/chatwise-releases#250":
        "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.", "vercel/ai#3775": "",
        "QuantumNous/new-api#1060": ""})
VALIDATOR.row("part-without-data",
    "A part is empty. One with only a thought signature, or with metadata such as `videoMetadata`, is accepted.",
    ANY_MESSAGE, remedy=remedies.LEAVE_OUT_EMPTY,
    wrong=sample_request(user({})), right=sample_request(user({"text": "Is it raining in Oslo?"})),
    verbatim={"54xzh/FLIT#70":
        "contents[2].parts[1].data: required oneof field 'data' must have one initialized field"})
VALIDATOR.row("call-name-empty", "A call in the history has no name.",
    ANY_MESSAGE, remedy=remedies.CALLED_NAME,
    wrong=exchange(call("")), right=exchange(),
    inferred={"the rule on the names of function responses": "Name cannot be empty."})
VALIDATOR.row("response-name-empty",
    "A function response has no name. Any name that is not empty is accepted, even without a call of that name.",
    ANY_MESSAGE, remedy=Remedy("results", "Copy the name of the call into its response."),
    wrong=exchange(answer=result("")), right=exchange(),
    verbatim={"public code quoting it":
        "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty."})
VALIDATOR.row("function-name-invalid",
    "A declared name has characters other than letters, digits and _.:- or does not start with a letter or "
        "underscore.",
    ANY_TOOL, remedy=remedies.TOOL_NAMES,
    wrong=sample_with_tools(declaration_of(SCHEMA, name="get weather")),
    right=sample_with_tools(declaration_of(SCHEMA)),
    verbatim={"google-gemini/gemini-cli#2966": "Invalid function name. Must start with a letter or an underscore.",
        "google-gemini/gemini-cli#6704": "", "microsoft/vscode-copilot-release#7928": ""})
VALIDATOR.row("schema-items-missing", "An array anywhere in the schema has no `items`.",
    ANY_TOOL, remedy=remedies.ARRAY_ITEMS,
    wrong=sample_with_property({"type": "array"}), right=sample_with_property({"type": "array", "items": STRING}),
    verbatim={"AstrBotDevs/AstrBot#6029": "parameters.properties[tags].items: missing field.",
        "NousResearch/hermes-agent#69924": "", "kkrishnan90/gemini-desktop#7": ""})
VALIDATOR.row("schema-properties-empty",
    "A nested object has no properties. At the root of the parameters, and as an alternative of a parameter, it is "
        "accepted.",
    ANY_TOOL, remedy=Remedy("schemas", "Name the members of a nested object, or give the property another type."),
    wrong=sample_with_property({"type": "object"}), right=sample_with_property(FILLED),
    verbatim={"browser-use/browser-use#3786": "properties: should be non-empty for OBJECT type",
        "pipecat-ai/pipecat-flows#110": "", "mastra-ai/mastra, recording, gemini-2.0-flash (accepted in `anyOf`)": ""})
VALIDATOR.row("schema-properties-on-non-object",
    "`properties` or `required` is on a schema of another type than OBJECT.",
    ANY_TOOL, remedy=remedies.CONVERT_SCHEMA,
    wrong=sample_with_property({"type": "string", "required": ["name"]}), right=sample_with_property(STRING),
    verbatim={"anomalyco/opencode#11889": "parameters.properties[data].properties: only allowed for OBJECT type",
        "anomalyco/opencode#43495": ""})
VALIDATOR.row("schema-enum-on-non-string", "`enum` is on a schema of another type than STRING.",
    ANY_TOOL, remedy=remedies.ENUM_TEXTS,
    wrong=sample_with_property({"type": "integer", "enum": ["1"]}),
    right=sample_with_property({"type": "string", "enum": ["1"]}),
    verbatim={"public code quoting its end": "enum: only allowed for STRING type"})
VALIDATOR.row("schema-required-undefined", "`required` names a property that is not in `properties`.",
    ANY_TOOL, remedy=remedies.REQUIRED_NAMES,
    wrong=sample_with_property(STRING, required=["town"]), right=sample_with_property(STRING, required=["city"]),
    verbatim={"iBUHub/AIStudioToAPI#154": "function_declarations[1].parameters.required[0]: property is not defined"})
VALIDATOR.row("schema-format-unsupported", "The `format` of a string is neither enum nor date-time.",
    ANY_TOOL, remedy=remedies.CONVERT_SCHEMA,
    wrong=sample_with_property({"type": "string", "format": "uri"}),
    right=sample_with_property({"type": "string", "format": "date-time"}),
    verbatim={"public code quoting its end": "only 'enum' and 'date-time' are supported for STRING type"})
# fmt: on
