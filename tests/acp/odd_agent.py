"""A program that cannot be judged, in the way that its argument names: what each way does stands in `WAYS`."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

ABOUT = {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": {"name": "odd", "version": "1"}}


def say(message: dict[str, Any], end: str = "\n") -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), end=end, flush=True)


def complain(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def talk(**answers: Any) -> None:
    """Answer each request with the part of an answer that its method has, or ends without one."""
    for line in sys.stdin:
        asked = json.loads(line)
        answer = {"initialize": {"result": ABOUT}, **answers}.get(asked["method"].replace("/", "_"))
        if callable(answer):
            answer = answer()
        if "id" in asked and answer is not None:
            say({"id": asked["id"], **answer})


def needs_a_terminal() -> None:
    complain("Error: odd needs an interactive terminal, and standard input is none.")
    sys.exit(1)


def is_killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def asks_in_a_wizard() -> None:
    print("Which provider do you use? [1] Odd Cloud [2] Odder Cloud: ", end="", flush=True)
    sys.stdin.readline()
    time.sleep(60)


def speaks_on_stderr() -> None:
    complain(json.dumps({"jsonrpc": "2.0", "id": 0, "result": ABOUT}))
    time.sleep(60)


def closes_its_input() -> None:
    os.close(0)
    time.sleep(60)


def closes_its_output() -> None:
    os.close(1)
    time.sleep(60)


def prints_garbage() -> None:
    os.write(1, b"{\xff\xfe is no message\n\x00\x01\x02\n")
    talk(initialize=None)


def frames_its_messages() -> None:
    text = json.dumps({"jsonrpc": "2.0", "id": 0, "result": ABOUT})
    print(f"Content-Length: {len(text)}\r\n\r\n{text}", end="", flush=True)
    time.sleep(60)


def prints_over_lines() -> None:
    print(json.dumps({"jsonrpc": "2.0", "id": 0, "result": ABOUT}, indent=2), flush=True)
    time.sleep(60)


def waits_for_a_code() -> None:
    def device() -> None:
        complain("Open https://odd.example/device and enter the code ABCD-1234.")

    talk(session_new=device)


def leaves_in_the_middle() -> None:
    talk(session_new=lambda: sys.exit(0))


def error(code: int, text: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": text}}


WAYS: dict[str, Callable[[], None]] = {
    "terminal": needs_a_terminal,
    "killed": is_killed,
    "wizard": asks_in_a_wizard,
    "stderr": speaks_on_stderr,
    "no-input": closes_its_input,
    "no-output": closes_its_output,
    "garbage": prints_garbage,
    "framed": frames_its_messages,
    "indented": prints_over_lines,
    "code": waits_for_a_code,
    "leaves": leaves_in_the_middle,
    "refuses": lambda: talk(initialize=error(-32603, "the licence of odd has run out")),
    "version": lambda: talk(initialize={"result": {**ABOUT, "protocolVersion": 99}}),
    "nothing": lambda: talk(initialize={"result": None}),
    "no-session": lambda: talk(session_new={"result": {}}),
    "account": lambda: talk(session_new=error(-32000, "Authentication required: run `odd login`")),
    "no-prompt": lambda: talk(
        session_new={"result": {"sessionId": "s"}}, session_prompt=error(-32601, "no such method")
    ),
}

if __name__ == "__main__":
    WAYS[sys.argv[1]]()
