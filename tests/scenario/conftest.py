from collections.abc import Callable
from pathlib import Path

import pytest

from agent_conformance.scenario.loading import ScenarioFile, load_file
from agent_conformance.scenario.yaml_files import Problem

Load = Callable[..., ScenarioFile | list[Problem]]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Writes a scenario below a temporary root and loads it from there."""

    def load(text: str | bytes, name: str = "tool-names/a.yaml") -> ScenarioFile | list[Problem]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return load_file(path, root=tmp_path)

    return load
