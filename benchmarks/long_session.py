"""What a session costs by its length: rounds of one turn, in process, over a socket, and in the report.

The agent keeps the question and its newest messages, so that its requests are as long in the last round as in the
tenth: what grows is then the suite's own. 400 rounds should cost at most 8 times as much as 50.

    ./dev python benchmarks/long_session.py
"""

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

from agent_conformance import Setup, Tool
from agent_conformance.attach.loading import checked_agent
from agent_conformance.baseline.snapshots import folded
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import Case, RunOptions, cases_of
from agent_conformance.scenario.loading import ScenarioFile, load_file

FEW, MANY, MOST_TIMES = 50, 400, 8
ROUNDS_A_TURN = 10
SCENARIO = """\
description: a session of {rounds} rounds
profile: hardened
tools:
  - name: read_page
    description: Reads a page.
    parameters: {{number: string}}
    returns: {{repeat: "a line of the page ", times: 20}}
conversation:
  - repeat:
      - user: Read ten pages from <n>0 on.
        model:
          - repeat: [{{calls: [{{name: read_page, arguments: {{number: <n><k>}}}}]}}]
            times: {calls}
            counter: k
          - text: I have read them from <n>0 on.
    times: {turns}
"""


class Windowed:
    """Sends this turn alone, over chat completions."""

    wires = ("openai-chat",)
    modes = ("plain",)
    features = frozenset({"conversation", "native-tools"})

    def __init__(self, setup: Setup) -> None:
        self.setup, self.client = setup, httpx.Client(base_url=setup.base_url)
        self.tools = {tool.name: tool for tool in setup.tools}
        declared = [
            {"name": t.name, "description": t.description, "parameters": dict(t.parameters)} for t in setup.tools
        ]
        self.declared = [{"type": "function", "function": function} for function in declared]

    def send(self, message: str) -> str:
        note = "[Earlier turns were left out of this.]"
        messages: list[dict[str, Any]] = [{"role": "user", "content": f"{note}\n{message}"}]
        while True:
            body = {"model": self.setup.model, "messages": messages, "tools": self.declared}
            headers = {"authorization": f"Bearer {self.setup.api_key}"}
            response = self.client.post("chat/completions", json=body, headers=headers)
            said = response.raise_for_status().json()["choices"][0]["message"]
            messages.append(said)
            if not said.get("tool_calls"):
                return str(said["content"])
            for call in said["tool_calls"]:
                arguments = json.loads(call["function"]["arguments"])
                result = Tool.text(self.tools[call["function"]["name"]].call(arguments))
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})

    def close(self) -> None:
        self.client.close()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    options.add_argument("--rounds", type=int, nargs=2, default=(FEW, MANY), metavar=("FEW", "MANY"))
    few, many = options.parse_args().rounds
    print(f"{'':12} {few:>8} rounds {many:>8} rounds   times as much, at most {MOST_TIMES * many / few / 8:.1f}")
    for name, seconds in (("in process", in_process), ("on a socket", on_a_socket), ("report", report)):
        one, other = (min(seconds(rounds) for _ in range(2)) for rounds in (few, many))
        print(f"{name:12} {one:13.2f} s {other:13.2f} s   {other / one:.1f}")


def in_process(rounds: int) -> float:
    return _run(rounds, "process")


def on_a_socket(rounds: int) -> float:
    return _run(rounds, "socket")


def report(rounds: int) -> float:
    """The transcript as text, and its snapshot."""
    file, case = _case(rounds)
    with CaseSession(checked_agent("windowed", Windowed)) as runner:
        verdict = runner.run(case)
    assert verdict.outcome == "pass", (file.id, verdict)
    start = time.process_time()
    for _ in range(20):
        folded(verdict.narrative)
    return time.process_time() - start


def _run(rounds: int, transport: str) -> float:
    _, case = _case(rounds)
    with CaseSession(checked_agent("windowed", Windowed), transport=transport, timeout=60.0) as runner:
        start = time.process_time()
        verdict = runner.run(case)
    assert verdict.outcome == "pass", verdict
    return time.process_time() - start


def _case(rounds: int) -> tuple[ScenarioFile, Case]:
    text = SCENARIO.format(rounds=rounds, calls=ROUNDS_A_TURN - 1, turns=max(1, rounds // ROUNDS_A_TURN))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "long-session.yaml")
        path.write_text(text, encoding="utf-8")
        file = load_file(path, root=None)
    assert isinstance(file, ScenarioFile), file
    (case,) = cases_of(file, checked_agent("windowed", Windowed), RunOptions())
    return file, case


if __name__ == "__main__":
    main()
