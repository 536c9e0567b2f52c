"""OpenAI's SDK at the Responses endpoints of xAI, OpenRouter and DeepSeek: every kind of reply, and how each says no.

Plain and streamed, sync and async, in the cells of the table beside.
"""

from typing import Any

import openai
import pytest
from one_table import ALL_FAULTS, REPLIES, SPOILT, Cell, Served
from six_sdks import ELSEWHERE, HELLO, RenderedReply

from fake_providers import Reply, ScriptedFake
from tests.tables import rows

MODES, KINDS = ("plain", "stream"), ("sync", "async")
REPLY_CELLS = [Cell(what, sdk, mode, kind) for what in REPLIES for sdk in ELSEWHERE for mode in MODES for kind in KINDS]
RAISED = {
    ("400", "xai"): "openai.BadRequestError(status_code=400)",
    ("400", "openrouter"): "openai.BadRequestError(status_code=400,code=invalid_prompt)",
    (
        "400",
        "deepseek",
    ): "openai.BadRequestError(status_code=400,code=invalid_request_error,type=invalid_request_error)",
    ("401", "xai"): "openai.AuthenticationError(status_code=401)",
    ("401", "openrouter"): "openai.AuthenticationError(status_code=401,code=401)",
    (
        "401",
        "deepseek",
    ): "openai.AuthenticationError(status_code=401,code=invalid_request_error,type=authentication_error)",
    ("rate-limit", "xai"): "openai.RateLimitError(status_code=429)",
    ("rate-limit", "openrouter"): "openai.RateLimitError(status_code=429,code=rate_limit_exceeded)",
    (
        "rate-limit",
        "deepseek",
    ): "openai.RateLimitError(status_code=429,code=invalid_request_error,type=rate_limit_error)",
    ("failed", "xai"): "openai.InternalServerError(status_code=500)",
    ("failed", "openrouter"): "openai.InternalServerError(status_code=500,code=server_error)",
    (
        "failed",
        "deepseek",
    ): "openai.InternalServerError(status_code=500,code=invalid_request_error,type=internal_error)",
}
FAULT_CELLS = [Cell(what, sdk, mode, kind) for what, sdk in RAISED for mode in MODES for kind in KINDS]
LATE = {
    ("error-event-500", "xai"): "part",
    ("error-event-500", "openrouter"): "nothing",
    ("error-event-500", "deepseek"): "nothing",
    ("cut-at-half", "xai"): "openai.APIConnectionError",
    ("cut-at-half", "openrouter"): "openai.APIConnectionError",
    ("cut-at-half", "deepseek"): "openai.APIConnectionError",
}
"""The SDK raises for no error event of theirs: it knows one by a member that they do not have."""
LATE_CELLS = [Cell(what, sdk, "stream", kind) for what, sdk in LATE for kind in KINDS]


def due(cell: Cell) -> RenderedReply:
    reply = REPLIES[cell.what]
    calls = tuple((call.name, dict(call.arguments or {})) for call in reply.calls)
    refused = cell.what == "refusal"
    finish = "max_output_tokens" if cell.what == "length" else "completed"
    said = reply.text or ""
    return RenderedReply("Response", "" if refused else said, calls, finish, said if refused else "")


@rows("cell", REPLY_CELLS, ids="-".join)
def test_sdk_reads_the_reply_into_its_typed_object(served: Served, cell: Cell) -> None:
    assert served.reply_to(cell) == due(cell)


@rows("cell", FAULT_CELLS, ids="-".join)
def test_sdk_raises_its_typed_exception(served: Served, cell: Cell) -> None:
    assert served.outcome(cell) == RAISED[cell.what, cell.sdk]


@rows("cell", LATE_CELLS, ids="-".join)
def test_an_answer_that_fails_on_its_way_is_never_read_as_the_reply(served: Served, cell: Cell) -> None:
    assert served.outcome(cell) == LATE[cell.what, cell.sdk]


def test_the_table_has_so_many_cells() -> None:
    assert (len(REPLY_CELLS), len(FAULT_CELLS), len(LATE_CELLS)) == (72, 48, 12)
    assert {what for what, _ in RAISED} < set(ALL_FAULTS)


@pytest.mark.parametrize("name", ELSEWHERE)
def test_sdk_reads_thoughts_where_the_provider_writes_them(served: Served, name: str) -> None:
    fake = ScriptedFake(name, [Reply(thinking="They ask for Oslo.", calls=SPOILT.calls)], wire="openai-responses")
    token = served.mounts.mount(fake)
    client = openai.OpenAI(api_key="k", base_url=f"{served.server.url}/{token}{ELSEWHERE[name].base}", max_retries=0)
    model = ELSEWHERE[name].model

    thought, call = client.responses.create(model=model, input=HELLO).output
    served.mounts.unmount(token)

    parts: Any = thought.content if name == "deepseek" else thought.summary
    assert [part.text for part in parts] == ["They ask for Oslo."]
    assert call.type == "function_call"


@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_the_sdk_has_read_goes_back_as_it_is(served: Served, name: str) -> None:
    """As the SDK's own examples do it: the output is appended to the input, and the result behind it."""
    fake = ScriptedFake(name, [Reply(calls=SPOILT.calls), Reply(text="It is 7.")], wire="openai-responses")
    token = served.mounts.mount(fake)
    client = openai.OpenAI(api_key="k", base_url=f"{served.server.url}/{token}{ELSEWHERE[name].base}", max_retries=0)
    model, items = ELSEWHERE[name].model, list(HELLO)

    items += client.responses.create(model=model, input=items).output
    items.append({"type": "function_call_output", "call_id": items[-1].call_id, "output": "7"})
    answer = client.responses.create(model=model, input=items)
    served.mounts.unmount(token)

    assert (answer.output_text, fake.violations) == ("It is 7.", [])
