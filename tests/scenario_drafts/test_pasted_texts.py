"""`new --from` reads a request wherever it stands in what is pasted, and says why it reads none."""

import io
import json
import sys
from pathlib import Path

import pytest

from agent_conformance.commands.main import main
from agent_conformance.scenario_drafts.incident import CannotDraft
from agent_conformance.scenario_drafts.pasted_texts import CannotFind, paste_in
from agent_conformance.scenario_drafts.pasted_values import PastedText
from agent_conformance.scenario_drafts.sources import evidence_in
from tests.scenario_drafts.pastes import BLOCKS, BODY, CALL, KEY, MESSAGES, PASTES, TEXT


@pytest.mark.parametrize("form", PASTES)
def test_conversation_is_read_in_each_form(tmp_path, form):
    path = tmp_path / "pasted.txt"
    path.write_text(PASTES[form])

    evidence = evidence_in(path)

    said = [(message.role, bool(message.calls)) for message in evidence.messages]
    assert said == [("user", False), ("assistant", True), ("user", False)]
    assert evidence.messages[1].calls[0].name == "look_up"
    assert evidence.messages[2].text == "Hello? Are you there?"


@pytest.mark.parametrize("share", [0.3, 0.5, 0.7, 0.9])
@pytest.mark.parametrize("form", PASTES)
def test_part_of_a_conversation_is_never_taken_for_it(tmp_path, form, share):
    path = tmp_path / "pasted.txt"
    path.write_text(PASTES[form][: int(len(PASTES[form]) * share)])

    try:
        said = evidence_in(path).messages
    except CannotDraft:
        return
    assert [message.role for message in said] == ["user", "assistant", "user"]


@pytest.mark.parametrize("form", ["claude-code-fence", "codex-quoted"])
def test_session_with_a_line_that_was_cut_is_not_read(form):
    lines = PASTES[form].splitlines()
    cut = next(place for place, line in enumerate(lines) if "look_up" in line)
    lines[cut] = f"{lines[cut][:-20]} ..."

    with pytest.raises(CannotFind, match=f"line {cut + 1} ends in the middle"):
        paste_in("\n".join(lines))


@pytest.mark.parametrize(
    "text",
    [
        "Array\n(\n    [messages] => Array\n        (\n            [role] => user\n            [content] => Hi\n",
        'array(1) {\n  ["messages"]=>\n  array(1) {\n    ["role"]=>\n    string(4) "user"\n  }\n}',
        '{"data": ' + '[{"data": ' * 400 + "1" + "}]" * 400 + "}",
    ],
    ids=["print_r", "var_dump", "deep"],
)
def test_text_of_another_form_is_not_read(text):
    with pytest.raises(CannotFind):
        paste_in(f"log {text}")


@pytest.mark.parametrize(
    "form",
    [
        "litellm-curl",
        "axios-console",
        "requests-repr",
        "escaped-field",
        "python-pprint",
        "php-array",
    ],
)
def test_texts_are_those_that_were_sent(form):
    (body,) = paste_in(PASTES[form]).bodies

    assert body == BODY


MEMBERS = ", ".join(f"{name}={value!r}" for name, value in BODY.items())


@pytest.mark.parametrize("text", [f"{{'sent': Request({MEMBERS})}}", f"{{ sent: Request {BODY!r} }}"])
def test_class_of_a_request_is_not_sent(text):
    assert paste_in(text).bodies == (BODY,)


def test_bodies_of_one_log_are_one_conversation(tmp_path):
    path = tmp_path / "log.txt"
    first, second = {**BODY, "messages": MESSAGES[:1]}, BODY
    path.write_text(f"10:00 request {first!r}\n10:01 retry {first!r}\n10:02 request {second!r}\n")

    assert len(evidence_in(path).messages) == 3


def test_bodies_of_two_providers_need_the_name_of_one(tmp_path):
    other = {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": BLOCKS}
    text = f"first {BODY!r}\nthen {other!r}"

    with pytest.raises(CannotFind, match=r"anthropic-messages and openai-chat\. Give those of one, or name theirs"):
        paste_in(text)
    assert paste_in(text, provider="anthropic").bodies == (other,)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"error in request {TEXT[:90]}", "in line 1 ends in the middle; the text was cut."),
        ("{ messages: [ [Object], [Object] ] }", "JSON.stringify(body)"),
        ("2026-01-02 [agent] started {'level': 'info'}", ""),
        ("[" * 50_000, ""),
    ],
)
def test_text_without_a_whole_body_says_what_it_has(text, expected):
    with pytest.raises(CannotFind) as found:
        paste_in(text)

    assert expected in str(found.value)


def test_body_before_a_cut_is_read_and_the_cut_is_told():
    paste = paste_in(f"one {TEXT}\ntwo {TEXT[:80]}")

    assert paste.bodies == (BODY,)
    assert paste.notes == ("The end of the text cuts a value off, which was left out.",)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"10:00\n10:01 body={TEXT[:90]}", 2),
        (f"body: {TEXT[:90]}...", 1),
        (f"body:\n{json.dumps(BODY, indent=2)[:120]}\n10:02 INFO done {{}}", 2),
        ("log [since v2", 0),
    ],
)
def test_message_names_the_line_of_a_request_that_was_cut(tmp_path, text, line):
    (tmp_path / "log.txt").write_text(text)

    with pytest.raises(CannotDraft) as found:
        evidence_in(tmp_path / "log.txt")
    assert (f"log.txt: the value that begins in line {line} ends in the middle" in str(found.value)) == bool(line)


def test_log_without_a_body_is_not_used(tmp_path, capsys):
    (tmp_path / "log.txt").write_text("12:00:01 started\n12:00:02 [x] 400 Bad Request {'code': 1}\n")

    assert main(["new", f"--from={tmp_path / 'log.txt'}"]) == 2
    assert capsys.readouterr().out == ""


def test_keys_of_a_paste_stay_out_of_file_and_terminal(tmp_path, capsys):
    body = {
        **BODY,
        "messages": [{"role": "user", "content": f"My key is {KEY}, and q7w8e9r0t1y2u3i4o5p6"}, *MESSAGES[1:]],
    }
    path = tmp_path / "paste.txt"
    path.write_text(f"x-api-key: q7w8e9r0t1y2u3i4o5p6\nAuthorization: Bearer {KEY}\n{body!r}")

    assert main(["new", f"--from={path}", f"--to={tmp_path / 'new.yaml'}"]) == 0

    said = capsys.readouterr()
    for text in (said.out, said.err, (tmp_path / "new.yaml").read_text()):
        assert KEY not in text
        assert "q7w8e9r0t1y2u3i4o5p6" not in text


def test_paste_comes_from_standard_input(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PASTES["node-inspect"].encode()), encoding="utf-8"))

    assert main(["new", "--from=-"]) == 0
    assert "tool-calls-unanswered" in capsys.readouterr().out


def test_provider_model_and_answer_are_those_of_the_text():
    url = "https://x-aiplatform.googleapis.com/v1/projects/p/locations/x/publishers/google/models/gemini-pro:generateContent"
    error = {"error": {"code": 400, "message": "No.", "status": "INVALID_ARGUMENT"}}
    body = {"contents": [{"role": "user", "parts": [{"text": "Hi."}]}]}

    paste = paste_in(f"- url: {url}\n- body: {json.dumps(body)}\n- answer: {json.dumps(error)}")

    assert (paste.provider, paste.model) == ("vertex", "gemini-pro")
    assert json.loads(paste.answer or b"") == error


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = (1, 'b' 'c')", []),
        ("{'a': (1, None), 'b': True,}", [{"a": [1, None], "b": True}]),
        ("[Role(value='x'), <Role.USER: 'user'>, <object at 0x1>]", [[{"type": "Role", "value": "x"}, "user", None]]),
        (r"x={\"a\": \"b\\\"c\"}", [{"a": 'b"c'}]),
        ("{don't} [1]", [[1]]),
        (
            "['a' => 'it\\'s \\n', 'b' => array (0 => 1, 1 => NULL), 'c' => array ()]",
            [{"a": "it's \\n", "b": [1, None], "c": []}],
        ),
        ("array ('a' => 'x\ny' . \"\\n\", 'b' => array (1 => 2))", [{"a": "x\ny\n", "b": {"1": 2}}]),
        ('{:a=>:b, "c"=>nil, d: {}}', [{"a": "b", "c": None, "d": {}}]),
        ("[Shape(type='Feature'), {'type': 'Feature'}]", [[{"type": "Feature"}, {"type": "Feature"}]]),
        ('b\'{"a": "\\xc3\\xa9"}\'', [{"a": "é"}]),
    ],
)
def test_values_are_read_as_they_were_printed(text, expected):
    assert [*PastedText(text).values()] == expected


def test_many_brackets_take_no_longer_than_the_text(tmp_path: Path):
    text = "[2026-01-02 03:04:05] {x} (y] " * 20_000 + TEXT

    assert paste_in(text).bodies == (BODY,)


def test_members_of_arguments_keep_the_names_of_types(tmp_path):
    """GeoJSON has types in capitals, as classes of Python have."""
    path = tmp_path / "log.txt"
    shape = {"type": "Feature", "id": 1}
    use = {"type": "tool_use", "id": "toolu_1", "name": "draw", "input": {"shape": shape}}
    path.write_text(f"got {[BLOCKS[0], {'role': 'assistant', 'content': [use]}, BLOCKS[2]]!r}")

    assert evidence_in(path).messages[1].calls[0].arguments == {"shape": shape}


AFTER_A_RESULT = [
    {"role": "user", "content": "Where is order 7?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": "sent"},
    {"role": "user", "content": "And order 8?"},
]


@pytest.mark.parametrize(
    ("members", "rule"),
    [
        ({}, ""),
        ({"model": "gpt-4.1"}, ""),
        ({"model": "mistral-large-latest"}, "mistral/role-order"),
        ({"model": "gpt-oss-120b"}, "mistral/role-order"),
    ],
)
def test_request_for_a_model_of_openai_was_sent_to_no_other_provider(tmp_path, members, rule):
    (tmp_path / "log").write_text(json.dumps({**members, "messages": AFTER_A_RESULT}))

    refusal = evidence_in(tmp_path / "log").refusal

    assert (refusal.rule if refusal else "") == rule
