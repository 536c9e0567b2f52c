"""When each piece of a stream is shown: as soon as it can be neither a call nor a thought."""

from itertools import product

from texts_of_models import NAMES

from agent_conformance.agents.reference.pseudo_calls import Rules, StreamFilter, read_text
from tests.tables import rows

PIECES: list[tuple[list[str], list[str]]] = [
    (["```py", "thon\n", "x = 1", "\n``", "`\nDone", "."], ["", "```python\n", "x = 1", "\n", "```\nDone", ".", ""]),
    (["```\n", "a\n``", "`` \n", "`b`\n"], ["", "```\na\n", "```` \n", "`b`", "\n"]),
    (
        ["````\n", "```\n<tool_call>\n", "```\n", "````\n", "So."],
        ["", "````\n```\n<tool_call>\n", "```\n", "````\n", "So.", ""],
    ),
    (["~~~", "\nx\n", "```\n", "~~~\n", "<tool"], ["", "~~~\nx\n", "```\n", "~~~\n", "", "<tool"]),
    (["```\nx", " ```", " y\n", "```", "\nz"], ["```\nx", " ```", " y\n", "", "```\nz", ""]),
    (["```js", "on\n", '{"city"', ": 1}\n", "```"], ["", "", "", '```json\n{"city": 1}\n', "", "```"]),
    (["```json\n", "{", '"na', 'me": "get_weather"}'], ["", "", "", "", ""]),
    (["```json\n", "[1, 2]", "\n```"], ["", "```json\n[1, 2]", "\n", "```"]),
    (["```JSON\n  ", '{ "', 'city": 1}\n```'], ["", "", '```JSON\n  { "city": 1}\n', "```"]),
    (["```tool", "_call\n", "{}"], ["", "", "", ""]),
    (["```tool", "box\n", "{}\n"], ["", "```toolbox\n", "{}\n", ""]),
    (["```invo", "ice\n", "x"], ["", "```invoice\n", "x", ""]),
    (["  ```\n", "x\n", "  ```\n", "y"], ["  ", "```\nx\n", "  ```\n", "y", ""]),
    (["    ```\n", "x"], ["    ", "```\nx", ""]),
    (["Use `<tool", "_call>` he", "re."], ["Use ", "`<tool_call>` he", "re.", ""]),
    (["``a ` b", "`` c"], ["", "``a ` b`` c", ""]),
    (["a ` b", "\nc"], ["a ", "` b\n", "c"]),
    (["a `", "b` ", "c"], ["a ", "`b`", " c", ""]),
    (["`x`", " y"], ["`x`", " y", ""]),
    (["{", '"city"', ": 1}"], ["", "", '{"city": 1}', ""]),
    (["[", "1, 2]"], ["", "[1, 2]", ""]),
    (["[", "{", '"name', '"'], ["", "", "", "", '[{"name"']),
    ([' {"ac', 'tive"', ": 1}"], [" ", "", '{"active": 1}', ""]),
    (["Well. ", '{"name": 1}'], ["Well.", ' {"name": 1}', ""]),
    (["Act", "ual words"], ["", "Actual words", ""]),
    (["Action", ": walk", "\nnow"], ["", "", "", "Action: walk\nnow"]),
    (["The action", ": walk"], ["The action", ": walk", ""]),
    (["cour", "tesy"], ["", "courtesy", ""]),
    (["court", "\n", "and"], ["", "", "court\nand", ""]),
    (["court", "\n<", "b>"], ["", "", "", "court\n<b>"]),
    (["[get_", "rain] x"], ["", "[get_rain] x", ""]),
    (["[get_weather", "] x"], ["", "", "[get_weather] x"]),
    (["<get_wea", "lth> x"], ["", "<get_wealth> x", ""]),
    (["get_weather", "\nis"], ["", "get_weather\nis", ""]),
    (["[Too", "ls] x"], ["", "[Tools] x", ""]),
    (["<b", "r> x"], ["", "<br> x", ""]),
    (["a < ", "b"], ["a ", "", "< b"]),
    (["if a <", "think of it"], ["if a ", "", "<think of it"]),
    (["<th", "ink>x</th", "ink>\n\nDone", "."], ["", "", "Done", ".", ""]),
    (["Before. <think>x", "</think>", " After"], ["Before. ", "", " After", ""]),
    (["x</th", "ink> After"], ["x", " After", ""]),
    (["<think>a", "<tool_call>", "</think>", " b"], ["", "", "", "", "b"]),
    (["<think/", "> After"], ["", "After", ""]),
    (["[THI", "NK]x[/TH", "INK] After"], ["", "", "After", ""]),
    (["[thin", "gs] x"], ["", "[things] x", ""]),
    (["</", "b> x"], ["", "</b> x", ""]),
    (["<|chan", "nel>thought\nx<chan", "nel|> After"], ["", "", "After", ""]),
    (["word ", " \n", "more", "  "], ["word", "", "  \nmore", "", "  "]),
    (["  \n", "x"], ["", "  \nx", ""]),
    (["> <tool_call>\n", "text"], ["> ", "", "<tool_call>\ntext"]),
    ([">>", ">x\n"], ["", "", ">>>x\n"]),
    ([">> ", "quoted"], [">>", " quoted", ""]),
    (["✿", " x"], ["", "", "✿ x"]),
    (["~", "x"], ["", "~x", ""]),
    (["~~", "x"], ["", "~~x", ""]),
    (["a ~", "b"], ["a ~", "b", ""]),
    (["``", "`x` y"], ["", "", "```x` y"]),
    (["```a` <tool_call>```\nx", "y"], ["```a` <tool_call>```\nx", "y", ""]),
    (["Tool", " x"], ["", "Tool x", ""]),
    (["TOOL:", "x"], ["", "", "TOOL:x"]),
    (["commentary", " x"], ["", "commentary x", ""]),
    (["commentary to=", "functions"], ["", "", "commentary to=functions"]),
    (["funct", "ools.reduce"], ["", "functools.reduce", ""]),
    (["functools[", "0]"], ["", "", "functools[0]"]),
    (["thought", "ful"], ["", "thoughtful", ""]),
    (["Thought", ": x"], ["", "", "Thought: x"]),
    (["call", " me"], ["", "call me", ""]),
    (["call\n", "x"], ["", "call\nx", ""]),
    (["print(", "x)"], ["", "print(x)", ""]),
    (["print(default_api", ".x"], ["", "", ""]),
]
"""The pieces as they come, and what is shown after each, and at the end."""


@rows("pieces, shown", PIECES, ids=lambda row: repr(row[0]))
def test_text_is_shown_as_soon_as_it_is_known_to_be_text(pieces: list[str], shown: list[str]) -> None:
    screen = StreamFilter(NAMES, Rules())
    deltas = [screen.feed(piece) for piece in pieces]
    reading = read_text("".join(pieces), NAMES, Rules(), released=screen.released)

    assert [*deltas, screen.finish(reading.shown)] == shown


WITHOUT_TOOLS: list[list[str]] = [
    ['{"na', 'me": "get_weather"}'],
    ['[{"name"', ': "get_weather", "arguments": {}}]'],
    ["```tool_call\n", "{}\n"],
    ['```json\n{"name"', ': "get_weather"}\n'],
    ["[get_wea", "ther(city=1)]"],
    ["Action", ": walk"],
]
"""Each piece is shown as it comes."""


@rows("pieces", WITHOUT_TOOLS, ids=lambda row: repr(row[0]))
def test_without_tools_nothing_waits_for_a_call(pieces: list[str]) -> None:
    screen = StreamFilter(frozenset(), Rules())

    assert [screen.feed(piece) for piece in pieces] == pieces


BEFORE_A_CALL = ("", "call ", "call\n", "tool_code ", "tool_code\n")
CALLED = ("print(default_api.get_", "default_api.get_", "default_api:get_", "call:default_api:get_")


@rows("before, called", list(product(BEFORE_A_CALL, CALLED)))
def test_nothing_of_a_call_of_the_default_api_is_shown(before: str, called: str) -> None:
    screen = StreamFilter(NAMES, Rules())

    assert [screen.feed(piece) for piece in (f"{before}{called[:4]}", called[4:], "weather")] == ["", "", ""]


def test_what_the_whole_answer_takes_back_is_not_shown_again() -> None:
    screen = StreamFilter(NAMES, Rules())
    screen.feed("It rains. ")

    assert screen.finish("Something else.") == ""
    assert screen.released == "It rains."
