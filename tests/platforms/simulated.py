"""Running the project's tests, and programs of them, as if the system were another one."""

import os
import sys
from pathlib import Path

STARTUP = Path(__file__).parent / "startup"
NAMES = ("windows", "macos")


def environment_of(platform: str) -> dict[str, str]:
    """In which Python, and each that it starts, runs as if on this platform."""
    path = os.pathsep.join(filter(None, (str(STARTUP), os.environ.get("PYTHONPATH"))))
    encoding = {"PYTHONIOENCODING": "cp1252"} if platform == "windows" else {}
    return {**os.environ, "SIMULATED_PLATFORM": platform, "PYTHONPATH": path, **encoding}


def simulate(platform: str) -> None:
    """In this process, and in those that it starts. Call it before the packages are imported."""
    os.environ.update(environment_of(platform))
    sys.path.insert(0, str(STARTUP))
    from lacking import take_away  # type: ignore[import-not-found, unused-ignore]

    take_away(platform)
