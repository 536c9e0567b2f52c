"""Agents that were written for version 1 keep working: each golden transcript is replayed from both sides.

A scripted agent says the agent's lines and compares the suite's; here the suite is made to say its lines, and what it
makes of the agent's is compared with `then`, the outcome that the transcript notes.
"""

import asyncio
import json
import shlex
import sys
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bridge import message_of, value_of

from agent_conformance import (
    AgentError,
    Cancelled,
    CannotRestore,
    Limits,
    Part,
    Pending,
    Reply,
    Setup,
    Tool,
    ToolCall,
    ToolError,
    Withdrawn,
)
from agent_conformance.attach.command import command_adapter, messages
from agent_conformance.attach.command.messages import CommandError
from agent_conformance.attach.command.schema import breach, kinds
from tests.command_agent.golden_agent import Entry, entries_of, processes_of

GOLDEN = Path(__file__).with_name("golden")
TRANSCRIPTS = sorted(GOLDEN.glob("*.jsonl"))
EACH = pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in TRANSCRIPTS])


def asks(tool: dict[str, Any]) -> dict[str, Any]:
    return {"approval": tool["approval"]} if "approval" in tool else {}


class SessionReplay:
    """The suite's side of one session of a transcript."""

    def __init__(self, adapter: Any, entries: list[Entry]) -> None:
        self.entries = entries
        self.opened = entries[0]["suite"]
        self.enabled = {tool["name"] for tool in self.opened["tools"] if tool["enabled"]}
        results = [e["suite"] for e in entries if e.get("suite", {}).get("type") == "result"]
        self.results = {result["id"]: result for result in results}
        self.turns = {result["id"]: asyncio.Event() for result in results}
        self.order = [result["id"] for result in results]
        calls = [e["agent"] for e in entries if e.get("agent", {}).get("type") == "call"]
        self.calls = {
            tool["name"]: deque(c for c in calls if c["tool"] == tool["name"]) for tool in self.opened["tools"]
        }
        self.events: list[Any] = []
        self.agent = adapter(self.setup())

    def setup(self) -> Setup:
        same = ("wire", "provider", "base_url", "api_key", "model", "stream", "system")
        return Setup(
            **{name: self.opened[name] for name in same},
            tools=tuple(self.tool(tool) for tool in self.opened["tools"]),
            history=tuple(message_of(message) for message in self.opened["history"]),
            limits=Limits(**self.opened["limits"]),
            state_dir=Path(self.opened["state_dir"]),
            observe=self.events.append if self.opened.get("observe") else None,
            aapprove=self.approve,
        )

    async def approve(self, call: ToolCall) -> bool:
        asked = [e["agent"] for e in self.entries if e.get("agent", {}).get("type") == "approve"]
        question = next(one for one in asked if one["arguments"] == call.arguments and one["call_id"] == call.id)
        [allowed] = [
            e["suite"]["allowed"]
            for e in self.entries
            if e.get("suite", {}).get("type") == "approval" and e["suite"]["id"] == question["id"]
        ]
        if allowed is None:
            raise Pending
        return bool(allowed)

    def tool(self, got: dict[str, Any]) -> Tool:
        name = got["name"]

        async def arun(arguments: Any) -> Any:
            call = self.calls[name].popleft()
            assert arguments == call["arguments"]
            if self.follows({"agent": call}, "cancel"):
                self.agent.cancel()
            if self.follows({"agent": call}, "steer"):
                self.agent.steer(self.entries[self.entries.index({"agent": call}) + 1]["suite"]["message"])
            if call["id"] not in self.results:
                await asyncio.Event().wait()
            return await self.result(call["id"])

        is_enabled = lambda: name in self.enabled  # noqa: E731 -- of this tool
        return Tool(name, got["description"], got["parameters"], run=str, arun=arun, is_enabled=is_enabled, **asks(got))

    async def result(self, id: str | int) -> Any:
        """In the order of the transcript."""
        self.turns[self.order[0]].set()
        await self.turns[id].wait()
        following = self.order[self.order.index(id) + 1 :]
        if following:
            self.turns[following[0]].set()
        result = self.results[id]
        self.enabled = set(result.get("enabled", self.enabled))
        if "error" in result:
            raise ToolError(result["error"])
        return value_of(result["value"]) if "value" in result else result["text"]

    def follows(self, entry: Entry, kind: str) -> bool:
        following = self.entries[self.entries.index(entry) + 1]
        return following.get("suite", {}).get("type") == kind

    async def all_turns(self) -> list[dict[str, Any]]:
        """What became of each turn, in the words of `then`."""
        got = []
        for entry in self.entries:
            if entry.get("suite", {}).get("type") == "switch":
                changed = {name: value for name, value in entry["suite"].items() if name not in ("type", "session")}
                self.agent.switch(replace(self.setup(), **changed))
            if entry.get("suite", {}).get("type") == "send":
                self.enabled = set(entry["suite"]["enabled"])
                self.events.clear()
                sent = entry["suite"]
                if sent.get("compact"):
                    self.agent.compact()
                got.append(await self.turn(value_of(sent["parts"]) if "parts" in sent else sent["message"]))
        return got

    async def turn(self, message: str | list[Part]) -> dict[str, Any]:
        received: dict[str, Any] = {}
        try:
            async for item in self.agent.send(message):
                if isinstance(item, Reply):
                    received["reply"] = str(item)
                elif isinstance(item, Withdrawn):
                    received.setdefault("withdrawn", []).append(item.characters)
                else:
                    received.setdefault("deltas", []).append(str(item))
                    if self.follows({"agent": self.agent_said(item)}, "cancel"):
                        self.agent.cancel()
        except Cancelled:
            received["cancelled"] = True
        except Pending:
            received["parked"] = True
        except CannotRestore as unable:
            received["cannot-restore"] = unable.reason
        except AgentError as failure:
            received["error"] = str(failure)
        except CommandError as broken:
            received["crash"] = broken.what
        if self.events:
            received["events"] = list(self.events)
        return received

    def agent_said(self, text: str) -> dict[str, Any]:
        said = (e["agent"] for e in self.entries if "agent" in e)
        return next(message for message in said if message["type"] == "delta" and message["text"] == text)


def sessions_of(entries: list[Entry]) -> list[list[Entry]]:
    """From each `open` of the suite's to the next."""
    sessions: list[list[Entry]] = []
    for entry in entries:
        if entry.get("suite", {}).get("type") == "open":
            sessions.append([])
        if sessions and entry.get("suite", {}).get("type") != "hello":
            sessions[-1].append(entry)
    return sessions


def replayed(path: Path, folder: Path) -> list[dict[str, Any]]:
    """The outcome of each turn now. Raises the error of a process that received other messages than the golden ones."""
    folder.mkdir()
    script = Path(__file__).with_name("golden_agent.py")
    adapter = command_adapter(shlex.join([sys.executable, "-SE", str(script), str(path), str(folder)]))
    got: list[dict[str, Any]] = []
    entries = entries_of(path)
    for session in sessions_of(entries):
        try:
            replay = SessionReplay(adapter, session)
        except CannotRestore as unable:
            got.append({"cannot-restore": unable.reason})
            continue
        if replay.agent.tool_names:
            got.append({"tool_names": dict(replay.agent.tool_names)})
        got += asyncio.run(replay.all_turns())
        replay.agent.close()
    if adapter.launcher._idle is not None:
        adapter.launcher.end(adapter.launcher.take()[0], gracefully=True)
    done = [(folder / str(number)).read_text() for number in range(len(processes_of(entries)))]
    assert done == ["to the end"] * len(done)
    return got


@EACH
def test_current_suite_sends_and_reads_the_golden_messages(path: Path, tmp_path: Path) -> None:
    assert replayed(path, tmp_path / "processes") == [e["then"] for e in entries_of(path) if "then" in e]


@EACH
def test_golden_messages_are_those_of_the_schema(path: Path) -> None:
    broken = [entry["then"].get("crash") for entry in entries_of(path) if "then" in entry]
    said = [(side, entry[side]) for entry in entries_of(path) for side in ("suite", "agent") if side in entry]

    wrong = [wrong for side, message in said if (wrong := breach(side, message)) is not None]

    assert all(any(fault in (crash or "") for crash in broken) for fault in wrong)


def test_every_message_of_both_sides_is_golden_somewhere() -> None:
    said = {
        (side, entry[side]["type"])
        for path in TRANSCRIPTS
        for entry in entries_of(path)
        for side in ("suite", "agent")
        if side in entry
    }

    assert {kind for side, kind in said if side == "suite"} == set(kinds("suite"))
    assert set(kinds("agent")) <= {kind for side, kind in said if side == "agent"}


RENAMED = {
    "hello": ("hello_message", "protocol"),
    "open": ("open_message", "state_dir"),
    "send": ("send_message", "message"),
    "result": ("result_message", "text"),
}


@pytest.mark.parametrize("kind", RENAMED)
def test_suite_that_sends_other_messages_is_caught(kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    function, name = RENAMED[kind]
    right = getattr(messages, function)

    def renamed(*said: Any, **more: Any) -> dict[str, Any]:
        message = right(*said, **more)
        return message | {f"{name}_": message.pop(name)}

    monkeypatch.setattr(messages, function, renamed)
    monkeypatch.setattr(messages, "breach", lambda *_: None)

    with pytest.raises(
        (CommandError, AssertionError), match=rf"one-call.jsonl:\d+: {kind}.{name} is missing|to the end"
    ):
        assert "crash" not in replayed(GOLDEN / "one-call.jsonl", tmp_path / "processes")[0]


def test_new_field_of_the_suites_breaks_no_agent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    right = messages.open_message
    monkeypatch.setattr(messages, "open_message", lambda *said, **more: right(*said, **more) | {"mood": "good"})

    assert replayed(GOLDEN / "one-call.jsonl", tmp_path / "processes") == [{"reply": "It is 7 degrees."}]


def test_suite_that_reads_messages_differently_is_caught(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from agent_conformance.attach.command import messages

    monkeypatch.setitem(messages.READERS, "reply", lambda fields: messages.TurnReply(None))

    assert replayed(GOLDEN / "one-call.jsonl", tmp_path / "processes") == [{}]


def test_golden_lines_are_plain_json() -> None:
    for path in TRANSCRIPTS:
        for line in path.read_text(encoding="utf-8").splitlines():
            assert json.dumps(json.loads(line)) == line
