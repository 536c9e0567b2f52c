"""Transport faults: what happens to the bytes of every provider's own streams."""

import json
import re
from typing import Any

import pytest

from fake_providers import PROVIDERS, Fault, Reply, ReplyContext, Response
from fake_providers.http import Request
from fake_providers.ids import Ids
from fake_providers.registry import wire_for
from fake_providers.replies.transport_faults import events_of, with_transport_fault
from fake_providers.wire_facts import can_express
from tests.tables import rows
from tests.wire_samples import sample_request

TARGETS = [(wire, provider) for provider, wires in PROVIDERS.items() for wire in wires]
REASON = re.compile(
    rb'finish_?reason" ?: ?"|stop_?reason":"|"done" ?: ?true|"type":"response.completed"', re.IGNORECASE
)
TEXT = "Grüße, 世界, from a provider that has a lot to say."


def outcome(wire: str, provider: str, mode: str = "stream", **fault: Any) -> Response:
    path, body = sample_request(wire, stream=mode == "stream")
    context = ReplyContext(Request("POST", path, {}, json.dumps(body).encode()), provider, Ids("damage"))
    reply = Reply(text=TEXT, fault=Fault(**fault))
    return with_transport_fault(wire_for(provider, wire).encode(reply, context), reply.fault, wire=wire)


def of_every_target(column: str, values: list[str]) -> Any:
    targets = [(*target, value) for target in TARGETS for value in values]
    return rows(f"wire provider {column}", targets, ids=":".join, group=lambda row: row[0])


every_target = pytest.mark.parametrize(("wire", "provider"), [pytest.param(*t, id=":".join(t)) for t in TARGETS])


@every_target
def test_no_fault_changes_nothing(wire: str, provider: str) -> None:
    assert outcome(wire, provider) == with_transport_fault(outcome(wire, provider), None, wire=wire)


@every_target
def test_single_bytes_add_up_to_the_same_bytes(wire: str, provider: str) -> None:
    for mode in ("plain", "stream"):
        split = outcome(wire, provider, mode, noise=("single-bytes",))

        assert split.body == outcome(wire, provider, mode).body
        assert {len(chunk) for chunk in split.chunks} == {1}


@every_target
def test_other_line_ends_leave_no_bare_line_feed(wire: str, provider: str) -> None:
    if not can_express("noise-crlf", wire=wire, mode="stream"):
        return
    body = outcome(wire, provider, noise=("crlf",)).body

    assert not re.search(rb"(?<!\r)\n", body)
    assert body.replace(b"\r\n", b"\n") == outcome(wire, provider).body.replace(b"\r\n", b"\n")


@every_target
def test_no_blank_follows_a_colon_and_the_data_is_the_same(wire: str, provider: str) -> None:
    if not can_express("noise-no-blank", wire=wire, mode="stream"):
        return
    body = outcome(wire, provider, noise=("no-blank",)).body

    assert not re.search(rb"(?m)^(data|event): ", body)
    assert re.sub(rb"(?m)^(data|event):", rb"\1: ", body) == outcome(wire, provider).body


@of_every_target("noise", ["comments", "pings", "unknown-events"])
def test_noise_is_between_the_events_and_changes_none(wire: str, provider: str, noise: Any) -> None:
    if not can_express(f"noise-{noise}", wire=wire, mode="stream"):  # type: ignore[arg-type]
        return
    clean, noisy = (events_of(outcome(wire, provider, noise=n), wire) for n in ((), (noise,)))

    assert noisy[::2] == clean
    assert len(set(noisy[1::2])) == 1
    assert len(noisy) == 2 * len(clean) - 1


@every_target
def test_cut_event_is_the_last_one(wire: str, provider: str) -> None:
    clean, response = outcome(wire, provider), outcome(wire, provider, ends="in-an-event")
    whole, *_ = [event for event in events_of(clean, wire) if event.startswith(response.chunks[-1])]

    assert not response.cut
    assert clean.body.startswith(response.body)
    assert 0 < len(response.chunks[-1]) < len(whole)


@every_target
def test_unfinished_stream_has_all_the_text_and_no_finish_reason(wire: str, provider: str) -> None:
    clean, response = outcome(wire, provider), outcome(wire, provider, ends="before-the-finish")
    ending = clean.body.removeprefix(response.body)

    assert 0 < len(ending) < len(clean.body)
    assert REASON.search(ending)
    assert not REASON.search(response.body)


@every_target
def test_unterminated_stream_lacks_its_last_event(wire: str, provider: str) -> None:
    clean, response = outcome(wire, provider), outcome(wire, provider, ends="before-the-terminator")

    assert events_of(response, wire) == events_of(clean, wire)[:-1]
    assert not response.cut


@of_every_target("mode", ["plain", "stream"])
def test_body_is_cut_at_the_given_byte(wire: str, provider: str, mode: str) -> None:
    whole = outcome(wire, provider, mode).body
    for at in (0, 1, 57, -1):
        response = outcome(wire, provider, mode, cut_at=at)

        assert response.cut
        assert response.body == whole[:at]
    length = dict(response.headers).get("content-length")
    assert length == (str(len(whole)) if mode == "plain" else None)


def test_loss_without_a_cut_comes_before_the_status() -> None:
    lost = outcome("openai-chat", "openai", connection="reset")
    late = outcome("openai-chat", "openai", connection="reset", cut_after=2)

    assert (lost.cut, lost.loss, lost.headless) == (True, "reset", True)
    assert (late.cut, late.loss, late.headless, len(late.chunks)) == (True, "reset", False, 2)


def test_noises_can_be_combined() -> None:
    body = outcome("anthropic-messages", "anthropic", noise=("single-bytes", "crlf", "pings", "comments")).body

    assert body.startswith(b"event: message_start\r\ndata: ")
    assert b"\r\n\r\n: keep-alive\r\n\r\nevent: ping\r\n" in body
