"""What `fuzz` prints and writes: each discovery as it comes, and what the search was. Judges nothing."""

import argparse
import re
import shlex
import sys
from pathlib import Path

from agent_conformance.fuzz.search import Counts, Discovery
from agent_conformance.minimise.documents import yaml_text
from agent_conformance.minimise.edits import size
from agent_conformance.record.redaction import redacted
from agent_conformance.report.run_record import label

MOST_ERRORS = 5


def say_discovery(found: Discovery, seed: int, options: argparse.Namespace) -> None:
    """Write its scenario, and say what it is, where it stands and how to run it."""
    target = f"{found.target.wire}+{found.target.mode}"
    lines = [f"{found.finding.id}   document {found.number}, {target}"]
    one = found.finding
    said = {"at": one.at, "refused": one.refused, "expected": one.expected, "got": one.got}
    lines += [f"  {name:9} {_in_a_line(text)}" for name, text in said.items() if text]
    if found.unsteady:
        lines.append(
            f"  not reproduced: {found.unsteady}. No scenario is written; --seed={seed} --start={found.number}"
        )
    else:
        path = _written(found, seed, options)
        more = "" if found.is_smallest else f"; --shrink-runs={options.shrink_runs} ended it, and it may become smaller"
        lines.append(f"  scenario  {path}: {size(found.document)} characters, after {found.runs} runs{more}")
        lines.append(f"  rerun     pytest --agent={shlex.quote(options.agent)} {path}")
    print(redacted("\n".join(lines)), flush=True)


def _written(found: Discovery, seed: int, options: argparse.Namespace) -> Path:
    comment = "\n".join(
        (
            f"Found by agent-conformance fuzz --agent={options.agent} {_again(found, seed)}.",
            f"The finding: {label(found.finding.subject.kind, *found.kind, 2)}",
        )
    )
    path = _free(options.to, found.kind[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(redacted(yaml_text(found.document, _short_lines(comment))), encoding="utf-8")
    return path


def _again(found: Discovery, seed: int) -> str:
    """The options that try the same document again."""
    return f"--seed={seed} --start={found.number} --examples=1"


def _short_lines(comment: str) -> str:
    return "\n".join(line if len(line) <= 122 else f"{line[:118]} ..." for line in redacted(comment).splitlines())


def _free(folder: Path, cause: str) -> Path:
    """A name after the cause that no file has yet: files of earlier runs stay."""
    name = re.sub(r"[^a-z0-9]+", "-", cause.lower()).strip("-") or "finding"
    number = 1
    while (path := folder / (f"{name}.yaml" if number == 1 else f"{name}-{number}.yaml")).exists():
        number += 1
    return path


def _in_a_line(text: str) -> str:
    line = " ".join(redacted(text).split())
    return line if len(line) <= 160 else f"{line[:156]} ..."


def say_summary(counts: Counts, seed: int, found: int, seconds: float, options: argparse.Namespace) -> None:
    what = f"{found} new kind{'' if found == 1 else 's'} of findings" if found else "nothing new"
    print(f"seed {seed}: {counts.documents} documents, {what}, {seconds:.0f} s")
    if counts.known:
        times = counts.known.total()
        print(f"  {len(counts.known)} kinds that were known came {times} times, and are left out")
    elif found and not (options.known or options.corpus):
        print("  what the scenarios find is not left out: --known=DIR of a run with --agent-report, or --corpus")
    if counts.without_a_case:
        print(f"  {counts.without_a_case} documents need what this agent does not declare")
    if counts.of_the_reference:
        numbers = ", ".join(map(str, counts.of_the_reference))
        print(f"  left out, since the reference agent has findings there too: documents {numbers}. Please report them")
    for reason, times in counts.errors.most_common(MOST_ERRORS):
        print(f"  no verdict, {times} times: {_in_a_line(reason)}", file=sys.stderr)
