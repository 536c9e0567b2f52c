"""YAML is read strictly."""

import pytest

from agent_conformance.scenario.yaml_files.reading import MAX_BYTES, MAX_DEPTH, read


def first_mistake(text: str | bytes) -> tuple[int, str]:
    document = read(text.encode() if isinstance(text, str) else text)
    return document.mistakes[0].line, document.mistakes[0].message


TEXTS = "no yes on Off True NULL ~ 12:30:45 017 1_000 0x10 0o7 .5 5. +1 .inf .nan 2026-11-20 1e --1 = '7' 'true'"


@pytest.mark.parametrize("written", TEXTS.split())
def test_all_else_is_text(written: str):
    document = read(f"key: {written}\n".encode())

    assert document.value == {"key": written.strip("'")}
    assert not document.mistakes


@pytest.mark.parametrize(
    ("written", "value"),
    [("true", True), ("false", False), ("null", None), ("0", 0), ("-7", -7), ("1.5", 1.5), ("1e3", 1000.0)],
)
def test_json_words_and_numbers_are_values(written: str, value: object):
    found = read(f"key: {written}\n".encode()).value["key"]

    assert (found, type(found)) == (value, type(value))


def test_a_block_is_text():
    assert read(b"key: |\n  7\nother: >-\n  true\n").value == {"key": "7\n", "other": "true"}


def test_a_key_is_text():
    assert read(b"{true: 1, 7: 2, null: 3, no: 4}").value == {"true": 1, "7": 2, "null": 3, "no": 4}


def test_each_key_and_item_has_its_line():
    lines = read(b"# top\na:\n  b: [1,\n    2]\n  c: x\n").lines

    assert lines[("a",)] == 2
    assert lines[("a", "b")] == 3
    assert lines[("a", "b", 0)] == 3
    assert lines[("a", "b", 1)] == 4
    assert lines[("a", "c")] == 5


def test_repeated_keys_are_all_reported():
    document = read(b"a: 1\nb: {c: 1, c: 2}\na: 2\n")

    assert [mistake.line for mistake in document.mistakes] == [2, 3]
    assert document.value == {"a": 1, "b": {"c": 1}}


def test_alias_repeats_its_value():
    assert read(b"a: &tool {name: x}\nb: [*tool, *tool]\n").value["b"] == [{"name": "x"}, {"name": "x"}]


def test_alias_bomb_is_refused():
    levels = [b"a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [b"a%d: &a%d [%s]" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 10)) for n in range(1, 9)]

    line, message = first_mistake(b"\n".join(levels))

    assert line == 1
    assert message == "aliases (`*name`) write out more than 1000 values. Write them plainly."


def test_alias_of_itself_is_refused():
    line, message = first_mistake("ok: 1\na: &a [1, *a]\n")

    assert line == 2
    assert message == "the alias `*a` stands inside the value it names. A text that begins with `*` needs quotes."


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("a: *b\n", 1, "names nothing above it"),
        ("a: !!int 7\n", 1, "the tag `tag:yaml.org,2002:int` stands here"),
        ("a: !!python/object:os.system {}\n", 1, "the tag `tag:yaml.org,2002:python/object:os.system` stands here"),
        ("a: {b: 1}\nc:\n  <<: {d: 2}\n", 3, "`<<` merges nothing here"),
        ("a: 1\n---\nb: 2\n", 2, "a second document begins here"),
        ("%YAML 1.1\n---\na: 1\n", 1, "a `%` directive stands here"),
        ("", 1, "the file says nothing"),
        ("# only a comment\n", 1, "the file says nothing"),
        ("a: 1\nb:\n", 2, "a value is missing here"),
        ("a: 1\n[b, c]: 2\n", 2, "a key is a list; expected a word"),
        ("a: 1e999\n", 1, "this number is too large"),
        ("a: " + "9" * 400, 1, "this number is too large"),
        ("a: b: c\n", 1, "A text that contains `: ` needs quotes."),
        ("a: 1\nb: `x`\n", 2, "A text that begins with a tab, `@`, `%` or a backquote needs quotes."),
        ("a:\n\tb: 1\n", 2, "YAML is not indented with tabs. Use blanks."),
        ("a: \t`x`\n", 1, "A text that begins with a tab, `@`, `%` or a backquote needs quotes."),
        ("a: 1\nb: x\x07\n", 2, "character U+0007 cannot stand in YAML"),
        ('a: "\\ud800"\n', 1, "this is not YAML"),
        ("a: 'x\n", 1, "this is not YAML"),
        ("a: [1, 2\nb: 3\n", 2, "this is not YAML"),
        ("- " * (MAX_DEPTH + 1) + "x", 1, f"this is nested more than {MAX_DEPTH} deep"),
        ("a: " + "x" * MAX_BYTES, 1, "at most 262,144 are read"),
    ],
)
def test_what_is_no_strict_yaml_is_said_at_its_line(text: str, line: int, part: str):
    found, message = first_mistake(text)

    assert part in message
    assert found == line


def test_question_mark_in_a_flow_mapping_is_explained():
    line, message = first_mistake("conversation:\n  - {user: ? really, model: []}\n")

    assert line == 2
    assert message.endswith(
        "A `?` in a flow mapping (`{...}`) does not parse: write it in block style, or quote the text."
    )


def test_other_encodings_are_refused_at_the_byte():
    line, message = first_mistake("a: 1\nb: é\n".encode("latin-1"))

    assert line == 2
    assert message == "byte 0xe9 is not UTF-8. Save the file as UTF-8."


def test_a_byte_order_mark_is_no_part_of_the_text():
    assert read(b"\xef\xbb\xbfa: 1\n").value == {"a": 1}


@pytest.mark.parametrize("text", ["[" * 100_000, "{a: " * 30_000, "- " * 100_000])
def test_a_file_of_brackets_ends_in_a_mistake_and_not_in_the_process(text: str):
    assert read(text.encode()).mistakes
