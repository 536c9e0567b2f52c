"""The rows of the leaderboard, made from judged cases, and the page made from the rows. Runs nothing."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from agent_conformance.scenario.loading import AREAS

FORMAT = 1
PROFILES = ("core", "hardened")
SMOKE = "smoke"
NO_LONGER = "no longer holds"
LETTERS = {
    "openai-chat": "c",
    "openai-responses": "r",
    "anthropic-messages": "a",
    "gemini-generate": "g",
    "ollama-chat": "o",
    "bedrock-converse": "b",
}
PARTS = {
    "sample": "one example of each scenario, since each case takes seconds",
    "core": "nothing yet",
    "smoke": "what is in `smoke`, and of `core` no more than that",
}
"""Of `hardened`, what agents that are judged in a part run."""
COUNTED = ("passed", "failed", "not verified")
COLUMN = {"pass": "passed", "fail": "failed", "not-verified": "not verified"}

HEAD = """# Ready-made adapters, judged

<!-- written by `./dev python -m tools leaderboard` from leaderboard.json; do not edit -->

The whole corpus, run against each framework or program with its defaults, behind the adapter of its name in
`conformance/agent_conformance/agents/ready_made/`. `core` has well-formed replies and histories; `hardened` has sloppy
models, broken histories and failing providers. What an agent cannot do at all is *not verified*. Every failing pair of
agent and finding was reviewed by hand; [verdicts](verdicts) has the results.

Each cell: passed / failed / not verified. Wires: c chat completions, r Responses, a Anthropic Messages, g Gemini,
o Ollama, b Bedrock Converse.
"""


def row_of(
    name: str,
    version: str,
    wires: Iterable[str],
    cases: Iterable[Mapping[str, Any]],
    *,
    day: str,
    part: str = "",
) -> Any:
    """One agent's row of the JSON, from the result of each case: `case`, `profile`, `outcome`, `findings`, ..."""
    cases = list(cases)
    judged = [case for case in cases if case["outcome"] in COLUMN]
    return {
        "agent": name,
        "version": version,
        "date": day,
        "wires": list(wires),
        "cases": len(cases),
        **({"sample": PARTS[part]} if part else {}),
        "tools executed": sum(case["executions"] for case in cases),
        "errors": sorted(case["case"] for case in cases if case["outcome"] == "error"),
        "profiles": {profile: _counts(c for c in judged if c["profile"] == profile) for profile in PROFILES},
        "areas": {area: _counts(c for c in judged if area_of(c["case"]) == area) for area in AREAS},
        "failing": failing_of(cases),
    }


def failing_of(cases: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The findings of level `must`, as `area/scenario#finding`: in how many cases, and the first of them."""
    pairs: dict[str, dict[str, Any]] = {}
    for case in cases:
        for finding in case["findings"]:
            if finding["level"] == "must":
                pair = pairs.setdefault(
                    f"{scenario_of(case['case'])}#{finding['id']}", {"cases": 0, "first": case["case"]}
                )
                pair["cases"] += 1
    return dict(sorted(pairs.items()))


def with_areas(row: Mapping[str, Any], again: Mapping[str, Any], areas: Iterable[str]) -> Any:
    """The row with these areas as they were judged `again`. Raises `ValueError` where its figures do not allow that.

    It counts tools and profiles for all areas together, so what is replaced must have judged nothing, and what replaces
    it must be of one profile.
    """
    profiles = [profile for profile in PROFILES if any(again["profiles"][profile].values())]
    if again["version"] != row["version"] or again["wires"] != row["wires"] or len(profiles) != 1:
        raise ValueError("another version, other wires or several profiles: judge all areas")
    areas = list(areas)
    if judged := [area for area in areas if any(row["areas"].get(area, {}).get(column) for column in COUNTED[:2])]:
        raise ValueError(f"{', '.join(judged)} had been judged before: judge all areas")
    counts = dict(row["profiles"][profiles[0]])
    for area in areas:
        for column in COUNTED:
            counts[column] += again["areas"][area][column] - row["areas"].get(area, {}).get(column, 0)
    before = sum(row["areas"].get(area, {}).get("not verified", 0) for area in areas)
    return {
        **row,
        "again": row.get("again", {}) | dict.fromkeys(areas, again["date"]),
        "cases": row["cases"] + again["cases"] - before,
        "tools executed": row["tools executed"] + again["tools executed"],
        "errors": sorted([*row["errors"], *again["errors"]]),
        "profiles": row["profiles"] | {profiles[0]: counts},
        "areas": row["areas"] | {area: again["areas"][area] for area in areas},
        "failing": dict(sorted((row["failing"] | again["failing"]).items())),
    }


def held(row: Mapping[str, Any], newest: Mapping[str, Any] | str, *, day: str) -> Any:
    """The row, and what of it no longer holds: the findings over `smoke` of the `newest` release that it has not, or
    why there are none.
    """
    new = newest
    if not isinstance(newest, str):
        others = [*newest["errors"], *(pair for pair in newest["failing"] if pair not in row["failing"])]
        new = unfit(newest) or ", ".join(others)
    version = "" if isinstance(newest, str) else newest["version"]
    kept = {name: value for name, value in row.items() if name != NO_LONGER}
    return kept | ({NO_LONGER: {"version": version, "date": day, "why": new}} if new else {})


def unfit(row: Mapping[str, Any]) -> str:
    """Why the row is not listed, as it says nothing about its agent; empty if it may be listed."""
    if not row["tools executed"]:
        return "no tool was executed"
    if not any(counts["passed"] for counts in row["profiles"].values()):
        return "no case passed"
    return ""


def table(leaderboard: Mapping[str, Any]) -> str:
    """The Markdown page: how each agent did, then area by area."""
    rows = leaderboard["agents"]
    lines = [
        HEAD,
        "| agent | date | wires | cases | core | hardened | tools executed |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        wires = " ".join(LETTERS[wire] for wire in row["wires"])
        core, hardened = (_cell(row["profiles"][profile]) for profile in PROFILES)
        cells = (_agent(row), row["date"], wires, row["cases"], core, hardened, row["tools executed"])
        lines.append(f"| {' | '.join(map(str, cells))} |")
    lines.append("")
    for sample in sorted({row["sample"] for row in rows if "sample" in row}):
        slow = ", ".join(row["agent"] for row in rows if row.get("sample") == sample)
        lines += [f"Of `hardened`, {slow} ran {sample}.", ""]
    for day in sorted({day for row in rows for day in row.get("again", {}).values()}):
        added = (
            f"{', '.join(area for area, one in row['again'].items() if one == day)} of {row['agent']}"
            for row in rows
            if day in row.get("again", {}).values()
        )
        lines += [f"Judged later, on {day}: {'; '.join(added)}.", ""]
    for row in rows:
        if one := row.get(NO_LONGER):
            newest = f"its newest release {one['version']}".rstrip()
            lines += [f"Grey: {row['agent']}. On {one['date']}, {newest} did otherwise over `smoke`: {one['why']}.", ""]
    lines += [f"| area | {' | '.join(_agent(row) for row in rows)} |", "|---|" + "---|" * len(rows)]
    lines += [f"| {area} | {' | '.join(_cell(row['areas'].get(area, {})) for row in rows)} |" for area in AREAS]
    if leaderboard["not listed"]:
        lines += ["", "Not listed:", ""]
        lines += [f"- {entry['agent']}: {entry['reason']}" for entry in leaderboard["not listed"]]
    return "\n".join(lines) + "\n"


def scenario_of(case: str) -> str:
    return example_of(case).partition("[")[0]


def example_of(case: str) -> str:
    return case.partition("@")[0]


def area_of(case: str) -> str:
    return case.partition("/")[0]


def _counts(cases: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    counted = Counter(COLUMN[case["outcome"]] for case in cases)
    return {column: counted[column] for column in COUNTED}


def _cell(counts: Mapping[str, int]) -> str:
    return " / ".join(str(counts[column]) for column in COUNTED) if any(counts.values()) else "-"


def _agent(row: Mapping[str, Any]) -> str:
    name = f"{row['agent']} {row['version']}"
    return f'<span style="color: grey">{name}</span>' if NO_LONGER in row else name
