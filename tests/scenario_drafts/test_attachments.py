"""Pictures, calls of the provider's own tools and sources are in the scenario; what no scenario can have is said."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from agent_conformance.cassettes.formats import own
from agent_conformance.commands.main import main
from agent_conformance.recorded_cases.loading import script_of, sessions_of
from agent_conformance.run.agent.agent_setup import drawn
from agent_conformance.scenario.loading import validated
from agent_conformance.scenario.model import Scenario
from agent_conformance.scenario_drafts.drafting import drafts_of
from agent_conformance.scenario_drafts.incident import Evidence, content_with
from agent_conformance.scenario_drafts.neutral import Neutral
from agent_conformance.scenario_drafts.sources import evidence_in
from fake_providers import Reply, ServerCall, Source
from fake_providers.values.pictures import Picture
from tests.cassettes.recordings import recorded
from tests.scenario_drafts.incidents import WEATHER, two_calls

PNG = base64.b64encode(drawn("png", 320, 200, 1)).decode()
IMAGE = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
FILE = {"type": "file", "file": {"filename": "may.pdf", "file_data": "data:application/pdf;base64,JVBERg=="}}


def chat(*content: dict[str, Any]) -> str:
    parts = [{"type": "text", "text": "What is this?"}, *content]
    return json.dumps({"model": "gpt-4.1", "messages": [{"role": "user", "content": parts}]})


def read(folder: Path, text: str) -> Evidence:
    (folder / "source").write_text(text)
    return evidence_in(folder / "source")


def test_picture_of_the_user_is_drawn_with_its_size(tmp_path):
    evidence = read(tmp_path, chat(IMAGE))

    (draft, *_) = drafts_of(evidence)
    user = draft.document["conversation"][0]["user"]
    assert user == [{"text": "What is this?"}, {"image": {"width": 320, "height": 200}}]
    assert evidence.unknown[0] == "1 picture is drawn anew, as noise of the same size."


def test_picture_of_a_result_stays_in_the_result(tmp_path):
    call = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}
    source = {"type": "base64", "media_type": "image/png", "data": PNG}
    result = [{"type": "text", "text": "a map"}, {"type": "image", "source": source}]
    log = [
        {"role": "user", "content": "Weather in Oslo?"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": result}]},
        {"role": "assistant", "content": "Rain."},
    ]
    played, restored = list(drafts_of(read(tmp_path, json.dumps(log))))[:2]

    parts = {"parts": [{"text": "a map"}, {"image": {"width": 320, "height": 200}}]}
    assert played.document["tools"][0]["results"] == [parts]
    assert restored.name.startswith("restored")


def test_picture_in_a_message_after_the_results_belongs_to_the_last_one(tmp_path):
    """Where a wire has no pictures in results, agents send them so."""
    body = {
        "model": "gpt-4.1",
        "messages": [
            {"role": "user", "content": "Weather?"},
            {"role": "assistant", "tool_calls": two_calls()[:1]},
            {"role": "tool", "tool_call_id": "call_Oslo", "content": "a map"},
            {"role": "user", "content": [IMAGE]},
        ],
        "tools": [{"type": "function", "function": WEATHER}],
    }

    (draft, *_) = drafts_of(read(tmp_path, json.dumps(body)))

    assert len(draft.document["conversation"]) == 1
    assert draft.document["tools"][0]["results"][0]["parts"][1] == {"image": {"width": 320, "height": 200}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(chat(FILE), "1 part is left out (1 x file)", id="file"),
        pytest.param(chat(FILE, IMAGE, FILE), "2 parts are left out (2 x file)", id="files-beside-a-picture"),
        pytest.param(
            chat({"type": "image_url", "image_url": {"url": ""}}), "1 part is left out (1 x picture)", id="no-picture"
        ),
        pytest.param(
            json.dumps(
                {
                    "contents": [
                        {
                            "role": "user",
                            "parts": [{"text": "Hm?"}, {"inlineData": {"mimeType": "audio/wav", "data": "AA=="}}],
                        }
                    ]
                }
            ),
            "1 part is left out (1 x audio/wav)",
            id="sound",
        ),
    ],
)
def test_what_a_scenario_cannot_have_is_said(tmp_path, text, expected):
    assert any(expected in note for note in read(tmp_path, text).unknown)


def test_text_alone_says_nothing_of_pictures(tmp_path):
    arguments = json.dumps({"type": "file", "images": ["x"]})
    call = {"id": "call_Oslo", "type": "function", "function": {"name": "get_weather", "arguments": arguments}}
    log = [{"role": "user", "content": "Hi"}, {"role": "assistant", "tool_calls": [call]}]

    assert not [note for note in read(tmp_path, json.dumps(log)).unknown if "left out" in note or "drawn" in note]


@pytest.mark.parametrize(
    ("picture", "expected"),
    [
        (Picture("image/jpeg", 10, 20, ""), {"width": 10, "height": 20, "media_type": "jpeg"}),
        (Picture("image/webp", 10, 20, ""), {"width": 10, "height": 20}),
        (Picture("", 0, 0, ""), {"width": 64, "height": 64}),
        (Picture("image/png", 90_000, 1, ""), {"width": 10_000, "height": 1}),
        (Picture("image/gif", 9_000, 9_000, ""), {"width": 2_000, "height": 2_000, "media_type": "gif"}),
    ],
)
def test_picture_is_one_that_the_suite_draws(picture, expected):
    assert content_with("", [picture]) == [{"image": expected}]


def test_picture_reaches_the_model_again(tmp_path, monkeypatch, capsys):
    """A mutant that sends no pictures of the user fails the scenario, and the reference agent passes it."""
    monkeypatch.chdir(tmp_path)
    Path("source").write_text(chat(IMAGE), encoding="utf-8")

    agent = "--agent=agent_conformance.mutants:M46f_link_for_picture"
    code = main(["new", "--from=source", "--provider=openai", "--to=x.yaml", agent])

    said = capsys.readouterr().err
    assert (code, "reference     passes it" in said) == (0, True)


SEARCHED = Reply(
    text="Rain in Oslo.",
    server_calls=(
        ServerCall("code_interpreter", {"code": "1+1"}, "ada@oslo.no"),
        ServerCall("find", {"q": "a"}, "7", server="docs"),
    ),
    sources=(Source("https://oslo.no/rain", title="Oslo", text="Rain"),),
)
OWN_TOOLS = [
    {"type": "code_interpreter", "container": {"type": "auto"}},
    {"type": "mcp", "server_label": "docs", "server_url": "https://example.org/mcp"},
]


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_calls_of_the_providers_own_tools_are_in_the_scenario(tmp_path: Path, stream: bool) -> None:
    include = ["code_interpreter_call.outputs"]
    exchange = recorded("openai-responses", SEARCHED, stream=stream, tools=OWN_TOOLS, include=include)
    lines = own.line_of(exchange.request, exchange.response)
    evidence = Neutral().evidence(read(tmp_path, own.header_line({"provider": "openai"}) + lines))

    (draft, *_) = drafts_of(evidence)

    (reply,) = draft.document["conversation"][0]["model"]
    ran = {"name": "code_interpreter", "arguments": {"code": "1+1"}, "result": "user1@example.com"}
    assert reply["server_calls"] == [ran]
    assert reply["sources"] == [{"url": "https://example.com/1", "title": "Oslo", "text": "Rain"}]
    assert draft.document["server_tools"] == ["code_interpreter"]
    assert "Calls of the provider's own tools are left out: docs." in draft.made_up
    assert isinstance(validated(draft.document), Scenario)


def test_recorded_session_is_played_without_them() -> None:
    """An agent that declares none of these tools is judged too."""
    (session,) = sessions_of([recorded("openai-responses", SEARCHED, tools=OWN_TOOLS)])
    data = script_of(session).data

    assert data["conversation"][0]["model"] == [{"text": "Rain in Oslo."}]
    assert "server_tools" not in data
