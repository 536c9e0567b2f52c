"""What a fault does to the answer of every wire: it cuts what would have come, or stands in its place."""

import json
from functools import reduce
from operator import getitem
from typing import Any

import pytest

from fake_providers import CannotExpress, Fault, Reply, ReplyContext, Request, Response
from fake_providers.ids import Ids
from fake_providers.provider_facts import own_provider
from fake_providers.registry import PROVIDERS, WIRES, wire_for
from tests.fakes.shapes.fake_responses import requests_of
from tests.tables import rows

WORDS = "stopped by the conformance suite"
PLACES = {"ollama-chat": ("error",), "cohere-chat": ("message",), "bedrock-converse": ("message",)}
"""Where a failure has its sentence, if not in the message of an `error`."""
each_wire = rows("provider, name", [(own_provider(name), name) for name in WIRES])
of_all = rows("provider, name", [(provider, name) for provider, names in PROVIDERS.items() for name in names])
"""Every provider on each of its wires."""


def context(provider: str, name: str, mode: str = "plain") -> ReplyContext:
    return ReplyContext(next(requests_of(provider, name, mode)), provider, Ids("seed"))


def encoded(provider: str, name: str, mode: str = "plain", **fault: Any) -> Response:
    reply = Reply(text="It is raining in Oslo, and it is cold there too.", fault=Fault(**fault) if fault else None)
    return wire_for(provider, name).encode(reply, context(provider, name, mode))


@of_all
def test_stream_is_cut_after_the_given_number_of_chunks(provider: str, name: str) -> None:
    whole = encoded(provider, name, "stream")
    for count in (0, 1, 2, 3, 99):
        cut = encoded(provider, name, "stream", cut_after=count)

        assert cut.cut
        assert cut.chunks == whole.chunks[:count]


@of_all
def test_plain_body_is_cut_in_its_middle(provider: str, name: str) -> None:
    whole, cut = encoded(provider, name), encoded(provider, name, cut_after=1)

    assert cut.cut
    assert cut.body == whole.body[: len(whole.body) // 2]


@each_wire
def test_plain_response_cannot_have_an_error_event(provider: str, name: str) -> None:
    with pytest.raises(CannotExpress) as caught:
        encoded(provider, name, error_event="500")

    assert caught.value.feature == "error-event"


@of_all
def test_reply_with_a_status_or_a_body_is_a_failure(provider: str, name: str) -> None:
    for mode in ("plain", "stream"):
        failed, page = encoded(provider, name, mode, status=500), encoded(provider, name, mode, body="<html>")

        assert (failed.status, page.status, page.body) == (500, 200, b"<html>")


@each_wire
def test_refusal_by_the_suite_asks_for_no_retry(provider: str, name: str) -> None:
    response = wire_for(provider, name).stopped(WORDS, context(provider, name))

    assert (response.status, dict(response.headers)["x-should-retry"]) == (400, "false")
    assert reduce(getitem, PLACES.get(name, ("error", "message")), json.loads(response.body)) == WORDS


@each_wire
def test_violation_is_sent_unchanged(provider: str, name: str) -> None:
    wire, asked = wire_for(provider, name), context(provider, name)
    request = Request("POST", asked.request.path, asked.request.headers, b"{")
    violation = wire.judge(request, provider=provider)
    assert violation is not None

    response = wire.refuse(violation, ReplyContext(request, provider, Ids("seed")))

    assert (response.status, json.loads(response.body)) == (violation.status, violation.body)
