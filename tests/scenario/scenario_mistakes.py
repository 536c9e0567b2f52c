"""One right scenario, and each mistake an author may make in it: what is replaced, the line, and what is said."""

from dataclasses import dataclass

RIGHT = """\
# yaml-language-server: $schema=../scenario.schema.json
# A comment that argues.
description: an invented tool name is answered
profile: hardened
source: https://example.com/1

tools:
  - name: get_weather
    description: Current weather for a city.
    parameters: {city: string}
    returns: 7 degrees

history:
  - user: Good morning.
  - assistant: {calls: [{id: c1, name: get_weather, arguments: {city: Rome}}]}
  - tool: {id: c1, result: 20 degrees}

conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_wether, arguments: {city: Oslo}}]
        until: answered
      - text: It is 7 degrees in Oslo.
        chunks: [It is 7, " degrees in Oslo."]
    expect:
      executed: []
      reply: It is 7 degrees in Oslo.
      requests: [{at: 2, tools: [get_weather], added: {blank: false}}]
"""


@dataclass(frozen=True)
class Mistake:
    """`found` is replaced by `put` in RIGHT; the JSON Schema finds `structural` ones too."""

    found: str
    put: str
    line: int
    message: str
    structural: bool = True

    @property
    def text(self) -> str:
        assert self.found in RIGHT
        return RIGHT.replace(self.found, self.put, 1)


MISTAKES = {
    "a tool that enables one of another name": Mistake(
        "    returns: 7 degrees\n",
        "    returns: 7 degrees\n    enables: [get_wether]\n",
        12,
        "`get_wether` is no tool of this scenario. Did you mean `get_weather`? Declared: `get_weather`.",
        structural=False,
    ),
    "a tool that enables what is enabled": Mistake(
        "    returns: 7 degrees\n",
        "    returns: 7 degrees\n    enables: [get_weather]\n",
        12,
        "`get_weather` is enabled from the start. Give it `enabled: false`.",
        structural=False,
    ),
    "cancel at a question that nobody asks": Mistake(
        "    model:\n",
        "    cancel: {at: approval}\n    model:\n",
        20,
        "nobody asks in this turn: say in `approve` what the user answers.",
        structural=False,
    ),
    "typo in a top key": Mistake(
        "profile:",
        "profil:",
        4,
        "`profil` is no field of a scenario. Did you mean `profile`? Allowed: `format`, `description`, `profile`,",
    ),
    "typo in a turn": Mistake(
        "    expect:", "    expects:", 25, "`expects` is no field of a turn. Did you mean `expect`?"
    ),
    "typo in a call": Mistake(
        "arguments: {city: Oslo}",
        "argments: {city: Oslo}",
        21,
        "`argments` is no field of a call. Did you mean `arguments`?",
    ),
    "typo inside one of two shapes": Mistake(
        "{calls: [{id", "{cals: [{id", 15, "`cals` is no field of an assistant's message. Did you mean `calls`?"
    ),
    "missing field": Mistake("profile: hardened\n", "", 3, "a scenario has no `profile`, which it needs."),
    "unknown word": Mistake(
        "hardened",
        "hardend",
        4,
        "`profile` is the text `hardend`. Did you mean `hardened`? Allowed: `core`, `hardened`.",
    ),
    "unknown word where a number may stand": Mistake(
        "at: 2",
        "at: lst",
        28,
        "`at` is the text `lst`. Did you mean `last`? Allowed: `last`, `each`, or a whole number.",
    ),
    "number for a text": Mistake(
        "user: Good morning.",
        "user: 7",
        14,
        "`user` is the number 7; expected a text or a list. Quote it to make it a text.",
    ),
    "text for a boolean": Mistake(
        "blank: false", "blank: no", 28, "`blank` is the text `no`; expected `true` or `false`."
    ),
    "text for a number": Mistake(
        "until: answered", "times: 0x10", 22, "`times` is the text `0x10`; expected a whole number."
    ),
    "text for a list": Mistake(
        "tools: [get_weather]",
        "contains: Oslo",
        28,
        "`contains` is the text `Oslo`; expected a list. Write `[Oslo]`.",
    ),
    "mapping for a list": Mistake(
        "calls: [{name: get_wether, arguments: {city: Oslo}}]",
        "calls: {name: get_wether}",
        21,
        "`calls` is a mapping with `name`; expected a list.",
    ),
    "number for a reply": Mistake(
        "reply: It is 7 degrees in Oslo.", "reply: 7", 27, "`reply` is the number 7; expected a text or a mapping."
    ),
    "number of times below one": Mistake("until: answered", "times: 0", 22, "`times` is 0; it is at least 1."),
    "long description": Mistake(
        "an invented tool name is answered",
        "an invented tool name is answered " * 3,
        3,
        "`description` has 101 characters; at most 72 are allowed.",
    ),
    "two roles in one message": Mistake(
        "  - user: Good morning.",
        "  - user: Good morning.\n    system: Be brief.",
        14,
        "a message of the history has exactly one of `user`, `system`, `assistant`, `tool`.",
    ),
    "unknown short type": Mistake(
        "{city: string}",
        "{city: strng}",
        10,
        "the type of the parameter `city` is the text `strng`. Did you mean `string`? Allowed: `string`, `integer`,",
    ),
    "pause without a tool of the provider": Mistake(
        '        chunks: [It is 7, " degrees in Oslo."]',
        "        finish: pause",
        24,
        "`finish: pause` needs `server_calls`, and has no `calls` beside them.",
        structural=False,
    ),
    "tool of the provider that is not declared": Mistake(
        '        chunks: [It is 7, " degrees in Oslo."]',
        "        server_calls: [{name: web_search, arguments: {query: Oslo}, result: rain}]",
        24,
        "`web_search` is not among the `server_tools` of this scenario. Name it there.",
        structural=False,
    ),
    "reason of calls beside calls": Mistake(
        "until: answered",
        "finish: tool_calls",
        22,
        "`finish: tool_calls` is for a reply without `calls`. With calls it is what is sent anyway.",
        structural=False,
    ),
    "text of a blocked prompt": Mistake(
        '        chunks: [It is 7, " degrees in Oslo."]',
        "        finish: blocked-prompt",
        24,
        "`finish: blocked-prompt` comes without content. Leave `text` and `calls` out.",
        structural=False,
    ),
    "quirk of calls that are not there": Mistake(
        "until: answered",
        "quirks: [same-index]",
        22,
        "`same-index` changes how two `calls` are sent, which this reply does not have.",
        structural=False,
    ),
    "quirk of a text without one": Mistake(
        "until: answered",
        "quirks: [text-in-the-start]",
        22,
        "`text-in-the-start` changes how a text is sent, which this reply does not have.",
        structural=False,
    ),
    "quirk of a call without one": Mistake(
        '" degrees in Oslo."]',
        '" degrees in Oslo."]\n        quirks: [empty-choices, late-id]',
        25,
        "`late-id` changes how `calls` are sent, which this reply does not have.",
        structural=False,
    ),
    "quirk twice": Mistake(
        "until: answered",
        "quirks: [late-id, late-id]",
        22,
        "`late-id` stands twice. Keep one.",
        structural=False,
    ),
    "quirks that exclude each other": Mistake(
        "until: answered",
        "quirks: [no-index, growing-index]",
        22,
        "`no-index`, `growing-index` exclude each other. Keep one.",
        structural=False,
    ),
    "quirks of two wires": Mistake(
        '" degrees in Oslo."]',
        '" degrees in Oslo."]\n        quirks: [empty-choices, text-in-the-start]',
        25,
        "`empty-choices`, `text-in-the-start` exclude each other. Keep one.",
        structural=False,
    ),
    "quirk of an id that is not there": Mistake(
        "arguments: {city: Oslo}}]\n        until: answered",
        "arguments: {city: Oslo}, id: null}]\n        quirks: [late-id]",
        22,
        "`late-id` says where the id stands, and a call has none. Keep one.",
        structural=False,
    ),
    "quirk of arguments that are a text": Mistake(
        "arguments: {city: Oslo}}]\n        until: answered",
        "arguments_text: '{}'}]\n        quirks: [arguments-as-object]",
        22,
        "`arguments-as-object` sends `arguments`, and a call has `arguments_text`. Keep one.",
        structural=False,
    ),
    "unknown quirk": Mistake(
        "until: answered",
        "quirks: [same-indx]",
        22,
        "item 1 of `quirks` is the text `same-indx`. Did you mean `same-index`?",
    ),
    "turns in a list": Mistake(
        "  - user: What is the weather in Oslo?",
        "  - together: []\n    user: What is the weather in Oslo?",
        19,
        "`together` is an empty list; expected `true` or `false`.",
    ),
    "unknown noise": Mistake(
        "until: answered",
        "fault: {noise: [hiss]}",
        22,
        "item 1 of `noise` is the text `hiss`. Allowed: `single-bytes`, `crlf`, `no-blank`, "
        "`comments`, `pings`, `unknown-events`.",
    ),
    "unknown loss of a connection": Mistake(
        "until: answered",
        "fault: {connection: broken}",
        22,
        "`connection` is the text `broken`. Allowed: `closed`, `reset`, `silent`.",
    ),
    "fault that is cut twice": Mistake(
        "until: answered",
        "fault: {cut_after: 1, cut_at: 20}",
        22,
        "`cut_after` and `cut_at` each say where the reply is cut. Keep one.",
        structural=False,
    ),
    "fault that says nothing": Mistake(
        "until: answered",
        "fault: {}",
        22,
        "`fault` says nothing. Give a `status`, a `cut_after` or an `error_event`.",
        structural=False,
    ),
    "date to come back at that is none": Mistake(
        "until: answered",
        "fault: {status: 429, retry_date: tomorrow}",
        22,
        "`retry_date` is the text `tomorrow`; expected a date like Wed, 21 Oct 2015 07:28:00 GMT.",
        structural=False,
    ),
    "date to come back at without an error": Mistake(
        "until: answered",
        'fault: {retry_date: "Wed, 21 Oct 2015 07:28:00 GMT"}',
        22,
        "`retry_date` is a header of an error. Give its `status`.",
        structural=False,
    ),
    "repeated key": Mistake(
        "arguments: {city: Oslo}",
        "arguments: {city: Oslo, city: Rome}",
        21,
        "`city` is given twice. Keep one; the other would be lost.",
        structural=False,
    ),
    "execution without arguments": Mistake(
        "executed: []",
        "executed: [get_weather]",
        26,
        "item 1 of `executed` is the text `get_weather`; expected a mapping. Write the call with its arguments: "
        "`{get_weather: {...}}`.",
    ),
    "execution of a tool never declared": Mistake(
        "executed: []",
        "executed: [{get_wether: {city: Oslo}}]",
        26,
        "`get_wether` is no tool of this scenario. Did you mean `get_weather`? Declared: `get_weather`.",
        structural=False,
    ),
    "selector of a tool never declared": Mistake(
        "tools: [get_weather]",
        "tools: [weather]",
        28,
        "`weather` is no tool of this scenario. Did you mean `get_weather`? Declared: `get_weather`.",
        structural=False,
    ),
    "turn with a tool never declared": Mistake(
        "    expect:",
        "    tools: [get_time]\n    expect:",
        25,
        "`get_time` is no tool of this scenario. Did you mean `get_weather`? Declared: `get_weather`.",
        structural=False,
    ),
    "meant call of a tool never declared": Mistake(
        '        chunks: [It is 7, " degrees in Oslo."]',
        "        means: {handling: run, calls: [{name: ghost}]}",
        24,
        "`ghost` is no tool of this scenario. Declared: `get_weather`.",
        structural=False,
    ),
    "tool that may run and was never declared": Mistake(
        "arguments: {city: Oslo}}",
        "may_run: [get_wether]}",
        21,
        "`get_wether` is no tool of this scenario. Did you mean `get_weather`? Declared: `get_weather`.",
        structural=False,
    ),
    "tool declared twice": Mistake(
        "\nhistory:",
        "  - name: get_weather\n    description: The same again.\n\nhistory:",
        12,
        "a tool `get_weather` is declared twice. Rename one.",
        structural=False,
    ),
    "tool with two answers": Mistake(
        "    returns: 7 degrees",
        "    returns: 7 degrees\n    raises: no network",
        12,
        "the tool `get_weather` has `returns`, `raises`. Keep one.",
        structural=False,
    ),
    "structured data of a tool that fails": Mistake(
        "    returns: 7 degrees",
        "    structured: {degrees: 7}\n    raises: no network",
        11,
        "the tool `get_weather` has `structured` and `raises`. It stands beside `returns` alone.",
        structural=False,
    ),
    "structured data that are no object": Mistake(
        "    returns: 7 degrees",
        "    returns: 7 degrees\n    structured: 7",
        12,
        "`structured` is the number 7; expected a mapping.",
    ),
    "structured data beside a list": Mistake(
        "    returns: 7 degrees",
        "    returns: [7 degrees]\n    structured: {degrees: 7}",
        11,
        "`returns` is a list of 1; beside `structured` it is a text.",
        structural=False,
    ),
    "schema of no structured data": Mistake(
        "    returns: 7 degrees",
        "    returns: 7 degrees\n    output_schema: {degrees: integer}",
        12,
        "the tool `get_weather` has an `output_schema` and no `structured` data. Add them.",
        structural=False,
    ),
    "structured data of another schema": Mistake(
        "    returns: 7 degrees",
        "    structured: {degrees: seven}\n    output_schema: {degrees: integer}",
        11,
        '`structured` is not of the `output_schema` of `get_weather`: "seven" is not of type "integer".',
        structural=False,
    ),
    "schema of structured data that is of a list": Mistake(
        "    returns: 7 degrees",
        "    structured: {degrees: 7}\n    output_schema: {$id: x, type: array}",
        12,
        "the `output_schema` of `get_weather` is of no object, which MCP demands. Add `type: object`.",
        structural=False,
    ),
    "structured data in a turn": Mistake(
        "  - user: What is the weather in Oslo?",
        "  - user: What is the weather in Oslo?\n    structured: {degrees: 7}",
        20,
        "`structured`",
    ),
    "parameters that are no schema": Mistake(
        "{city: string}",
        "{type: object, properties: {city: {type: strng}}}",
        10,
        "the parameters of `get_weather` are no JSON Schema:",
        structural=False,
    ),
    "chunks that join to another text": Mistake(
        '" degrees in Oslo."',
        " degrees in Oslo.",
        24,
        "`chunks` join to `It is 7degrees in O` where `text` has `It is 7 degrees in `. They must be equal.",
        structural=False,
    ),
    "blocks that join to another text": Mistake(
        'chunks: [It is 7, " degrees in Oslo."]',
        'blocks: [It is 7, " degrees."]',
        24,
        "`blocks` join to",
        structural=False,
    ),
    "thoughts that join to nothing that was thought": Mistake(
        'chunks: [It is 7, " degrees in Oslo."]',
        'thinking: Oslo.\n        thoughts: [Os, "lo!"]',
        25,
        "`thoughts` join to `Oslo!` where `thinking` has `Oslo.`. They must be equal.",
        structural=False,
    ),
    "text cut in two ways": Mistake(
        'chunks: [It is 7, " degrees in Oslo."]',
        'chunks: [It is 7, " degrees in Oslo."]\n        blocks: [It is 7 degrees, " in Oslo."]',
        25,
        "`chunks` and `blocks` each say how the text is split. Keep one.",
        structural=False,
    ),
    "empty id of a response": Mistake(
        'chunks: [It is 7, " degrees in Oslo."]',
        'chunks: [It is 7, " degrees in Oslo."]\n        id: ""',
        25,
        "no provider sends an empty id. Write one, or leave it out, and the provider makes it.",
        structural=False,
    ),
    "empty id of an item": Mistake(
        'chunks: [It is 7, " degrees in Oslo."]',
        'chunks: [It is 7, " degrees in Oslo."]\n        item_ids: [msg_1, ""]',
        25,
        "no provider sends an empty id. Write one, or leave it out, and the provider makes it.",
        structural=False,
    ),
    "waiting for no call": Mistake(
        "      - text: It is",
        "      - until: answered\n        text: It is",
        23,
        "`until: answered` waits for the result of a call, and this reply has no `calls`.",
        structural=False,
    ),
    "reply that never comes": Mistake(
        "until: answered",
        "forever: true",
        23,
        "the reply above is given `forever`, so this one never comes.",
        structural=False,
    ),
    "reply that says nothing": Mistake(
        '      - text: It is 7 degrees in Oslo.\n        chunks: [It is 7, " degrees in Oslo."]',
        "      - times: 2",
        23,
        'this reply says nothing. Write `text: ""` for an empty one.',
        structural=False,
    ),
    "both kinds of arguments": Mistake(
        "arguments: {city: Oslo}",
        "arguments: {}, arguments_text: x",
        21,
        "`arguments` and `arguments_text` are both given. Keep one.",
        structural=False,
    ),
    "should in the description": Mistake(
        "is answered",
        "should be answered",
        3,
        '`description` says "should". Write a fact in the present tense.',
        structural=False,
    ),
    "broken regular expression": Mistake(
        "reply: It is 7 degrees in Oslo.",
        "reply: {matches: '(7'}",
        27,
        "`matches` is no regular expression: missing ), unterminated subpattern at position 0.",
        structural=False,
    ),
    "no case left": Mistake(
        "profile: hardened",
        "profile: hardened\nmodes: []",
        5,
        "`modes` is an empty list, so no case is left. Leave it out to allow all.",
        structural=False,
    ),
    "row key without a table": Mistake(
        "user: Good morning.",
        "user: $greeting",
        14,
        "`$greeting` refers to a row, and the file has no `examples`. Write `$$greeting` for that text.",
        structural=False,
    ),
}
