"""Rules of the validator on contents and names, which are reported together as bullets. The validator has the
sentences."""

from fake_providers.wires.gemini_generate.rules.rulebook import VALIDATOR, stage_rule
from fake_providers.wires.gemini_generate.rules.samples import (
    call,
    cite,
    declaration_of,
    model,
    result,
    sample_request,
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
