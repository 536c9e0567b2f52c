"""Scenarios made smaller while the same finding remains: delta debugging on the document of a scenario.

Here are the document as data, out of a file and back into YAML, and which findings an agent has in it.
"""

import json
import re
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import yaml

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.run.exceptions import described_error
from agent_conformance.run.process.descriptors import no_output
from agent_conformance.scenario.cases import Case, RunOptions, cases_of
from agent_conformance.scenario.loading import ScenarioFile, load_file
from agent_conformance.scenario.yaml_files.examples import KEY
from agent_conformance.transcripts.finding import Verdict
from fake_providers.wire_neutral_lines import printable_output

Document = dict[str, Any]
SCHEMA = "# yaml-language-server: $schema=../scenario.schema.json"
WIDTH = 110
SHORT = 88
"""Characters of what is written in one line."""
IN_LINE = 3
"""The depth from which it is, so that turns, tools and messages have lines of their own."""


def one_row(document: Document, row: str | None) -> Document:
    """The document with the values of one row of its examples in place, and without the examples."""
    if row is None:
        return document
    values = document["examples"][row]
    return {key: _filled(value, values) for key, value in document.items() if key not in ("examples", "formerly")}


def _filled(value: Any, row: Mapping[str, Any]) -> Any:
    if isinstance(value, str):
        found = KEY.fullmatch(value)
        return row[found[1]] if found and found[1] in row else value
    if isinstance(value, list):
        return [_filled(inner, row) for inner in value]
    if isinstance(value, dict):
        return {key: _filled(inner, row) for key, inner in value.items()}
    return value


def yaml_text(document: Document, comment: str = "") -> str:
    """A scenario file: its comment, then each part after a blank line, in the style of the bundled scenarios."""
    head = [SCHEMA, *(f"# {line}".rstrip() for line in comment.splitlines())]
    parts: list[list[str]] = [[]]
    for key, value in document.items():
        text = yaml.dump({key: _styled(value, 1)}, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH)
        if (isinstance(value, list | dict) and value) or len(parts) > 1:
            parts.append([text])
        else:
            parts[-1].append(text)
    return "\n".join(head) + "\n" + "\n".join("".join(part) for part in parts)


class _InLine(dict[str, Any]):
    """A mapping that is written in one line."""


class _ListInLine(list[Any]):
    """A list that is written in one line."""


def _styled(value: Any, depth: int, key: str = "") -> Any:
    """With what is deep and short in one line."""
    if not isinstance(value, list | dict):
        return value
    if depth >= IN_LINE and key != "model" and len(json.dumps(value, ensure_ascii=False)) <= SHORT:
        return _InLine(value) if isinstance(value, dict) else _ListInLine(value)
    if isinstance(value, dict):
        return {name: _styled(inner, depth + 1, name) for name, inner in value.items()}
    return [_styled(inner, depth + 1) for inner in value]


class _Dumper(yaml.SafeDumper):
    """Items of lists are indented, and nothing is an alias: a reader need not look for the anchor."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def write_double_quoted(self, text: str, split: bool = True) -> None:
        """With escapes for what is not printable, which PyYAML would write as it is."""
        allowed, self.allow_unicode = self.allow_unicode, printable_output(text) == text
        super().write_double_quoted(text, split)
        self.allow_unicode = allowed

    def ignore_aliases(self, data: Any) -> bool:
        return True


_ESCAPED = re.compile(r"(?:^|\s)::")
"""What may come to stand at the beginning of a line, where it is written with an escape."""


def _text(dumper: _Dumper, text: str) -> yaml.Node:
    """In double quotes where it is printed with escapes: YAML reads these as what they stand for."""
    has_escapes = printable_output(text) != text or _ESCAPED.search(text) is not None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if has_escapes else None)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(_InLine, lambda dumper, value: _in_line(dumper.represent_dict(value)))
_Dumper.add_representer(_ListInLine, lambda dumper, value: _in_line(dumper.represent_list(value)))


def _in_line(node: Any) -> Any:
    node.flow_style = True
    return node


Kind = tuple[str, str]
"""A finding without what changes with the scenario: its cause (a rule, a law, a kind of expectation) and its detail."""


@dataclass(frozen=True, slots=True)
class TrialTarget:
    """Where the case runs."""

    wire: str
    mode: str
    provider: str


class Trials(ExitStack):
    """Use as a context manager. One agent, with a session for all the documents and targets that it is tried on.

    What breaks a rule of `tolerated` is accepted. With `is_quiet`, what the agent prints is shown nowhere.
    Targets are of the wires and providers of the `choice`.
    """

    def __init__(
        self,
        agent: DeclaredAgent,
        *,
        timeout: float = 10.0,
        tolerated: Iterable[str] = (),
        is_quiet: bool = False,
        choice: RunOptions | None = None,
    ) -> None:
        super().__init__()
        self._agent = agent
        self._is_quiet = is_quiet
        self._choice = choice or RunOptions()
        self.session = CaseSession(agent, timeout=timeout, tolerated=tolerated)
        self._last: tuple[Document, ScenarioFile | str] | None = None
        self.runs = 0

    def __enter__(self) -> Self:
        self._folder = Path(self.enter_context(tempfile.TemporaryDirectory())) / "scenarios" / "minimised"
        self._folder.mkdir(parents=True)
        self.enter_context(self.session)
        return self

    def verdict(self, document: Document, target: TrialTarget) -> Verdict | str:
        """The verdict of the agent on this target; or why there is none: a mistake, or an error of the suite itself."""
        try:
            return self._verdict(document, target)
        except Exception as error:  # it is one of thousands of documents, many of which nobody would write
            return f"the suite itself failed, please report it: {described_error(error)}"

    def _verdict(self, document: Document, target: TrialTarget) -> Verdict | str:
        loaded = self._loaded(document)
        if isinstance(loaded, str):
            return loaded
        case = self._case(loaded, target)
        if case is None:
            return f"the agent has no case of it on {target.wire}+{target.mode}"
        return self.verdict_on(case)

    def passes(self, document: Document, target: TrialTarget) -> bool:
        verdict = self.verdict(document, target)
        return isinstance(verdict, Verdict) and verdict.outcome == "pass"

    def targets(self, document: Document) -> list[TrialTarget]:
        """Where the agent has a case of it that can be judged. Raises `ValueError` for a mistake in the document."""
        loaded = self._loaded(document)
        if isinstance(loaded, str):
            raise ValueError(loaded)
        cases = cases_of(loaded, self._agent, self._choice)
        return [TrialTarget(case.wire, case.mode, case.provider) for case in cases if not case.missing]

    def verdict_on(self, case: Case) -> Verdict:
        """The verdict of the agent on a case of any file."""
        self.runs += 1
        with no_output() if self._is_quiet else nullcontext():
            return self.session.run(case)

    def _loaded(self, document: Document) -> ScenarioFile | str:
        if self._last is None or self._last[0] is not document:
            self._last = (document, self._read(document))
        return self._last[1]

    def _read(self, document: Document) -> ScenarioFile | str:
        path = self._folder / "scenario.yaml"
        path.write_text(yaml_text(document), encoding="utf-8")
        loaded = load_file(path, root=path.parents[1])
        return loaded if isinstance(loaded, ScenarioFile) else str(loaded[0])

    def _case(self, file: ScenarioFile, target: TrialTarget) -> Case | None:
        options = RunOptions(wires=(target.wire,), providers=(target.provider,))
        return next((case for case in cases_of(file, self._agent, options) if case.mode == target.mode), None)


def kinds_of(verdict: Verdict) -> Mapping[Kind, str]:
    """The findings at `must` by their kinds, each with the id of the first; if there are none, the advice."""
    found = verdict.at_level("must") or verdict.findings
    kinds: dict[Kind, str] = {}
    for finding in found:
        kinds.setdefault((finding.code, finding.detail), finding.id)
    return kinds
