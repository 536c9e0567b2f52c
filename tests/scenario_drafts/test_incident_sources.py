"""Each kind of source is recognised by its content, and gives the conversation as it was."""

import json
from dataclasses import replace

import pytest

from agent_conformance.scenario_drafts.drafting import obstacle_to_playing
from agent_conformance.scenario_drafts.incident import CannotDraft, Evidence, SourceFile
from agent_conformance.scenario_drafts.sources import evidence_in, kind_of
from tests.scenario_drafts.incidents import INCIDENTS, chat_answers, chat_bodies


def read(tmp_path, text: str, **options) -> Evidence:
    (tmp_path / "source").write_text(text)
    return evidence_in(tmp_path / "source", **options)


def roles(evidence: Evidence) -> str:
    return " ".join(message.role for message in evidence.messages)


@pytest.mark.parametrize("name", INCIDENTS)
def test_content_says_the_kind(name):
    kind = "cassette" if name == "fixtures" else name

    assert kind_of(SourceFile("source", INCIDENTS[name][0].encode())) == kind


def test_cassette_gives_what_was_lived_and_what_was_refused(tmp_path):
    evidence = read(tmp_path, INCIDENTS["cassette"][0])

    assert roles(evidence) == "user assistant tool"
    assert [len(message.calls) for message in evidence.messages] == [0, 2, 0]
    assert evidence.refusal is not None
    assert (evidence.refusal.status, evidence.refusal.rule) == (400, "openai/tool-calls-unanswered")


def test_answer_beside_a_body_is_the_refusal(tmp_path):
    (tmp_path / "answer").write_text(json.dumps(chat_answers()[1]))
    evidence = read(tmp_path, json.dumps(chat_bodies()[1]), answer=tmp_path / "answer")

    assert evidence.refusal is not None
    assert "must be followed by tool messages" in evidence.refusal.message


def test_accepted_body_says_that_nobody_refuses_it(tmp_path):
    evidence = read(tmp_path, json.dumps(chat_bodies()[0]))

    assert evidence.refusal is None
    assert evidence.unknown == ("No provider of the suite refuses the request, and no answer was given.",)


def test_log_of_anthropic_has_a_call_without_its_result(tmp_path):
    evidence = read(tmp_path, INCIDENTS["chat-log"][0])

    assert evidence.wire == "anthropic-messages"
    assert obstacle_to_playing(evidence.messages) == "a call is without its result"


def test_log_of_gemini_pairs_results_by_name(tmp_path):
    log = [
        {"role": "user", "parts": [{"text": "Weather?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Oslo"}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"result": "7"}}}]},
        {"role": "model", "parts": [{"text": "Seven."}]},
    ]
    evidence = read(tmp_path, json.dumps(log))

    assert evidence.wire == "gemini-generate"
    assert roles(evidence) == "user assistant tool assistant"
    assert obstacle_to_playing(evidence.messages) == ""


def test_older_events_of_a_trace_are_read(tmp_path):
    call = {"id": "c", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
    events = [
        ("gen_ai.system.message", {"content": "Be kind."}),
        ("gen_ai.user.message", {"content": "Weather?"}),
        ("gen_ai.assistant.message", {"tool_calls": [call]}),
        ("gen_ai.tool.message", {"id": "c", "content": "rain"}),
        ("gen_ai.choice", {"index": 0, "message": {"content": "Rain."}}),
    ]
    records = [
        {"timeUnixNano": str(place), "spanId": "s", "eventName": name, "attributes": {}, "body": body}
        for place, (name, body) in enumerate(events)
    ]
    evidence = read(tmp_path, json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}))

    assert roles(evidence) == "user assistant tool assistant"
    assert (evidence.system, evidence.messages[-1].text) == ("Be kind.", "Rain.")


def test_trace_without_messages_says_how_they_are_recorded(tmp_path):
    span = {"name": "chat", "traceId": "1", "attributes": {"gen_ai.operation.name": "chat"}}

    with pytest.raises(CannotDraft, match="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"):
        read(tmp_path, json.dumps([span]))


def test_case_that_a_report_does_not_have_is_named(tmp_path):
    with pytest.raises(CannotDraft, match=r"There are parallel/all@openai-chat\+plain"):
        read(tmp_path, INCIDENTS["report"][0], case="other")


def test_retry_and_side_request_are_no_part_of_the_conversation(tmp_path):
    first, second = chat_bodies()
    title = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "A title, please."}]}
    lines = [first, title, second, second]
    evidence = read(tmp_path, "\n".join(map(json.dumps, lines)))

    assert roles(evidence) == "user assistant tool"
    assert replace(evidence, messages=()).sent == evidence.sent
