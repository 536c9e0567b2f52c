"""Freezes a version of the corpus: `./dev python -m tests.corpus.freeze 2026.12`."""

import sys
from pathlib import Path

from agent_conformance.judge.laws import LAWS
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.loading import AREAS, load_folder
from agent_conformance.scenario.versions import FOLDER, written
from fake_providers.registry import rule_ids


def freeze(name: str) -> Path:
    """Write the version of today's corpus under this name. Raises `FileExistsError`: a version is never changed."""
    files, problems = load_folder(bundled_scenarios(), areas=AREAS)
    if problems:
        raise ValueError("\n".join(map(str, problems)))
    path = bundled_scenarios() / FOLDER / f"{name}.txt"
    text = written(files, laws=[law.id for law in LAWS], rules=rule_ids())
    with path.open("x", encoding="utf-8") as file:
        file.write(text)
    return path


if __name__ == "__main__":
    print(freeze(sys.argv[1]))
