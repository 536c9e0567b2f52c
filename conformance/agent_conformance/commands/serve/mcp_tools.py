"""The tools of an MCP server beside the models, for `serve --mcp`: their file, and what was called.

They are the tools of a scenario, run as in a case: arguments that the schema does not take run nothing, and results
come in the order of the script.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import ValidationError

from agent_conformance.commands.shared.served import LINES
from agent_conformance.run.agent.agent_instance import Life
from agent_conformance.run.agent.toolbox import Toolbox
from agent_conformance.scenario.checks.consistency import mistakes_in_tools
from agent_conformance.scenario.loading import line_of
from agent_conformance.scenario.model import ToolSpec
from agent_conformance.scenario.yaml_files.examples import write_out
from agent_conformance.scenario.yaml_files.reading import KeyPath, read, read_data
from agent_conformance.scenario.yaml_files.validation_messages import messages_of
from agent_conformance.transcripts.redaction import redacted
from agent_conformance.transcripts.transcript import Attempt
from fake_providers.http import compact
from fake_providers.wire_neutral_lines import printable

MOST_CALLS = 1000
"""Calls that are kept; of more, the oldest are forgotten."""
LONGEST_SHOWN = 200
OF_CASES = {"approval": "an MCP client asks its user by itself"}
"""Fields of a scenario's tools that do nothing here, and why."""


def read_tools(path: Path) -> list[ToolSpec]:
    """The tools of a YAML or JSON file. Raises `ValueError` with file and line, and `OSError`."""
    document = read(read_data(path))
    mistakes = [(mistake.line, mistake.message) for mistake in document.mistakes]
    if not mistakes:
        specs, found = tools_of(document.value)
        mistakes = [(line_of(at, document.lines), message) for at, message in found]
    if mistakes:
        ordered = sorted(mistakes, key=lambda mistake: mistake[0])
        raise ValueError("\n".join(f"{path}:{line}: {message}" for line, message in ordered))
    return specs


def tools_of(data: Any) -> tuple[list[ToolSpec], list[tuple[KeyPath, str]]]:
    """The tools that the data says, and what is wrong with them."""
    if not isinstance(data, list) or not data:
        return [], [((), "the tools of --mcp are a list, each as under `tools` in a scenario: `- name: get_weather`.")]
    found = [(at[1:], message) for at, message in write_out({"tools": data})]
    specs: list[ToolSpec] = []
    for index, value in enumerate(data):
        try:
            specs.append(ToolSpec.read(value))
        except ValidationError as error:
            found += [((index, *at), message) for at, message in messages_of(error, value, ToolSpec)]
    return specs, found or list(_mistakes_in(specs))


def _mistakes_in(specs: Sequence[ToolSpec]) -> Iterator[tuple[KeyPath, str]]:
    yield from ((at[1:], message) for at, message in mistakes_in_tools(specs))
    names = {spec.name for spec in specs}
    for index, spec in enumerate(specs):
        for name, why in OF_CASES.items():
            if name in spec.given:
                yield (index, name), f"`{name}` does nothing in the tools of `serve`: {why}. Leave it out."
        for place, enabled in enumerate(spec.enables):
            if enabled not in names:
                yield (index, "enables", place), f"`{enabled}` is no tool of this file."


class ScriptedTools(Toolbox):
    """The tools as a server gets them, for all of its clients. Thread-safe."""

    def __init__(self, specs: Sequence[ToolSpec]) -> None:
        super().__init__(list(specs))
        self._began_with = frozenset(self.turn.enabled)
        self._log: deque[dict[str, Any]] = deque(maxlen=MOST_CALLS)
        self._count = 0

    def calls(self) -> dict[str, Any]:
        """The calls of the tools, as the control interface answers them, oldest first."""
        with self._lock:
            return {"calls": list(self._log), "count": self._count}

    def begin_anew(self) -> None:
        """No call is known any more, and the next result of each tool is its first. Numbers go on."""
        with self._lock:
            self._log.clear()
            self._calls.clear()
            self.turn.enabled = set(self._began_with)

    def _finish(self, spec: ToolSpec, attempt: Attempt, life: Life) -> Any:
        try:
            return super()._finish(spec, attempt, life)
        finally:
            outcome = "refused" if not attempt.accepted else "failed" if attempt.failed else "ran"
            self._note(attempt.tool, attempt.arguments, outcome, attempt.result)

    def note_unknown(self, name: str, arguments: Mapping[str, Any]) -> None:
        """A call to a tool that is not there, which has no result: the client got a protocol error."""
        self._note(name, arguments, "unknown", f"there is no tool {name}")

    def _note(self, name: str, arguments: Any, outcome: str, result: str) -> None:
        value = _json_or_text(arguments)
        with self._lock:
            self.turn.early_attempts.clear()  # they are kept here
            self._count += 1
            call = {"name": name, "arguments": value, "outcome": outcome, "result": result}
            self._log.append({"number": self._count, **call})
        shown = f"mcp: {name} {compact(value)[:LONGEST_SHOWN]}: {outcome}: {result[:LONGEST_SHOWN]}"
        LINES.print(printable(redacted(shown)), may_wait=False)


def _json_or_text(value: Any) -> Any:
    """The arguments themselves; of what is no JSON value the text."""
    try:
        compact(value)
    except TypeError:
        return repr(value)
    return value
