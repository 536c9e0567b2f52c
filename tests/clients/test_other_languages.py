"""The clients for Go, Rust and PHP: what their examples write fits the protocol's schema, and they pass `core`.

Each is played where its compiler or interpreter is installed.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from agent_conformance.attach.command.schema import protocol_schema
from agent_conformance.attach.loading import load_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.files.corpus import bundled_scenarios
from agent_conformance.scenario.loading import load_folder
from tests.patience import PATIENCE

CLIENTS = Path(__file__).parents[2] / "clients"
PROGRAMS = {"go": "go", "rust": "cargo", "php": "php"}
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


@pytest.fixture(scope="session", params=PROGRAMS)
def example(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command of the example in one language, which is built once."""
    if not shutil.which(PROGRAMS[request.param]):
        pytest.skip(f"{PROGRAMS[request.param]} is not installed")
    if request.param == "php":
        return ["php", str(CLIENTS / "php/example/agent.php")]
    folder = tmp_path_factory.mktemp(request.param)
    source = shutil.copytree(CLIENTS / request.param, folder / "client")
    built = folder / "client/target/debug/examples/agent" if request.param == "rust" else folder / "agent"
    build = (
        "cargo build --offline --quiet --example agent" if request.param == "rust" else f"go build -o {built} ./example"
    )
    done = subprocess.run(
        build.split(),
        cwd=source,
        env={**os.environ, "CARGO_TARGET_DIR": str(source / "target"), "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [str(built)]


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


@pytest.mark.skipif(not shutil.which("go"), reason="go is not installed")
def test_client_for_go_passes_its_own_tests() -> None:
    environment = {**os.environ, "GOTOOLCHAIN": "local"}
    done = subprocess.run(
        ["go", "test", "."], cwd=CLIENTS / "go", env=environment, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr


PHP_AGENT = """<?php
require $argv[1];
final class Agent {
    function __construct(private $setup) {}
    function compact() {}
    function toolNames() { return ['get weather' => 'get_weather']; }
    function send($message, $session) {
        $this->setup->observe(['event' => 'began']);
        $session->withdraw(2);
        return $message;
    }
}
AgentConformance\\serve(['wires' => ['openai-chat'], 'features' => [$argv[2]]], fn($setup) => new Agent($setup));
"""


def said_in_php(feature: str, folder: Path) -> list[dict[str, Any]]:
    (folder / "agent.php").write_text(PHP_AGENT)
    send = {"type": "send", "session": "s1", "message": "Hi", "enabled": [], "compact": True}
    lines = [
        {"type": "hello", "protocol": 1},
        {**OPENED, "observe": True},
        *([send] if feature == "compaction" else []),
    ]
    done = subprocess.run(
        ["php", folder / "agent.php", CLIENTS / "php/conformance.php", feature],
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    return [json.loads(line) for line in done.stdout.splitlines()][1:]


@pytest.mark.skipif(not shutil.which("php"), reason="php is not installed")
def test_client_for_php_refuses_a_feature_without_its_method(tmp_path: Path) -> None:
    (steering,) = said_in_php("steering", tmp_path)
    opened, *rest = said_in_php("compaction", tmp_path)

    assert steering["type"] == "error"
    assert not steering["controlled"]
    assert (
        "the feature steering is declared, and the agent that open returns has no method steer" in steering["message"]
    )
    assert opened["tool_names"] == {"get weather": "get_weather"}
    assert [one["type"] for one in rest] == ["event", "withdraw", "reply"]


@pytest.mark.slow
def test_example_passes_core(example: list[str], tmp_path: Path) -> None:
    agent = load_agent(f"cmd:{' '.join(example)}", cwd=tmp_path)
    files, _ = load_folder(bundled_scenarios())
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
