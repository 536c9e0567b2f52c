"""Agents that speak JSON lines, of which each kind is hostile to the suite where a scenario has a tool named `boom`.

    python command_agent.py NAME

Knows the protocol alone, and nothing of the suite.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from typing import Any, ClassVar

FOR_EVER = 3600


class Right:
    features: ClassVar[dict[str, Any]] = {"features": ["conversation", "native-tools"]}

    def __init__(self) -> None:
        self.opened: dict[str, Any] = {}
        self.messages: list[Any] = []

    @property
    def is_hostile(self) -> bool:
        return any(tool["name"] == "boom" for tool in self.opened.get("tools", ()))

    def run(self) -> None:
        for line in sys.stdin:
            message = json.loads(line)
            match message["type"]:
                case "hello":
                    self.hello()
                case "open":
                    self.opened, self.messages = message, []
                    if self.is_hostile:
                        self.at_open()
                    if "opened" in self.features:
                        self.write(type="opened")
                case "send":
                    self.turn(message["message"])
                case "close":
                    self.close()

    def hello(self) -> None:
        self.write(type="hello", protocol=1, wires=["openai-chat"], **self.features)

    def at_open(self) -> Any: ...

    def turn(self, message: str) -> None:
        self.messages.append({"role": "user", "content": message})
        while True:
            answer = self.request()
            self.messages.append(answer)
            if not answer.get("tool_calls"):
                break
            if self.is_hostile:
                self.before_calls()
            for call in answer["tool_calls"]:
                self.messages.append(
                    {"role": "tool", "tool_call_id": call["id"], "content": self.call(call["function"])}
                )
        if self.is_hostile and len(self.messages) < 5:  # and not in the follow-up
            self.before_reply()
        self.write(type="reply", text=answer["content"])

    def before_calls(self) -> Any: ...

    def before_reply(self) -> Any: ...

    def close(self) -> Any:
        if self.is_hostile:
            self.at_close()

    def at_close(self) -> Any: ...

    def call(self, function: dict[str, Any]) -> str:
        self.write(type="call", id=1, tool=function["name"], arguments=json.loads(function["arguments"]))
        return str(json.loads(sys.stdin.readline())["text"])

    def request(self) -> dict[str, Any]:
        tools = [
            {"type": "function", "function": {name: tool[name] for name in ("name", "description", "parameters")}}
            for tool in self.opened["tools"]
        ]
        body = {"model": self.opened["model"], "messages": self.messages, **({"tools": tools} if tools else {})}
        headers = {"content-type": "application/json", "authorization": f"Bearer {self.opened['api_key']}"}
        url = f"{self.opened['base_url']}/chat/completions"
        with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as response:
            return dict(json.load(response)["choices"][0]["message"])

    def write(self, **message: Any) -> None:
        self.raw(json.dumps(message).encode() + b"\n")

    def raw(self, data: bytes) -> None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


class WritesGarbage(Right):
    def before_reply(self) -> None:
        self.raw(b"Traceback (most recent call last):\n")


class WritesBytesThatAreNoText(Right):
    def before_reply(self) -> None:
        self.raw(b'{"type": "delta", "text": "\xff\xfe"}\n')


class WritesAList(Right):
    def before_reply(self) -> None:
        self.raw(b"[1, 2]\n")


class WritesDeepJson(Right):
    def before_reply(self) -> None:
        self.raw(b'{"type": "event", "event": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n")


class WritesHugeNumbers(Right):
    def before_reply(self) -> None:
        self.raw(b'{"type": "event", "event": ' + b"9" * 10_000 + b"}\n")


class WritesNotANumber(Right):
    def before_reply(self) -> None:
        self.raw(b'{"type": "event", "event": NaN}\n')


class WritesAnEndlessLine(Right):
    def before_reply(self) -> None:
        while True:
            self.raw(b"x" * 1_000_000)


class WritesAnEmptyLineForEver(Right):
    def before_reply(self) -> None:
        while True:
            self.raw(b"\n" * 100_000)


class WritesAnUnknownType(Right):
    def before_reply(self) -> None:
        self.write(type="surprise")


class WritesHelloAgain(Right):
    def before_reply(self) -> None:
        self.hello()


class RepliesTwice(Right):
    """Both at once: a second reply that comes later may come in the next turn, as the reply to that."""

    def before_reply(self) -> None:
        self.raw(2 * b'{"type": "reply", "text": "It is 7 degrees."}\n')


class RepliesBeforeItAsks(Right):
    """It has read the message, and nothing goes to the model. Before the message is there, it would be a matter of
    time which of the two comes first.
    """

    def turn(self, message: str) -> None:
        if self.is_hostile:
            self.write(type="reply", text="It is 7 degrees.")
        else:
            super().turn(message)


class RepliesBeforeItIsOpened(Right):
    """It is asked for one message alone, and writes another: nothing else can be there before it."""

    features: ClassVar = {**Right.features, "opened": True}

    def at_open(self) -> None:
        self.write(type="reply", text="It is 7 degrees.")


class SendsDeltasForEver(Right):
    features: ClassVar = {"features": ["conversation", "native-tools", "deltas"]}

    def before_reply(self) -> None:
        while True:
            self.write(type="delta", text="")


class SendsEventsForEver(Right):
    def before_reply(self) -> None:
        while True:
            self.write(type="event", event={})


class WithdrawsABillion(Right):
    features: ClassVar = {"features": ["conversation", "native-tools", "deltas"]}

    def before_reply(self) -> None:
        self.write(type="withdraw", characters=10**9)
        self.write(type="withdraw", characters=-1)


class CallsAToolOfItsOwn(Right):
    def before_reply(self) -> None:
        self.write(type="call", id=7, tool="rm -rf", arguments={})


class CallsForEver(Right):
    """And never reads a result."""

    def before_reply(self) -> None:
        while True:
            self.write(type="call", id=1, tool="boom", arguments={"city": "Oslo"})


class CallsWithArgumentsThatAreNoObject(Right):
    def call(self, function: dict[str, Any]) -> str:
        if not self.is_hostile:
            return super().call(function)
        self.write(type="call", id=2, tool="boom", arguments=[None, {"a": 1e308}])
        return str(json.loads(sys.stdin.readline())["text"])


class IdsItsCallWithAnObject(Right):
    def before_calls(self) -> None:
        self.write(type="call", id={"a": 1}, tool="boom", arguments={})


class AnswersForAnotherSession(Right):
    def before_reply(self) -> None:
        self.write(type="reply", session="nobody", text="It is 7 degrees.")


class Exits(Right):
    def before_reply(self) -> None:
        os._exit(0)


class KillsItself(Right):
    def before_reply(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


class StopsItself(Right):
    """With SIGSTOP: it is neither gone nor running."""

    def before_reply(self) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)


class StopsInTheMiddleOfALine(Right):
    def before_reply(self) -> None:
        self.raw(b'{"type": "rep')
        os._exit(3)


class HangsInTheMiddleOfALine(Right):
    def before_reply(self) -> None:
        self.raw(b'{"type": "rep')
        time.sleep(FOR_EVER)


class ClosesItsOutput(Right):
    def before_reply(self) -> None:
        os.close(1)
        time.sleep(FOR_EVER)


class ClosesItsInput(Right):
    def before_reply(self) -> None:
        os.close(0)


class Hangs(Right):
    def before_reply(self) -> None:
        time.sleep(FOR_EVER)


class HangsAtItsEnd(Right):
    """It ignores the end of its input, and SIGTERM."""

    def at_close(self) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(FOR_EVER)


class LeavesAChildThatHoldsItsOutput(Right):
    def before_reply(self) -> None:
        subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL)


class LeavesAChildOutsideItsGroup(Right):
    def before_reply(self) -> None:
        subprocess.Popen(["sleep", "20"], stdin=subprocess.DEVNULL, start_new_session=True)


class KillsItsGroup(Right):
    def before_reply(self) -> None:
        os.killpg(0, signal.SIGKILL)


class FloodsItsErrors(Right):
    def before_reply(self) -> None:
        sys.stderr.write("\x1b[31mx\x00\u202e" * 5_000_000)


class SaysItCrashedInAnOddPlace(Right):
    def before_reply(self) -> None:
        trace = 'File "\x1b[31m/dev/zero\x00", line -1\n' * 10_000
        self.write(type="error", controlled=False, message="\x00" * 100_000, traceback=trace, raised_in="\u202e")


class WritesAByteAtATime(Right):
    def write(self, **message: Any) -> None:
        for byte in json.dumps(message).encode() + b"\n":
            self.raw(bytes([byte]))


class EndsItsLinesAsWindowsDoes(Right):
    def write(self, **message: Any) -> None:
        self.raw(json.dumps(message, indent=None).encode() + b"\r\n")


class AsksForEver(Right):
    """Whatever the answer."""

    features: ClassVar = {**Right.features, "side_request": {"required": ["side"]}}

    def before_reply(self) -> None:
        while True:
            with contextlib.suppress(urllib.error.HTTPError):
                self.request()


class AsksForEverWithNamesOfItsOwn(AsksForEver):
    features: ClassVar = {**AsksForEver.features, "opened": True}


class AsksWhatIsRefusedForEver(AsksForEver):
    def request(self) -> dict[str, Any]:
        if self.is_hostile:
            self.opened["tools"] = []
        return super().request()


class NeverSaysHelloAgain(Right):
    """The process after that of the first case."""

    def hello(self) -> None:
        if os.path.exists("next.txt"):
            os.remove("next.txt")
            time.sleep(FOR_EVER)
        super().hello()

    def close(self) -> None:
        with open("next.txt", "w", encoding="utf-8") as file:
            file.write(self.opened["tools"][0]["name"])


if __name__ == "__main__":
    globals()[sys.argv[1]]().run()
