"""The adapter of Gemini CLI, with a script instead of the program that implements the Agent Client Protocol."""

import asyncio
import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stand_ins import has_ended, runs_of, setup_in, stand_in, weather

from agent_conformance import AgentError, CannotRestore, Message, ToolCall
from agent_conformance.attach.acp import AgentEnded

AGENT = """
def write(**message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
def update(kind, text):
    content = {"type": "text", "text": text}
    session = message["params"]["sessionId"]
    write(method="session/update", params={"sessionId": session, "update": {"sessionUpdate": kind, "content": content}})
log = Path(str(notes) + ".requests")
for line in sys.stdin:
    message = json.loads(line)
    with log.open("a") as out: out.write(line)
    id, method = message.get("id"), message.get("method")
    if method == "session/new": write(id=id, result={"sessionId": "s-1"})
    elif method == "session/prompt": exec(PROMPT)
    elif method == "initialize": write(id=id, result={"protocolVersion": 1})
    elif id is not None and method: write(id=id, result={})
"""


@pytest.fixture
def gemini(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Returns the adapter module, with an agent that does this at a prompt, notes of its runs, and its requests."""

    def module(prompt: str) -> tuple[Any, Path, Callable[[], list[dict[str, Any]]]]:
        script, notes = stand_in(tmp_path, "gemini", reads=False, then=f"PROMPT = {prompt!r}\n{AGENT}")
        monkeypatch.setenv("CONFORMANCE_GEMINI", str(script))
        name = "agent_conformance.agents.ready_made.gemini_cli"
        monkeypatch.delitem(__import__("sys").modules, name, raising=False)
        return importlib.import_module(name), notes, lambda: runs_of(Path(f"{notes}.requests"))

    return module


ANSWER = """
update("agent_thought_chunk", "Hm.")
update("agent_message_chunk", "It is ")
update("agent_message_chunk", "7 degrees.")
write(id=id, result={"stopReason": "end_turn"})
"""


def turns(adapter: Any, *messages: str) -> list[list[str]]:
    async def all_of_them() -> list[list[str]]:
        try:
            return [[piece async for piece in adapter.send(message)] for message in messages]
        finally:
            await adapter.close()

    return asyncio.run(all_of_them())


def test_deltas_come_from_one_process_for_all_turns(gemini: Any, tmp_path: Path) -> None:
    module, notes, requests = gemini(ANSWER)
    adapter = module.Adapter(setup_in(tmp_path / "state", model="gemini-3-flash-preview"))

    assert turns(adapter, "And now?", "-h") == [["It is ", "7 degrees."]] * 2
    (run,) = runs_of(notes)
    assert run["argv"] == ["--acp", "--model", "gemini-3-flash-preview", "--skip-trust"]
    assert [message["method"] for message in requests()] == ["initialize", "session/new", *["session/prompt"] * 2]
    assert requests()[3]["params"] == {"sessionId": "s-1", "prompt": [{"type": "text", "text": "-h"}]}
    assert has_ended(run["pid"])


def test_program_has_a_home_of_its_own_with_key_and_tools(
    gemini: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "a secret of the user's")
    module, notes, _ = gemini(ANSWER)
    setup = setup_in(tmp_path / "state", system="Be brief.", tools=(weather(),))
    adapter = module.Adapter(setup)
    command = adapter.tools.command
    turns(adapter, "Hello.")

    (run,) = runs_of(notes)
    home = tmp_path / "state" / "home"
    settings = json.loads((home / ".gemini" / "settings.json").read_text())
    assert run["environ"]["HOME"] == str(home)
    assert run["environ"]["GEMINI_API_KEY"] == "conformance-key"
    assert run["environ"]["GOOGLE_GEMINI_BASE_URL"] == setup.base_url
    assert "a secret of the user's" not in run["environ"].values()
    assert (home / ".gemini" / "GEMINI.md").read_text() == "Be brief."
    server = settings["mcpServers"]["suite"]
    assert [server["command"], *server["args"]] == command
    assert not settings["privacy"]["usageStatisticsEnabled"]


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ('write(id=id, error={"code": 500, "message": "Quota exceeded."})', r"^Quota exceeded\.$"),
        (
            'write(id=id, error={"code": 500, "message": "Failed", "data": {"details": "x"}})',
            r'^Failed {"details": "x"}$',
        ),
        ('write(id=id, result={"stopReason": "max_turn_requests"})', "^the agent stopped: max_turn_requests$"),
    ],
)
def test_end_without_an_answer_is_a_controlled_failure(gemini: Any, tmp_path: Path, prompt: str, words: str) -> None:
    module, _, _ = gemini(prompt)
    adapter = module.Adapter(setup_in(tmp_path / "state"))

    with pytest.raises(AgentError, match=words):
        turns(adapter, "Hello.")


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ("sys.exit('out of memory')", "^the agent ended with 1$"),
        ("sys.exit(7)", "^the agent ended with 7$"),
    ],
)
def test_end_of_the_process_is_a_crash(gemini: Any, tmp_path: Path, prompt: str, words: str) -> None:
    module, _, _ = gemini(prompt)
    adapter = module.Adapter(setup_in(tmp_path / "state"))

    with pytest.raises(AgentEnded, match=words):
        turns(adapter, "Hello.")


def test_permission_is_always_refused_and_nothing_else_is_offered(gemini: Any, tmp_path: Path) -> None:
    permission_request = """
option = {"optionId": "yes", "name": "Allow", "kind": "allow_once"}
asked = {"sessionId": "s-1", "toolCall": {"toolCallId": "c-1", "title": "rm"}, "options": [option]}
write(id="a", method="session/request_permission", params=asked)
write(id="b", method="fs/read_text_file", params={"sessionId": "s-1", "path": "/etc/passwd"})
for _ in range(2):
    with log.open("a") as out: out.write(sys.stdin.readline())
"""
    module, _, requests = gemini(permission_request + ANSWER)
    adapter = module.Adapter(setup_in(tmp_path / "state"))

    assert turns(adapter, "Hello.") == [["It is ", "7 degrees."]]
    answers = {answer["id"]: answer for answer in requests()[-2:]}
    assert answers["a"]["result"] == {"outcome": {"outcome": "cancelled"}}
    assert answers["b"]["error"]["code"] == -32601


def test_cancelled_turn_notifies_the_agent_and_the_next_one_continues(gemini: Any, tmp_path: Path) -> None:
    slow = """
if "slowly" in line:
    update("agent_message_chunk", "Well ")
    with log.open("a") as out: out.write(sys.stdin.readline())
    write(id=id, result={"stopReason": "cancelled"})
else:
    update("agent_message_chunk", "Yes.")
    write(id=id, result={"stopReason": "end_turn"})
"""
    module, notes, requests = gemini(slow)
    adapter = module.Adapter(setup_in(tmp_path / "state"))

    async def cancelled_at_the_first_piece() -> list[str]:
        begun = asyncio.Event()

        async def turn() -> None:
            async for _ in adapter.send("Tell me slowly."):
                begun.set()

        task = asyncio.ensure_future(turn())
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        pieces = [piece async for piece in adapter.send("Still there?")]
        await adapter.close()
        return pieces

    assert asyncio.run(cancelled_at_the_first_piece()) == ["Yes."]
    assert [message["method"] for message in requests()][-3:] == ["session/prompt", "session/cancel", "session/prompt"]
    assert len(runs_of(notes)) == 1


def test_history_is_a_recorded_session_under_the_names_of_the_program(gemini: Any, tmp_path: Path) -> None:
    module, _, requests = gemini(ANSWER)
    call = ToolCall("c1", "get_weather", {"city": "Rome"})
    history = (
        Message("system", "Be kind."),
        Message("user", "And in Rome?"),
        Message("assistant", tool_calls=(call,)),
        Message("tool", "20 degrees", tool_call_id="c1", name="get_weather"),
    )
    adapter = module.Adapter(setup_in(tmp_path / "state", system="Be brief.", history=history, tools=(weather(),)))
    turns(adapter, "Hello.")

    home = tmp_path / "state" / "home" / ".gemini"
    (record,) = (home / "tmp" / "project" / "chats").iterdir()
    head, *messages = [json.loads(line) for line in record.read_text().splitlines()]
    load = requests()[1]
    assert (load["method"], load["params"]["sessionId"]) == ("session/load", head["sessionId"])
    assert [message["type"] for message in messages] == ["user", "gemini", "user"]
    assert messages[1]["content"][0]["functionCall"]["name"] == "mcp_suite_get_weather"
    assert messages[2]["content"][0]["functionResponse"]["name"] == "mcp_suite_get_weather"
    assert (home / "GEMINI.md").read_text() == "Be brief.\n\nBe kind."


def test_question_whether_it_goes_in_circles_is_a_side_request_answered_in_json(gemini: Any, tmp_path: Path) -> None:
    module, _, _ = gemini(ANSWER)
    adapter = module.Adapter(setup_in(tmp_path / "state"))
    schema = {"type": "object", "properties": {"unproductive_state_confidence": {"type": "number"}}}

    assert json.loads(adapter.side_request({"generationConfig": {"responseJsonSchema": schema}}))
    assert not adapter.side_request({"contents": [], "generationConfig": {"temperature": 1}})
    asyncio.run(adapter.close())


def test_history_with_a_result_without_name_cannot_be_restored(gemini: Any, tmp_path: Path) -> None:
    module, _, _ = gemini(ANSWER)

    with pytest.raises(CannotRestore, match="without the name of its function"):
        module.Adapter(setup_in(tmp_path / "state", history=(Message("tool", "a fruit", tool_call_id="c1"),)))


def test_names_are_those_that_the_program_offers(gemini: Any) -> None:
    module, _, _ = gemini(ANSWER)

    assert module.offered("get_weather") == "mcp_suite_get_weather"
    assert module.offered("look up/it") == "mcp_suite_look_up_it"
    assert module.offered("x" * 60) == f"mcp_suite_{'x' * 20}...{'x' * 30}"
