"""How each provider says no: its envelope, its words for a status, and what it does in the middle of a stream."""

import json

import pytest
from provider_requests import EXPECTED, NAMES, TOOL, answered, chat, context, events, plain, posted, streamed, wire

from fake_providers import CannotExpress, Fault, Reply, ScriptedFake

EACH = pytest.mark.parametrize("name", NAMES)


@pytest.mark.parametrize("name", [name for name in NAMES if "without_key" in EXPECTED[name]])
def test_missing_key_is_refused_by_those_who_ask_for_one(name: str) -> None:
    violation = wire(name).missing_key(posted(chat(name), **{"content-type": "application/json"}))

    assert (violation and [violation.status, violation.body]) == EXPECTED[name]["without_key"]


@EACH
def test_key_is_taken_where_the_provider_looks_for_it(name: str) -> None:
    assert wire(name).missing_key(posted(chat(name))) is None


def test_azure_takes_its_own_header_for_the_key() -> None:
    assert wire("azure").missing_key(posted(chat("azure"), **{"api-key": "k"})) is None
    assert wire("azure").missing_key(posted(chat("azure"), **{"api-key": " "})) is not None


@EACH
def test_words_for_a_status_are_the_providers(name: str) -> None:
    status, sentence = EXPECTED[name]["failure"]
    response = wire(name).fail(Fault(status=status), context(name))

    assert response.status == status
    assert sentence in json.dumps(plain(response))


@pytest.mark.parametrize(
    ("name", "status", "word"),
    [
        ("gemini", 400, "INVALID_ARGUMENT"),
        ("gemini", 401, "UNAUTHENTICATED"),
        ("gemini", 403, "PERMISSION_DENIED"),
        ("gemini", 404, "NOT_FOUND"),
        ("gemini", 429, "RESOURCE_EXHAUSTED"),
        ("gemini", 500, "INTERNAL"),
        ("gemini", 503, "UNAVAILABLE"),
        ("gemini", 504, "DEADLINE_EXCEEDED"),
        ("gemini", 502, "UNKNOWN"),
        ("ollama", 400, "invalid_request_error"),
        ("ollama", 404, "not_found_error"),
        ("ollama", 500, "api_error"),
    ],
)
def test_failure_is_of_the_kind_that_the_provider_has_for_its_status(name: str, status: int, word: str) -> None:
    response = wire(name).fail(Fault(status=status), context(name))

    assert f'"{word}"' in json.dumps(plain(response))


@EACH
def test_every_status_has_an_answer_with_a_body(name: str) -> None:
    for status in (400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 499, 500, 502, 503, 504, 520, 529):
        response = wire(name).fail(Fault(status=status, retry_after=1.5), context(name))

        assert response.status == status
        text = dict(response.headers)["content-type"].startswith("text/plain")
        assert response.body if text else plain(response)
        assert text == ((name, status) == ("deepseek", 422))
        assert dict(response.headers)["retry-after"] == "2"


@EACH
def test_scripted_body_is_sent_as_it_is(name: str) -> None:
    response = wire(name).fail(Fault(status=502, body="<html>"), context(name))
    made = wire(name).fail(Fault(status=500, body={"a": 1}, content_type="text/html"), context(name))

    assert response.body == b"<html>"
    assert (made.body, dict(made.headers)["content-type"]) == (b'{"a":1}', "text/html")


@EACH
def test_conversation_beyond_the_window_is_refused_in_the_providers_words(name: str) -> None:
    violation = wire(name).too_long(posted(chat(name)), provider=name, tokens=900, window=800)

    assert violation.status == 400
    assert EXPECTED[name]["too_long"] in violation.message
    assert violation.message in json.dumps(violation.body)
    assert violation.rule in {rule.id for rule in wire(name).rules}


@EACH
def test_sentence_of_ours_is_in_the_providers_envelope_and_not_to_be_repeated(name: str) -> None:
    response = wire(name).stopped("stopped by the conformance suite", context(name))

    assert (response.status, dict(response.headers)["x-should-retry"]) == (400, "false")
    assert "stopped by the conformance suite" in json.dumps(plain(response))


def test_each_provider_has_an_envelope_of_its_own() -> None:
    said = {name: plain(wire(name).stopped("No.", context(name))) for name in NAMES}

    assert said["mistral"] == {
        "object": "error",
        "message": "No.",
        "type": "invalid_request_error",
        "param": None,
        "code": None,
    }
    assert said["deepseek"]["error"]["code"] == "invalid_request_error"
    assert said["groq"] == {"error": {"message": "No.", "type": "invalid_request_error"}}
    assert list(said["openrouter"]) == ["error", "user_id"]
    assert said["openrouter"]["error"] == {"message": "No.", "code": 400}
    assert said["xai"] == {"code": "Client specified an invalid argument", "error": "No."}
    assert said["vllm"]["error"]["type"] == "BadRequestError"
    assert said["llama.cpp"] == {"error": {"code": 400, "message": "No.", "type": "invalid_request_error"}}
    assert list(said["azure"]["error"]) == ["message", "type", "param", "code"]
    assert said["gemini"] == [{"error": {"code": 400, "message": "No.", "status": "INVALID_ARGUMENT"}}]


def test_deepseek_labels_refusals_as_octets_and_bodies_that_it_cannot_read_as_text() -> None:
    odd = chat("deepseek", {"role": "user", "content": {}}, model="deepseek-chat")
    unread = wire("deepseek").judge(posted(odd), provider="deepseek")
    assert unread is not None

    response = wire("deepseek").refuse(unread, context("deepseek"))
    assert (response.status, dict(response.headers)["content-type"]) == (422, "text/plain; charset=utf-8")
    assert response.body.decode().startswith("Failed to deserialize the JSON body into the target type: messages[0]:")
    stopped = wire("deepseek").stopped("No.", context("deepseek"))
    assert dict(stopped.headers)["content-type"] == "application/octet-stream"
    wrong_key = wire("deepseek").fail(Fault(status=401), context("deepseek"))
    assert dict(wrong_key.headers)["content-type"] == "application/json"


@EACH
def test_error_in_mid_stream_ends_it_without_a_terminator(name: str) -> None:
    whole = streamed(name, Reply(text="It is 7 degrees.", fault=Fault(error_event="500")))
    *before, last = [chunk.decode() for chunk in whole.chunks]

    assert whole.status == 200
    assert f'"{EXPECTED[name].get("error_event_has", "error")}"' in last
    assert "[DONE]" not in whole.body.decode()
    deltas = [
        c["delta"] for c in (json.loads(one[6:]) for one in before if one.startswith("data")) for c in c["choices"]
    ]
    assert "".join(delta.get("content") or "" for delta in deltas) == "It is 7 degrees."


@EACH
def test_error_in_words_is_sent_in_mid_stream(name: str) -> None:
    assert "Out of luck" in streamed(name, Reply(fault=Fault(error_event="Out of luck"))).body.decode()


@EACH
def test_plain_answer_cannot_hold_an_error_event_nor_a_malformed_call(name: str) -> None:
    for reply in (Reply(fault=Fault(error_event="500")), Reply(finish="malformed")):
        with pytest.raises(CannotExpress):
            answered(name, reply)


def test_groq_names_the_event_of_an_error_and_its_status() -> None:
    last = streamed("groq", Reply(text="It", fault=Fault(error_event="No."))).chunks[-1].decode()
    name, data, *_ = last.split("\n")

    assert name == "event: error"
    assert json.loads(data[6:])["error"] == {"message": "No.", "type": "invalid_request_error", "status_code": 400}


def test_openrouter_puts_an_error_into_a_chunk() -> None:
    last = events(streamed("openrouter", Reply(text="It", fault=Fault(error_event="502"))))[-1]

    assert list(last) == ["id", "object", "created", "model", "provider", "choices", "error"]
    assert (last["choices"], last["error"]["code"]) == ([], 502)


def test_rate_limit_carries_the_providers_headers() -> None:
    mistral = dict(wire("mistral").fail(Fault(status=429), context("mistral")).headers)
    groq = dict(answered("groq", Reply(text="a")).headers)

    refused = dict(wire("groq").fail(Fault(status=429), context("groq")).headers)

    assert mistral["ratelimitbysize-remaining"] == "0"
    assert mistral["content-type"] == "application/json; charset=utf-8"
    assert groq["x-ratelimit-limit-requests"] == "500000"
    assert "x-ratelimit-limit-requests" not in refused


def test_dashscope_refuses_a_forced_call_in_a_stream_by_an_event_of_a_200() -> None:
    forced = chat("dashscope", model="qwen3-235b-a22b", tools=[TOOL], tool_choice="required", enable_thinking=True)
    answers = {
        stream: ScriptedFake("dashscope", [Reply(text="No.")]).handle(posted({**forced, "stream": stream}))
        for stream in (True, False)
    }
    (event,) = events(answers[True])

    assert [answers[stream].status for stream in (True, False)] == [200, 400]
    assert list(event) == ["error", "id"]
    assert list(event["error"]) == ["code", "param", "message", "type"]
    assert event["error"]["message"] == json.loads(answers[False].body)["error"]["message"]
    assert b"[DONE]" not in answers[True].body
