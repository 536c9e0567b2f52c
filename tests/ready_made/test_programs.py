"""Running a closed program: how it is found, what it is started with, and that nothing of it is left."""

import asyncio
import os
import signal
from pathlib import Path

import pytest
from stand_ins import has_ended, runs_of, stand_in

from agent_conformance.attach.loading import AgentNotFound, load_agent
from agent_conformance.attach.programs import (
    NotInstalled,
    environment,
    installed,
    program_folders_in,
    running,
    version_of,
)
from agent_conformance.attach.ready_made import READY
from agent_conformance.machine.process_trees import take_left_running
from agent_conformance.machine.refusing_proxy import refusing_proxy

PROGRAMS = [ready for ready in READY if ready.program and not ready.agent]
OVER_ACP = [ready for ready in READY if ready.program and ready.agent]
BY = ("npm install -g", "uv tool install")
NOWHERE = "/nowhere/at-all"
CHILD = """
import subprocess
print(json.dumps({"child": subprocess.Popen(["sleep", "600"]).pid}), flush=True)
"""
CHILD_IN_A_GROUP = CHILD.replace('"600"]', '"600"], process_group=0')
DAEMON = CHILD.replace('"600"]', '"600"], start_new_session=True') + "sys.exit('Segmentation fault')\n"
"""Left behind with the program's standard output and error open."""
WITHOUT_A_MARK = DAEMON.replace("start_new_session=True", "start_new_session=True, env={'PATH': os.environ['PATH']}")
DEAF = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(600)\n"


@pytest.mark.parametrize("ready", PROGRAMS, ids=lambda ready: ready.name)
def test_missing_program_is_one_line(ready, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv(f"CONFORMANCE_{ready.program.upper()}", NOWHERE)
    monkeypatch.delitem(__import__("sys").modules, ready.module, raising=False)

    with pytest.raises(AgentNotFound) as raised:
        load_agent(ready.spec, cwd=Path.cwd())

    assert f"CONFORMANCE_{ready.program.upper()}={NOWHERE} is no program" in str(raised.value)
    assert f"{BY[bool(ready.tool)]} {ready.distribution}" in str(raised.value)
    assert "\n" not in str(raised.value)
    assert ready.version is None


@pytest.mark.parametrize("ready", OVER_ACP, ids=lambda ready: ready.name)
def test_missing_program_over_acp_is_one_line(ready, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(AgentNotFound) as raised:
        load_agent(ready.name, cwd=Path.cwd())

    assert f"the program {ready.program} is not on PATH" in str(raised.value)
    assert f"{BY[bool(ready.tool)]} {ready.distribution}" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_program_is_found_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script, _ = stand_in(tmp_path, "my-agent")
    monkeypatch.setenv("PATH", str(tmp_path))

    assert installed("my-agent", "my-agent") == str(script)
    with pytest.raises(NotInstalled, match="the program no-agent is not on PATH: npm install -g no-agent, or name"):
        installed("no-agent", "no-agent")


def test_version_is_the_last_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script, _ = stand_in(tmp_path, "one", "codex-cli 0.169.0", reads=False)
    failing, _ = stand_in(tmp_path, "two", "codex-cli 0.169.0", reads=False, then="sys.exit(1)")

    monkeypatch.setenv("CONFORMANCE_CODEX", str(script))
    assert version_of("codex") == "0.169.0"
    monkeypatch.setenv("CONFORMANCE_CODEX", str(failing))
    assert version_of("codex") is None


def test_environment_has_nothing_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a secret")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")

    given = environment(Path("/home/of-its-own"), KEY="one")

    assert "a secret" not in given.values()
    assert given["HTTPS_PROXY"] == given["https_proxy"] == refusing_proxy().address
    assert given["NO_PROXY"] == given["no_proxy"] == "127.0.0.1,localhost,::1"
    assert (given["HOME"], given["TMPDIR"], given["KEY"]) == ("/home/of-its-own", "/home/of-its-own/tmp", "one")


def test_home_lies_in_the_state_folder(tmp_path: Path) -> None:
    place = program_folders_in(tmp_path)
    place.session.write_text("s-1")

    assert place.home.is_relative_to(tmp_path)
    assert place.project.is_dir()
    assert program_folders_in(tmp_path).resumed == "s-1"


async def _events(script: Path, folder: Path, stdin: str = "Hello") -> tuple[list[object], int | None, str]:
    async with running([str(script)], stdin=stdin, environment=environment(folder), folder=folder) as run:
        events: list[object] = [event async for event in run.events()]
    return events, run.code, run.stderr


def test_events_are_the_json_objects_among_the_lines(tmp_path: Path) -> None:
    script, notes = stand_in(tmp_path, "agent", "Loading ...", {"type": "a"}, "[1]", {"type": "b"})

    events, code, _ = asyncio.run(_events(script, tmp_path, "Hello, Zoë"))

    assert events == [{"type": "a"}, {"type": "b"}]
    assert code == 0
    assert runs_of(notes)[0]["stdin"] == "Hello, Zoë"


def test_end_of_the_log_is_known_at_the_end(tmp_path: Path) -> None:
    script, _ = stand_in(tmp_path, "agent", then="sys.exit('no such model')")

    assert asyncio.run(_events(script, tmp_path)) == ([], 1, "no such model")


def test_program_that_reads_nothing_is_no_error(tmp_path: Path) -> None:
    script, _ = stand_in(tmp_path, "agent", {"type": "a"}, reads=False)

    events, code, _ = asyncio.run(_events(script, tmp_path, "x" * 1_000_000))

    assert (events, code) == ([{"type": "a"}], 0)


@pytest.mark.parametrize("child", [CHILD, CHILD_IN_A_GROUP])
def test_children_of_a_program_end_with_it(tmp_path: Path, child: str) -> None:
    script, _ = stand_in(tmp_path, "agent", then=child)

    events, _, _ = asyncio.run(_events(script, tmp_path))

    (event,) = events
    assert isinstance(event, dict)
    assert has_ended(event["child"])


def test_daemon_of_a_crashed_program_holds_up_no_verdict_and_is_ended_and_named(tmp_path: Path) -> None:
    script, _ = stand_in(tmp_path, "agent", then=DAEMON)
    take_left_running()

    (event,), code, stderr = asyncio.run(asyncio.wait_for(_events(script, tmp_path), 20))

    assert isinstance(event, dict)
    assert has_ended(event["child"])
    assert (code, stderr) == (1, "Segmentation fault")
    assert take_left_running() == ["sleep 600"]


def test_daemon_that_cannot_be_found_holds_up_no_verdict_either(tmp_path: Path) -> None:
    script, _ = stand_in(tmp_path, "agent", then=WITHOUT_A_MARK)

    (event,), code, stderr = asyncio.run(asyncio.wait_for(_events(script, tmp_path), 20))

    assert isinstance(event, dict)
    os.kill(event["child"], signal.SIGKILL)  # it has left its parent, its session and its environment
    assert (code, stderr) == (1, "Segmentation fault")


@pytest.mark.parametrize("child", [CHILD, CHILD_IN_A_GROUP])
def test_cancelled_program_ends_with_its_children_even_if_it_ignores_signals(tmp_path: Path, child: str) -> None:
    script, notes = stand_in(tmp_path, "agent", then=child + DEAF)
    children: list[int] = []

    async def cancelled_in_the_middle() -> None:
        async with running([str(script)], stdin="", environment=environment(tmp_path), folder=tmp_path) as run:
            async for event in run.events():
                children.append(event["child"])
                raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled_in_the_middle())

    assert len(children) == 1
    assert has_ended(children[0])
    assert has_ended(runs_of(notes)[0]["pid"])
