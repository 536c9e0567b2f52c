"""An agent that says its keys wherever an agent can say something, in the spellings of programs.

The user's message names the place. The keys are in the environment: `TOLD_0_KEY` and so on; `TOLD_BEFORE` is so many
letters in front of each, which move the place at which a long text is cut.
"""

import html
import json
import logging
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import httpx2

from agent_conformance import AgentError, Setup

CLIENT = httpx2.Client(timeout=60, trust_env=False)
PLACES = (
    *("body", "system", "model", "header", "path", "tool name", "arguments", "refused", "no JSON"),
    *(
        "reply",
        "deltas",
        "pieces",
        "give up",
        "crash",
        "cause",
        "long crash",
        "print",
        "log",
        "warn",
        "event",
        "approval",
    ),
)
SPELLINGS: tuple[Callable[[str], str], ...] = (
    str,
    str.lower,
    repr,
    json.dumps,
    html.escape,
    lambda key: "".join(f"&#{ord(char)};" for char in key),
    lambda key: "".join(f"&#x{ord(char):x};" for char in key),
    lambda key: "".join(f"\\u{ord(char):04x}" for char in key),
    lambda key: "".join(f"%{ord(char):02X}" for char in key),
)


class GaveUp(AgentError): ...


def keys() -> list[str]:
    return [os.environ[f"TOLD_{number}_KEY"] for number in range(int(os.environ["TOLD"]))]


class Adapter:
    wires = ("openai-chat",)
    modes = ("plain",)
    features: ClassVar[set[str]] = {"conversation", "native-tools", "observer", "approval"}
    errors = (GaveUp,)

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.secret = keys()[0]
        self.settings = {"access_token": keys()[-1]}

    def text(self, key: str, place: str) -> str:
        """The key in a spelling, behind so many letters; all places of one key together have each of them."""
        spelling = SPELLINGS[(PLACES.index(place) + keys().index(key)) % len(SPELLINGS)]
        return "x" * int(os.environ["TOLD_BEFORE"]) + " " + spelling(key)

    def send(self, message: str) -> Any:
        place = message.rpartition(": ")[2]
        said = " and ".join(self.text(key, place) for key in keys())
        body: dict[str, Any] = {"model": self.setup.model, "messages": [{"role": "user", "content": message}]}
        body["tools"] = [
            {"type": "function", "function": {"name": tool.name, "parameters": tool.parameters}}
            for tool in self.setup.tools
        ]
        headers = {"authorization": f"Bearer {self.setup.api_key}"}
        match place:
            case "body":
                body["messages"].append({"role": "user", "content": said})
            case "system":
                body["messages"].insert(0, {"role": "system", "content": said})
            case "model":
                body["model"] = said
            case "tool name":
                body["tools"][0]["function"]["name"] = said
            case "refused":
                body["temperature"] = said
            case "header":
                headers |= {"authorization": f"Bearer {keys()[0]}", "x-told": said.encode("ascii", "replace").decode()}
        self.ask(body, headers, place)
        tool = self.setup.tools[0]
        match place:
            case "arguments":
                body["messages"].append({"role": "user", "content": tool.text(tool.call({"city": said, said: 1}))})
                self.ask(body, headers, place)
            case "no JSON":
                tool.call({"city": {said}})
            case "print":
                print(said)
                print(said, file=sys.stderr)
            case "log":
                logging.getLogger("agent").warning("%s", said)
            case "warn":
                warnings.warn(said, stacklevel=1)
            case "event":
                self.setup.observe({"said": said})
            case "give up":
                raise GaveUp(said)
            case "crash":
                raise ValueError(said)
            case "long crash":
                raise ValueError(" " * 200 + "\n".join(said for _ in range(40)))
            case "cause":
                try:
                    raise KeyError(said)
                except KeyError:
                    raise RuntimeError(traceback.format_exc()) from None
            case "deltas":
                return self.deltas([said])
            case "pieces":
                return self.deltas([said[start : start + 5] for start in range(0, len(said), 5)])
        return said if place == "reply" else "Hi."

    def ask(self, body: dict[str, Any], headers: dict[str, str], place: str) -> None:
        path = "/chat/completions"
        if place == "path":
            path += f"?told={keys()[0]}"
        CLIENT.post(f"{self.setup.base_url}{path}", json=body, headers=headers)

    def deltas(self, pieces: list[str]) -> Iterator[str]:
        yield from pieces
