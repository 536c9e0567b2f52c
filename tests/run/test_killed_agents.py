"""What becomes of an agent that is killed at a tool: it stops there, and the next one knows nothing but the store."""

import asyncio
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from agent_conformance import Setup
from agent_conformance.attach.command import command_adapter
from tests.agents.plain import PlainAgent
from tests.judge.trying_laws import assert_breaks_only, assert_right
from tests.trying import only_findings, verdicts

PAYS = """
wires: [openai-chat]
tools:
  - name: pay
    description: Pays an invoice.
    parameters: {invoice: integer}
    returns: paid
conversation:
  - user: Pay the invoices 17 and 18.
    crash: {at: tool, when: after}
    model:
      - calls: [{name: pay, arguments: {invoice: 17}}, {name: pay, arguments: {invoice: 18}}]
  - user: What have you done?
    restart: true
    model:
      - text: Nothing.
    expect: {reply: Nothing.}
"""
BEFORE = PAYS.replace("when: after", "when: before")
SECOND = PAYS.replace("when: after", "when: after, n: 2")


class Forgets(PlainAgent):
    """Stores nothing."""

    features = PlainAgent.features | {"restart"}


class Stores(Forgets):
    """Stores the conversation before each call; a call that was open then gets `interrupted` as its result."""

    interrupted = "It is not known whether this ran."

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.file = setup.state_dir / "open.txt"
        if self.file.exists():
            self.messages = [*self.shape.user("Pay the invoices 17 and 18."), self.open_calls()]
            self.answer([(f"c{i}", "pay", self.result_of(i)) for i in (17, 18)])

    def open_calls(self) -> dict[str, Any]:
        calls = [
            {"id": f"c{i}", "type": "function", "function": {"name": "pay", "arguments": f'{{"invoice": {i}}}'}}
            for i in (17, 18)
        ]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    def result_of(self, invoice: int) -> str:
        return self.interrupted

    def run(self, name: str, arguments: Any) -> str:
        self.file.touch()
        return super().run(name, arguments)


class SaysNothing(Stores):
    interrupted = ""


class StoresInTheBackground(SaysNothing):
    """Its call is stored a moment after the tool began, as by a store with a thread of its own."""

    def run(self, name: str, arguments: Any) -> str:
        threading.Timer(0.02, self.file.touch).start()
        return PlainAgent.run(self, name, arguments)


class HangsOnceItWasKilled(Stores):
    """The one that was killed in this process holds what the next one waits for."""

    def send(self, message: str) -> Any:
        if self.file.exists():
            threading.Event().wait(20)
        return super().send(message)


class RunsAgain(Stores):
    def result_of(self, invoice: int) -> str:
        return PlainAgent.run(self, "pay", {"invoice": invoice})


class GoesOnAtTheEnd(Forgets):
    """Sends and writes what it can, should anything let it go on."""

    def run(self, name: str, arguments: Any) -> str:
        try:
            return super().run(name, arguments)
        finally:
            self.tools()[0].call(arguments)
            self.ask()


class InThreads(Forgets):
    """Runs the calls of a reply at once, in threads."""

    def answer(self, results: list[tuple[Any, str, str]]) -> None:
        raise AssertionError("it was killed")

    def run(self, name: str, arguments: Any) -> str:
        calls = [threading.Thread(target=self.tools()[0].call, args=[{"invoice": i}], daemon=True) for i in (17, 18)]
        for call in calls:
            call.start()
        for call in calls:
            call.join()
        return ""


class OnALoop:
    """An async agent that runs its calls at once; another task of it lives on the same loop."""

    wires = ("openai-chat",)
    features = Forgets.features
    ticks = 0

    def __init__(self, setup: Setup) -> None:
        self.plain = Forgets(setup)

    async def send(self, message: str) -> str:
        self.plain.begin(message)
        while (said := await asyncio.to_thread(self.plain.ask))[1]:
            ticking = asyncio.create_task(self.tick())
            calls = [self.plain.tools()[0].acall(arguments) for _, _, arguments in said[1]]
            await asyncio.gather(*calls)
            ticking.cancel()
        return said[0]

    async def tick(self) -> None:
        while True:
            OnALoop.ticks += 1
            await asyncio.sleep(0.001)


@pytest.mark.parametrize("text", [PAYS, SECOND])
def test_agent_that_says_that_it_does_not_know_is_right(text: str) -> None:
    assert_right(Stores, text)


@pytest.mark.parametrize("text", [PAYS, SECOND])
def test_agent_that_forgets_what_it_has_paid_is_one_finding(text: str) -> None:
    assert_breaks_only("restored", Forgets, text)


def test_agent_that_finishes_what_had_no_effect_is_right() -> None:
    assert_right(RunsAgain, BEFORE)


def test_effect_that_comes_twice_is_one_finding() -> None:
    assert_breaks_only("once", RunsAgain, PAYS)


def test_call_that_comes_back_without_a_word_is_one_finding() -> None:
    assert_breaks_only("answered", SaysNothing, PAYS)


def test_tool_in_which_the_agent_is_killed_lasts_a_moment() -> None:
    assert_breaks_only("answered", StoresInTheBackground, PAYS)


def test_hang_after_a_kill_in_this_process_is_not_verified() -> None:
    for found in only_findings(HangsOnceItWasKilled, PAYS, timeout=1.5).values():
        assert found[0].startswith("not-verified: it hangs after an agent was killed in this process")
        assert "--agent-isolate" in found[0]


def test_dead_agent_is_neither_answered_nor_recorded() -> None:
    assert_breaks_only("restored", GoesOnAtTheEnd, PAYS)


@pytest.mark.parametrize("agent", [InThreads, OnALoop])
def test_calls_that_ran_at_once_end_with_the_agent(agent: Any) -> None:
    threads = threading.active_count()

    [verdict, *_] = verdicts(agent, PAYS)

    assert [finding.id for finding in verdict.findings] == ["restored"]
    assert "the agent was killed after that" in verdict.narrative
    assert threading.active_count() <= threads + 1


def test_agent_that_never_calls_the_tool_is_not_killed() -> None:
    class OnlyTalks(Forgets):
        def take(self, response: Any) -> Any:
            return "I pay nothing.", []

    assert only_findings(OnlyTalks, PAYS)["openai-chat+plain"][0] == "1.outcome"


DIES = """
import json, os, signal, sys, urllib.request

signal.signal(signal.SIGTERM, lambda *_: open({mark!r}, "w").close())


def say(**message):
    print(json.dumps(message), flush=True)


def ask(opened, said):
    body = {{"model": opened["model"], "messages": [{{"role": "user", "content": said}}]}}
    body["tools"] = [{{"type": "function", "function": {{k: t[k] for k in ("name", "description", "parameters")}}}}
                     for t in opened["tools"]]
    headers = {{"content-type": "application/json", "authorization": "Bearer " + opened["api_key"]}}
    url = opened["base_url"] + "/chat/completions"
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as answer:
        return json.load(answer)["choices"][0]["message"]


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say(type="hello", protocol=1, wires=["openai-chat"], features=["conversation", "restart"])
    elif message["type"] == "open":
        opened = message
    elif message["type"] == "send":
        said = ask(opened, message["message"])
        for call in said.get("tool_calls") or []:
            say(type="call", id=1, tool="pay", arguments=json.loads(call["function"]["arguments"]))
            break
        else:
            say(type="reply", text=said["content"])
"""


def test_process_is_killed_without_a_warning(tmp_path: Path) -> None:
    script, mark = tmp_path / "agent.py", tmp_path / "warned"
    script.write_text(DIES.format(mark=str(mark)))

    adapter = command_adapter(f"{sys.executable} {script}", cwd=tmp_path)

    assert_breaks_only("restored", adapter, PAYS)
    assert not mark.exists()
