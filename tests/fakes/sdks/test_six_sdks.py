"""One table: the six vendors' SDKs read every kind of reply into the right typed object and raise on every fault.

Plain and streamed, sync and async. The older grids beside each wire try more replies and more ways to cut them.
"""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from one_table import ALL_FAULTS, REPLIES, Cell, Served, expected, fault_cells, reply_cells, sdk_of
from packaging.version import Version
from six_sdks import SDKS, RenderedReply

from tests.tables import rows

EXPECTED = expected()
CITIES = ("Oslo", "Rome", "Bern")
OBJECTS = {
    "openai-chat": ("ChatCompletion", "ChatCompletionChunk"),
    "openai-responses": ("Response", "Response"),
    "anthropic": ("Message", "events"),
    "google-genai": ("GenerateContentResponse", "GenerateContentResponse"),
    "ollama": ("ChatResponse", "ChatResponse"),
    "mistralai": ("ChatCompletionResponse", "CompletionChunk"),
    "groq": ("ChatCompletion", "ChatCompletionChunk"),
}
"""The class of a plain answer, and of what a stream yields."""

FINISHES = {
    "openai-chat": ("stop", "tool_calls", "stop", "length"),
    "openai-responses": ("completed", "completed", "completed", "max_output_tokens"),
    "anthropic": ("end_turn", "tool_use", "refusal", "max_tokens"),
    "google-genai": ("STOP", "STOP", "PROHIBITED_CONTENT", "MAX_TOKENS"),
    "ollama": ("stop", "stop", "", "length"),
    "mistralai": ("stop", "tool_calls", "stop", "length"),
    "groq": ("stop", "tool_calls", "stop", "length"),
}
"""Why the model stopped: by itself, for calls, for a refusal, at its limit."""

REFUSING = ("openai-chat", "openai-responses")
"""The SDKs that have a member for a refusal; the others read it as text."""


def due(cell: Cell) -> RenderedReply:
    reply = REPLIES[cell.what]
    stopped, called, refused, cut = FINISHES[cell.sdk]
    calls = tuple(("weather", {"city": city}) for city in CITIES[: len(reply.calls)])
    finish = called if calls else {"refusal": refused, "length": cut}.get(cell.what, stopped)
    kind = OBJECTS[cell.sdk][cell.mode == "stream"]
    apart = cell.what == "refusal" and cell.sdk in REFUSING
    return RenderedReply(kind, "" if apart else reply.text or "", calls, finish, (reply.text or "") if apart else "")


@rows("cell", reply_cells(), ids="-".join, group=sdk_of)
def test_sdk_reads_the_reply_into_its_typed_object(served: Served, cell: Cell) -> None:
    assert served.reply_to(cell) == due(cell)


@pytest.mark.slow
@rows("cell", fault_cells(), ids="-".join, group=sdk_of)
def test_sdk_raises_its_typed_exception(served: Served, cell: Cell) -> None:
    assert served.outcome(cell) == EXPECTED[cell.what, cell.sdk][cell.mode == "stream"]


def test_the_table_has_so_many_cells() -> None:
    assert (len(reply_cells()), len(fault_cells())) == (164, 874)
    assert len({*reply_cells(), *fault_cells()}) == 164 + 874
    assert {(cell.what, cell.sdk) for cell in fault_cells()} == set(EXPECTED)
    assert {what for what, _ in EXPECTED} == set(ALL_FAULTS)


def test_a_status_is_never_read_as_a_reply() -> None:
    outcomes = {outcome for (what, _), both in EXPECTED.items() if ALL_FAULTS[what].status for outcome in both}

    assert len(outcomes) > 40
    assert all(re.search(r"code=\d{3}", outcome) for outcome in outcomes)


def test_the_sdks_are_those_that_the_project_names() -> None:
    wanted = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    lowest = dict(re.findall(r"^([a-z-]+)>=([\d.]+)", "\n".join(wanted["dev"]), re.MULTILINE))

    for name in {sdk.removesuffix("-chat").removesuffix("-responses") for sdk in SDKS}:
        assert Version(version(name)) >= Version(lowest[name])
