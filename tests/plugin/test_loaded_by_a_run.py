"""A run loads what its cases need, and nothing that only a report or a search needs."""

import os
import subprocess
import sys
from pathlib import Path

RUN = """
import sys, pytest
options = ["-p", "pytest_agent_conformance", "--agent=agent_conformance.reference:Adapter", "-q"]
status = pytest.main([*options, "round-trip/answer-with-a-schema", "--agent-wire=openai-chat"])
print("status", int(status), *(name for name in ("jinja2", "hypothesis") if name in sys.modules))
"""


def test_a_run_without_report_and_search_loads_what_neither_needs(tmp_path: Path) -> None:
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    done = subprocess.run(
        [sys.executable, "-c", RUN], cwd=tmp_path, env=alone, capture_output=True, text=True, check=False
    )

    assert done.stdout.splitlines()[-1] == "status 0", done.stdout + done.stderr
