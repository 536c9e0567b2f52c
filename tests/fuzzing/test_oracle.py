"""The oracle of the fuzzing passes what a fake answers, and notices each way in which an answer can be wrong."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec import structs
from msgspec.structs import replace

from fake_providers import Request, Response, ScriptedFake, Violation
from fake_providers.http import json_response
from tests.fuzzing.fuzz_request import FuzzRequest, Served
from tests.fuzzing.oracle import check_answer
from tests.fuzzing.strategies import KEYS
from tests.fuzzing.test_fuzzed_fakes import check
from tests.wire_samples import BODIES, PATHS

WIRE = "openai-chat"
RIGHT_BODY = {"model": "gpt-4.1", **BODIES[WIRE]}


def request_of(**body: Any) -> FuzzRequest:
    return FuzzRequest("POST", PATHS[WIRE], KEYS, json.dumps({**RIGHT_BODY, **body}).encode())


def answer(request: FuzzRequest) -> tuple[Response, list[Violation]]:
    served = Served(ScriptedFake("openai"))
    return served.answer(request).response, served.fake.violations


REQUESTS = {"right": request_of(), "streamed": request_of(stream=True), "refused": request_of(messages=7)}


@pytest.mark.parametrize("name", REQUESTS)
def test_answer_of_a_fake_passes(name: str) -> None:
    check_answer("openai", WIRE, REQUESTS[name], *answer(REQUESTS[name]))


Spoil = Callable[[Response], Response]
WRONG: dict[str, tuple[str, Spoil]] = {
    "server error": ("right", lambda response: json_response(500, {"error": {"message": "oops"}})),
    "no JSON": ("right", lambda response: replace(response, chunks=(b'{"id": NaN}',))),
    "half a reply": ("right", lambda response: json_response(200, {"id": "x", "object": "chat.completion"})),
    "stream without its end": ("streamed", lambda response: replace(response, chunks=response.chunks[:-1])),
    "empty stream": ("streamed", lambda response: replace(response, chunks=())),
    "other status": ("refused", lambda response: replace(response, status=422)),
    "other words": ("refused", lambda response: json_response(400, {"error": {"message": "no"}})),
    "error without a message": ("right", lambda response: json_response(404, {"error": {}})),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_answer_is_noticed(name: str) -> None:
    kind, spoil = WRONG[name]
    response, refused = answer(REQUESTS[kind])

    with pytest.raises((AssertionError, ValueError)):
        check_answer("openai", WIRE, REQUESTS[kind], spoil(response), refused)


def test_envelope_of_another_provider_is_noticed() -> None:
    _, [violation] = answer(REQUESTS["refused"])
    foreign = structs.replace(violation, body={"type": "error", "error": {"type": "invalid", "message": "no"}})

    with pytest.raises(AssertionError):
        check_answer("openai", WIRE, REQUESTS["refused"], json_response(violation.status, foreign.body), [foreign])


def fail(self: ScriptedFake, request: Request) -> Response:
    raise ValueError("a bug")


def test_fake_that_raises_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ScriptedFake, "handle", fail)

    with pytest.raises(AssertionError):
        check("openai", WIRE, request_of(), None)


def test_fake_that_answers_otherwise_the_second_time_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    handle, answers = ScriptedFake.handle, iter(range(10))

    def count(self: ScriptedFake, request: Request) -> Response:
        response = handle(self, request)
        return replace(response, headers=(*response.headers, ("x-answer", str(next(answers)))))

    monkeypatch.setattr(ScriptedFake, "handle", count)

    with pytest.raises(AssertionError, match="got another answer"):
        check("openai", WIRE, request_of(), None)
