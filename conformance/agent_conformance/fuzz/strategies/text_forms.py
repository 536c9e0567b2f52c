"""The forms in which models write calls as text, and texts that only look like them. Data alone.

NAME, KEY, VALUE and JSON stand for a tool, its parameter, an argument and the arguments as JSON.
"""

from dataclasses import dataclass

_CALL = '{"name": "NAME", "arguments": JSON}'
_INVOKE = '<invoke name="NAME">\n<parameter name="KEY">VALUE</parameter>\n</invoke>'
_FUNCTION = "<function=NAME>\n<parameter=KEY>VALUE</parameter>\n</function>"


@dataclass(frozen=True, slots=True)
class Form:
    """`marks` are texts that the user must not see. `alone`: nothing stands before it, or it would be data.

    `words` of it may be shown.
    """

    raw: str
    marks: tuple[str, ...] = ()
    alone: bool = False
    words: str = ""


RUN = (
    Form(f"<tool_call>\n{_CALL}\n</tool_call>", ("tool_call>",)),
    Form(f"<tool_call>{_CALL}</tool_call>", ("tool_call>",)),
    Form('<tool_call>{"arguments": JSON, "name": "NAME"}</tool_call>', ("tool_call>",)),
    Form(f"<tool_calls>\n{_CALL}\n</tool_calls>", ("tool_calls>",)),
    Form(f"<tool_calls>[{_CALL}]</tool_calls>", ("tool_calls>",)),
    Form(f"<tool_calls>[{_CALL}]</tool_calls>\n</answer>", ("tool_calls>", "answer>")),
    Form(f"<toolcall>\n{_CALL}\n</tool_call>", ("toolcall", "tool_call")),
    Form(f"<tools>\n{_CALL}\n</tools>", ("tools>",)),
    Form(f"<tool-call>\n{_CALL}\n</tool-call>", ("tool-call",)),
    Form(f"<tool_call><tool_call>{_CALL}</tool_call></tool_call>", ("tool_call",)),
    Form(f"<function_call> {_CALL}", ("function_call",)),
    Form(f"<longcat_tool_call>{_CALL}</longcat_tool_call>", ("tool_call",)),
    Form(f"<TOOLCALL>[{_CALL}]</TOOLCALL>", ("TOOLCALL",)),
    Form(f"<tool_call>[{_CALL}]</tool_call>", ("tool_call",)),
    Form(f"</think>\n\n<tool_call>\n{_CALL}\n</tool_call>\n", ("tool_call", "think>")),
    Form(f"<tool_call>\n```json\n{_CALL}\n```\n</tool_call>", ("tool_call", "```")),
    Form(f"<tool_call>\nI will call it with this payload:\n{_CALL}\n</tool_call>", ("tool_call",)),
    Form('<tool_call>{"function": {"name": "NAME", "parameters": JSON}}</tool_call>', ("tool_call",)),
    Form("<tool_call><function_name>NAME</function_name><arguments>JSON</arguments></tool_call>", ("function_name",)),
    Form(
        "<tool_call>\n<function_name>NAME</function_name>\n<arguments>\nJSON\n</arguments>\n</tool_call>",
        ("arguments>",),
    ),
    Form('[TOOL_CALL]\n{tool => "NAME", args => {--KEY "VALUE"}}\n[/TOOL_CALL]', ("TOOL_CALL]", "tool =>")),
    Form("[TOOL_CALL]{tool => 'NAME', args => {--KEY 'VALUE'}}[/TOOL_CALL]", ("TOOL_CALL]", "args =>")),
    Form('[TOOL_CALL]\n{tool => "NAME", args => {"KEY" => "VALUE"}}\n[/TOOL_CALL]', ("TOOL_CALL]", "tool =>")),
    Form('[TOOL_CALL]\n{tool => "NAME", args => JSON}\n[/TOOL_CALL]', ("TOOL_CALL]", "tool =>")),
    Form('TOOL_CALL\n{tool => "NAME", args => {--KEY "VALUE"}}\n/TOOL_CALL', ("TOOL_CALL", "tool =>")),
    Form('[tool_call]\n{tool => "NAME", args => {--KEY "VALUE"}}\n[/tool_call]', ("tool_call]", "tool =>")),
    Form(f"<tool_call>\n{_FUNCTION}\n</tool_call>", ("parameter",)),
    Form(f"<seed:tool_call>\n{_FUNCTION}\n</seed:tool_call>", ("parameter", "seed:")),
    Form("<function=NAME>JSON</function>", ("function",)),
    Form("<function=NAME>\n<parameter=KEY>VALUE</parameter>\n</", ("function", "parameter")),
    Form('<function name="NAME">\n<parameter name="KEY">VALUE</parameter>\n</function>', ("function", "parameter")),
    Form('<function_calls>NAME(KEY="VALUE")</function_calls>', ("function_calls",)),
    Form(f"<function_calls>\n{_INVOKE}\n</function_calls>", ("function_calls", "invoke")),
    Form(f"<minimax:tool_call>\n{_INVOKE}\n</minimax:tool_call>", ("minimax", "invoke")),
    Form("<NAME>\n<KEY>VALUE</KEY>\n</NAME>"),
    Form("<tool_call>\n<NAME>\n<KEY>VALUE</KEY>\n</NAME>\n</tool_call>", ("tool_call",)),
    Form(
        "<tool_call><function_name>NAME</function_name><parameters><KEY>VALUE</KEY></parameters></tool_call>",
        ("tool_call",),
    ),
    Form('<tool_call>NAME KEY="VALUE"</tool_call>', ("tool_call",)),
    Form(
        "<tool_call>NAME\n<arg_key>KEY</arg_key>\n<arg_value>VALUE</arg_value>\n</tool_call>", ("arg_key", "tool_call")
    ),
    Form("<FunctionCall>\nNAME\n<code>KEY>VALUE</code>\n</FunctionCall>", ("FunctionCall",)),
    Form(
        "<longcat_tool_call>NAME<longcat_arg_key>KEY</longcat_arg_key>\n<longcat_arg_value>VALUE</longcat_arg"
        "_value></longcat_tool_call>",
        ("longcat",),
    ),
    Form("<tool_call><NAME>JSON</NAME></tool_call>", ("tool_call",)),
    Form('<call tool="NAME"><tool_input>JSON</tool_input></call>', ("tool_input",)),
    Form(
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME\n```json\nJSON\n```<｜tool▁call▁end｜>"
        "<｜tool▁calls▁end｜>",
        ("｜", "▁"),
    ),
    Form(
        "<|tool▁calls▁begin|><|tool▁call▁begin|>function<|tool▁sep|>NAME\n```json\nJSON\n```<|tool▁call▁end|>"
        "<|tool▁calls▁end|>",
        ("▁",),
    ),
    Form(
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>NAME<｜tool▁sep｜>JSON<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        ("｜", "▁"),
    ),
    Form(
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="NAME">\n<｜DSML｜parameter name="KEY" string="true">VALUE<'
        "/｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
        ("｜", "invoke"),
    ),
    Form(
        '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="NAME">\n<｜DSML｜parameter name="KEY" string="true">VALUE</｜DS'
        "ML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>",
        ("｜", "invoke"),
    ),
    Form(
        '<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="NAME">\n<steptml:'
        'parameter name="KEY">VALUE</steptml:parameter>\n</steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end'
        "｜>",
        ("｜", "invoke"),
    ),
    Form(f"[TOOL_CALLS] [{_CALL}]", ("[TOOL_CALLS]",)),
    Form(f"[TOOL_CALLS] [{_CALL}] [/TOOL_CALLS]", ("TOOL_CALLS]",)),
    Form("[TOOL_CALLS]NAME[ARGS]JSON", ("[TOOL_CALLS]", "[ARGS]")),
    Form("[Calling tool: NAME(JSON)]"),
    Form("[tool:NAME] JSON"),
    Form("[NAME]\nJSON\n[END_TOOL_REQUEST]", ("TOOL_REQUEST",)),
    Form(f"[TOOL_REQUEST]{_CALL}[END_TOOL_REQUEST]", ("TOOL_REQUEST",)),
    Form("[Tool Call: NAME (ID: toolu_7)]\nArguments: JSON", ("Arguments:",)),
    Form('<|START_ACTION|>\n[{"tool_name": "NAME", "parameters": JSON}]\n<|END_ACTION|>', ("<|", "|>")),
    Form("<start_function_call>call:NAME{KEY:<escape>VALUE<escape>}<end_function_call>", ("<start_", "<escape>")),
    Form('<|tool_call>call:NAME{KEY:<|"|>VALUE<|"|>}<tool_call|>', ("<|",)),
    Form(f"<|tool_call|> [{_CALL}]", ("<|", "|>")),
    Form('<|python_tag|>{"name": "NAME", "parameters": JSON}<|eom_id|>', ("<|", "|>")),
    Form(
        "<|tool_calls_section_begin|>\n<|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>JSON<|t"
        "ool_call_end|>\n<|tool_calls_section_end|>",
        ("<|",),
    ),
    Form(
        '<|open|>tools<|sep|><|open|>call tool="NAME" index="1"<|sep|><|open|>argument key="KEY" type="string'
        '"<|sep|>VALUE<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|'
        ">",
        ("<|",),
    ),
    Form('<|tool_call_start|>[NAME(KEY="VALUE")]<|tool_call_end|>', ("<|",)),
    Form('<|action_start|><|plugin|>{"name": "NAME", "parameters": JSON}<|action_end|>', ("<|",)),
    Form('<|tools_prefix|>[{"NAME": JSON}]<|tools_suffix|>', ("<|",)),
    Form("<|python_start|>[NAME(KEY='VALUE')]<|python_end|>", ("<|",)),
    Form(f"```tool_call\n{_CALL}\n```", ("tool_call",)),
    Form("```tool NAME\nJSON\n```"),
    Form('```tool_code\nprint(default_api.NAME(KEY="VALUE"))\n```', ("tool_code",)),
    Form(f"```tool-call\n{_CALL}\n</tool_call>", ("tool-call",)),
    Form(f"```invoke\n{_CALL}\n```", ("invoke",)),
    Form('print(default_api.NAME(KEY="VALUE"))', (), alone=True),
    Form('<ctrl42>call\nprint(default_api.NAME(KEY="VALUE"))<ctrl46>', ("<ctrl",), alone=True),
    Form('{"name": "NAME", "parameters": JSON}', (), alone=True),
    Form(f"<think>I will call it.</think>[{_CALL}]", ("think>",), alone=True),
    Form('```json\n{"tool": "NAME", "args": JSON}\n```', (), alone=True),
    Form('```\n{"tool": "NAME", "args": JSON}\n```', (), alone=True),
    Form("[NAME(KEY='VALUE')]", (), alone=True),
    Form(
        "<|channel|>analysis<|message|>Need to use it.<|end|><|start|>assistant<|channel|>commentary to=funct"
        "ions.NAME <|constrain|>json<|message|>JSON<|call|>",
        ("<|", "to=functions"),
        alone=True,
    ),
    Form(
        "<|start|>assistant to=functions.NAME<|channel|>commentary<|constrain|>json<|message|>JSON<|call|>",
        ("<|",),
        alone=True,
    ),
    Form("<|from|>assistant\n<|recipient|>NAME\n<|content|>JSON<|stop|>", ("<|",), alone=True),
    Form("NAME\n<|content|>JSON<|stop|>", ("<|",), alone=True),
    Form(">>>NAME\nJSON", (">>>",), alone=True),
)
"""A right agent runs them, where open models are served."""
RUN_OR_HIDE = (
    Form(
        "Thought: I have to look.\nAction: NAME\nAction Input: JSON\nObservation: 9 things", ("9 things",), alone=True
    ),
    Form(
        'Action:\n```\n{\n  "action": "NAME",\n  "action_input": JSON\n}\n```\nObservation: 9 things',
        ("9 things",),
        alone=True,
    ),
    Form('Action: ```json\n[{"tool_name": "NAME", "parameters": JSON}]\n```'),
    Form("Action: NAME[VALUE]", (), alone=True),
    Form("Thought 1: I look it up.\nAction 1: NAME[VALUE]\nObservation 1: 9 things", ("9 things",), alone=True),
    Form("TOOL:NAME:VALUE"),
    Form(f"Using tool: NAME\n{_CALL}", (), alone=True),
    Form(f"functools[{_CALL}]", ("functools",)),
    Form("commentary to=functions.NAME JSON"),
    Form(
        '{"content": "", "tool_calls": [{"id": "call_42", "type": "function", "function": {"name": "NAME", "a'
        'rguments": TEXT}}]}',
        ("tool_calls",),
        alone=True,
    ),
    Form('{"type":"function_call","call_id":"call_1","name":"NAME","arguments":TEXT}', ("function_call",), alone=True),
    Form('```json\n{"tool_calls":[{"name":"NAME","arguments":JSON}]}\n```', ("tool_calls",), alone=True),
    Form("✿FUNCTION✿: NAME\n✿ARGS✿: JSON\n✿RESULT✿: 9 things\n✿RETURN✿: There are 9 things.", ("✿",), alone=True),
    Form(
        f"<function_calls>{_INVOKE}</function_calls><function_response>\n9 things\n</function_response>",
        ("function_response",),
    ),
    Form(f"\n\ncourt\n{_INVOKE}", ("<invoke", "parameter")),
    Form(f"\n\ncount\n{_INVOKE}", ("<invoke", "parameter")),
    Form("<tool_call>NAME>VALUE</invoke>", ("tool_call", "invoke")),
    Form("<tool_call>NAME>\nKEY: VALUE</invoke>", ("tool_call", "invoke")),
    Form('<tool_call>NAME KEY="VALUE" /></invoke>', ("tool_call", "invoke")),
    Form(
        'Thought: I will look.\n<code>\nresult = NAME(KEY="VALUE")\nprint(result)\n</code>',
        ("<code",),
        alone=True,
        words="Thought: I will look.",
    ),
    Form(f"<tool_call>\n{_CALL}", ("tool_call",)),
    Form(
        '<tool_call>\n{"name":"NAME","arguments":{"KEY":"<div></tool_call><span>leak</span>"}}\n</tool_call>',
        ("leak",),
        alone=True,
    ),
    Form('[TOOL_CALLS]NAME[ARGS]{"KEY": "[/TOOL_CALLS] leak"}', ("leak",), alone=True),
    Form('```tool_code\nprint(default_api.NAME(KEY="a\\n```\\nleak"))\n```', ("leak",), alone=True),
    Form(
        "<think>Maybe <tool_call>\n<function=NAME>\n<parameter=KEY>Osaka</parameter>\n</function>\n</tool_cal"
        f"l> hmm, no.</think>\n<tool_call>\n{_FUNCTION}\n</tool_call>",
        ("Osaka", "parameter"),
        alone=True,
    ),
    Form(
        "<think>Let me call it.\n<tool_call>\n<function=NAME>\n<parameter=KEY>VALUE\n</think>\n</parameter>\n"
        "</function>\n</tool_call>",
        ("parameter",),
        alone=True,
    ),
    Form("<function=NAME>\n<parameter=KEY=VALUE</parameter>\n</function>", ("parameter",), alone=True),
)
"""To run them is right, and so is to say that they could not be read."""
HIDE = (
    Form("[TOOL_CALL]\n\n[/TOOL_CALL]", ("TOOL_CALL]",)),
    Form('<tool_call>\n{"name": "NAME", "arguments": {"KEY": "Os', ("tool_call",)),
    Form('[TOOL_CALL]\n{tool => "NAME", args => {--KEY "Os', ("TOOL_CALL",)),
    Form("[TOOL_CALL]\n", ("TOOL_CALL",)),
    Form("<tool_call>\n<function=NAME>\n<parameter=KEY>\nOs", ("tool_call",)),
    Form("<tool_call>NAME\n<arg_key>KEY</arg_key>\n<arg_value>Os", ("tool_call", "arg_key")),
    Form(
        '<|tool_calls_section_begin|><|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{"KEY": "Os',
        ("<|",),
    ),
    Form('<tool_call name="NAME">\n{"KEY": "Os', ("tool_call",)),
    Form('```tool_code\nprint(default_api.NAME(KEY="Os', ("tool_code",)),
    Form("<NAME>\n<KEY>Os", ()),
    Form("<｜tool▁calls▁", ("｜tool",)),
    Form('[tool:NAME] {"KEY": "Os', (), alone=True),
    Form("[TOOL_CALLS]NAME[ARGS]not-json", ("[TOOL_CALLS]", "not-json"), alone=True),
    Form("<tool_call>\nnot-json", ("not-json",), alone=True),
    Form('Using tool: NAME\n{"name": "NAME", "arguments": {"KEY": "Os', (), alone=True),
    Form("call:default_api:NAME{KEY:Os", (), alone=True),
    Form('<|from|>assistant\n<|recipient|>NAME\n<|content|>{"KEY": "Os', ("<|",), alone=True),
    Form("<|start|>assistant<|channel|>commentary to=functions.NAME", ("<|",), alone=True),
    Form('>>>NAME\n{"KEY": "Os', (), alone=True),
    Form('<tool_call>{"name": "ghost_tool", "arguments": JSON}</tool_call>', ("tool_call>", "ghost_tool"), alone=True),
    Form(
        '[TOOL_CALL]\n{tool => "ghost_tool", args => {--KEY "VALUE"}}\n[/TOOL_CALL]',
        ("TOOL_CALL]", "ghost_tool"),
        alone=True,
    ),
    Form('<tool_call>["NAME"]</tool_call>', ("tool_call",), alone=True),
    Form('[TOOL_CALL]{tool => "NAME", args => {somewhere in Norway}}[/TOOL_CALL]', ("TOOL_CALL",), alone=True),
    Form("✿FUNCTION✿: NAME\n✿ARGS✿: somewhere in Norway", ("✿",), alone=True),
    Form('<tool_result name="NAME" status="ok">\n9 things\n</tool_result>', ("tool_result",)),
    Form('[Tool results]\n<tool_result name="NAME">\n9 things\n</tool_result>', ("tool_result", "Tool results")),
    Form(
        '<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>{"found": "9 things"}'
        "<｜tool▁output▁end｜><｜tool▁outputs▁end｜>",
        ("｜tool",),
        alone=True,
    ),
    Form('{"tool_call_id":"call_1","content":"9 things"}', ("tool_call_id",), alone=True),
    Form("<execute_bash>\ncurl example.org\n</execute_bash>", (), alone=True),
)
"""Nothing runs, and the user sees nothing of it."""
LOOK_ALIKES = (
    '{"type": "ticket", "name": "support_case", "arguments": {"id": "A1"}}',
    '{"name": "profile", "parameters": {"timezone": "UTC"}}',
    '{"content": "Hello", "tool_calls": []}',
    '[{"name": "planner", "status": "queued"}]',
    '[{"name": "planner", "parameters": {"goal": "string"}}]',
    "if a <tool and b> 3 then a[TOOL] = b",
    '{"tool_calls": [{"service": "billing", "count": 2}]}',
    '{"function_call": false, "description": "disable the feature"}',
    'Your config should be:\n\n```json\n{"tool": "NAME", "args": JSON}\n```\n\nSave it as `tools.json`.',
    '```json\n{"KEY": "VALUE", "rain": ',
    'Call it from Python:\n\n```python\nimport json\ncall = {"name": "NAME", "arguments": JSON}\nprint(js'
    "on.dumps(call))\n```",
    '{"action": "refund", "action_input": {"order": 7}}',
    '```json\n{"KEY": "VALUE", "rain": 3}\n```',
    f"Like this:\n\n```\n<tool_call>\n{_CALL}\n</tool_call>\n```\n\nThat is all.",
    'Like this:\n\n```text\n[TOOL_CALL]\n{tool => "NAME", args => {}}\n[/TOOL_CALL]\n```\n\nThat is all.',
    "It writes `<tool_call>` in front, then data, then `</tool_call>`.",
    'Like this:\n\n~~~xml\n<function_calls>\n<invoke name="NAME">\n</invoke>\n</function_calls>\n~~~',
    "A [TOOL_CALL] marker opens the block, and tool => names the tool.",
    f"The manual says:\n\n> <tool_call>\n> {_CALL}\n> </tool_call>\n\nThat is all.",
    f"> <tool_call>{_CALL}</tool_call>\n\nThe manual says so.",
    "Action: call your mother.",
    "Action: [Buy milk](https://example.test) today.",
    "Action: sleep[8 hours], then go on.",
    'Action:\n{"status": "done"}',
    "TOOL:hammer:large\nTOOL:saw:small",
    "Using tool: hammer\n{steel}",
    "The path is src/utils>helpers and NAME/KEY is documented below.",
    "In HTML, `<code>path>value</code>` renders monospace, and so does\n```bash\nls -la\n```",
    "Thought: people like it.\nObservation: sales grew by 9 percent.",
    "The commentary to=functions is in the appendix.",
    "They met at the\ncourt\nand made a\ncount\nof the votes.",
    "<code>\nprint('Oslo')\n</code>",
    '```toolbox\n{"name": "hammer", "arguments": {"size": 3}}\n```',
    "Use this format: [link text](url). See [Wikipedia](https://www.wikipedia.org).",
    "The output array was [1, 2, 3], not a tool call.",
    "This prose mentions [NAME(KEY)] without arguments.",
    "[note]\nRemember the milk.\n[/note]",
    "A [TOOL_CALLS] marker opens the array, and abc[TOOL is not a tag.",
    "The ticket [TOOL_REQUEST] asks for a hammer and a saw; [END_TOOL_REQUEST] is its last line.",
    "12:30 [Calling tool: hammer] started.\n12:31 [Tool Call: hammer (ID: 7)] done.",
    "rows = [get_rows(table='t1'), get_rows(table='t2')]",
    "abc\n<tool_call fakeout",
    "Use <tool_call> to invoke tools.",
    'Write <tool_call name="NAME">the word</tool_call> to call it.',
    "Look at <functional interface",
    "Models emit NAME<arg_key>KEY</arg_key> next to a structured tool call.",
    'prefix <tool_call-example>{"name":"NAME"}</tool_call-example> suffix',
    '<?xml version="1.0"?>\n<note><to>Ann</to><KEY>VALUE</KEY><path>/tmp</path></note>',
    "```<tool_call>``` opens a call.\nData comes next.",
    "<response>\n<status>ok</status>\n</response>",
    "Write <tool_calls> or <function_call> or <minimax:tool_call> before it, and <TOOLCALL> or <FunctionC"
    "all> for others.",
    "Coder models write <function=NAME> first, then <parameter=KEY> for each value.",
    '<calls>\n<call number="555-0100" tool="phone">Ann</call>\n</calls>',
    "A call within `<think>` tags, such as `<think><tool_call>`, is a draft.",
    "The token <|channel|> opens a channel, <|tool_call|> opens a call, and <｜tool▁calls▁begin｜> begins them.",
    "The token <|recipient|> names a tool, and <ctrl42> opens a call of Gemini.",
    "✿ Welcome to the garden ✿",
    "import functools\n\nresult = functools.reduce(lambda a, b: a + b, [1, 2])",
    "In the Python REPL type:\n>>> NAME('VALUE')\n'sunny'",
    "Text with <eom> inline.",
    "Before a call stands <|python_tag|> or <start_function_call> or <|tool_call> or <|python_start|> and so on.",
    "The marks <｜tool_calls_begin｜> and <｜DSML｜function_calls> have wide bars, and so has 100｜200.",
    f"Here is some data: {_CALL} end.",
)
"""Answers, shown to the byte."""
EXAMPLES = (
    f"This is an example of a call:\n<tool_call>\n{_CALL}\n</tool_call>",
    f"<tool_call>\n{_CALL}\n</tool_call>\nThis is only an example.",
    f"例如：\n<tool_call>\n{_CALL}\n</tool_call>",
    '<tools>\n[{"name": "NAME", "description": "Does it.", "parameters": {"type": "object", "properties":'
    ' {"KEY": {"type": "string"}}}}]\n</tools>',
    f"<tools>\nFor example, a call looks like this:\n{_CALL}\n</tools>",
    '<tools>\n{"type": "function", "function": {"name": "NAME", "description": "Does it.", "parameters": '
    '{"type": "object"}}}\n</tools>',
    'In this format the tools are declared like this:\n<tools>\n[{"name": "NAME", "description": "Does it'
    '.", "parameters": {}}]\n</tools>\nand a call follows.',
    '<invoke method="POST">now</invoke>',
    '<function name="sum">adds numbers</function>',
    '[tool:hammer] {"weight": 3}',
    "print(default_api.list_pets(limit=3))",
)
"""Nothing of them runs; that they are shown to the byte is advice."""
FRAMES = (
    ("Thought: I found it.\nFinal Answer: SHOW", ()),
    ('```json\n{"action": "Final Answer", "action_input": "SHOW"}\n```', ()),
    (
        "<|channel|>analysis<|message|>Let me think...<|start|>assistant<|channel|>final<|message|>SHOW<|end|>",
        ("<|", "|>"),
    ),
    ("<|START_RESPONSE|>SHOW<|END_RESPONSE|>", ("<|", "|>")),
    ("thought\n</think>\n\n<response>\nSHOW\n</response>\n", ("think>",)),
    (">>>all\nSHOW", ()),
    ("SHOW<eom>", ("eom",)),
    ("SHOW<|eot_id|>", ("<|",)),
    ("SHOW<|im_end|>", ("<|",)),
    ("<think>hidden scratchpad</think>SHOW", ("think>", "scratchpad")),
    ("<think>\nhidden scratchpad\n</think>\n\nSHOW", ("think>", "scratchpad")),
    ("SHOW<think>hidden scratchpad", ("think>", "scratchpad")),
    ("a scratchpad</think>SHOW", ("think>",)),
    ("a scratchpad\n</mm:think>\n\nSHOW", ("think>",)),
    ("a scratchpad[/THINK]SHOW", ("THINK]",)),
    ("<think/>SHOW", ("<think",)),
    (
        f"<think>scratchpad: I could call <tool_call>{_CALL}</tool_call> but need not.</think>SHOW",
        ("NAME", "scratchpad"),
    ),
    (f"<think>scratchpad <function_calls>{_INVOKE}</function_calls></think>SHOW", ("NAME", "scratchpad")),
)
"""The answer in a frame that the user does not see."""
