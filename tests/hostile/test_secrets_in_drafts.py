"""No part of a key is in what the commands write that make scenarios and cassettes, wherever their source has it."""

import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from agent_conformance.cassettes.formats import own
from agent_conformance.cassettes.recorded_exchange import RecordedRequest, RecordedResponse
from agent_conformance.commands.main import main
from agent_conformance.commands.record.command import CassetteWriter
from agent_conformance.transcripts.redaction import SECRETS
from tests.hostile.agent_that_tells import SPELLINGS
from tests.hostile.test_secrets_in_files import KEYS, parts_in
from tests.scenario_drafts.incidents import WEATHER

EXAMPLES = 2
ONE_KEY = KEYS.map(lambda keys: keys[0])
URL = "https://api.openai.com/v1/chat/completions"
REFERENCE = "--agent=agent_conformance.reference:Adapter"
HEADERS = (("content-type", "application/json"),)


def body(said: str) -> dict[str, Any]:
    """A request that says it in every text; the result of a second call is missing, so that it is refused."""
    calls = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": "get_weather", "arguments": json.dumps({"city": f"{said} {number}", said: 1})},
        }
        for number in (1, 2)
    ]
    messages = [
        {"role": "system", "content": f"Be kind. {said}"},
        {"role": "user", "content": f"Weather? {said}"},
        {"role": "assistant", "content": f"I look. {said}", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "call_1", "content": f'{{"degrees": 7, "by": {json.dumps(said)}}}'},
    ]
    tool = {**WEATHER, "description": f"Current weather. {said}"}
    return {"model": "gpt-4.1", "messages": messages, "tools": [{"type": "function", "function": tool}], "user": said}


def refusal(said: str) -> dict[str, Any]:
    return {"error": {"message": f"An assistant message must be followed. {said}", "type": "invalid_request_error"}}


def reply(said: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": f"It is 7 degrees. {said}"}
    return {"id": "a", "object": "chat.completion", "choices": [{"index": 0, "message": message}]}


def exchange(said: str, answer: dict[str, Any], status: int) -> tuple[RecordedRequest, RecordedResponse]:
    headers = (*HEADERS, ("authorization", f"Bearer {said}"), ("user-agent", said), ("x-other", said))
    request = RecordedRequest("POST", f"{URL}?key={said}", headers, json.dumps(body(said)).encode())
    return request, RecordedResponse(status, (*HEADERS, ("x-ratelimit-a", said)), (json.dumps(answer).encode(),))


def cassette(said: str) -> str:
    lines = [own.line_of(*exchange(said, refusal(said), 400)), own.line_of(*exchange(said, reply(said), 200))]
    return own.header_line({"provider": "openai"}) + "".join(lines)


def har(said: str) -> str:
    request, response = exchange(said, refusal(said), 400)
    entry = {
        "request": {
            "method": "POST",
            "url": request.url,
            "headers": [{"name": name, "value": value} for name, value in request.headers],
            "postData": {"text": request.body.decode()},
        },
        "response": {
            "status": 400,
            "headers": [{"name": name, "value": value} for name, value in response.headers],
            "content": {"mimeType": "application/json", "text": response.body.decode()},
        },
    }
    return json.dumps({"log": {"version": "1.2", "entries": [entry]}})


SOURCES: dict[str, Callable[[str], str]] = {
    "request": lambda said: json.dumps(body(said)),
    "messages": lambda said: json.dumps(body(said)["messages"]),
    "cassette": cassette,
    "HAR": har,
}


def command(*arguments: str) -> str:
    """What it prints."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), contextlib.suppress(SystemExit):
        main([*arguments])
    return said.getvalue()


def every_key(examples: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        bounded = settings(
            max_examples=examples,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        return bounded(given(key=ONE_KEY, before=st.integers(0, 120))(test))

    return decorate


def leaks(key: str, folder: Path, printed: str = "") -> dict[str, list[str]]:
    """The files with parts of the key; those named `source` may have it."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()}
    texts = {name: text for name, text in texts.items() if not name.startswith("source")} | {"printed": printed}
    return {name: found for name, text in texts.items() if (found := parts_in(text, [key]))}


@pytest.fixture
def folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """A new working directory, in a process whose environment has this key."""

    def new(key: str) -> Path:
        SECRETS.forget()  # the keys of other examples would soon be more than are known at once
        folder = tmp_path_factory.mktemp("drafts")
        monkeypatch.chdir(folder)
        monkeypatch.setenv("DRAFTED_KEY", key)
        return folder

    return new


def said_with(key: str, before: int) -> str:
    """The key in all spellings, any of which may be where a text is cut."""
    first = before % len(SPELLINGS)
    return "x" * before + " " + " ".join(spelling(key) for spelling in (*SPELLINGS[first:], *SPELLINGS[:first]))


def check_new(key: str, before: int, source: str, folder: Path) -> None:
    path = folder / "source"
    path.write_text(SOURCES[source](said_with(key, before)), encoding="utf-8")

    printed = command("new", f"--from={path}", f"--to={folder}/made.yaml")

    assert folder.joinpath("made.yaml").exists(), printed
    assert leaks(key, folder, printed) == {}


def check_cassette(key: str, before: int, folder: Path) -> None:
    for spelling in SPELLINGS:
        said = "x" * before + " " + spelling(key)
        writer = CassetteWriter(folder / "recorded.jsonl", provider="openai", wire=None)
        problems = [writer.add(*exchange(said, answer, 200)) for answer in (reply(said), refusal(said))]
        assert leaks(key, folder) == {}
        assert writer.close()

        assert (leaks(key, folder), problems) == ({}, [None, None])
        SECRETS.forget()  # the headers have taught it this spelling


SCENARIO = """\
# {0}
description: a key is said
profile: core
conversation:
  - user: {0}
    model: [{{text: {0}}}]
    expect: {{reply: Then.}}
"""


def check_minimise(key: str, before: int, folder: Path) -> None:
    path = folder / "scenarios" / "area" / "source.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(SCENARIO.format(json.dumps(said_with(key, before))), encoding="utf-8")

    printed = command("minimise", str(path), REFERENCE, "--wire=openai-chat", "--runs=3", f"--to={folder}/short.yaml")

    assert folder.joinpath("short.yaml").exists(), printed
    assert leaks(key, folder, printed) == {}


TELLING = """\
import os
from agent_conformance import AgentError
from agent_conformance.reference import Adapter as Reference
from tests.hostile.agent_that_tells import SPELLINGS

class Adapter(Reference):
    async def send(self, message):
        async for piece in super().send(message):
            yield piece
        key = os.environ["DRAFTED_KEY"]
        raise ValueError(" ".join(spelling(key) for spelling in SPELLINGS))
"""


def check_fuzz(key: str, before: int, folder: Path) -> None:
    folder.joinpath("telling.py").write_text(TELLING, encoding="utf-8")

    printed = command("fuzz", "--agent=telling.py:Adapter", "--examples=1", f"--seed={before}", "--shrink-runs=3")

    assert leaks(key, folder, printed) == {}
    assert [*folder.glob("scenarios/fuzzed/*.yaml")], printed


@pytest.mark.parametrize("source", SOURCES)
def test_no_part_of_a_key_is_in_a_new_scenario(source: str, folders: Callable[[str], Path]) -> None:
    @every_key(EXAMPLES)
    def holds(key: str, before: int) -> None:
        check_new(key, before, source, folders(key))

    holds()


def test_no_part_of_a_key_is_in_a_cassette(folders: Callable[[str], Path]) -> None:
    @every_key(6)
    def holds(key: str, before: int) -> None:
        check_cassette(key, before, folders(key))

    holds()


@pytest.mark.slow
def test_no_part_of_a_key_is_in_a_smaller_scenario(folders: Callable[[str], Path]) -> None:
    @every_key(EXAMPLES)
    def holds(key: str, before: int) -> None:
        check_minimise(key, before, folders(key))

    holds()


@pytest.mark.slow
def test_no_part_of_a_key_is_in_a_scenario_that_was_made_up(folders: Callable[[str], Path]) -> None:
    @every_key(EXAMPLES)
    def holds(key: str, before: int) -> None:
        check_fuzz(key, before, folders(key))

    holds()
