"""Of a source that was cut, is mixed, is another thing or is too large, nothing is written, and it is said where it
stops."""

import json
from pathlib import Path

import pytest

from agent_conformance.commands.main import main
from tests.recorded_cases.recording import har_cassette, own_cassette, recorded
from tests.scenario_drafts.incidents import cassette, chat_bodies, fixtures, log, pruned_body, report, trace
from tests.scenario_drafts.threads import gemini_restored

KINDS = ("request", "cassette", "chat-log", "trace", "report")
OF_KIND = {"body": "request", "har": "cassette", "lines": "chat-log", "trace": "trace", "report": "report"}
MEGABYTES = 100 * 1024 * 1024


@pytest.fixture(scope="module")
def sources() -> dict[str, str]:
    """One of each kind and format."""
    exchanges = recorded("parallel/all-answered", "openai-chat+plain")
    return {
        "body": pruned_body(),
        "bodies": "\n".join(map(json.dumps, chat_bodies())),
        "vcr": cassette(),
        "har": har_cassette(exchanges),
        "own": own_cassette(exchanges),
        "aimock": fixtures(),
        "lines": log(),
        "list": gemini_restored(),
        "trace": trace(),
        "report": report(),
    }


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(folder: Path, capsys: pytest.CaptureFixture[str], text: str, *options: str) -> str:
    """What is said of it, where nothing was written."""
    (folder / "source").write_text(text)

    assert main(["new", "--from=source", "--to=scenarios/a/new.yaml", *options]) == 2

    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.endswith("Nothing was written.\n")
    assert not (folder / "scenarios").exists()
    return said.err


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("body", "source:1: the JSON ends in the middle; the file was cut. Nothing of it is used."),
        ("bodies", "source:2: this line is not JSON"),
        ("vcr", "1 entry was read before it."),
        ("har", "1 entry was read before it."),
        ("own", "source:3: this line is not JSON. The file was cut here"),
        ("aimock", "0 entries were read before it."),
        ("lines", "source:2: this line is not JSON"),
        ("list", "source:1: the JSON ends in the middle"),
        ("trace", "source:1: the JSON ends in the middle"),
        ("report", "the JSON ends in the middle"),
    ],
)
def test_cut_source_is_not_used(folder, capsys, sources, name, expected):
    text = sources[name]

    assert expected in refused(folder, capsys, text[: int(len(text) * 0.6)])


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("body", "lines", "source:2: this is no request body."),
        ("bodies", "own", "source:3: this is no request body."),
        ("bodies", "body", "source: its bodies are of gemini-generate and openai-chat. Give those of one wire."),
        ("vcr", "har", "source:22: the cassette ends before this line, which is something else."),
        ("har", "vcr", "the cassette ends before this line, which is something else."),
        ("aimock", "har", "source:2: the cassette ends before this line, which is something else."),
        ("lines", "list", "source:4: this message is Gemini's, and those before it are Anthropic's."),
        ("trace", "lines", "source:2: this is no span and no event of OpenTelemetry."),
        ("report", "trace", "source: no results of format 2: JSON is malformed: trailing characters"),
    ],
)
def test_mixed_source_says_where_something_else_begins(folder, capsys, sources, first, second, expected):
    assert expected in refused(folder, capsys, sources[first] + "\n" + sources[second])


def test_cassette_of_two_wires_says_which_is_used(folder, capsys, sources):
    other = recorded("parallel/all-answered", "gemini-generate+plain")
    both = own_cassette(other) + sources["own"].partition("\n")[2]
    (folder / "source").write_text(both)

    assert main(["new", "--from=source", "--to=new.yaml"]) == 0
    assert "requests of gemini-generate and openai-chat; those of the first are used." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, name) for name in (*OF_KIND, "prose", "number", "deep") for kind in KINDS if OF_KIND.get(name) != kind],
)
def test_source_of_another_kind_is_named(folder, capsys, sources, kind, name):
    others = {"prose": "Dear all, it broke.", "number": "5", "deep": "[" * 100_000}

    said = refused(folder, capsys, {**sources, **others}[name], f"--kind={kind}")

    assert said.startswith("source:")
    assert len(said) < 400


@pytest.mark.parametrize("kind", KINDS)
def test_source_of_100_megabytes_is_not_read(folder, capsys, kind):
    with (folder / "large").open("wb") as file:
        file.truncate(MEGABYTES)

    assert main(["new", "--from=large", f"--kind={kind}"]) == 2
    assert "it has 104,857,600 bytes. At most 64 MB are read" in capsys.readouterr().err


def test_answer_of_100_megabytes_is_not_read(folder, capsys):
    with (folder / "large").open("wb") as file:
        file.truncate(MEGABYTES)

    assert "large: cannot be read" in refused(folder, capsys, pruned_body(), "--answer=large")


def test_finding_that_is_not_found_again_is_said_with_what_was_tried(folder, capsys):
    (folder / "source").write_text(cassette())

    code = main(["new", "--from=source", "--to=new.yaml", "--agent=agent_conformance.reference:Adapter", "--minimise"])

    said = capsys.readouterr().err
    tried = [line.split(None, 1)[1] for line in said.splitlines() if line.strip().startswith("tried")]
    assert code == 1
    assert "THE AGENT PASSES IT: the incident was not found again" in said
    assert tried == [
        f"{how}, {mode}: passes"
        for mode in ("plain", "stream")
        for how in ("played", "restored whole", "restored whole")  # what was sent, and what was lived
    ]
    assert (
        "agent_conformance.reference:Adapter passes it: the incident was not found again"
        in (folder / "new.yaml").read_text()
    )
