"""One conversation in the forms in which people paste them: what programs print, log, export and report."""

import html
import json
import pprint
import re
import textwrap

import yaml

KEY = "sk-proj-a1b2c3d4e5f6g7h8i9j0"
CALL = {"id": "call_1", "type": "function", "function": {"name": "look_up", "arguments": '{"word": "it\'s"}'}}
MESSAGES = [
    {"role": "user", "content": 'What does "it\'s" mean?\nSay it.'},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "user", "content": "Hello? Are you there?"},
]
BODY = {"model": "gpt-4o", "messages": MESSAGES}
CONTENTS = [
    {"role": "user", "parts": [{"text": "What does it mean?"}]},
    {"role": "model", "parts": [{"functionCall": {"name": "look_up", "args": {"word": "it"}}}]},
    {"role": "user", "parts": [{"text": "Hello? Are you there?"}]},
]
ITEMS = [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "What does it mean?"}]},
    {"type": "function_call", "call_id": "call_1", "name": "look_up", "arguments": '{"word": "it"}'},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello? Are you there?"}]},
]
BLOCKS = [
    {"role": "user", "content": "What does it mean?"},
    {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "toolu_1", "name": "look_up", "input": {"word": "it"}}],
    },
    {"role": "user", "content": "Hello? Are you there?"},
]
TEXT = json.dumps(BODY)
AXIOS = """AxiosError: Request failed with status code 400
    at settle (/app/node_modules/axios/lib/core/settle.js:19:12) {
  code: 'ERR_BAD_REQUEST',
  config: {
    transitional: { silentJSONParsing: true, clarifyTimeoutError: false },
    adapter: [ 'xhr', 'http', 'fetch' ],
    transformRequest: [ [Function: transformRequest] ],
    env: { FormData: [Function], Blob: [class Blob] },
    headers: Object [AxiosHeaders] {
      Authorization: 'Bearer KEY',
      'Content-Type': 'application/json'
    },
    method: 'post',
    url: 'https://api.openai.com/v1/chat/completions',
    data: BODY,
    [Symbol(id)]: 1
  },
  request: <ref *1> ClientRequest { _events: [Object: null prototype] { abort: [Function (anonymous)] } }
}""".replace("KEY", KEY)
INSPECTED = """{
  model: 'gpt-4o',
  messages: [
    { role: 'user', content: `What does "it's" mean?\\nSay it.` },
    {
      role: 'assistant',
      content: null,
      tool_calls: [ { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{"word": "it"}' } } ]
    },
    { role: 'user', content: 'Hello? ' + 'Are you there?' }
  ],
  user: undefined
}"""
SDK_OBJECTS = (
    "DEBUG:agent:[{'role': 'user', 'content': 'What does it mean?'}, ChatCompletionMessage(content=None, refusal=None, "
    "role='assistant', audio=None, function_call=None, tool_calls=[ChatCompletionMessageToolCall(id='call_1', "
    "function=Function(arguments='{\"word\": \"it\"}', name='look_up'), type='function')]), "
    "{'role': 'user', 'content': 'Hello? Are you there?'}]"
)
LANGCHAIN_REPRS = (
    "[HumanMessage(content='What does it mean?', additional_kwargs={}, response_metadata={}, id='a1'), "
    "AIMessage(content='', additional_kwargs={}, tool_calls=[{'name': 'look_up', 'args': {'word': 'it'}, "
    "'id': 'call_1', 'type': 'tool_call'}], usage_metadata=None), HumanMessage(content='Hello? Are you there?')]"
)
LANGGRAPH_UPDATES = """{'start': {'messages': [HumanMessage(content='What does it mean?', id='a1')]}}
{'agent': {'messages': [AIMessage(content='', tool_calls=[{'name': 'look_up', 'args': {'word': 'it'}, 'id': 'c1'}])]}}
{'hurry': {'messages': [HumanMessage(content='Hello? Are you there?', id='a2')]}}
"""
LANGCHAIN_JS = """{
  messages: [
    HumanMessage { "id": "a1", "content": "What does it mean?", "additional_kwargs": {} },
    AIMessage {
      "content": "",
      "tool_calls": [ { "name": "look_up", "args": { "word": "it" }, "id": "c1", "type": "tool_call" } ]
    },
    HumanMessage { "content": "Hello? Are you there?", "response_metadata": {} }
  ]
}"""
GEMINI_REPRS = (
    "contents=[Content(parts=[Part(text='What does it mean?')], role='user'), Content(parts=[Part(function_call="
    "FunctionCall(args={'word': 'it'}, name='look_up'))], role='model'), Content(parts=[Part(text='Hello? Are you "
    "there?')], role='user')]"
)
CONSTRUCTORS = {
    "messages": [
        [
            {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": kwargs}
            for name, kwargs in (
                ("HumanMessage", {"content": "What does it mean?", "type": "human"}),
                (
                    "AIMessage",
                    {"content": "", "type": "ai", "tool_calls": [{"name": "look_up", "args": {}, "id": "call_1"}]},
                ),
                ("HumanMessage", {"content": "Hello? Are you there?", "type": "human"}),
            )
        ]
    ]
}
PHP = """[2026-01-02 03:04:05] local.DEBUG: request array (
  'model' => 'gpt-4o',
  'messages' => [
    ['role' => 'user', 'content' => 'What does "it\\'s" mean?
Say it.'],
    ['role' => 'assistant', 'content' => null, 'tool_calls' => [
      ['id' => 'call_1', 'type' => 'function',
       'function' => ['name' => 'look_up', 'arguments' => '{"word": "it\\'s"}']],
    ]],
    ['role' => 'user', 'content' => 'Hello? Are you there?'],
  ],
)
"""
VAR_EXPORT = """array (
  0 =>
  array (
    'role' => 'user',
    'content' => 'What does it mean?',
  ),
  1 =>
  array (
    'role' => 'assistant',
    'content' => NULL,
    'tool_calls' =>
    array (
      0 =>
      array (
        'id' => 'call_1',
        'type' => 'function',
        'function' =>
        (object) array(
           'name' => 'look_up',
           'arguments' => '{"word":"it"}',
        ),
      ),
    ),
  ),
  2 =>
  array (
    'role' => 'user',
    'content' => 'Hello? Are you there?',
  ),
)
"""
RUBY = (
    'D, [2026-01-02T03:04:05 #1] DEBUG -- : {:model=>"gpt-4o", :messages=>['
    r'{:role=>"user", :content=>"What does \"it\'s\" mean?\nSay it."}, '
    r'{"role"=>"assistant", "content"=>nil, "tool_calls"=>[{"id"=>"call_1", "type"=>"function", '
    r'"function"=>{"name"=>"look_up", "arguments"=>"{\"word\": \"it\'s\"}"}}]}, '
    '{role: :user, content: "Hello? Are you there?"}]}'
)
SDK_PARTS = [
    {"role": "user", "content": [{"type": "text", "text": "What does it mean?"}]},
    {
        "role": "assistant",
        "content": [{"type": "tool-call", "toolCallId": "call_1", "toolName": "look_up", "input": {"word": "it"}}],
    },
    {"role": "user", "content": [{"type": "text", "text": "Hello? Are you there?"}]},
]


def _span(**attributes: object) -> str:
    return json.dumps({"name": "RAW_GENAI_REQUEST", "context": {"trace_id": "0x1"}, "attributes": attributes}, indent=4)


def _lines(text: str, prefix: str) -> str:
    return "\n".join(f"{prefix}{line}" for line in text.splitlines())


def _pieces(text: str, length: int) -> list[str]:
    return [text[at : at + length] for at in range(0, len(text), length)]


def _genai_spans() -> str:
    """Two spans as OpenTelemetry's exporter for the console prints them, of which the second has all."""
    asked = {"role": "user", "parts": [{"type": "text", "content": "What does it mean?"}]}
    call = {"type": "tool_call", "id": "call_1", "name": "look_up", "arguments": {"word": "it"}}
    called = {"role": "assistant", "parts": [call]}
    again = {"role": "user", "parts": [{"type": "text", "content": "Hello? Are you there?"}]}
    return "\n".join(
        json.dumps(
            {
                "name": "chat gpt-4o",
                "context": {"trace_id": "0x1"},
                "start_time": f"2026-01-02T03:04:0{len(messages)}Z",
                "attributes": {"gen_ai.provider.name": "openai", "gen_ai.input.messages": json.dumps(messages)},
            },
            indent=4,
        )
        for messages in ([asked], [asked, called, again])
    )


OPENLLMETRY = {
    "gen_ai.system": "openai",
    "gen_ai.prompt.0.role": "user",
    "gen_ai.prompt.0.content": "What does it mean?",
    "gen_ai.prompt.1.role": "assistant",
    "gen_ai.prompt.1.tool_calls.0.id": "call_1",
    "gen_ai.prompt.1.tool_calls.0.name": "look_up",
    "gen_ai.prompt.1.tool_calls.0.arguments": '{"word": "it"}',
    "gen_ai.prompt.2.role": "user",
    "gen_ai.prompt.2.content": "Hello? Are you there?",
}
DATADOG = [
    {"role": "user", "content": "What does it mean?"},
    {"role": "assistant", "content": "", "tool_calls": [{"name": "look_up", "arguments": {}, "tool_id": "call_1"}]},
    {"role": "user", "content": "Hello? Are you there?"},
]
PYDANTIC_AI = [
    {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "What does it mean?"}]},
    {
        "kind": "response",
        "parts": [{"part_kind": "tool-call", "tool_name": "look_up", "args": "{}", "tool_call_id": "c1"}],
    },
    {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Hello? Are you there?"}]},
]
PYDANTIC_AI_REPRS = (
    "[ModelRequest(parts=[UserPromptPart(content='What does it mean?', timestamp=datetime.datetime(2026, 1, 2, 3, 4, "
    "tzinfo=datetime.timezone.utc))]), ModelResponse(parts=[ToolCallPart(tool_name='look_up', args={'word': 'it'}, "
    "tool_call_id='c1')], usage=RequestUsage(input_tokens=5), timestamp=datetime.datetime(2026, 1, 2, 3, 4, "
    "tzinfo=TzInfo(UTC))), ModelRequest(parts=[UserPromptPart(content='Hello? Are you there?')])]"
)
LLAMA_INDEX = (
    "[ChatMessage(role=<MessageRole.USER: 'user'>, additional_kwargs={}, blocks=[TextBlock(block_type='text', "
    "text='What does it mean?')]), ChatMessage(role=<MessageRole.ASSISTANT: 'assistant'>, additional_kwargs="
    "{'tool_calls': [ToolCall(id='c1', function=Function(arguments='{}', name='look_up'), type='function')]}, "
    "blocks=[]), ChatMessage(role=<MessageRole.USER: 'user'>, additional_kwargs={}, blocks=[TextBlock("
    "block_type='text', text='Hello? Are you there?')])]"
)
CONVERSE = [
    {"role": "user", "content": [{"text": "What does it mean?"}]},
    {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t1", "name": "look_up", "input": {"word": "it"}}}]},
    {"role": "user", "content": [{"text": "Hello? Are you there?"}]},
]
WINDOWS = re.sub(r'(["\\\\{}\[\]])', r"^\\\1", TEXT).replace("^\\{", "^{").replace("^\\}", "^}")
WINDOWS = WINDOWS.replace("^\\[", "^[").replace("^\\]", "^]")
CLAUDE_CODE = "\n".join(
    json.dumps({"type": one["role"], "sessionId": "s", "uuid": "u", "message": one}) for one in BLOCKS
)
CODEX = "\n".join(
    json.dumps({"timestamp": "2026-01-02T03:04:05Z", "type": "response_item", "payload": one}) for one in ITEMS
)
PASTES = {
    "litellm-curl": "POST Request Sent from LiteLLM:\ncurl -X POST \\\nhttps://api.openai.com/v1/ \\\n"
    f"-H 'Authorization: Bearer {KEY}' \\\n-d '{BODY!r}'\n",
    "litellm-span": _span(**{"gen_ai.request.model": "gpt-4o", "gen_ai.request.messages": repr(MESSAGES)}),
    "curl-in-words": f"I tried this:\n\n$ curl https://api.openai.com/v1/chat/completions -d '{json.dumps(BODY)}'",
    "axios-console": AXIOS.replace("BODY", "'" + TEXT.replace("\\", "\\\\").replace("'", "\\'") + "'"),
    "axios-log-line": json.dumps({"level": 50, "err": {"config": {"data": TEXT, "method": "post"}}}),
    "undici-options": "sending { method: 'POST', path: '/v1/chat/completions', body: "
    + "'"
    + TEXT.replace("\\", "\\\\").replace("'", "\\'")
    + "', signal: AbortSignal { aborted: false } }",
    "node-inspect": f"12:01:22 [agent] request {INSPECTED}",
    "requests-repr": f"send: {TEXT.encode()!r}",
    "http-client-debug": f"send: {(b'POST /v1 HTTP/1.1' + bytes([13, 10, 13, 10]) + TEXT.encode())!r}",
    "python-print": repr(MESSAGES),
    "python-pprint": pprint.pformat(BODY, width=60),
    "openai-objects": SDK_OBJECTS,
    "langchain-objects": LANGCHAIN_REPRS,
    "langgraph-state": f"{{'messages': {LANGCHAIN_REPRS}}}",
    "langgraph-console": LANGCHAIN_JS,
    "langgraph-updates": LANGGRAPH_UPDATES,
    "gemini-objects": GEMINI_REPRS,
    "phoenix-constructors": json.dumps(CONSTRUCTORS),
    "ai-sdk-telemetry": _span(**{"ai.prompt.messages": json.dumps(SDK_PARTS), "ai.model.id": "gpt-4o"}),
    "gemini-cli-report": json.dumps({"error": {"message": "400", "stack": "Error: at"}, "context": CONTENTS}),
    "quarkus": "Request:\n- method: POST\n- headers: [Authorization: Bearer ya...71]\n\n"
    f"- body: {json.dumps({'contents': CONTENTS})}\n",
    "responses-items": json.dumps(ITEMS),
    "dashboard-items": json.dumps({"object": "list", "data": ITEMS, "has_more": False}),
    "anthropic-log": "2026-01-02 03:04:05 DEBUG Request options: "
    + repr({"method": "post", "json_data": {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": BLOCKS}}),
    "github-issue": "### What happened\n\nIt hangs [since v2].\n\n"
    f"```json\n{json.dumps(BODY, indent=2)}\n```\n\n- [ ] I looked",
    "yaml-fence": f"The body was:\n\n```yaml\n{yaml.safe_dump(BODY)}```\nIt hangs: why?",
    "php-array": PHP,
    "php-var-export": VAR_EXPORT,
    "ruby-hash": RUBY,
    "claude-code-fence": f"### My session\n\n```jsonl\n{CLAUDE_CODE}\n```\n\nIt hangs [since v2].",
    "codex-quoted": _lines(f"It hangs:\n```\n{CODEX}\n```", "> "),
    "quoted-mail": _lines(json.dumps(BODY, indent=2), "> "),
    "container-log": _lines(json.dumps(BODY, indent=2), "agent-1  | "),
    "ci-log": _lines(json.dumps(BODY, indent=2), "2026-01-02T03:04:05.1234567Z "),
    "html-page": f"<pre>{html.escape(TEXT)}</pre>",
    "colours": f"\x1b[32mINFO\x1b[0m body=\x1b[1m{TEXT}\x1b[0m",
    "escaped-field": f'time=12:00 level=debug body="{json.dumps(TEXT)[1:-1]}" status=400',
    "twice-escaped": json.dumps({"message": json.dumps({"request": {"body": TEXT}})}),
    "numbered-lines": "\n".join(
        f"{number:6d}\t{line}" for number, line in enumerate(json.dumps(BODY, indent=2).splitlines(), 1)
    ),
    "journal": _lines(json.dumps(BODY, indent=2), "Jan 02 03:04:05 web-1 agent[4127]: "),
    "cri-pieces": "".join(
        f"2026-01-02T03:04:05.123456789Z stdout {'F' if piece == _pieces(TEXT, 150)[-1] else 'P'} {piece}\n"
        for piece in _pieces(TEXT, 150)
    ),
    "docker-pieces": "\n".join(
        json.dumps({"log": piece, "stream": "stdout"}) for piece in _pieces(f"request {TEXT}\n", 150)
    ),
    "curl-trace": "== Info: Connected to api.openai.com\n=> Send data, 400 bytes (0x190)\n"
    + "".join(f"{64 * at:04x}: {piece}\n" for at, piece in enumerate(_pieces(TEXT, 64))),
    "terminal-width": "\n".join(_pieces(TEXT, 64)),
    "spreadsheet": 'id,input,output\n1,"' + TEXT.replace('"', '""') + '",ok\n',
    "powershell": 'Invoke-WebRequest -Uri "https://api.openai.com/v1/chat/completions" `\n-Body "'
    + TEXT.replace('"', '`"')
    + '"',
    "windows-curl": f'curl ^"https://api.openai.com/v1/chat/completions^" ^\n  --data-raw ^"{WINDOWS}^"\n',
    "smart-quotes": "we sent " + re.sub(r'"([^"]*)"', "“\\1”", json.dumps(CONVERSE)),
    "genai-console": f"INFO start\n{_genai_spans()}\n",
    "openllmetry": _span(**OPENLLMETRY),
    "datadog": json.dumps({"data": [{"attributes": {"span_kind": "llm", "input": {"messages": DATADOG}}}]}),
    "pydantic-ai": json.dumps(PYDANTIC_AI),
    "pydantic-ai-objects": PYDANTIC_AI_REPRS,
    "llama-index-objects": LLAMA_INDEX,
    "converse-pprint": pprint.pformat(CONVERSE),
    "wrapped": "\n".join(textwrap.wrap(TEXT, 60, drop_whitespace=False)),
}
