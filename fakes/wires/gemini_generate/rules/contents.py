"""Rules of the second stage on contents and names: bullets, all listed together. The validator knows the words."""

from fakes.wires.gemini_generate.rules.rulebook import (
    VALIDATOR,
    asking,
    call,
    declared,
    declaring,
    model,
    remark_rule,
    result,
    said,
    user,
)

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}

remark_rule(
    "contents-missing",
    VALIDATOR,
    why="There is nothing to answer: `contents` is missing or empty.",
    confidence="verbatim",
    evidence=said(
        "ikechan8370/chatgpt-plugin#733",
        quote="* GenerateContentRequest.contents: contents is not specified",
    ),
    breaking={"contents": []},
    accepted={"contents": [user("Is it raining in Oslo?")]},
)

remark_rule(
    "parts-empty",
    VALIDATOR,
    why="A content with an empty list of parts. One without the key, as Google itself sends it, was accepted.",
    confidence="verbatim",
    evidence=said(
        "egoist/chatwise-releases#250",
        "vercel/ai#3775",
        "QuantumNous/new-api#1060",
        quote="* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.",
    ),
    breaking=asking(user("Rain?"), {"role": "model", "parts": []}, user("Well?")),
    accepted=asking(user("Rain?"), {"role": "model", "parts": [{"text": ""}]}, user("Well?")),
)

remark_rule(
    "part-without-data",
    VALIDATOR,
    why="A part that holds nothing. A part with only a thought signature was accepted.",
    confidence="verbatim",
    evidence=said(
        "54xzh/FLIT#70",
        quote="contents[2].parts[1].data: required oneof field 'data' must have one initialized field",
    ),
    breaking=asking(user({})),
    accepted=asking(user({"text": "Is it raining in Oslo?"})),
)

remark_rule(
    "call-name-empty",
    VALIDATOR,
    why="A call sent back without a name.",
    confidence="inferred",
    evidence=said("the rule on the names of function responses", quote="Name cannot be empty."),
    breaking=asking(user("Rain?"), model(call("")), user(result())),
    accepted=asking(user("Rain?"), model(call()), user(result())),
)

remark_rule(
    "response-name-empty",
    VALIDATOR,
    why="A function response without a name; any name that is not empty was accepted, even one of no call.",
    confidence="verbatim",
    evidence=said(
        "public code quoting it",
        quote="* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.",
    ),
    breaking=asking(user("Rain?"), model(call()), user(result(""))),
    accepted=asking(user("Rain?"), model(call()), user(result())),
)

remark_rule(
    "function-name-invalid",
    VALIDATOR,
    why="A declared name with other characters than letters, digits and _.:- or that begins with another character.",
    confidence="verbatim",
    evidence=said(
        "google-gemini/gemini-cli#2966",
        "google-gemini/gemini-cli#6704",
        "microsoft/vscode-copilot-release#7928",
        quote="Invalid function name. Must start with a letter or an underscore.",
    ),
    breaking=declaring(declared(SCHEMA, name="get weather")),
    accepted=declaring(declared(SCHEMA)),
)
