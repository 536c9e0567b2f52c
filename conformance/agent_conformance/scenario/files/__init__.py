"""Which files and ids are scenarios, and which of them a run is about; and where the bundled ones are."""

from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]


@cache
def bundled_scenarios() -> Path:
    """The folder of the corpus. Raises `FileNotFoundError` for a broken installation."""
    in_wheel, in_checkout = HERE / "_scenarios", HERE.parents[1] / "scenarios"
    if in_wheel.is_dir():
        return in_wheel
    if (in_checkout / "scenario.schema.json").is_file() or (in_checkout / "README.md").is_file():
        return in_checkout
    raise FileNotFoundError(f"the bundled scenarios are neither in {in_wheel} nor in {in_checkout}; install again")
