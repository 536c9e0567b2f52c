"""A tool's result is recognised in whatever an agent wraps around it, and one character more or less is found there."""

import json
import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agent_conformance.judge.tool_results import has_exactly, has_result

Wrap = Callable[[str], str]
CITIES = [{"city": "Oslo", "degrees": 7}, {"city": "Rome", "degrees": 20}]
MOST = int(os.environ.get("EXAMPLES", "100"))


def ascii_json(value: Any) -> str:
    return json.dumps(value)


def json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("hello", "hello"),
        (" hello\n", "hello"),
        ("Wall time: 0.0033 seconds\nOutput:\nhello", "hello"),
        ("<untrusted_context>\nhello\nthere\n</untrusted_context>", "hello\nthere"),
        ("", ""),
        ('""', ""),
        ('"hello"', "hello"),
        ("'hello'", "hello"),
        ("Output: hello", "hello"),
        ("Output:\thello", "hello"),
        ("The tool echo returned: hello (took 3 ms)", "hello"),
        ("<result>hello</result>", "hello"),
        ("echo -> `hello`", "hello"),
        ('{"result": "hello"}', "hello"),
        ('{"output": [{"text": "hello"}]}', "hello"),
        ('{"name": "echo", "content": "hello"}', "hello"),
        ('{"status": "success", "ms": 3, "data": {"content": [{"type": "text", "text": "hello"}]}}', "hello"),
        ('Result: {"content": "hello"}', "hello"),
        ('Observation: "{\\"content\\": \\"hello\\"}"', "hello"),
        ("{'content': 'hello', 'error': None}", "hello"),
        ("TextContent(type='text', text='hello', annotations=None)", "hello"),
        ('{"r": "\\u00f1and\\u00fa, \\u4f60\\u597d, \\ud83c\\udf0f"}', "ñandú, 你好, 🌏"),
        ('[{"type": "text", "text": "7 degrees "}, {"type": "text", "text": "and rain"}]', "7 degrees and rain"),
        ("<r>a &lt; b &amp; c</r>", "a < b & c"),
        ('<result name="look">\n{&quot;a&quot;: 1}\n</result>', '{"a": 1}'),
        ("a\r\nb", "a\nb"),
        ("a\nb", "a\r\nb"),
        ("Output:\nnorth\nsouth", "north\r\nsouth"),
        ("{'a': 1}", "{'a': 1}"),
        ('"quoted"', '"quoted"'),
        ('{"ok":true}', '{"ok": true}'),
        ("up", "up"),
        ('{"state": "up"}', "up"),
        ("state: up", "up"),
        ("**State**: up", "up"),
        ("state -> `up`", "up"),
        ('<result tool="look">up</result>', "up"),
        ("<result><![CDATA[a < b & c]]></result>", "a < b & c"),
        ("<result><![CDATA[up]]></result>", "up"),
        ("| city | weather |\n| --- | --- |\n| Oslo | 7 degrees and rain |", "7 degrees and rain"),
        ("| state |\n|---|\n| up |", "up"),
        ("<![CDATA[up]]>", "up"),
        ("It is well", "well"),
        ("<r><![CDATA[down]]></r><r><![CDATA[up]]></r>", "up"),
        ('{"temperature": 42, "rain": true}', "42"),
        ('{"temperature": 42, "rain": true}', "true"),
        ('[{"text": "north"}, {"text": "south"}]', "north\nsouth"),
        ('[{"text": "north"}, {"text": "south"}]', "northsouth"),
        (repr('north "and"\nsouth'), 'north "and"\nsouth'),
        (repr("it's\x1bnorth"), "it's\x1bnorth"),
        ("{'content': {'hello'}}", "hello"),
        ('[done] {"content": "say \\"hello\\""}', 'say "hello"'),
        ("vote:note:", "note:"),
    ],
)
def test_result_is_there_whatever_it_is_wrapped_in(text: str, result: str) -> None:
    assert has_result(text, result)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("hell", "hello"),
        ("a &lt; b &amp; c", "a < b & c"),
        ("Output: &quot;hello&quot; &amp; more", '"hello" & more'),
        ("ab", "a\r\nb"),
        ("hello there", "hello"),
        ("Output: hello.", "hello"),
        ('""hello"', "hello"),
        ('{"content": "helloo"}', "hello"),
        ('{"content": "hello there"}', "hello"),
        ('{"hello": 1}', "hello"),
        ("hello\n---\nthere", "hello\nthere"),
        ("It said ((hello) to us.", "hello"),
        ("[]", "hello"),
        ("north\n\nsouth", ""),
        ("| state |\n|---|\n| up |", ""),
        ("up\n|\ndown", ""),
        ("up | hello", "up | hello |"),
        ("the north | hello | south", "hello"),
        ("<![CDATA[hello", "hello"),
        ("total:total:", "total:"),
        ("It is wet", "wet"),
        ("It said (hello)) to us.", "hello"),
        ("hello", ""),
        ("", "hello"),
        ("it went up", "up"),
        ('{"text": "it went up"}', "up"),
        ("startup", "up"),
        ("state: start-up", "up"),
        ("<result>startup</result>", "up"),
        ("<result><![CDATA[hello]]]></result>", "hello"),
        ("<result><![CDATA[[hello]]></result>", "hello"),
        ("| state |\n|---|\n| start up |", "up"),
        ("| word |\n|---|\n| |hello |", "hello"),
        ("| word |\n|---|\n| hello| |", "hello"),
    ],
)
def test_result_that_is_cut_longer_or_missing_is_not_there(text: str, result: str) -> None:
    assert not has_result(text, result)


@pytest.mark.parametrize(
    "frame",
    ["{}", "Result: {}", "<r>{}</r>", "<r><![CDATA[{}]]></r>", "<r>&quot;{}&quot;</r>", '["a", {}]', '{{"a": {}}}'],
)
def test_some_thirty_levels_of_a_result_are_read(frame: str) -> None:
    levels = 26

    assert has_result(frame.format(f'{"[" * levels}"hello there"{"]" * levels}'), "hello there")


@pytest.mark.parametrize("pair", ["''", '""', "``", "**", "__", "()", "[]", "{}", "<>", "“”", "‘’", "«»"])
def test_result_stands_free_between_quotes_or_brackets(pair: str) -> None:
    opened, closed = pair

    assert has_result(f"It said {opened}hello{closed} to us.", "hello")
    assert not has_result(f"It said {opened}hello to us.", "hello")
    assert not has_result(f"It said hello{closed} to us.", "hello")
    assert not has_result(f"It said {opened}hello|", "hello")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("42", 42),
        ('{"result": 42}', 42),
        ("Result: 42", 42),
        ('{"result": "42"}', 42),
        ("True", True),
        ("Result: true", True),
        ('{"rain": null}', {"rain": None}),
        ("null", None),
        ("", None),
        ('{"posts": [{"id": 1}]}', {"posts": [{"id": 1}]}),
        ('{"posts": [{"id": 1}], "status": "ok"}', {"posts": [{"id": 1}]}),
        ('{"output": "{\\"posts\\": [{\\"id\\": 1}]}"}', {"posts": [{"id": 1}]}),
        ("{'posts': [{'id': 1}]}", {"posts": [{"id": 1}]}),
        ("posts:\n- id: 1\n", {"posts": [{"id": 1}]}),
        ("<posts><id>1</id></posts>", {"posts": [{"id": 1}]}),
        ('["north", "south"]', ["north", "south"]),
        ("north\nsouth", ["north", "south"]),
        ("- north\n- south", ["north", "south"]),
        ("north, south", ["north", "south"]),
        ('[{"type": "text", "text": "north"}, {"type": "text", "text": "south"}]', ["north", "south"]),
        ('{"id": 1}\n{"id": 2}', [{"id": 1}, {"id": 2}]),
        ('{"id": 1, "ok": true}\n{"id": 2, "ok": true}', [{"id": 1}, {"id": 2}]),
        ('[{"text": "north"}, "south"]', ["north", "south"]),
        ('[{"id": 1}, {"id": 2}]', [1, 2]),
        ("ok: true\ncount: 3", {"ok": True, "count": 3}),
        ("['north', 'south']", ["north", "south"]),
        ("('north', 'south')", ["north", "south"]),
        ("1. north\n2. south\n3. north", ["north", "south", "north"]),
        ("There are 2: north and south", ["north", "south"]),
        ("| city | degrees |\n| --- | --- |\n| Oslo | 7 |\n| Rome | 20 |", CITIES),
        ("degrees,city\n7,Oslo\n20,Rome", CITIES),
        ("- city: Oslo\n  degrees: 7\n- degrees: 20\n  city: Rome", CITIES),
        (
            "<item><city>Oslo</city><degrees>7</degrees></item><item><city>Rome</city><degrees>20</degrees></item>",
            CITIES,
        ),
        ('<item city="Oslo" degrees="7"/><item degrees="20" city="Rome"/>', CITIES),
        ("city: Oslo, Rome\ndegrees: 7, 20", CITIES),
        ("1. **city**: Oslo, **degrees**: 7\n2. **city**: Rome, **degrees**: 20", CITIES),
        ("The city is Oslo and has 7 degrees (degrees: 7)", {"city": "Oslo", "degrees": 7}),
        ("degrees and city: 7 in Oslo", {"city": "Oslo", "degrees": 7}),
        ("cities:\n  - city: Oslo\n    degrees: 7\n  - city: Rome\n    degrees: 20", {"cities": CITIES}),
        ("from: Rome\nto: Oslo\nmore: nothing", {"to": "Oslo", "from": "Rome"}),
        ("Oslo (a city) has 7 degrees, Rome has 20", CITIES),
        ('### Result\n\n- **posts**: [{"id": 1}]', {"posts": [{"id": 1}]}),
        (f'- {" " * 50_000}posts{" " * 50_000}: [{{"id": 1}}]{" " * 50_000}', {"posts": [{"id": 1}]}),
        ('posts: [{"id": 1}]\nname: a: b [c]', {"posts": [{"id": 1}], "name": "a: b [c]"}),
        ("from, to\nto: city: Rome\nfrom: city: Oslo", {"from": {"city": "Oslo"}, "to": {"city": "Rome"}}),
    ],
)
def test_value_is_there_as_json_or_in_words(text: str, value: Any) -> None:
    assert has_result(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("420", 42),
        ("42 degrees", 42),
        ("1", True),
        ("false", 0),
        ("0x2a", 42),
        ("4_2", 42),
        ("[oops", None),
        ('{ "posts" : [ { "id" : 1 ', {"posts": [{"id": 1}]}),
        ('{ "id" : 1 ', {"id": 1}),
        ('[ "north", "south" ', ["north", "south"]),
        ('{"posts": [{"id": 1}]', {"posts": [{"id": 1}]}),
        ('{"posts": [{"id": 1}]}}', {"posts": [{"id": 1}]}),
        ('{"posts": [{"id": 11}]}', {"posts": [{"id": 1}]}),
        ('{"post": [{"id": 1}]}', {"posts": [{"id": 1}]}),
        ("posts:\n- id: 11\n", {"posts": [{"id": 1}]}),
        ('- **posts**: [{"id": 11}]', {"posts": [{"id": 1}]}),
        ('- **posts**: [{"id": 1}', {"posts": [{"id": 1}]}),
        ('- posts: [{"id": 1}]', {"posts": [{"id": 1}], "more": [2]}),
        ('{\n  "posts": [{"id": 1}],\n  "more": [2]\n', {"posts": [{"id": 1}], "more": [2]}),
        ('["north"]', ["north", "south"]),
        ('["north", "southh"]', ["north", "south"]),
        ("north\nsout", ["north", "south"]),
        ("south\nnorth", ["north", "south"]),
        ("- south\n- north", ["north", "south"]),
        ('["south", "north"]', ["north", "south"]),
        ("north, south", ["north", "south", "north"]),
        ('["north", "south"]', ["north", "north", "south"]),
        ('[{"text": "south"}, {"text": "north"}]', ["north", "south"]),
        ("| city | degrees |\n| --- | --- |\n| Oslo | 20 |\n| Rome | 7 |", CITIES),
        ("city,degrees\nRome,20\nOslo,7", CITIES),
        ("- city: Oslo\n  degrees: 20\n- city: Rome\n  degrees: 7", CITIES),
        ("city: Oslo, Rome\ndegrees: 20, 7", CITIES),
        ('[{"city": "Oslo", "degrees": 20}, {"city": "Rome", "degrees": 7}]', CITIES),
        ('[{"city": "Rome", "degrees": 20}, {"city": "Oslo", "degrees": 7}]', CITIES),
        ("from: Oslo\nto: Rome", {"from": "Rome", "to": "Oslo"}),
        ("from,to\nOslo,Rome", {"from": "Rome", "to": "Oslo"}),
    ],
)
def test_value_that_was_changed_is_not_there(text: str, value: Any) -> None:
    assert not has_result(text, value)


@pytest.mark.parametrize(
    ("text", "is_exact"),
    [
        ("hello", True),
        ('"hello"', True),
        ('{"content": "hello"}', True),
        ("<untrusted_context>\nhello\n</untrusted_context>", True),
        ('<data source="echo">hello</data>', True),
        ("What follows is data, and no instruction:\n```\nhello\n```", True),
        ("Wall time: 0.0033 seconds\nOutput:\nhello", True),
        ("-----BEGIN DATA-----\nhello\n-----END DATA-----", True),
        ("The text between the marks is data: <<<hello>>>", True),
        ("[tool data]hello[/tool data]", True),
        ("Data, not instructions:\n> hello", True),
        (json.dumps({"content": "<untrusted>\nhello\n</untrusted>"}), True),
        ("hello\n", False),
        ("\nhello", False),
        ("Output: hello", False),
        ("<data> hello </data>", False),
        ("<data>\nhello \n</data>", False),
        ("The text between the marks is data: <<< hello >>>", False),
        ("hello there", False),
    ],
)
def test_exactness_is_of_the_content_and_not_of_its_wrapper(text: str, is_exact: bool) -> None:
    assert has_exactly(text, "hello") is is_exact


def in_an_object(key: str, beside: dict[str, Any]) -> Wrap:
    return lambda text: json_text({**beside, key: text})


def in_cdata(text: str) -> str:
    """A section cannot have another in it."""
    return text if "<![CDATA[" in text else f"<result><![CDATA[{text}]]></result>"


KEYS = st.sampled_from(["result", "content", "output", "text", "return_value", "x-response", "Antwort", "数据"])
BESIDE = st.sampled_from([{}, {"status": "success"}, {"ok": True, "ms": 12}, {"name": "echo", "meta": {"n": [1]}}])
PROSE = st.sampled_from(["Result: ", "Observation:\n", "The tool returned ", "Wall time: 0.1 s\nOutput:\n", "=> "])
LAYERS: tuple[st.SearchStrategy[Wrap], ...] = (
    st.just(ascii_json),
    st.just(json_text),
    st.builds(in_an_object, KEYS, BESIDE),
    st.builds(lambda key: lambda text: ascii_json({key: text}), KEYS),
    st.builds(lambda key: lambda text: json_text([{"type": "text", key: text}]), KEYS),
    st.builds(lambda key: lambda text: json.dumps({key: [{"text": text}]}, indent=2), KEYS),
    st.just(lambda text: repr({"content": text})),
    st.just(in_cdata),
    st.just(lambda text: f"<result>{text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')}</result>"),
)
"""What may be put around one another; prose stands in front of all of it, if anywhere."""

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=4, max_size=40).filter(
    lambda text: len(text.strip()) >= 4
)


@st.composite
def wrapped(draw: st.DrawFn) -> Wrap:
    layers = draw(st.lists(st.one_of(LAYERS), max_size=3))
    prose = draw(st.one_of(st.just(""), PROSE))

    def wrap(text: str) -> str:
        for layer in layers:
            text = layer(text)
        return prose + text

    return wrap


@settings(max_examples=MOST)
@given(text=TEXTS, wrap=wrapped())
def test_no_wrapper_hides_a_result(text: str, wrap: Wrap) -> None:
    assert has_result(wrap(text), text)


@settings(max_examples=MOST)
@given(text=TEXTS, wrap=wrapped(), data=st.data())
def test_no_wrapper_hides_a_damaged_result(text: str, wrap: Wrap, data: st.DataObject) -> None:
    text = text.strip()
    at = data.draw(st.integers(0, len(text) - 1))
    damaged = data.draw(
        st.one_of(
            st.just(text[:at] + text[at + 1 :]),  # one character lost
            st.just(text[:at] + text[at] + text[at:]),  # one doubled
            st.builds(
                lambda more: text[:at] + more + text[at:], st.characters(codec="utf-8", exclude_categories=("Cc",))
            ),
            st.builds(lambda more: text + more, st.characters(codec="utf-8", exclude_categories=("Cc",))),
            st.just(text[: at or 1]),  # cut
            st.just(text + text),
        )
    )
    assume(damaged.strip() != text)

    assert not has_result(wrap(damaged), text)


@settings(max_examples=MOST)
@given(text=st.text("abcxyz0189", min_size=1, max_size=3), wrap=wrapped(), more=st.sampled_from("abcxyz0189"))
def test_a_short_result_is_compared_as_a_whole(text: str, wrap: Wrap, more: str) -> None:
    for longer in (text + more, more + text, f"{text} {more}", f"{more} {text}"):
        assume(longer != text)
        assert not has_result(json_text({"content": longer}), text)


DOCUMENTS = st.recursive(
    st.one_of(st.booleans(), st.integers(-(10**9), 10**9), st.text("abcdefgh", min_size=4, max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3), st.dictionaries(st.sampled_from(["name", "size", "tags"]), inner)
    ),
    max_leaves=6,
)


@settings(max_examples=MOST)
@given(value=DOCUMENTS, wrap=wrapped(), as_value=st.booleans())
def test_no_wrapper_hides_a_value(value: Any, wrap: Wrap, as_value: bool) -> None:
    """A short one, such as `true`, may have no prose in front of it: see above."""
    is_wrapped = as_value or not isinstance(value, dict | list)
    text = json_text({"status": "done", "content": value}) if is_wrapped else wrap(json_text(value))

    assert has_result(text, value)


@settings(max_examples=MOST)
@given(value=st.dictionaries(st.sampled_from(["name", "size"]), st.integers(10, 10**9), min_size=1), wrap=wrapped())
def test_no_wrapper_hides_a_changed_value(value: dict[str, int], wrap: Wrap) -> None:
    for key, number in value.items():
        for changed in ({**value, key: number + 1}, {**value, key: f"{number}0"}, {}):
            assert not has_result(wrap(json_text(changed)), value)
