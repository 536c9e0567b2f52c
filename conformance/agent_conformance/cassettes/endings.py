"""Where a cassette ends and something else begins in the same file. Readers stop at the end of the list of entries."""

import json
import re

from agent_conformance.scenario.files.id_patterns import cassette_format

_NO_YAML = re.compile(r"""^(?![\s#%?]|- |-\s*$|---|\.\.\.|[\w"'-]+\s*:)""", re.MULTILINE)
"""A line that is not indented, and begins neither a member nor an item."""
ABOUT = "the cassette ends before this line, which is something else. Give one file for each."


def line_after_the_end(text: str) -> int | None:
    """The first line that is no part of the cassette; None where there is none, or where each line is an entry."""
    kind = cassette_format(text)
    end = None
    if kind in ("har", "aimock", "vcr-json"):
        end = _end_of_json(text)
    elif kind == "vcr-yaml":
        found = _NO_YAML.search(text)
        end = found.start() if found else None
    rest = "" if end is None else text[end:].lstrip()
    return text.count("\n", 0, len(text) - len(rest)) + 1 if rest else None


def _end_of_json(text: str) -> int | None:
    try:
        return json.JSONDecoder().raw_decode(text, len(text) - len(text.lstrip()))[1]
    except (ValueError, RecursionError):
        return None
