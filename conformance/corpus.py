"""Where the bundled scenarios lie: inside the wheel, or beside the package in a checkout."""

from pathlib import Path

HERE = Path(__file__).parent


def bundled_scenarios() -> Path:
    """The folder of the corpus. Raises `FileNotFoundError` for a broken installation."""
    inside = HERE / "_scenarios"
    beside = HERE.parent / "scenarios"
    for folder in (inside, beside):
        if (folder / "scenario.schema.json").is_file():
            return folder
    raise FileNotFoundError(f"the bundled scenarios are neither in {inside} nor in {beside}; install again")
