"""A folder with one scenario of a project's own."""

from pathlib import Path

import pytest

SCENARIO = """\
# The model called a tool that does not exist, and the agent crashed.
description: an invented tool is answered
profile: hardened
wires: [openai-chat]
modes: [plain]

tools:
  - name: get_weather
    description: Current weather for a city.
    parameters: {city: string}
    returns: 7 degrees and rain

conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_wether, arguments: {city: Oslo}}]
      - text: I do not know.
"""


@pytest.fixture
def scenarios(tmp_path: Path) -> Path:
    path = tmp_path / "incidents" / "invented-tool.yaml"
    path.parent.mkdir()
    path.write_text(SCENARIO)
    return tmp_path
