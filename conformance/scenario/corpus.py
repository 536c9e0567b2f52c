"""Where the bundled scenarios lie: inside the wheel, or beside the package in a checkout."""

from functools import cache
from pathlib import Path

from conformance.scenario.problems import shown_path

HERE = Path(__file__).resolve().parents[1]


def bundled_scenarios() -> Path:
    """The folder of the corpus. Raises `FileNotFoundError` for a broken installation."""
    inside, beside = HERE / "_scenarios", HERE.parent / "scenarios"
    if inside.is_dir():
        return inside
    if (beside / "scenario.schema.json").is_file() or (beside / "README.md").is_file():
        return beside
    raise FileNotFoundError(f"the bundled scenarios are neither in {inside} nor in {beside}; install again")


def path_in_findings(path: Path, project: Path | None) -> str:
    """A scenario's path as findings show it: of the bundled corpus, or from the project, else from here or in full."""
    corpus = _corpus()
    if corpus is not None and path.resolve().is_relative_to(corpus):
        return f"scenarios/{path.resolve().relative_to(corpus).as_posix()}"
    return shown_path(path, project)


@cache
def _corpus() -> Path | None:
    try:
        return bundled_scenarios().resolve()
    except FileNotFoundError:
        return None
