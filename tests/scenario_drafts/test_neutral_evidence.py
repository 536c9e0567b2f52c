"""What a drafted scenario must not have is replaced, the same each time, and said without being shown."""

import pytest

from agent_conformance.scenario_drafts.incident import Call, Evidence, Message, Refusal
from agent_conformance.scenario_drafts.neutral import LONG, Neutral, half_character


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ask jane.doe@corp.de", "ask user1@example.com"),
        ("see https://wiki.corp.de/x?y=1 now", "see https://example.com/1 now"),
        ("on db7.corp.internal:5432", "on host1.example.com"),
        ("at 10.2.3.4", "at 192.0.2.1"),
        ("key AKIAABCDEFGHIJKLMNOP", "key key-1"),
        ("sk-ant-api03-abcdefghijkl", "key-1"),
        ("read /home/jane/notes/may.txt", "read /files/file1.txt"),
        ("of Jane Doe and of Jane Doe", "of Ada Example and of Ada Example"),
        ("run 7f3b8d52-1c1e-4a52-9f60-0a3c0d5b7f11", "run id-1"),
        ("call +49 30 1234567", "call +1 555 0101"),
        ("It is 7 degrees and/or rain in Oslo, 3.5 mm.", "It is 7 degrees and/or rain in Oslo, 3.5 mm."),
    ],
)
def test_text_is_replaced_by_a_neutral_one(text, expected):
    assert Neutral().text(text) == expected


def test_table_has_the_length_and_not_the_text():
    neutral = Neutral()
    neutral.text("jane@corp.de writes to jane@corp.de and to joe@corp.de")

    first, second = neutral.lines()
    assert first.split() == ["e-mail", "address", "12", "characters", "user1@example.com", "2", "times"]
    assert "user2@example.com" in second
    assert "corp" not in first + second


def test_long_text_becomes_a_repetition_of_about_its_length():
    neutral = Neutral()
    said = neutral.shortened({"result": "x" * 1000, "description": "y" * LONG, "call": "<tool_call>" + "z" * 1000})

    assert said["result"] == {"repeat": "text 1 ", "times": 142}
    assert said["description"] == "y" * LONG
    assert said["call"].startswith("<tool_call>zzz")


def test_call_and_result_keep_the_same_id_and_an_odd_id_its_form():
    odd = "call|a.b/" + "c" * 60
    messages = (Message("tool", "x", id=odd), Message("tool", "y", id="call_1"), Message("tool", "z", id=odd))
    changed = Neutral().evidence(Evidence("request", "openai-chat", "openai", messages, messages)).messages

    assert [one.id for one in changed] == [changed[0].id, "c2", changed[0].id]
    assert changed[0].id == "c1xx|x.x/" + "x" * 60


def test_refusal_names_calls_as_the_scenario_does():
    messages = (Message("tool", "x", id="toolu_01AbC"),)
    refusal = Refusal(400, "no call for toolu_01AbC", "anthropic")
    evidence = Evidence("request", "anthropic-messages", "anthropic", messages, messages, refusal=refusal)

    assert Neutral().evidence(evidence).refusal == Refusal(400, "no call for c1", "anthropic")


def test_half_a_character_at_the_end_is_written_as_the_format_has_it():
    assert half_character("Oslo \ud83d") == {"half": "Oslo \U0001f600"}
    assert half_character("Os\ude00lo") == "Os\ufffdlo"


@pytest.mark.parametrize(
    "said",
    [
        "log in with password=hunter2 please",
        "user ada, Password: hunter2.",
        "postgres 'pwd=hunter2' and",
        'it says {"client_secret": "hunter2"}',
    ],
)
def test_password_in_a_sentence_is_replaced_wherever_it_stands(said):
    messages = (
        Message("user", said),
        Message("assistant", calls=(Call("c1", "log_in", {"as": "hunter2", "to": "hunter22"}),)),
    )
    changed = Neutral().evidence(Evidence("request", "openai-chat", "openai", messages, messages)).messages

    assert "hunter2" not in changed[0].text
    assert "password-1" in changed[0].text
    assert changed[1].calls[0].arguments == {"as": "password-1", "to": "hunter22"}


@pytest.mark.parametrize(
    "said", ["The password: required.", "password=string", "Forgot your password? Write to us.", "Secret: none"]
)
def test_what_is_said_of_a_password_is_none(said):
    messages = (Message("user", said),)

    assert Neutral().evidence(Evidence("request", "openai-chat", "openai", messages, messages)).messages[0].text == said
