"""`fake.transcript`: requests and what they got, without what changes from run to run."""

import json
import uuid
from datetime import datetime
from typing import Any

import pytest

from fake_providers import Call, Fault, Reply, Request, ScriptedFake

TOOL = {"type": "function", "function": {"name": "find_order", "parameters": {"type": "object", "properties": {}}}}


def post(fake: ScriptedFake, *messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    body = {"model": "gpt-4.1", "messages": list(messages), "tools": [TOOL], **fields}
    request = Request("POST", "/v1/chat/completions", {"authorization": "Bearer any"}, json.dumps(body).encode())
    answer = fake.handle(request)
    return json.loads(answer.body) if answer.status == 200 and not fields.get("stream") else {}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def lookup(id: str | None = None) -> ScriptedFake:
    call = Call("find_order", {"number": 7}) if id is None else Call("find_order", {"number": 7}, id=id)
    fake = ScriptedFake("openai", [Reply(calls=(call,)), Reply(text="It is\non its way.")])
    system = {"role": "system", "content": "Be brief."}
    message = post(fake, system, user("Where?"))["choices"][0]["message"]
    result = {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": "sent"}
    post(fake, system, user("Where?"), message, result, stream=True)
    return fake


def test_a_request_is_shown_by_what_the_one_before_had_not():
    assert lookup().transcript.splitlines() == [
        "request 1: offers find_order",
        "  system: Be brief.",
        "  user: Where?",
        'model calls find_order {"number": 7}',
        "request 2, stream: offers find_order",
        '  assistant calls find_order {"number":7} (id-1)',
        "  result for id-1: sent",
        "model: It is",
        "  | on its way.",
    ]


def test_ids_of_calls_do_not_show():
    assert lookup("call_one").transcript == lookup("call_two").transcript


def test_a_refused_request_names_its_rule_and_no_id():
    fake = ScriptedFake("openai", [Reply(text="Hi.")])
    post(fake, user("Where?"), {"role": "tool", "tool_call_id": "call_abc123", "content": "sent"})
    post(fake, user("Where?"))

    lines = fake.transcript.splitlines()

    assert lines[3].startswith("refused 400 openai/")
    assert " at messages[1]" in lines[3]
    assert "call_abc123" not in fake.transcript
    assert lines[-2:] == ["  again from message 2", "model: Hi."]


def test_a_changed_history_says_from_where():
    fake = ScriptedFake("openai", [Reply(text="Hi.")])
    post(fake, user("One."))
    post(fake, user("Two."))

    assert fake.transcript.splitlines()[4:6] == ["  again from message 1", "  user: Two."]


def test_a_fault_is_shown_with_the_request_that_got_it():
    fake = ScriptedFake("openai", [Reply(text="Hi.")], faults={1: Fault(status=429, retry_after=1)})
    post(fake, user("One."))
    post(fake, user("One."))

    assert fake.transcript.splitlines()[2:] == [
        'model fails: {"retry_after": 1, "status": 429}',
        "model: Hi.",
        "request 2: offers find_order",
        "model: Hi.",
    ]


def changing() -> str:
    now = datetime.now()
    text = (
        f"{now.isoformat()} {now.isoformat()}Z {now:%Y-%m-%d %H:%M} {now:%Y-%m-%d} http://127.0.0.1:{now.microsecond}/x"
    )
    one, two = uuid.uuid4(), uuid.uuid4()
    return f"{text} {one} {two} {one}"


def test_what_changes_from_run_to_run_is_replaced():
    fake = ScriptedFake("openai", [Reply(text="Hi.")])
    post(fake, user(changing()))

    line = fake.transcript.splitlines()[1]

    assert line == "  user: TIME TIME TIME DATE http://127.0.0.1:PORT/x uuid-1 uuid-2 uuid-1"


@pytest.mark.parametrize("text", ["gpt-4o-2024-08-06", "12:30", "1.2.3.4:80", "2026-11", "call-1"])
def test_what_does_not_change_stays(text):
    fake = ScriptedFake("openai", [Reply(text="Hi.")])
    post(fake, user(text))

    assert fake.transcript.splitlines()[1] == f"  user: {text}"


def test_what_is_not_printable_is_escaped():
    fake = ScriptedFake("openai", [Reply(text="a\x1b[2Jb\u202e")])
    post(fake, user("\x07\u2028c"))

    assert fake.transcript.splitlines()[1:] == ["  user: \\x07\\u2028c", "model: a\\x1b[2Jb\\u202e"]


def test_without_a_request_it_says_so():
    assert ScriptedFake("openai").transcript == "no request"
