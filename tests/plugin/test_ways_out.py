"""No way out of a run shows a secret: not the terminal, JUnit, snapshots, the baseline or the report, however the agent
runs.
"""

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

import pytest

from agent_conformance.report_data.folder import PAGE, WRITTEN_AT_THE_END
from tests.patience import PATIENCE
from tests.plugin import leaking_agent

ROOT = Path(__file__).parents[2]
START = 'start "quoted" \\ 0123456789&x'
SECRETS = {
    "START_API_KEY": START,
    "LATE_TOKEN": leaking_agent.LATE,
    "api_key": leaking_agent.SETTING,
    "DOTENV_SECRET": "dotenv/abcdefghijklmnop+0123456789",
    "setup.api_key": "conformance-key",
}
READABLE = ("/home/me/of/the/cache", "10000000000000000000", "get_weather")
SCENARIO = """\
description: a message that makes the agent {what}
profile: core
wires: [openai-chat]
conversation:
  - user: Please {what}.
    model:
      - text: Hi.
    expect: {{reply: Hi.}}
"""
IN_REPORT = sorted({*WRITTEN_AT_THE_END} - {PAGE})
"""The page has the same packed: it is made of `results.json` alone."""
NAMING_SOME = ("baseline", "terminal, update", "results.sarif", "summary.md", "badge.json")
"""Ways out that need not name each secret."""
WAYS = ("in process", "isolated, two workers")


def forms(value: str) -> Iterator[str]:
    """What is in no text, without what quotes it."""
    yield value
    yield json.dumps(value)[1:-1]
    yield repr(value)[1:-1]
    yield quote(value, safe="")
    yield base64.b64encode(f"user:{value}".encode()).decode()[8:-4]


def strings(value: object) -> Iterator[str]:
    """Every text in a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.items():
            yield from strings(list(item))
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


@pytest.fixture(scope="module", params=WAYS)
def outputs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """What a run of the leaking agent prints and writes, by way."""
    folder = tmp_path_factory.mktemp("leaking")
    source = Path(leaking_agent.__file__).read_text(encoding="utf-8")
    folder.joinpath("leaking.py").write_text(source, encoding="utf-8")
    folder.joinpath(".env").write_text(f"DOTENV_SECRET={SECRETS['DOTENV_SECRET']}\n")
    for what in ("answer", "crash", "fail", "be refused"):
        area = folder / "corpus" / "area"
        area.mkdir(parents=True, exist_ok=True)
        area.joinpath(f"{what.replace(' ', '-')}.yaml").write_text(SCENARIO.format(what=what))
    more = () if request.param == "in process" else ("--agent-isolate", "-n", "2")
    return ways_out(folder, *more)


def ways_out(folder: Path, *more: str) -> Mapping[str, str]:
    command = [sys.executable, "-m", "pytest", "--agent=leaking:Adapter", "--agent-scenarios=corpus", "corpus", "-rA"]
    command += [
        "-vv",
        "--agent-report=report",
        "--junitxml=junit.xml",
        "-ojunit_logging=all",
        "-p",
        "no:cacheprovider",
        "-W",
        "default",
    ]
    environment = {**os.environ, "START_API_KEY": START, "CACHE_KEY": READABLE[0], "MAX_TOKEN": READABLE[1]}
    environment |= {"PYTHONPATH": str(ROOT)}
    texts = {}
    for name, options in (("run", ()), ("update", ("--snapshot-update", "--agent-baseline-update"))):
        done = subprocess.run(
            [*command, *more, *options],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        texts[f"terminal, {name}"] = done.stdout + done.stderr
        texts[f"junit, {name}"] = folder.joinpath("junit.xml").read_text(encoding="utf-8")
    texts["baseline"] = folder.joinpath("agent-baseline.yaml").read_text(encoding="utf-8")
    for name in IN_REPORT:
        texts[name] = folder.joinpath("report", name).read_text(encoding="utf-8")
    texts["results, read"] = "\n".join(strings(json.loads(texts["results.json"])))
    texts["snapshots"] = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.ambr"))
    return texts


@pytest.mark.slow
def test_no_way_out_shows_a_secret(outputs: Mapping[str, str]) -> None:
    shown = [
        (way, name, form)
        for way, text in outputs.items()
        for name, value in SECRETS.items()
        for form in forms(value)
        if form in text
    ]

    assert shown == []


@pytest.mark.slow
def test_each_way_out_names_the_secrets(outputs: Mapping[str, str]) -> None:
    missing = {
        (way, name)
        for way, text in outputs.items()
        for name in SECRETS
        if way not in NAMING_SOME and f"${name}" not in text
    }

    assert missing == set()


@pytest.mark.slow
def test_what_is_no_secret_is_readable(outputs: Mapping[str, str]) -> None:
    for way in ("terminal, run", "junit, run", "snapshots"):
        for text in READABLE:
            assert text in outputs[way], way
