"""The clients for Go, Rust and PHP: their own tests, and their examples, which fit the schema and pass `core`.

Each is played where its compiler or interpreter is installed.
"""

import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from agent_conformance.attach.command.schema import protocol_schema
from agent_conformance.attach.loading import load_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from tests.bundled import bundled_files
from tests.clients.conftest import CLIENTS, TOOLCHAINS, run_in
from tests.patience import PATIENCE

EXAMPLES = {"go": "example", "rust": "examples/agent.rs", "php": "example/agent.php"}
NOWHERE = "http://127.0.0.1:9/v1"
WEATHER = {"name": "get_weather", "description": "d", "parameters": {"type": "object"}, "enabled": True}
OPENED: Mapping[str, Any] = {
    "type": "open",
    "session": "s1",
    "wire": "openai-chat",
    "provider": "openai",
    "base_url": NOWHERE,
    "api_key": "key",
    "model": "gpt-4.1",
    "stream": False,
    "system": "Be brief: é\u2028😀",
    "tools": [WEATHER],
    "history": [],
    "limits": {"requests": 3, "context_tokens": None, "seconds": None},
    "state_dir": "/",
    "observe": False,
}


@pytest.fixture(params=EXAMPLES)
def example(request: pytest.FixtureRequest, build: Callable[[str, str], list[str]]) -> list[str]:
    """The command of the example in one language."""
    return build(request.param, EXAMPLES[request.param])


@pytest.mark.slow
def test_messages_of_a_conversation_fit_the_schema(example: list[str]) -> None:
    said = [
        {"type": "hello", "protocol": 1},
        OPENED,
        {"type": "send", "session": "s1", "message": "How warm is it?", "enabled": ["get_weather"]},
        {"type": "of a later version", "session": "s1"},
    ]
    pipe = subprocess.PIPE
    with subprocess.Popen(example, stdin=pipe, stdout=pipe, text=True, encoding="utf-8") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.writelines(json.dumps(one) + "\n" for one in said)
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(3)]
        process.stdin.write('{"type": "close", "session": "s1"}\n')
        process.stdin.close()

        assert process.wait(PATIENCE) == 0
    assert [answer["type"] for answer in answers] == ["hello", "opened", "error"]
    assert all(answer["session"] == "s1" for answer in answers[1:])
    schema = protocol_schema()
    for answer in answers:
        jsonschema.validate(answer, schema)


@pytest.mark.slow
def test_example_passes_core(example: list[str], tmp_path: Path) -> None:
    agent = load_agent(f"cmd:{' '.join(example)}", cwd=tmp_path)
    files = bundled_files()
    with CaseSession(agent, timeout=60.0) as runner:
        verdicts = [
            runner.run(case)
            for file in files
            for case in cases_of(file, agent, RunOptions())
            if case.scenario.profile == "core" and not case.missing
        ]

    assert len(verdicts) >= 80
    assert [
        (one.case, one.outcome, one.reason) for one in verdicts if one.outcome not in ("pass", "not-verified")
    ] == []


@pytest.mark.parametrize(
    ("language", "command"),
    [("go", "go test ."), pytest.param("rust", "cargo test --offline --quiet", marks=pytest.mark.slow)],
)
def test_client_passes_its_own_tests(language: str, command: str, tmp_path: Path) -> None:
    if not shutil.which(TOOLCHAINS[language]):
        pytest.skip(f"{TOOLCHAINS[language]} is not installed")
    run_in(Path(shutil.copytree(CLIENTS / language, tmp_path / "client")), *command.split())
