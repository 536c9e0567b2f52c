"""How the answers of the providers beside OpenAI look: members in their order, ids, events, and what is read back."""

import re

import pytest
from elsewhere import NAMES, answered, events, plain

from fake_providers import Call, Reply

OSLO, ROME, BERN = (Call("weather", {"city": city}) for city in ("Oslo", "Rome", "Bern"))
TEXT = Reply(text="It is 7 degrees.")
UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
MESSAGE = {
    "xai": "content id role type status",
    "openrouter": "id type role status content",
    "deepseek": "type id status content phase role",
}
CALL = {
    "xai": "arguments call_id name type id status",
    "openrouter": "id type status call_id name arguments",
    "deepseek": "type id status arguments call_id name",
}
THOUGHT = {
    "xai": "id summary type status",
    "openrouter": "id type status summary",
    "deepseek": "type id status content summary",
}
IDS = {
    "xai": (UUID, f"msg_{UUID}", f"call-{UUID}-[0-9]", f"fc_{UUID}_[0-9]"),
    "openrouter": (
        "gen-[0-9]{10}-[A-Za-z0-9]{20}",
        "msg_tmp_[a-z0-9]{11}",
        "call_[A-Za-z0-9]{24}",
        "fc_tmp_[a-z0-9]{11}",
    ),
    "deepseek": (UUID, UUID, "call_00_[A-Za-z0-9]{24}", UUID),
}
DELTA = {
    "xai": "sequence_number type content_index delta item_id logprobs output_index",
    "openrouter": "type output_index item_id content_index delta logprobs sequence_number",
    "deepseek": "type content_index delta item_id logprobs output_index sequence_number",
}
LABELS = {
    "xai": ("application/json", "text/event-stream"),
    "openrouter": ("application/json", "text/event-stream"),
    "deepseek": ("application/json", "text/event-stream; charset=utf-8"),
}


def item_of(name: str, reply: Reply, kind: str) -> dict[str, object]:
    (found,) = [item for item in plain(name, reply)["output"] if item["type"] == kind]
    return dict(found)


@pytest.mark.parametrize("name", NAMES)
def test_items_have_the_providers_members_in_its_order(name: str) -> None:
    assert list(item_of(name, TEXT, "message")) == MESSAGE[name].split()
    assert list(item_of(name, Reply(calls=(OSLO,)), "function_call")) == CALL[name].split()
    assert list(item_of(name, Reply(thinking="I ask.", text="7."), "reasoning")) == THOUGHT[name].split()


@pytest.mark.parametrize("name", NAMES)
def test_ids_look_like_the_providers_and_no_two_are_the_same(name: str) -> None:
    response = plain(name, Reply(text="I look.", calls=(OSLO, ROME, BERN)))
    calls = [item for item in response["output"] if item["type"] == "function_call"]
    (message,) = [item for item in response["output"] if item["type"] == "message"]

    found = (response["id"], message["id"], calls[0]["call_id"], calls[0]["id"])
    assert all(re.fullmatch(pattern, one) for pattern, one in zip(IDS[name], found, strict=True)), found
    assert len({call["call_id"] for call in calls} | {call["id"] for call in calls}) == 6


@pytest.mark.parametrize("name", NAMES)
def test_events_have_the_providers_members_in_its_order(name: str) -> None:
    sent = events(name, TEXT)
    (first, *_) = [event for event in sent if event["type"] == "response.output_text.delta"]

    assert list(first) == DELTA[name].split()
    assert [event["sequence_number"] for event in sent] == list(range(len(sent)))


@pytest.mark.parametrize("name", NAMES)
def test_a_stream_says_what_the_plain_answer_says(name: str) -> None:
    reply = Reply(thinking="I ask.", text="I look.", calls=(OSLO, ROME))
    *_, last = events(name, reply)

    assert last["type"] == "response.completed"
    assert last["response"]["output"] == plain(name, reply)["output"]
    assert last["response"]["usage"] == plain(name, reply)["usage"]


@pytest.mark.parametrize("name", NAMES)
def test_deltas_join_to_what_was_said(name: str) -> None:
    sent = events(name, Reply(thinking="I ask.", text="Grüße aus Oslo.", calls=(OSLO,)))

    def joined(part: str) -> str:
        return "".join(event["delta"] for event in sent if event["type"].endswith(f"{part}.delta"))

    thoughts = "reasoning_text" if name == "deepseek" else "reasoning_summary_text"
    assert (joined("output_text"), joined(thoughts)) == ("Grüße aus Oslo.", "I ask.")
    assert joined("function_call_arguments") == '{"city":"Oslo"}'


@pytest.mark.parametrize("name", NAMES)
def test_content_types_are_the_providers(name: str) -> None:
    labels = tuple(dict(answered(name, TEXT, stream=on).headers)["content-type"] for on in (False, True))

    assert labels == LABELS[name]


def test_openrouter_names_no_event_and_ends_in_a_word_of_its_own() -> None:
    body = answered("openrouter", TEXT, stream=True).body

    assert body.startswith(b": OPENROUTER PROCESSING\n\ndata: {")
    assert body.endswith(b"data: [DONE]\n\n")
    assert b"event:" not in body


@pytest.mark.parametrize("name", ["xai", "deepseek"])
def test_others_name_every_event_and_end_in_the_last(name: str) -> None:
    body = answered(name, TEXT, stream=True).body

    assert body.count(b"event: ") == body.count(b"data: ") == len(events(name, TEXT))
    assert b"[DONE]" not in body


def test_xai_tells_calls_whole() -> None:
    deltas = [event for event in events("xai", Reply(calls=(OSLO,))) if event["type"].endswith("arguments.delta")]

    assert [event["delta"] for event in deltas] == ['{"city":"Oslo"}']


def test_xai_encrypts_reasoning_on_request() -> None:
    reply = Reply(thinking="I ask.", text="7.")

    def secret(**fields: object) -> object:
        return plain("xai", reply, **fields)["output"][0].get("encrypted_content")

    assert secret() is None
    assert secret(include=["reasoning.encrypted_content"])


def test_deepseek_thinks_before_it_answers_unless_thinking_is_disabled() -> None:
    def kinds(**fields: object) -> list[str]:
        return [item["type"] for item in plain("deepseek", Reply(calls=(OSLO,)), **fields)["output"]]

    assert kinds() == ["reasoning", "function_call"]
    assert kinds(reasoning={"effort": "none"}) == ["function_call"]


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_that_was_cut_off_says_so(name: str) -> None:
    response = plain(name, Reply(text="It is", finish="length"))

    assert (response["status"], response["incomplete_details"]) == ("incomplete", {"reason": "max_output_tokens"})
    assert response["output"][-1]["status"] == "incomplete"
    assert events(name, Reply(text="It is", finish="length"))[-1]["type"] == "response.incomplete"


@pytest.mark.parametrize(("name", "stored"), [("xai", True), ("openrouter", False), ("deepseek", False)])
def test_only_xai_stores_responses_by_default(name: str, stored: bool) -> None:
    assert plain(name, TEXT)["store"] is stored
    assert plain(name, TEXT, store=False)["store"] is False
