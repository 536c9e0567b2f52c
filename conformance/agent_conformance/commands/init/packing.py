"""Whether pip can install a project, as far as its files say. Knows what setuptools finds where nobody names the
packages; writes nothing.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_KEYS = ("packages", "py-modules", "py_modules", "package-dir", "package_dir")
# fmt: off
_LEFT_OUT = frozenset({
    "ci", "bin", "debian", "doc", "docs", "documentation", "manpages", "news", "newsfragments", "changelog", "test",
    "tests", "unit_test", "unit_tests", "integration_test", "integration_tests", "example", "examples", "scripts",
    "tools", "util", "utils", "python", "build", "benchmark", "benchmarks", "exercise", "exercises", "htmlcov",
    "tasks", "fabfile", "site_scons", "setup", "conftest", "toxfile", "noxfile", "pavement", "dodo", "conanfile",
    "manage",
})
# fmt: on
"""Folders and modules that setuptools does not take for part of a package."""


def can_be_installed(folder: Path, pyproject: Mapping[str, Any]) -> bool:
    """Whether `pip install .` can work: a name, a version, and one package or module that setuptools finds."""
    poetry = pyproject.get("tool", {}).get("poetry", {})
    project = pyproject.get("project")
    if project is None:
        return bool(poetry.get("package-mode", bool(poetry))) or (folder / "setup.py").is_file()
    has_version = "version" in project or "version" in project.get("dynamic", ()) or "version" in poetry
    if "name" not in project or not has_version:
        return False
    return not setuptools_guesses(folder, pyproject) or (folder / "src").is_dir() or len(_top_level(folder)) <= 1


def setuptools_guesses(folder: Path, pyproject: Mapping[str, Any]) -> bool:
    """Whether setuptools packs all folders that it finds: it does where nobody says what the packages are."""
    system = pyproject.get("build-system") or {}
    if not system and (folder / "uv.lock").is_file():  # uv builds nothing then
        return False
    built = bool(system) or "project" in pyproject or (folder / "setup.py").is_file()
    if not built or not str(system.get("build-backend", "setuptools")).startswith("setuptools"):
        return False
    if any(key in pyproject.get("tool", {}).get("setuptools", {}) for key in _KEYS):
        return False
    said = [folder / name for name in ("setup.py", "setup.cfg")]
    return not any(
        re.search(rf"\b(?:{'|'.join(_KEYS)})\s*=", path.read_text(encoding="utf-8", errors="replace"))
        for path in said
        if path.is_file()
    )


def _top_level(folder: Path) -> list[str]:
    """The folders that setuptools takes for packages; where there is none, the modules."""
    folders = [path.name for path in folder.iterdir() if path.is_dir()]
    modules = [path.stem for path in folder.glob("*.py")]
    for names in (folders, modules):
        found = [name for name in names if name.isidentifier() and not name.startswith("_") and name not in _LEFT_OUT]
        if found:
            return found
    return []
