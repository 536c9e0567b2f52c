"""What each field of the scenario format means, for the JSON Schema and the reference page. A run does not load it.

By the names of the model's classes and their fields; what `should` has is what is expected without it.
"""

from collections.abc import Mapping

_DEMANDS = {
    "reply": "The agent's reply. A text alone is `equals`.",
    "narration": "Text that the model wrote beside a call. `hidden`: the user sees none of it. `shown`: the user sees"
    " it.",
    "executed": "Which tools run, with which arguments. A list alone is `in_order`; an empty one means that no tool"
    " runs.",
    "approvals": "Which calls the user is asked to allow, each as often as it is asked, in any order.",
    "request_count": "How many requests get a reply in this turn. A number alone means exactly so many.",
    "outcome": "How the turn ends. `reply` (the default): with a reply. `error`: with an error that the adapter"
    " declares. `either`: with one of the two. `cancelled`: cancelled by the turn's `cancel`.",
    "requests": "What individual requests of the turn must contain.",
    "state": "Texts that the first request of the turn must contain, as after a restart.",
}

DESCRIPTIONS: Mapping[str, Mapping[str, str]] = {
    "Scenario": {
        "format": "The version of this format. Leave it out.",
        "description": 'The fact that holds for a right agent: in the present tense, unique, without "should".',
        "profile": "`core`: well-formed replies and histories, a working provider, tools that return. `hardened`:"
        " everything sloppy, hostile or failing.",
        "level": "Whether unmet expectations fail the case (`must`) or are advice (`should`).",
        "source": "Where the bug happened, as an address. Findings show it.",
        "formerly": "Old ids of a renamed scenario. Entries of a baseline under an old id stay valid.",
        "written_by": "Whose models are known to write such a reply; every model, if left out. `anthropic`: Claude."
        " `gemini`: Gemini. `openai`: GPT. `open-models`: those that anybody can serve. Where none of them is met, the"
        " scenario needs an agent with the feature `open-models`.",
        "needs": "Features that the adapter must declare, beside those that the other fields need anyway.",
        "wires": "The wires on which it runs; all, if left out. `first`: only the first that the agent declares.",
        "providers": "The providers to imitate, in place of each wire's own.",
        "modes": "The modes in which it runs; both, if left out. `plain`: the agent requests whole responses."
        " `stream`: it requests streams. `first`: only `plain`, or `stream` for an agent that has no other.",
        "model": "By wire: the name of the model, in place of the usual one.",
        "system": "The system prompt.",
        "tools": "The tools that the agent offers to the model.",
        "server_tools": "Tools that the provider runs itself, and that the agent declares: `web_search` on Anthropic.",
        "tool_choice": "What the model has to call before it answers. `auto`: it decides. `required`: some tool."
        " `{tool: name}`: that one. `none`: it may not call any. Once the tool has its result, it is forced no longer.",
        "output_schema": "The JSON Schema of the reply, an object, or the short form `{city: string}`, which allows no"
        " other properties. Its types are `string`, `integer`, `number`, `boolean`, `object` and `array` (of strings).",
        "history": "The conversation before the first turn, which the agent restores. It may be malformed.",
        "limits": "Limits that the agent is given. Only `requests` is enforced by itself; `size` of a request checks"
        " `context_tokens`.",
        "window": "The model's context window. The agent does not get it: it learns of it when a request is refused.",
        "fallback": "A second provider, which the agent asks when the first one fails. A reply with a `fault` is given"
        " to requests at the first one alone, any other to whoever asks next.",
        "conversation": "The turns, one after the other.",
        "effects": "By tool: how often it runs in the whole case, whatever the turn. A number alone means exactly so"
        " often.",
        "waive": "By law: the reason why it does not apply here.",
        "examples": "Rows by name: each makes a scenario of its own. A value that is exactly `$key` is replaced by the"
        " row's value of that name.",
    },
    "Repetition": {
        "repeat": "What is repeated: one item of the list, or several.",
        "times": "How often, at most 1,000 times.",
        "counter": "The word that is replaced by the number of the copy: `k` for `<k>`. If left out, it is `n`. A"
        " repetition within another has one of its own.",
    },
    "ToolSpec": {
        "name": "The name under which the model calls it.",
        "description": "What the model reads about it.",
        "parameters": "A JSON Schema, or the short form `{city: string}`, whose parameters are all required."
        " Its types are `string`, `integer`, `number`, `boolean`, `object` and `array` (of strings).",
        "returns": "What every call returns.",
        "results": "What the first call returns, the second, and so on. The last repeats. An item with the one key"
        " `parts` is read as `content`.",
        "content": "What every call returns, as parts: texts and pictures.",
        "raises": "Every call fails with this message.",
        "enabled": "`false`: it may not be offered or run until the `tools` of a turn name it.",
        "delay": "Seconds until a call returns.",
        "approval": "`ask`: it may run only after the user has allowed the call.",
    },
    "PartSpec": {
        "text": "A text.",
        "image": "A picture.",
    },
    "ImageSpec": {
        "width": "Its width in pixels.",
        "height": "Its height in pixels.",
        "media_type": "Its format: `png` (the default), `jpeg`, `gif`, or `svg`, which providers take for no picture.",
    },
    "CallSpec": {
        "name": "The tool that is called. It need not exist.",
        "arguments": "The arguments, as an object.",
        "arguments_text": "The arguments as text, sent exactly as written: for what is no JSON, or not an object.",
        "id": "The call's id, sent exactly as written. `null` sends none. If left out, the provider makes one.",
        "may_run": "Further tools that a right agent may run for this call, such as the one that a misspelled name"
        " means.",
        "numbered": "`true`: each time that the reply is sent, the name ends in another number: `search_1`,"
        " `search_2`.",
        "means": "What a right agent may read from `arguments_text`. Without it, no tool may run for a text that is no"
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
        "signature": "`own`: signed by the provider of the case. `foreign`: by another. `absent`: it has no signature,"
        " as where a store has lost it.",
    },
    "ToolMessage": {
        "id": "The id of the call that it answers.",
        "name": "The name of the tool. If left out, that of the call with this id.",
        "result": "What the tool returned. With the one key `parts`, texts and pictures.",
        "error": "`true`: the tool failed.",
    },
    "HistoryMessage": {
        "user": "A message of the user, as a text or as parts: texts and pictures.",
        "system": "A system message in the middle of the conversation.",
        "assistant": "A message of the model: its text, or its text, calls and reasoning.",
        "tool": "The result of a call.",
    },
    "TextMeaning": {
        "handling": "What a correct agent does with the text of this reply. `run`: it is a call; the agent runs it."
        " `run_or_hide`: it is a call; the agent runs or hides it. `hide`: it is protocol; the agent hides it and runs"
        " nothing. `show`: it is prose; the agent shows it and runs nothing.",
        "calls": "The calls that the text means.",
        "show": "The part of the text that the user may see.",
        "never_show": "Texts that the user must not see.",
    },
    "FaultSpec": {
        "status": "An HTTP status, with the provider's own error body and headers.",
        "body": "JSON or text in place of the provider's body. The status is 200 unless `status` is given.",
        "retry_after": "Seconds to wait, in the form that the provider sends.",
        "cut_after": "The connection is lost after so many chunks.",
        "error_event": "The provider's error event, for a status or with a sentence, in a stream of status 200.",
        "content_type": "A wrong `content-type` header.",
        "code": "`insufficient_quota`: OpenAI's other 429.",
        "cut_at": "The connection is lost after so many bytes.",
        "connection": "How the connection is lost. `closed`: it is closed. `reset`: it is reset. `silent`: nothing"
        " more is sent, until the agent gives up.",
        "ends": "The body ends too early, but properly as far as HTTP goes. `in-an-event`: in the middle of an event."
        " `before-the-finish`: before the event that says why the model stopped. `before-the-terminator`: before the"
        " last event of the stream.",
        "noise": "What a right client ignores. `single-bytes`: one byte at a time. `crlf`: other line ends."
        " `comments`: comment lines. `pings`: Anthropic's pings. `unknown-events`: events of an unknown type.",
    },
    "ServerCallSpec": {
        "name": "The tool: `web_search` searches the web.",
        "arguments": "Its arguments. Left out in the first call of a reply, which then has the result of the call that"
        " the reply before left open.",
        "result": "What it found. Left out in the last call of a reply with `finish: pause`: the call is left open.",
    },
    "UsageSpec": {
        "input": "Those of the whole prompt, with what was read from a cache.",
        "output": "Those of the whole answer, with its reasoning.",
        "cached": "How many of `input` were read from a cache.",
        "reasoning": "How many of `output` were reasoning.",
    },
    "ReplySpec": {
        "text": "What the model writes.",
        "thinking": "Its reasoning, in the wire's own field.",
        "calls": "Its tool calls.",
        "finish": "Why it stopped. `stop` (the default): it was done; beside `calls`, their own reason is not sent."
        " `none`: no reason is sent. `tool_calls`: that of calls, without any. `length`: it ran out of tokens."
        " `content_filter`: the provider stopped it. `refusal`: it declined. `malformed`, `unexpected-call`: Gemini's"
        " `MALFORMED_FUNCTION_CALL` and `UNEXPECTED_TOOL_CALL`. `blocked-prompt`: Gemini answers nothing, since the"
        " prompt is blocked. `pause`: Anthropic paused while its own tools ran, and wants the reply back to continue. A"
        " case is made only for wires that can say so.",
        "server_calls": "Calls of `server_tools`, which the provider runs. They are made only if the request declares"
        " the tool.",
        "usage": "The tokens that the provider reports, in its own names and sums. What is left out is counted: one for"
        " four characters.",
        "chunks": "How the text is split in a stream. Joined they are the text.",
        "fault": "What goes wrong with the response.",
        "quirks": "How some servers of chat completions send it otherwise than OpenAI, in a stream. `same-index`: all"
        " calls have index 0. `no-index`: none has one. `growing-index`: the last piece of a call has the next index."
        " `late-id`: the id comes after the name. `id-in-every-delta`, `repeated-name`: in every piece of the call."
        " `interleaved`: pieces of the calls in turn. `empty-choices`: chunks without choices, at the start, in the"
        " middle and with the usage. `finish-with-the-last-delta`: no chunk of its own for it. `arguments-as-object`:"
        " no text; also in a plain response.",
        "means": "What the text is: a call, protocol, or prose.",
        "times": "How often the reply is sent, one request after the other.",
        "forever": "`true`: every further request gets this reply, but one that forbids calls the next without any.",
        "until": "`answered`: the reply is sent again until a request has the result of its call.",
        "spare": "`true`: no request has to get this reply, since not every right agent sends one more.",
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
        "blank": "`true`: it is blank. `false`: it is not.",
    },
    "ResultExpectation": {
        "contains": "It contains each of these texts.",
        "lacks": "It contains none of these texts.",
        "blank": "`true`: it is blank. `false`: it is not.",
        "value": "Its content is this JSON value, whatever the agent wraps it in.",
        "exactly": "It is this text, to the last byte.",
    },
    "RequestExpectation": {
        "at": "Which request. A number: the one that got this reply of its turn, counted from 1. `last`: the last."
        " `each`: all.",
        "tools": "Tools that it offers; there may be more. `none`: it offers no tool.",
        "lacks_tools": "Tools that it does not offer.",
        "without": "Fields that its body does not have. `tools`: the list of tools. `tool_choice`: how the model has"
        " to choose. `parallel_tool_calls`: whether it may call several at once.",
        "roles": "The roles of its messages in order, without system messages. `user`: messages of the user."
        " `assistant`: of the model. `tool`: tool results.",
        "count": "How many messages it has, without system messages.",
        "calls": "The calls in its last message that has any, in order: `{get_weather: {city: Oslo}}`.",
        "results": "The results that follow its last calls, in order. A text alone is the content of the result,"
        " whatever the agent wraps it in.",
        "images": "How many native pictures follow its last calls: in their results, beside them, or in a message of"
        " the user after them. If it has no calls, all its pictures.",
        "thinking": "Earlier reasoning. `kept`: the request has it. `absent`: it does not.",
        "added": "The text that it has and the request before had not: of users, of results and of the system prompt.",
        "system": "Its system messages.",
        "contains": "The whole request contains each of these texts.",
        "lacks": "The whole request contains none of these texts.",
        "extends": "`previous`: it has all messages of the request before, in their places, and perhaps more."
        " `prefix`, as advice: its declarations and its system prompt are the same too, so that caches of prompts are"
        " hit.",
        "waited": "`at_least`: it was sent at least so many seconds after the response before.",
        "size": "`max`: it has at most so many tokens, at four characters a token.",
    },
    "Demands": _DEMANDS,
    "Expectations": _DEMANDS | {"should": "The same fields once more, as advice."},
    "Cancel": {
        "at": "When the user cancels. `request`: when a request arrives. `chunk`: while a response is sent. `tool`:"
        " while a tool runs.",
        "n": "At the first of them (1), the second (2), and so on.",
    },
    "Crash": {
        "at": "When it is killed. `tool`: while a tool runs.",
        "when": "`before`: the tool has had no effect yet. `after`: it has, and its result never reaches the agent.",
        "n": "At the first call of a tool in this turn (1), the second (2), and so on.",
    },
    "Steer": {
        "at": "When the user says it. `tool`: while a tool runs.",
        "user": "What the user says.",
        "n": "At the first call of a tool in this turn (1), the second (2), and so on.",
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
        "user": "What the user says, as a text or as parts: texts and pictures.",
        "model": "The replies of the model, in order: each request gets the next one.",
        "expect": "What must follow, beyond the laws.",
        "tools": "The tools that are enabled from here on.",
        "restart": "`true`: before this turn a new instance of the adapter continues the conversation.",
        "cancel": "The user cancels the turn.",
        "crash": "The agent is killed in this turn, as by the end of its process. The next turn restarts it.",
        "steer": "The user says something more while the turn runs.",
        "session": "The session in which the user says it: a conversation beside the others. Without it, the first.",
        "switch": "Before this turn, the user chooses another model for the conversation.",
        "together": "`true`: the turn runs at the same time as the turn before it, which is of another session. It"
        " needs an async `send`, or a program that declares `together`.",
        "observer": "`true`: the agent gets an observer to which it reports its events.",
        "approve": "By tool with `approval`: whether the user allows a call of it. A list has an answer for each call"
        " of this turn, in their order. `pending`: the user answers only after the restart that follows.",
    },
    "NamedToolSpec": {"tool": "The name of the tool."},
    "LimitSpec": {
        "requests": "At most so many requests in a turn. The law `bounded` checks it.",
        "context_tokens": "At most so many tokens in a request, at four characters a token. `size` of a request checks"
        " it.",
        "seconds": "At most so many seconds in a turn. The agent is told; nothing checks it.",
    },
    "Window": {
        "tokens": "Longer conversations are refused, as the provider does it. Four characters are a token.",
        "words": "The refusal of another vendor, in place of the provider's own.",
        "how": "`truncate`: nothing is refused, and the server drops the beginning of the conversation in silence, as"
        " Ollama does. It keeps `options.num_ctx` of the request instead, if there is one.",
    },
    "WindowWords": {
        "status": "The HTTP status: a 4xx that clients do not repeat by themselves.",
        "body": "The body of the response, as JSON or text.",
    },
}
