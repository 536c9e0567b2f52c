"""Where the bundled scenarios lie: inside the wheel, or beside the package in a checkout."""

from pathlib import Path

HERE = Path(__file__).resolve().parents[1]


def bundled_scenarios() -> Path:
    """The folder of the corpus. Raises `FileNotFoundError` for a broken installation."""
    inside, beside = HERE / "_scenarios", HERE.parent / "scenarios"
    if inside.is_dir():
        return inside
    if (beside / "scenario.schema.json").is_file() or (beside / "README.md").is_file():
        return beside
    raise FileNotFoundError(f"the bundled scenarios are neither in {inside} nor in {beside}; install again")
