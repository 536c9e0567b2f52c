"""`new --from` reads a request wherever it stands in what is pasted, and says why it reads none."""

import io
import json
import sys
from pathlib import Path

import pytest

from agent_conformance.commands.main import main
from agent_conformance.scenario_drafts.pasted_texts import CannotFind, paste_in
from agent_conformance.scenario_drafts.pasted_values import PastedText
from agent_conformance.scenario_drafts.sources import evidence_in
from tests.scenario_drafts.pastes import BLOCKS, BODY, KEY, MESSAGES, PASTES, TEXT


@pytest.mark.parametrize("form", PASTES)
def test_conversation_is_read_in_each_form(tmp_path, form):
    path = tmp_path / "pasted.txt"
    path.write_text(PASTES[form])

    evidence = evidence_in(path)

    said = [(message.role, bool(message.calls)) for message in evidence.messages]
    assert said == [("user", False), ("assistant", True), ("user", False)]
    assert evidence.messages[1].calls[0].name == "look_up"
    assert evidence.messages[2].text == "Hello? Are you there?"


@pytest.mark.parametrize("form", ["litellm-curl", "axios-console", "requests-repr", "escaped-field", "python-pprint"])
def test_texts_are_those_that_were_sent(form):
    (body,) = paste_in(PASTES[form]).bodies

    assert body == BODY


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
        ('b\'{"a": "\\xc3\\xa9"}\'', [{"a": "é"}]),
    ],
)
def test_values_are_read_as_they_were_printed(text, expected):
    assert [*PastedText(text).values()] == expected


def test_many_brackets_take_no_longer_than_the_text(tmp_path: Path):
    text = "[2026-01-02 03:04:05] {x} (y] " * 20_000 + TEXT

    assert paste_in(text).bodies == (BODY,)
