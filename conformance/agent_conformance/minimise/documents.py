"""The document of one scenario as data, out of a file and back into YAML."""

import json
import re
from collections.abc import Mapping
from typing import Any

import yaml

from agent_conformance.scenario.yaml_files.examples import KEY
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
