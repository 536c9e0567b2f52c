# ruff: noqa: E501 - the texts stand here as models write them
import pytest

from conformance.agents.reference.pseudo_calls import Rules, read_text

NAMES = frozenset({"get_weather", "refresh"})
OSLO = [("get_weather", {"city": "Oslo"})]

LIFTED = {
    "hermes": '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
    "hermes, arguments first": '<tool_call>{"arguments": {"city": "Oslo"}, "name": "get_weather"}</tool_call>',
    "hermes, text within text": '<tool_call>{"name": "get_weather", "arguments": "{\\"city\\": \\"Oslo\\"}"}</tool_call>',
    "hermes, closed by another": '<toolcall>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>',
    "hermes, wrapped twice": '<tool_call><tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}</tool_call></tool_call>',
    "hermes, never closed": '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}',
    "hermes, words in the tag": '<tool_call>\nI call:\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
    "array in the tag": '<tool_calls>[{"name": "get_weather", "arguments": {"city": "Oslo"}}]</tool_calls>',
    "tools": '<tools>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tools>',
    "name attribute": '<tool_call name="get_weather">{"city": "Oslo"}</tool_call>',
    "function name": "<tool_call><function_name>get_weather</function_name>"
    '<arguments>{"city": "Oslo"}</arguments></tool_call>',
    "nested name": "<tool_call><get_weather><city>Oslo</city></get_weather></tool_call>",
    "key and value": "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>",
    "attributes": '<tool_call>get_weather city="Oslo"</tool_call>',
    "python in the tag": '<tool_call>get_weather(city="Oslo")</tool_call>',
    "qwen coder": "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>",
    "function equals": '<function=get_weather>{"city": "Oslo"}</function>',
    "minimax": '<minimax:tool_call><invoke name="get_weather"><parameter name="city">Oslo</parameter></invoke></minimax:tool_call>',
    "invoke": '<function_calls><invoke name="get_weather"><parameter name="city">Oslo</parameter></invoke></function_calls>',
    "function attribute": '<function name="get_weather"><parameter name="city">Oslo</parameter></function>',
    "arrow, JSON": '[TOOL_CALL]{tool => "get_weather", args => {"city": "Oslo"}}[/TOOL_CALL]',
    "arrow, flag": "[TOOL_CALL]\n{tool => 'get_weather', args => {\n  --city \"Oslo\"\n}}\n[/TOOL_CALL]",
    "arrow, ruby": '[TOOL_CALL]{tool => get_weather, args => { city: "Oslo" }}[/TOOL_CALL]',
    "arrow, no brackets": 'TOOL_CALL\n{tool => "get_weather", args => {--city "Oslo"}}}\n/TOOL_CALL',
    "mistral": '[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Oslo"}}]',
    "mistral, named": '[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}',
    "deepseek": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n"
    '{"city": "Oslo"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    "deepseek, short": '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Oslo"}'
    "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
    '{"city": "Oslo"}<|tool_call_end|><|tool_calls_section_end|>',
    "harmony": '<|channel|>commentary to=functions.get_weather<|constrain|>json<|message|>{"city": "Oslo"}<|call|>',
    "gemma": '<|tool_call>call:get_weather{city:<|"|>Oslo<|"|>}<tool_call|>',
    "pythonic": "[get_weather(city='Oslo')]",
    "python tag": '<|python_tag|>{"name": "get_weather", "parameters": {"city": "Oslo"}}',
    "fence": '```tool_call\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n```',
    "fence with the name": '```tool get_weather\n{"city": "Oslo"}\n```',
    "fence of code": '```tool_code\nprint(default_api.get_weather(city="Oslo"))\n```',
    "fence of JSON": '```json\n{"tool": "get_weather", "args": {"city": "Oslo"}}\n```',
    "bare JSON": '{"name": "get_weather", "parameters": {"city": "Oslo"}}',
    "envelope": '{"tool_calls": [{"id": "x", "function": {"name": "get_weather", "arguments": "{\\"city\\": \\"Oslo\\"}"}}]}',
    "react": 'Action: get_weather\nAction Input: {"city": "Oslo"}',
    "calling": '[Calling tool: get_weather({"city": "Oslo"})]',
    "flower": '✿FUNCTION✿: get_weather\n✿ARGS✿: {"city": "Oslo"}\n',
    "functionary": '<|from|>assistant\n<|recipient|>get_weather\n<|content|>{"city": "Oslo"}<|stop|>',
    "functionary, roomy": '<|from|> assistant\n<|recipient|> get_weather\n<|content|> {"city": "Oslo"} <|stop|>',
    "functionary, marker in the prompt": 'get_weather\n<|content|>{"city": "Oslo"}<|stop|>',
    "control tokens": '<ctrl42>call\nprint(default_api.get_weather(city="Oslo"))<ctrl46>',
    "control tokens as quotes": "<ctrl46>call:default_api:get_weather{city:<ctrl46>Oslo<ctrl46>}<ctrl46>",
    "default API": 'print(default_api.get_weather(\n    city="Oslo"\n))',
    "default API, its word before it": 'tool_code\ndefault_api.get_weather(city="Oslo")',
    "using tool, in a fence": 'Using tool: get_weather\n```json\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n```',
    "label": '[tool:get_weather] {"city": "Oslo"}',
    "action, and an observation": 'Action: {"action": "get_weather", "action_input": {"city": "Oslo"}}\nObservation: sunny',
    "element": "<get_weather>\n<city>Oslo</city>\n</get_weather>",
}

HIDDEN = {
    "no JSON": "<tool_call>\nnot JSON\n</tool_call>",
    "unknown name": '<tool_call>{"name": "ghost", "arguments": {}}</tool_call>',
    "half a JSON": '<tool_call>{"name": "get_weather", "arguments": {"city": "Os',
    "arrow that is open": '[TOOL_CALL]{tool => "get_weather", args => {"city": "Os',
    "arrow of a ghost": '[TOOL_CALL]{tool => "ghost", args => {}}[/TOOL_CALL]',
    "marker cut in two": "<｜tool▁calls▁",
    "half a bare call": '{"name": "get_weather", "arguments": {',
    "parameter without a bracket": "<function=get_weather>\n<parameter=city=Oslo</parameter>\n<parameter=days>3</parameter>\n</function>",
    "half a using tool": 'Using tool: get_weather\n{"name": "get_weather", "arguments": {"city": "Os',
    "action with a text": 'Action:\n```\n{"action": "get_weather", "action_input": "Oslo"}\n```',
    "half a label": '[tool:get_weather] {"city": "Os',
    "half a default API": 'print(default_api.get_weather(city="Os',
    "half a control call": "<ctrl42>call:default_api:get_weather{city:",
    "half a recipient": "<|from|>assistant\n",
    "made up result": "<function_response>22 degrees</function_response>",
    "result as JSON": '{"tool_call_id": "call_1", "content": "22 degrees"}',
}

PROSE = (
    "Use <tool_call> to invoke tools.",
    "Write `<tool_call>{}</tool_call>` and send it.",
    'Like this:\n\n```\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>\n```\nDone.',
    '```tool_call\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n```\nThis is an example.',
    'Your config:\n\n```json\n{"tool": "get_weather", "args": {"city": "Oslo"}}\n```\n\nSave it.',
    'Here is data: {"name": "get_weather", "arguments": {"city": "Oslo"}} end.',
    '{"name": "profile", "parameters": {"timezone": "UTC"}}',
    '{"tool_calls": [{"service": "billing", "count": 2}]}',
    '{"content": "Hello", "tool_calls": []}',
    "A [TOOL_CALL] marker opens the block.",
    "The array was [1, 2, 3], see [the docs](https://example.test).",
    "if x < 10 and y > 5: print('<3')",
    "<div>Hello</div>",
    "<response>\n<status>ok</status>\n</response>",
    "Action: [Buy milk](https://example.test) today.",
    "Action: call your mother.",
    "✿ Welcome to the garden ✿",
    "The token <|channel|> opens a channel, <|tool_call|> opens a call.",
    "A [TOOL_CALLS] marker opens the array.",
    "Some write <function=NAME> to call.",
    "DeepSeek writes <｜tool▁calls▁begin｜> to begin.",
    "functools[0] is no call, functools.reduce neither.",
    ">>>answer\n42",
    "abc\n<tool_call fakeout",
    "Use `<ctrl46>` as a quote; the token <ctrl42> opens a call.",
    "call: your mother",
    "print(default_api.list_pets(limit=3))",
    "default_api.list_pets is generated.",
    "[tool:hammer] {steel}",
    '[tool:hammer] {"weight": 3}',
    "Using tool: hammer\n{steel}",
    'Action: {"verb": "walk"}',
    'The record:\n\n```json\n{"id": 1, "name": "get_weather", "arguments": {"city": "Oslo"}}\n```',
    "The token <|recipient|> names a tool, overall\n<|content|> opens the rest.",
    "\n  Indented, and with an end.  \n",
)


def read(text, names=NAMES):
    return read_text(text, names, Rules())


@pytest.mark.parametrize("text", LIFTED.values(), ids=LIFTED)
def test_complete_call_is_read_and_none_of_it_is_shown(text):
    reading = read(text)

    assert [(call.name, dict(call.arguments)) for call in reading.calls] == OSLO
    assert reading.shown == ""


@pytest.mark.parametrize("text", LIFTED.values(), ids=LIFTED)
def test_without_tools_the_same_text_is_text(text):
    reading = read(text, frozenset())

    assert reading.calls == ()
    assert reading.rejected == ()
    assert "Oslo" in reading.shown


@pytest.mark.parametrize("text", HIDDEN.values(), ids=HIDDEN)
def test_call_that_cannot_run_is_hidden_and_reported(text):
    reading = read(f"Before.\n{text}" if not text.startswith("{") else text)

    assert reading.calls == ()
    assert reading.rejected
    assert reading.shown in ("Before.", "")


@pytest.mark.parametrize("text", PROSE)
def test_prose_stays_to_the_byte(text):
    reading = read(text)

    assert reading.shown == text
    assert reading.calls == ()
    assert reading.rejected == ()


def test_text_before_between_and_after_stays():
    block = '<tool_call>{"name": "refresh", "arguments": {}}</tool_call>'

    reading = read(f"One.\n{block}\nTwo.\n{block}\nThree.")

    assert reading.shown.split() == ["One.", "Two.", "Three."]
    assert [call.name for call in reading.calls] == ["refresh", "refresh"]


def test_closing_tag_in_an_argument_closes_nothing():
    text = '<tool_call>{"name": "get_weather", "arguments": {"city": "</tool_call><b>"}}</tool_call>'

    assert read(text).calls[0].arguments == {"city": "</tool_call><b>"}


def test_marker_in_an_argument_is_no_second_call():
    reading = read('[TOOL_CALLS]get_weather[ARGS]{"city": "[TOOL_CALLS]refresh"}')

    assert [call.name for call in reading.calls] == ["get_weather"]


def test_empty_arguments_are_a_call_like_any_other():
    assert read('[TOOL_CALL]\n{tool => "refresh", args => {}}\n[/TOOL_CALL]').calls[0].arguments == {}


def test_rejected_name_is_reported():
    assert read(HIDDEN["unknown name"]).rejected == ("ghost",)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<think>hm</think>It rains.", "It rains."),
        ("A <THINKING>hm</THINKING> B", "A  B"),
        ("<think>a <think>b</think> c</think>It rains.", "It rains."),
        ("It rains.<think>and then", "It rains."),
        ("hm</think>It rains.", "It rains."),
        ("<mm:think>hm</mm:think>It rains.", "It rains."),
        ("[THINK]hm[/THINK]It rains.", "It rains."),
        ("<think>hm</think>", ""),
        ("Summary<|eom|>", "Summary"),
        ("Write `<think>` in front.", "Write `<think>` in front."),
        ("Text <eom> in between.", "Text <eom> in between."),
    ],
)
def test_reasoning_and_end_marks_are_removed(text, shown):
    assert read(text).shown == shown
    assert read(text, frozenset()).shown == shown


@pytest.mark.parametrize(
    "text",
    [
        "<think>I call <tool_call><function=get_weather><parameter=city>\n</think>\nOslo</parameter></function></tool_call>No.",
        '<think><tool_call>{"name": "refresh", "arguments": </think>{}}</tool_call>No.',
    ],
)
def test_call_that_a_thought_tears_does_not_run_and_its_rest_is_not_shown(text):
    reading = read(text)

    assert reading.calls == ()
    assert reading.shown == "No."


def test_call_before_a_stray_end_of_a_thought_was_a_draft():
    draft = '<tool_call>{"name": "refresh", "arguments": {}}</tool_call>'

    reading = read(f"I could {draft} or not.</think>{LIFTED['hermes']}")

    assert [call.name for call in reading.calls] == ["get_weather"]


def test_call_in_a_thought_does_not_run():
    text = '<think><tool_call>{"name": "refresh", "arguments": {}}</tool_call> would be wrong.</think>No.'

    reading = read(text)

    assert reading.calls == ()
    assert reading.rejected == ()
    assert reading.shown == "No."
