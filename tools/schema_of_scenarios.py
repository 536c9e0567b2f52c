"""The JSON Schema of scenario files as they are written, for editors: from the model, what is filled in, and what each
field means. `tests.docs.regenerate` writes it; a run does not load it.

It holds structure: what a single value may be. What must agree between values, the loader alone checks.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from agent_conformance.scenario.json_schema import Schema, schema_of
from agent_conformance.scenario.model import Scenario
from agent_conformance.scenario.yaml_files.examples import KEY, ROW_NAME, SHORT_TYPES
from agent_conformance.scenario.yaml_files.repetitions import MOST_TIMES, PLACEHOLDER

_DEMANDS = {
    "reply": "The agent's reply; of a cancelled turn what the user has seen. A text alone is `equals`.",
    "narration": "Whether the user sees text that the model wrote beside a call: `hidden` or `shown`.",
    "executed": "Which tools run, with which arguments. A list alone is `in_order`; an empty one means that no tool"
    " runs.",
    "approvals": "Which calls the user is asked to allow, each as often as it is asked, in any order.",
    "request_count": "How many requests get a reply in this turn. A number alone is exact.",
    "outcome": "How the turn ends: with a `reply` (the default), an `error` that the adapter declares, `either` (an"
    " error then needs no request), or `cancelled` by its `cancel`.",
    "requests": "What individual requests of the turn must contain.",
    "state": "Texts, or a summary of them, in the first request of the turn, as after a restart.",
}

DESCRIPTIONS: Mapping[str, Mapping[str, str]] = {
    "Scenario": {
        "format": "The version of this format. Leave it out.",
        "description": 'The fact that holds for a right agent: in the present tense, unique, without "should".',
        "profile": "`core`: well-formed replies and histories, a working provider, tools that return. `hardened`:"
        " all else.",
        "level": "Whether unmet expectations fail the case (`must`) or are advice (`should`).",
        "source": "The address of the bug. Findings show it.",
        "formerly": "Old ids. Entries of a baseline under one stay valid.",
        "written_by": "Whose models write such a reply; every model, if left out: `anthropic` (Claude), `gemini`,"
        " `openai` (GPT), `open-models`, which anybody can serve. Where none is met, the scenario needs the feature"
        " `open-models`.",
        "needs": "Features that the adapter must declare, beside those that the other fields need anyway.",
        "wires": "The wires on which it runs; all, if left out. `first`: the agent's first.",
        "providers": "The providers to imitate, in place of each wire's own.",
        "modes": "The modes in which it runs, `plain` and `stream`; both, if left out. `first`: `plain`, if the agent"
        " has it.",
        "model": "By wire: the name of the model, in place of the usual one.",
        "served_model": "The model behind an ARN of Bedrock.",
        "system": "The system prompt.",
        "tools": "The tools that the agent offers to the model.",
        "server_tools": "The provider's own tools, which the agent declares: `web_search` on Anthropic and"
        " Responses; on Responses `file_search`, `code_interpreter`, `image_generation`.",
        "tool_choice": "What the model has to call before it answers: `auto`, it decides; `required`, some tool;"
        " `none`, nothing; or `{tool: name}`, until that has its result.",
        "output_schema": "The JSON Schema of the reply, an object, or `{city: string}`, without other properties:"
        " `string`, `integer`, `number`, `boolean`, `object`, `array` (of strings).",
        "history": "The conversation before the first turn, which the agent restores. It may be malformed.",
        "limits": "Limits that the agent is given.",
        "window": "The model's context window. The agent learns of it when a request is refused.",
        "fallback": "A second provider, for when the first one fails.",
        "summaries": "What the model answers to requests for a summary, in order; the last repeats. If left out, each"
        " gets a sentence.",
        "conversation": "The turns, one after the other.",
        "effects": "By tool: how often it runs in the whole case, whatever the turn; a number alone means exactly"
        " so often.",
        "waive": "By law: the reason why it does not apply here.",
        "examples": "Rows by name, each a scenario of its own. A value that is exactly `$key` becomes the row's"
        " value of that name.",
    },
    "Repetition": {
        "repeat": "What is repeated: one item of the list, or several.",
        "times": "How often, at most 1,000 times.",
        "counter": "The word for the number of the copy: `k` for `<k>`; `n`, if left out. A repetition within"
        " another needs one of its own.",
    },
    "ToolSpec": {
        "name": "The name under which the model calls it.",
        "description": "What the model reads about it.",
        "parameters": "A JSON Schema, or `{city: string}`, all required: `string`, `integer`, `number`, `boolean`,"
        " `object`, `array` (of strings).",
        "returns": "What every call returns.",
        "structured": "Structured data beside `returns`, MCP's `structuredContent`: the law `arrives` demands them in"
        " some form.",
        "output_schema": "The JSON Schema of `structured` over MCP, or `{city: string}`: `string`, `integer`, `number`,"
        " `boolean`, `object`, `array` (of strings).",
        "results": "What the first call returns, the second, and so on; the last repeats. `{result: text,"
        " error: true}`: this call fails with the text. An item with the one key `parts` is read as `content`.",
        "content": "What every call returns: texts and pictures.",
        "raises": "Every call fails with this message.",
        "enabled": "`false`: it may not be offered or run until the `tools` of a turn name it.",
        "enables": "Tools that are enabled from the moment at which this one has run, within the same turn.",
        "delay": "Seconds until a call returns.",
        "approval": "`ask`: it may run only after the user has allowed the call.",
        "deferred": "`true`: an agent with the feature `tool-search` offers it once its own search has found it. The"
        " model searches for it first, by its name.",
    },
    "PartSpec": {
        "text": "A text.",
        "image": "A picture.",
    },
    "ImageSpec": {
        "width": "Its width in pixels.",
        "height": "Its height in pixels.",
        "media_type": "Its format: `png` (the default), `jpeg`, `gif`, `svg`, which providers refuse, or `unreadable`.",
    },
    "CallSpec": {
        "name": "The tool that is called. It need not exist.",
        "arguments": "The arguments, as an object.",
        "arguments_text": "The arguments as text, sent as written: for what is no JSON object.",
        "id": "The call's id, sent as written. `null`: none. If left out, the provider makes one.",
        "may_run": "Further tools that a right agent may run for it, such as the one that a misspelled name means.",
        "numbered": "Each time that it is sent, the name ends in another number: `search_1`, `search_2`.",
        "means": "What a right agent may read from `arguments_text`; without it, no tool may run for what is no"
        " JSON object.",
    },
    "ArgumentsMeaning": {
        "arguments": "The arguments with which the tool may run.",
    },
    "AssistantMessage": {
        "text": "Its text.",
        "calls": "Its tool calls.",
        "thinking": "Its reasoning.",
    },
    "ThinkingSpec": {
        "text": "The reasoning.",
        "signature": "Who signed it: the provider of the case (`own`), another (`foreign`), nobody (`absent`), as"
        " where a store has lost it.",
    },
    "ToolMessage": {
        "id": "The id of the call that it answers.",
        "name": "The name of the tool. If left out, that of the call with this id.",
        "result": "What the tool returned. With the one key `parts`, texts and pictures.",
        "error": "`true`: the tool failed.",
    },
    "HistoryMessage": {
        "user": "A message of the user: a text, or parts.",
        "system": "A system message in the middle of the conversation.",
        "assistant": "A message of the model.",
        "tool": "The result of a call.",
    },
    "TextMeaning": {
        "handling": "What a right agent does with the text: `run` the call in it; `run_or_hide` it; `hide` what is"
        " protocol, and run nothing; `show` what is prose, and run nothing.",
        "calls": "The calls that the text means.",
        "show": "The part of the text that the user may see.",
        "never_show": "Texts that the user must not see.",
    },
    "FaultSpec": {
        "status": "An HTTP status, with the provider's own error body and headers.",
        "body": "JSON or text in place of the provider's body. The status is 200 unless `status` is given.",
        "retry_after": "Seconds to wait, in the form that the provider sends.",
        "retry_date": "With a `status`: a date in `retry-after`.",
        "cut_after": "The connection is lost after so many chunks.",
        "error_event": "The provider's error event, for a status or with a sentence, in a stream of status 200.",
        "content_type": "A wrong `content-type` header.",
        "code": "`insufficient_quota`: OpenAI's 429 for an exceeded quota.",
        "cut_at": "The connection is lost after so many bytes.",
        "connection": "How it is lost: `closed`, `reset`, or `silent`: nothing more is sent, until the agent gives up.",
        "ends": "The body ends too early, but properly as far as HTTP goes: `in-an-event`, `before-the-finish` (the"
        " event that says why the model stopped), `before-the-terminator` (the last event).",
        "noise": "What a right client ignores: `single-bytes`, one at a time; `crlf`, other line ends; `no-blank`,"
        " none after `data:`; `comments`;"
        " Anthropic's `pings`; `unknown-events`, of an unknown type.",
    },
    "ServerCallSpec": {
        "name": "One of `server_tools`.",
        "arguments": "Left out in a first call that the reply before left open.",
        "result": "Left out in the last call of a paused reply, to leave it open.",
        "server": "The name of an MCP server; only in scripts of a fake.",
    },
    "SourceSpec": {
        "url": "The page that is cited.",
        "title": "The page's title.",
        "file": "The file that is cited, in place of a page.",
        "text": "The part of the text that rests on it; all of it, if left out.",
    },
    "UsageSpec": {
        "input": "Tokens of the whole prompt.",
        "output": "Tokens of the whole answer.",
        "cached": "Of `input`, those read from a cache.",
        "reasoning": "Of `output`, those of reasoning.",
    },
    "ReplySpec": {
        "text": "What the model writes.",
        "thinking": "Its reasoning, in the wire's own field.",
        "calls": "Its tool calls.",
        "finish": "Why it stopped. `stop` (the default); beside `calls`, their own reason is not sent. `none`: no"
        " reason is sent. `tool_calls`: that of calls, without any. `length`: out of tokens. `content_filter`,"
        " `refusal`: stopped by the provider, declined by the model. `malformed`, `unexpected-call`: Gemini's"
        " `MALFORMED_FUNCTION_CALL`, `UNEXPECTED_TOOL_CALL`. `blocked-prompt`: Gemini answers nothing. `pause`:"
        " Anthropic wants the reply back. Only wires that can say so have cases.",
        "server_calls": "Calls of `server_tools` that the request declares.",
        "sources": "What the text cites.",
        "alternatives": "Texts of further choices, if the request asks for several.",
        "id": "The id of the response.",
        "item_ids": "The ids of the items of its output, on Responses.",
        "usage": "The tokens that the provider reports; what is left out is counted, at four characters a token.",
        "chunks": "How the text is split in a stream. Joined they are the text.",
        "blocks": "The text in blocks, where the wire has some.",
        "thoughts": "The reasoning in blocks, where the wire has some.",
        "fault": "What goes wrong with the response.",
        "quirks": "How some chat servers send it. `reasoning-content`: with its thoughts. `same-index`: all calls have"
        " index 0."
        " `no-index`: none has one. `growing-index`: the last piece of a call has the next one. `late-id`: the id"
        " after the name. `id-in-every-delta`, `repeated-name`: in every piece. `interleaved`: pieces of the calls"
        " in turn. `empty-choices`: chunks without choices at the start, in the middle and with the usage."
        " `empty-calls`: `tool_calls: []` in each piece without a call."
        " `finish-with-the-last-delta`: no chunk of its own for it. `null-after-finish`: a chunk after it, without one."
        " `text-in-the-start`, on Anthropic's wire: the first word of a text or thought in the start of its block."
        " `arguments-as-object`: no text; also in plain"
        " responses.",
        "means": "What the text is: a call, protocol, or prose.",
        "times": "How often the reply is sent, one request after the other.",
        "forever": "Every further request gets this reply, but one that forbids calls the next without any.",
        "until": "`answered`: it is sent again until a request has the result of its call.",
        "spare": "No request has to get it, since not every right agent sends one more.",
    },
    "ReplyExpectation": {
        "equals": "This text, apart from white space at the ends of lines and blank lines.",
        "exactly": "This text, to the last character.",
        "contains": "It contains each of these texts.",
        "lacks": "It contains none of these texts.",
        "matches": "It matches this regular expression, in Python's syntax.",
        "one_of": "It equals one of these texts.",
        "json": "It is JSON of this value.",
    },
    "ExecutedExpectation": {
        "in_order": "These executions and no others, in this order: `{get_weather: {city: Oslo}}`.",
        "any_order": "These executions and no others, in any order.",
        "one_of": "One of these lists of executions, in its order.",
    },
    "Range": {
        "min": "At least so many.",
        "max": "At most so many.",
    },
    "TextExpectation": {
        "contains": "It contains each of these texts.",
        "lacks": "It contains none of these texts.",
        "blank": "Whether it is blank.",
    },
    "ResultExpectation": {
        "contains": "It contains each of these texts.",
        "lacks": "It contains none of these texts.",
        "blank": "Whether it is blank.",
        "value": "Its content is this JSON value, whatever the agent wraps it in.",
        "exactly": "It is this text, to the last byte.",
    },
    "RequestExpectation": {
        "at": "Which request: the one that got this reply of its turn, counted from 1; the `last`; `each`.",
        "tools": "Tools that it offers; there may be more. `none`: it offers no tool.",
        "lacks_tools": "Tools that it does not offer, or forbids the model to call.",
        "without": "Fields that its body does not have: `tools`, `tool_choice`, `parallel_tool_calls`.",
        "roles": "The roles of its messages in order, without system messages: `user`, `assistant`, `tool` (results).",
        "count": "How many messages it has, without system messages.",
        "calls": "The calls in its last message that has any, in order: `{get_weather: {city: Oslo}}`.",
        "results": "The results that follow its last calls, in order. A text alone is the content of the result,"
        " whatever the agent wraps it in.",
        "images": "How many native pictures follow its last calls: in results, beside them, or in a message of the"
        " user after all of them; without calls, all of them.",
        "thinking": "Whether earlier reasoning is `kept` or `absent`: on Gemini by its signature.",
        "added": "The text that it has and the request before had not: of users, of results and of the system prompt.",
        "system": "Its system messages.",
        "contains": "The whole request contains each of these texts.",
        "lacks": "The whole request contains none of these texts.",
        "in_order": "It contains these texts, one after the other.",
        "extends": "`previous`: it has the messages of the request before, in their places, but for what the agent adds"
        " to the user's words. `prefix`, as advice: and the same declarations and system prompt, for caches.",
        "waited": "`at_least` so many seconds after the response before.",
        "size": "`max` tokens, at four characters each.",
    },
    "Demands": _DEMANDS,
    "Expectations": _DEMANDS | {"should": "The same fields once more, as advice."},
    "Cancel": {
        "at": "When a `request` arrives, while a `chunk` of a response is sent, while a `tool` runs, or at an"
        " `approval`, which `approve` answers after that. At a chunk, once the reply that is advised is shown, or after"
        " three seconds.",
        "n": "At which of them: 1, if left out.",
    },
    "Crash": {
        "at": "While a `tool` runs.",
        "when": "`before` the tool has an effect, or `after`: its result never reaches the agent.",
        "n": "At which call of a tool in this turn: 1, if left out.",
    },
    "Steer": {
        "at": "At a `tool` or a `request`.",
        "user": "What the user says.",
        "n": "Of the turn: 1, if left out.",
    },
    "FallbackSpec": {
        "provider": "The provider, with its usual model.",
        "wire": "The wire on which it is asked; if left out, that of the case.",
    },
    "Switch": {
        "model": "By wire: the name of the model from here on. Only these wires have cases.",
        "wire": "The wire from here on, with its own provider and usual model.",
    },
    "Turn": {
        "user": "What the user says: a text, or parts.",
        "model": "The replies of the model, in order: each request gets the next one.",
        "expect": "What must follow, beyond the laws.",
        "tools": "The tools that are enabled from here on.",
        "restart": "Before this turn a new instance of the adapter continues the conversation.",
        "cancel": "The user cancels the turn.",
        "crash": "The agent is killed in this turn; the next one restarts it.",
        "steer": "What the user says while the turn runs; a list for several messages.",
        "session": "The session: a conversation beside the others. Without it, the first.",
        "switch": "The user chooses another model before this turn.",
        "compact": "Before this turn the user asks for a shorter conversation.",
        "forgotten": "Before this turn the provider has lost the responses that it stored, so that a request that goes"
        " on from one is refused.",
        "together": "It runs beside the turn before it, which is of another session.",
        "observer": "The agent gets an observer to which it reports its events.",
        "approve": "By tool with `approval`: whether the user allows a call; a list has an answer for each call of"
        " this turn. `pending`: the user answers after the restart that follows.",
    },
    "NamedToolSpec": {"tool": "The name of the tool."},
    "LimitSpec": {
        "requests": "In a turn. The law `bounded` checks it.",
        "context_tokens": "In a request, at four characters a token. `size` of a request checks it.",
        "seconds": "In a turn. Nothing checks it.",
        "idle_seconds": "Of silence in a response.",
    },
    "Window": {
        "tokens": "Longer conversations are refused, at four characters a token.",
        "words": "The refusal of another vendor, in place of the provider's own.",
        "how": "`truncate`, on Ollama alone: nothing is refused, and the server drops the beginning in silence. It"
        " keeps `options.num_ctx` of the request instead, if there is one.",
    },
    "WindowWords": {
        "status": "The HTTP status: a 4xx that clients do not repeat by themselves.",
        "body": "The body of the response, as JSON or text.",
    },
}


_TEXT: Schema = {"$ref": "#/$defs/Text"}
_KEY: Schema = {"$ref": "#/$defs/RowKey"}


def scenario_schema() -> Schema:
    """The schema of the written format: short forms, `$key` and `{repeat, times}` included."""
    parts: dict[str, Schema] = {}
    schema_of(Scenario, definitions=parts)
    definitions = {name: _of_object(part) for name, part in sorted(parts.items())}
    _add_short_forms(definitions)
    root = definitions.pop("Scenario")
    root["properties"]["description"] = {"type": "string", "minLength": 1, "maxLength": 72}
    root["properties"]["output_schema"] = _parameters()
    root["properties"]["effects"]["anyOf"][0]["additionalProperties"]["anyOf"].insert(0, {"type": "integer"})
    root["properties"]["examples"] = {
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": f"^{ROW_NAME.pattern}$"},
        "additionalProperties": {"type": "object"},
    }
    for name, written in {"Scenario": root, **definitions}.items():
        _describe_fields(name, written)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A scenario of agent conformance",
        **root,
        "$defs": definitions | _filled_in(),
    }


def write_schema(path: Path) -> bool:
    """Write the schema to `path`; returns whether the file changed."""
    text = json.dumps(scenario_schema(), indent=2) + "\n"
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    path.write_text(text, encoding="utf-8")
    return True


def _of_object(schema: Schema) -> Schema:
    """A model's own schema with each property as it may be written."""
    return schema | {"properties": {name: _written(inner) for name, inner in schema["properties"].items()}}


def _written(schema: Schema) -> Schema:
    """A value's schema, or a row's `$key` in its place; a text may also be repeated."""
    members = [_plain(member) for member in schema.get("anyOf", [schema])]
    if any(member in ({}, _TEXT) for member in members):  # anything, or any text, which a `$key` is too
        return members[0] if len(members) == 1 else {"anyOf": members}
    return {"anyOf": [*members, _KEY]}


def _plain(schema: Schema) -> Schema:
    schema = {key: value for key, value in schema.items() if key != "default"}
    if schema == {"type": "string"}:
        return _TEXT
    if schema.get("type") == "array":
        return schema | {"items": _or_repeated(_written(schema.get("items", {})))}
    if isinstance(schema.get("additionalProperties"), dict):
        return schema | {"additionalProperties": _written(schema["additionalProperties"])}
    return schema


def _or_repeated(item: Schema) -> Schema:
    """An item of a list, or several by one repetition; of words, nobody repeats any."""
    options = item.get("anyOf", [item])
    repetition = {"$ref": "#/$defs/Repetition"}
    if item == {} or repetition in options or any("enum" in option or "const" in option for option in options):
        return item
    items = {"anyOf": [*options, repetition]}
    return {"anyOf": [*options, repetition | {"properties": {"repeat": {"items": items}}}]}


def _describe_fields(name: str, schema: Schema) -> None:
    """Put its meaning into each field. Raises `LookupError` for a field that has none."""
    for field in schema["properties"]:
        if field not in DESCRIPTIONS.get(name, ()):
            raise LookupError(f"tools/schema_of_scenarios.py: {name} has no `{field}`. Say there what it means.")
    schema["properties"] = {
        field: {"description": DESCRIPTIONS[name][field]} | value for field, value in schema["properties"].items()
    }


def _add_short_forms(definitions: dict[str, Schema]) -> None:
    definitions["HistoryMessage"] |= {"minProperties": 1, "maxProperties": 1}
    definitions["ToolSpec"]["properties"]["parameters"] = _parameters()
    definitions["ToolSpec"]["properties"]["output_schema"] = _parameters()
    executions = definitions["ExecutedExpectation"]["properties"]["in_order"]["anyOf"][0]
    definitions["Turn"]["properties"]["steer"]["anyOf"].insert(0, {"$ref": "#/$defs/Steer"})
    for name in ("Demands", "Expectations"):
        properties = definitions[name]["properties"]
        properties["reply"]["anyOf"].insert(0, _TEXT)
        properties["executed"]["anyOf"].insert(0, executions)
        properties["request_count"]["anyOf"].insert(0, {"type": "integer"})


def _parameters() -> Schema:
    short = {"anyOf": [{"enum": list(SHORT_TYPES)}, {"type": ["object", "boolean"]}, _KEY]}
    whole: list[Schema] = [
        {"required": ["properties"], "properties": {"properties": {"type": "object"}}},
        {"required": ["type"], "properties": {"type": {"const": "object"}}},
        {"patternProperties": {r"^\$": {}}, "minProperties": 1, "propertyNames": {"pattern": r"^\$"}},
        *({"required": [word], "properties": {word: {"type": "array"}}} for word in ("anyOf", "oneOf", "allOf")),
    ]
    return {
        "anyOf": [
            {"type": "object", "additionalProperties": short},
            *({"type": "object"} | one for one in whole),
            _KEY,
        ],
    }


def _filled_in() -> dict[str, Schema]:
    repeated = {
        "type": "object",
        "additionalProperties": False,
        "required": ["repeat", "times"],
        "properties": {"repeat": {"type": "string"}, "times": {"anyOf": [{"type": "integer", "minimum": 0}, _KEY]}},
    }
    halved = {
        "type": "object",
        "additionalProperties": False,
        "required": ["half"],
        "properties": {"half": {"anyOf": [{"type": "string"}, repeated]}},
    }
    fields: Schema = {
        "repeat": {"type": "array", "minItems": 1},
        "times": {"type": "integer", "minimum": 1, "maximum": MOST_TIMES},
        "counter": {"type": "string", "pattern": "^[a-z]+$"},
    }
    schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["repeat", "times"],
        "properties": fields,
    }
    _describe_fields("Repetition", schema)
    return {
        "Repetition": schema,
        "Text": {
            "description": "A text, one repeated, or one less the last half of its last character.",
            "anyOf": [{"type": "string"}, repeated, halved],
        },
        "RowKey": {
            "description": "Replaced by the value that the row of `examples` has under this name. In a repetition,"
            " `<n>` is the number of the copy.",
            "type": "string",
            "pattern": f"^(?:{KEY.pattern}|{PLACEHOLDER.pattern})$",
        },
    }
