"""The wheel and the source distribution, built once without a network."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.pins import ROOT


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with both, made by the build's own backend, which is installed and needs no environment of its own."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "NO_COLOR": "1"}, check=True, capture_output=True)
    return folder
