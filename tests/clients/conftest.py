"""Programs of the clients' folders, built once for all tests: examples, and the agents of `fixtures/`."""

import os
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

CLIENTS = Path(__file__).parents[2] / "clients"
TOOLCHAINS = {"node": "node", "go": "go", "php": "php", "rust": "cargo"}


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], list[str]]:
    """The command of a program, by its language and its place below the client's folder."""

    @cache
    def built(language: str, program: str) -> list[str]:
        if not shutil.which(TOOLCHAINS[language]):
            pytest.skip(f"{TOOLCHAINS[language]} is not installed")
        if language == "php":
            return ["php", str(CLIENTS / language / program)]
        source = copied(language)
        if language == "node":
            return ["node", str(source / program)]
        if language == "go":
            run_in(source, "go", "build", "-o", "built/" + program, "./" + program)
            return [str(source / "built" / program)]
        run_in(source, "cargo", "build", "--offline", "--quiet", "--example", Path(program).stem)
        return [str(source / "target/debug/examples" / Path(program).stem)]

    @cache
    def copied(language: str) -> Path:
        return Path(shutil.copytree(CLIENTS / language, tmp_path_factory.mktemp(language) / "client"))

    return built


def run_in(folder: Path, *command: str) -> None:
    """Run a toolchain, without the network."""
    environment = {
        **os.environ,
        "CARGO_TARGET_DIR": str(folder / "target"),
        "GOFLAGS": "-mod=mod",
        "GOTOOLCHAIN": "local",
    }
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
