"""Where things go in a project: its package, the adapter, the folder of scenarios. Writes nothing."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_conformance.commands.init.kinds import WRITTEN
from agent_conformance.commands.init.manifests import Manifests
from agent_conformance.commands.init.packing import setuptools_guesses

SCENARIOS, OWN_NAME, SCHEMA = "scenarios", "agent-scenarios", "scenario.schema.json"
_OURS = re.compile(rb"^conversation\s*:|scenario\.schema\.json", re.MULTILINE)
_NO_PACKAGE = frozenset(
    {
        "tests",
        "test",
        "docs",
        "scripts",
        "tools",
        "examples",
        "benchmarks",
        "migrations",
        SCENARIOS,
        "setup",
        "conftest",
    }
    | {Path(name).stem for name in WRITTEN}
)


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths are relative to the project's folder. `notes` say why something is not where it usually is.

    `package` is what the adapter would import; `python_path` what pytest must add to find it.
    """

    package: str
    python_path: tuple[str, ...]
    adapter: Path
    scenarios: Path
    notes: tuple[str, ...]

    @property
    def must_name_scenarios(self) -> bool:
        """Whether the configuration has to name the folder: pytest finds only `scenarios/` by itself."""
        return self.scenarios != Path(SCENARIOS)


def lay_out(folder: Path, manifests: Manifests, *, adapter: str, configured: Mapping[str, Any]) -> Layout:
    """`adapter` is the file's name, `configured` what the pytest configuration says."""
    package, source = _package(folder, manifests)
    guessing = setuptools_guesses(folder, manifests.pyproject) and source == "."
    scenarios, note = _scenarios_folder(folder, configured, guessing=guessing)
    notes = [note] if note else []
    place = Path(adapter)
    if guessing and adapter.endswith(".py") and not _packages_in(folder):
        place = Path("tests", adapter)
        notes.append("the adapter is in tests/: setuptools refuses a second module beside yours")
    return Layout(package, () if source == "." else (source,), place, scenarios, tuple(notes))


def _package(folder: Path, manifests: Manifests) -> tuple[str, str]:
    """The name to import, and the folder that it is imported from: `src`, or the project itself."""
    named = re.sub(r"\W+", "_", manifests.name.lower())
    for source in ("src", "."):
        found = [*_packages_in(folder / source), *_modules_in(folder / source)]
        if found:
            return (named if named in found else found[0]), source
    return named or "my_agent", "."


def _packages_in(folder: Path) -> list[str]:
    """The folders with modules in them, those with an `__init__.py` first."""
    found = {path.parent for path in folder.glob("*/*.py") if path.parent.name.isidentifier()}
    packages = sorted(found, key=lambda path: (not (path / "__init__.py").is_file(), path.name))
    return [path.name for path in packages if path.name not in _NO_PACKAGE]


def _modules_in(folder: Path) -> list[str]:
    names = (path.stem for path in folder.glob("*.py"))
    return sorted(name for name in names if name.isidentifier() and name not in _NO_PACKAGE)


def _scenarios_folder(folder: Path, configured: Mapping[str, Any], *, guessing: bool) -> tuple[Path, str]:
    """The folder, and the reason where it is another than `scenarios/`."""
    named = configured.get("agent_scenarios")
    for given in named.split() if isinstance(named, str) else named or ():
        return Path(str(given)), f"{given}/ is the folder that agent_scenarios names"
    if (folder / SCENARIOS).exists() and not _is_ours(folder / SCENARIOS):
        return Path(OWN_NAME), f"{SCENARIOS}/ holds something else, so the scenarios are in {OWN_NAME}/"
    if guessing:
        return Path(OWN_NAME), f"the folder is {OWN_NAME}/: setuptools would take one called {SCENARIOS} for a package"
    return Path(SCENARIOS), ""


def _is_ours(folder: Path) -> bool:
    """Whether a folder of this name has scenarios of ours in it, or nothing."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    texts = (path.read_bytes() for path in files if path.suffix in (".yaml", ".yml"))
    return not files or (folder / SCHEMA).is_file() or any(_OURS.search(text) for text in texts)
