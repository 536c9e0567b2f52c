"""What a page says of an earlier run: which findings are new since then, which have changed, and which are fixed."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from agent_conformance.results.comparing import FindingChange, compare
from agent_conformance.results.model import CaseRecord, FindingResult, Results

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
