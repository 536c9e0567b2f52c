"""Where the bundled scenarios are: inside the wheel, or next to the package in a checkout."""

from functools import cache
from pathlib import Path

from conformance.scenario.problems import shown_path

HERE = Path(__file__).resolve().parents[1]


def bundled_scenarios() -> Path:
    """The folder of the corpus. Raises `FileNotFoundError` for a broken installation."""
    in_wheel, in_checkout = HERE / "_scenarios", HERE.parent / "scenarios"
    if in_wheel.is_dir():
        return in_wheel
    if (in_checkout / "scenario.schema.json").is_file() or (in_checkout / "README.md").is_file():
        return in_checkout
    raise FileNotFoundError(f"the bundled scenarios are neither in {in_wheel} nor in {in_checkout}; install again")


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
