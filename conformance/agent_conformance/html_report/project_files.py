"""What a page has of files: the scenarios of its cases, and where the files of the agent can be read.

Results may come from anybody: nothing is read but scenarios, bundled ones and those below the working directory.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from agent_conformance.report_data.model import CaseRecord
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.files.id_patterns import SUFFIXES

MOST_OF_SCENARIO = 40_000
"""Characters of a scenario's file."""


def code_links(cases: Iterable[CaseRecord], address: str, folder: Path) -> dict[str, str]:
    """The files of the agent that findings name and that are here: where they can be read, or the way to them from the
    folder of the page, for the editor of who has the page beside them. The page itself names no path of the machine.
    """
    here = Path.cwd()
    inside = folder.resolve().is_relative_to(here)
    way = "../" * len(folder.resolve().relative_to(here).parts) or "./" if inside else ""
    root = address or way
    origins = (finding.origin for case in cases for finding in case.findings if finding.origin is not None)
    names = sorted({origin.in_agent.file for origin in origins})
    return {
        name: f"{root}{quote(name)}"
        for name in names
        if root and not Path(name).is_absolute() and _is_below(here / name, here)
    }


def scenario_texts(cases: Iterable[CaseRecord]) -> dict[str, str]:
    """The files of these cases by the scenario's id."""
    texts: dict[str, str] = {}
    bundled, here = bundled_scenarios(), Path.cwd()
    for scenario, file in {case.scenario: case.file for case in cases}.items():
        named = here / re.sub(r":\d+(-\d+)?$", "", file)
        for path, root in ((bundled / f"{scenario}.yaml", bundled), (named, here)):
            text = _scenario_text(path, root)
            if text is not None:
                texts[scenario] = text
                break
    return texts


def _scenario_text(path: Path, root: Path) -> str | None:
    """The beginning of this file below the root; None for any other path, and for one that cannot be read."""
    try:
        if not {path.suffix, path.resolve().suffix} <= {*SUFFIXES} or not _is_below(path, root):
            return None
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(MOST_OF_SCENARIO)
    except (OSError, ValueError, RuntimeError):
        return None


def _is_below(path: Path, root: Path) -> bool:
    try:
        return path.is_file() and path.resolve().is_relative_to(root.resolve())
    except (OSError, ValueError, RuntimeError):  # such as no permission, a null byte, and links in a circle
        return False
