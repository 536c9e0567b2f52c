"""One HTML file: the template with the script, the style and the data in it, and a policy that allows nothing else."""

import base64
import hashlib
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from agent_conformance.report_data.comparing import FindingChange, compare
from agent_conformance.report_data.model import CaseRecord, FindingResult, Results
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
