"""A pasted text in the forms that it may have had before a terminal, a shell, a log or a page changed it.

It knows what these add to a text, and nothing of requests.
"""

import html
import json
import re
import textwrap
from collections.abc import Callable, Iterator

from agent_conformance.scenario.yaml_files.reading import read

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_TIME = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,]*(?:Z|[+-]\d\d:?\d\d)?"
_LINE_PREFIX = re.compile(
    rf"(?:[ \t]*>[ \t]?|[\w.-]+[ \t]*\| ?|[ \t]*{_TIME}(?: std(?:out|err) [FP](?= ))?[ \t]?|\[pod/[\w./-]+\] "
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]+ [^\s:\[]+(?:\[\d+\])?: |[ \t]*\d+\t)+"
)
"""Of a quotation, of containers (compose, kubectl, CRI), of times, of syslog and journald, of numbered lines."""
_TRACE_PREFIX = re.compile(r"[0-9a-f]{4,}: ")
"""Of `curl --trace-ascii`, which writes so many characters of what was sent in each line."""
_PIECE = re.compile(r" std(?:out|err) P $")
"""CRI writes a long line in pieces, marked so but for the last."""
SEEN = 200_000
"""Characters of a text by which it is known what its lines are like."""
NARROWEST = 40
"""Columns of a terminal that breaks lines. A text whose lines all end there was broken by it."""
_YAML = re.compile(r"^[ \t]*```ya?ml[ \t]*\n(.*?)^[ \t]*```", re.MULTILINE | re.DOTALL)
_SMART_QUOTES = str.maketrans("“”„‟″‘’", '"""""\'\'')


def forms_of(text: str) -> Iterator[str]:
    """The text as it is and each other form; where all lines have a prefix or one length, first without these."""
    text = _ANSI.sub("", text) if "\x1b" in text else text
    seen = {""}
    changes = CHANGES if not _is_broken_up(text) else (_without_breaks, _without_prefixes, *CHANGES)
    for change in changes:  # each only where those before it had nothing: a log may be long
        form = change(text)
        if form not in seen:
            seen.add(form)
            yield form


def _is_broken_up(text: str) -> bool:
    """Whether a value is in pieces, between which something else stands; else the text as it is is read first."""
    lines = [line for line in text[:SEEN].splitlines() if line.strip()]
    return _is_trace(text) or (bool(lines) and all(map(_LINE_PREFIX.match, lines))) or _is_even(lines)


def _is_even(lines: list[str]) -> bool:
    return len(lines) > 2 and len(lines[0]) >= NARROWEST and len({*map(len, lines[:-1])}) == 1


def _without_breaks(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return "".join(lines) if _is_even(lines) and not _LINE_PREFIX.match(lines[0]) else ""


def _is_trace(text: str) -> bool:
    return "\n=> Send data" in f"\n{text[:SEEN]}"


def _without_prefixes(text: str) -> str:
    parts = []
    is_trace = _is_trace(text)
    for line in text.splitlines(keepends=True):
        found = (_TRACE_PREFIX if is_trace else _LINE_PREFIX).match(line)
        rest = line[found.end() :] if found else line
        is_piece = found is not None and (is_trace or _PIECE.search(found[0]))
        parts.append(rest.rstrip("\r\n") if is_piece else rest)
    return "".join(parts)


def _joined_records(text: str) -> str:
    """Docker's log files: each line is JSON, with a piece of what was printed."""
    pieces: list[str] = []
    for line in text.splitlines() if '"log":' in text else ():
        try:
            record = json.loads(line)
        except ValueError:
            return ""
        piece = record.get("log") if isinstance(record, dict) else None
        if not isinstance(piece, str):
            return ""
        pieces.append(piece)
    return "".join(pieces)


def _of_spreadsheet(text: str) -> str:
    return text.replace('""', '"') if re.search(r'[{\[]\s*""', text) else ""


def _of_powershell(text: str) -> str:
    return re.sub(r"`(.)", r"\1", text) if '`"' in text else ""


def _of_windows_shell(text: str) -> str:
    return re.sub(r"\^(\r?\n|.)", lambda found: found[1].strip("\r\n"), text) if '^"' in text else ""


def _with_straight_quotes(text: str) -> str:
    return text.translate(_SMART_QUOTES)


def _of_yaml(text: str) -> str:
    """Each fence of YAML, as JSON. Without a fence nothing would tell that its end was cut off."""
    values = [read(textwrap.dedent(found[1]).encode()).value for found in _YAML.finditer(text)]
    return "\n".join(json.dumps(value) for value in values if isinstance(value, dict | list))


CHANGES: tuple[Callable[[str], str], ...] = (
    str,
    _without_prefixes,
    html.unescape,
    _joined_records,
    _of_spreadsheet,
    _of_powershell,
    _of_windows_shell,
    _with_straight_quotes,
    _of_yaml,
)
"""What takes back a change; "" where the text has none of it. The first changes nothing."""
