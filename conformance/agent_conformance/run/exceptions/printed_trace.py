"""A traceback that an agent in another process writes: in any language, as text. Knows how such texts name places."""

import re
from pathlib import Path

from agent_conformance.adapter.contract import CodePlace
from agent_conformance.scenario.yaml_files.problems import shown_path

MOST_LINES = 20
PLACE = re.compile(r'File "(?P<python>[^"]+)", line (?P<row>\d{1,9})|(?P<file>[^\s()"\']+\.\w{1,5}):(?P<line>\d{1,9})')
"""Python's own words, or `agent.mjs:12` as nearly all others write it."""
NOT_THE_AGENT = re.compile(r"node_modules/|node:|site-packages/|/rustc/|/usr/local/go/|/lib/python")


def place_in(text: str) -> CodePlace | None:
    """Where the agent crashed: the place that is nearest to the error, in code of its own if there is any."""
    found = list(PLACE.finditer(text))
    python = [CodePlace(_shown(one["python"]), int(one["row"])) for one in found if one["python"]]
    others = [CodePlace(_shown(one["file"]), int(one["line"])) for one in found if one["file"]]
    places = python[::-1] or others
    own = [place for place in places if not NOT_THE_AGENT.search(place.file)]
    return next(iter(own or places), None)


def shortened(text: str) -> str:
    """The first and the last lines: some tracebacks end with the reason, some begin with it."""
    lines = text.splitlines()
    if len(lines) <= MOST_LINES:
        return text
    half = MOST_LINES // 2
    left_out = len(lines) - 2 * half
    return "\n".join([*lines[:half], f"... {left_out} more lines (--tb=long)", *lines[-half:]])


def _shown(file: str) -> str:
    return shown_path(Path(file.removeprefix("file://")))
