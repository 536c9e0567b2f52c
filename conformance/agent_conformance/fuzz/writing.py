"""The file of a discovery: the smallest scenario that has the finding, with how it was found."""

import re
from pathlib import Path

from agent_conformance.fuzz.search import Discovery
from agent_conformance.minimise.documents import yaml_text
from agent_conformance.transcripts.redaction import redacted

FOLDER = Path("scenarios", "fuzzed")
"""In the project, where nothing else is said."""
LARGEST_SEED = 2**32


def write_scenario(found: Discovery, folder: Path, *, agent: str, seed: int, about: str) -> Path:
    """In a file of its own: those of earlier searches stay. `about` is the finding's cause in words."""
    again = f"--seed={seed} --start={found.number} --examples=1"
    comment = redacted(f"Found by agent-conformance fuzz --agent={agent} {again}.\nThe finding: {about}")
    short = "\n".join(line if len(line) <= 122 else f"{line[:118]} ..." for line in comment.splitlines())
    path = _free(folder, found.kind[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(redacted(yaml_text(found.document, short)), encoding="utf-8")
    return path


def _free(folder: Path, cause: str) -> Path:
    """A name after the cause that no file has yet."""
    name = re.sub(r"[^a-z0-9]+", "-", cause.lower()).strip("-") or "finding"
    number = 1
    while (path := folder / (f"{name}.yaml" if number == 1 else f"{name}-{number}.yaml")).exists():
        number += 1
    return path
