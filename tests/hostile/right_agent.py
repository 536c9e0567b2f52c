"""A right agent, of which each kind changes one thing: what it does, and what must become of it.

A kind is hostile in one case of three: that whose scenario has a tool named `boom`. The others must pass.
"""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import httpx2

from agent_conformance import Setup

CLIENT = httpx2.Client(timeout=60)
HERE = Path(__file__).parent
TIMEOUT = 3.0
"""Seconds of silence after which a turn hangs: a hundred times what a right turn takes on an idle machine.

No other limit of a kind is near it, so that none depends on which of two comes first on a busy one.
"""
Outcome = Literal["passed", "failed", "error", "not verified"]
When = Literal["daily", "slow", "weekly"]


@dataclass(frozen=True)
class Kind:
    """`says` is in the output; `options` are added to the command; `exit` is the code if the outcome does not say it.

    `when` it runs: in `./dev pytest`, in `./dev pytest --slow`, or in `.ci/weekly` alone.
    """

    name: str
    agent: str
    outcome: Outcome
    says: str = ""
    options: tuple[str, ...] = ()
    exit: int | None = None
    when: When = "slow"


KINDS: list[Kind] = []


def kind(outcome: Outcome, says: str = "", **more: Any) -> Callable[[type], type]:
    """Register a kind: the class with its module, as `--agent` takes it."""

    def register(adapter: type) -> type:
        module = adapter.__module__.rpartition(".")[2]
        name = f"{module}.py:{adapter.__name__}"
        KINDS.append(Kind(name, f"{HERE}/{name}", outcome, says, **more))
        return adapter

    return register


def weekly_kind(outcome: Outcome, says: str = "", **more: Any) -> Callable[[type], type]:
    """The same for modules whose kinds run once a week, unless they say something else."""
    return kind(outcome, says, **{"when": "weekly", **more})


def hang(*arguments: object) -> Any:
    time.sleep(3600)


class Right:
    """Passes every case. `is_hostile` says that this instance is in the case in which a kind does what it is about."""

    wires = ("openai-chat",)
    modes = ("plain",)
    features: ClassVar[set[str]] = {"conversation", "native-tools"}

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.is_hostile = any(tool.name == "boom" for tool in setup.tools)
        self.messages: list[dict[str, Any]] = []

    def send(self, message: str) -> Any:
        self.messages.append({"role": "user", "content": message})
        while (answer := self.request())["tool_calls"]:
            for call in answer["tool_calls"]:
                self.messages.append(
                    {"role": "tool", "tool_call_id": call["id"], "content": self.run(call["function"])}
                )
        return answer["content"]

    def request(self) -> dict[str, Any]:
        tools = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
            }
            for tool in self.setup.tools
        ]
        body = {"model": self.setup.model, "messages": self.messages, **({"tools": tools} if tools else {})}
        answer = self.post(body)["choices"][0]["message"]
        self.messages.append(answer)
        return {"tool_calls": [], **answer}

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"authorization": f"Bearer {self.setup.api_key}"}
        response = CLIENT.post(f"{self.setup.base_url}/chat/completions", json=body, headers=headers)
        response.raise_for_status()
        return dict(response.json())

    def run(self, function: dict[str, Any]) -> str:
        tool = next(tool for tool in self.setup.tools if tool.name == function["name"])
        return tool.text(tool.call(json.loads(function["arguments"])))


class LeavingThreads(Right):
    """What it leaves behind goes on when the next case begins, however long its own case takes."""

    left: ClassVar[list[threading.Event]] = []

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        for next_case in self.left:
            next_case.set()

    def leave(self, work: Callable[[], Any]) -> None:
        next_case = threading.Event()
        self.left.append(next_case)
        threading.Thread(target=lambda: next_case.wait() and work()).start()
