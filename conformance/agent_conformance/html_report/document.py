"""One HTML file: the template with the script, the style and the data in it, and a policy that allows nothing else.

Of files it has the scenarios of its cases, and where the files of the agent can be read. Results may come from anybody:
nothing is read but scenarios, bundled ones and those below the working directory.
"""

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from agent_conformance.report_data.comparing import FindingChange, compare
from agent_conformance.report_data.model import CaseRecord, FindingResult, Results
from agent_conformance.scenario.files import SUFFIXES, bundled_scenarios
from fake_providers.wire_neutral_lines import printable

HERE = Path(__file__).parent


def document(headline: Mapping[str, Any], blocks: Sequence[tuple[str, str]]) -> str:
    """`headline` is from `headline_of`; `blocks` are elements with data, by name, and `packed` made them."""
    return _template().render(
        **headline,
        blocks=[(name, Markup(block)) for name, block in blocks],
        script=Markup(script()),
        style=Markup(style()),
        policy=policy(),
    )


def policy() -> str:
    """Nothing is loaded, sent or run but the page's own script and style, which their hashes name."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_hash(script())}'",
            f"style-src '{_hash(style())}'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


@cache
def script() -> str:
    """The files in order of their numbers, as one program."""
    parts = (path.read_text(encoding="utf-8") for path in sorted(HERE.glob("script/*.js")))
    return '\n"use strict";\n(() => {\n' + "\n".join(parts) + "})();\n"


@cache
def style() -> str:
    return (HERE / "style.css").read_text(encoding="utf-8")


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    return environment.get_template("page.html.j2")


def _shown(value: object) -> object:
    """What is no markup of ours gets escapes for marks that reorder or hide others."""
    return printable(value) if type(value) is str else value


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


AS_BEFORE = "as before"


@dataclass(frozen=True, slots=True)
class Changes:
    """`of` has what is new or has changed, by `<case id>#<finding id>`; `fixed` what is no more, by the case's id.

    `gaps` are the ids of cases and findings that cannot be compared.
    """

    of: Mapping[str, FindingChange]
    fixed: Mapping[str, Sequence[FindingChange]]
    gaps: Set[str]
    shown: Mapping[str, Any]
    """What the page shows above the list."""

    def since(self, case: CaseRecord, finding: FindingResult) -> str:
        """Empty for a finding that cannot be compared: advice, and what the earlier run says nothing of."""
        id = f"{case.id}#{finding.id}"
        if id in self.of:
            return self.of[id].kind
        return "" if finding.state not in ("new", "known") or {id, case.id} & self.gaps else AS_BEFORE


def changes_of(earlier: Results, later: Results) -> Changes:
    found = compare(earlier, later)
    fixed: dict[str, list[FindingChange]] = {}
    for change in found.fixed:
        fixed.setdefault(change.case, []).append(change)
    shown = {
        "started": earlier.started,
        "new": len(found.new),
        "fixed": len(found.fixed),
        "changed": len(found.changed),
        "same": found.same,
        "notes": found.notes,
        "not_comparable": [(gap.id, gap.why) for gap in found.not_comparable],
        "before": {change.finding: change.before for change in (*found.changed, *found.fixed)},
    }
    of = {change.finding: change for change in (*found.new, *found.changed)}
    return Changes(of, fixed, {gap.id for gap in found.not_comparable}, shown)


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
