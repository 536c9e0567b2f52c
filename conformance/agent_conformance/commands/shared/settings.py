"""The pytest configuration of a project: which file has it, what it says, and adding keys without touching the rest.

Lines are put in below the header of the section, or at the end of the file under a header of their own. The result is
read again: anything but the old keys and the new ones is a reason not to write.
"""

import configparser
import json
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

Value = str | list[str]

_INI_OPTIONS = ("tool", "pytest", "ini_options")
_SECTIONS: dict[str, tuple[tuple[str, ...], ...]] = {
    "pytest.toml": (("pytest",),),
    ".pytest.toml": (("pytest",),),
    "pytest.ini": (("pytest",),),
    ".pytest.ini": (("pytest",),),
    "pyproject.toml": (_INI_OPTIONS, ("tool", "pytest")),
    "tox.ini": (("pytest",),),
    "setup.cfg": (("tool:pytest",),),
}
"""The files that pytest looks at, in its order, and the sections that make one its configuration."""


class CannotAdd(Exception):
    """The keys cannot be added to this file without changing something else."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The file in force, or the one to begin. `inherited`: it lies in a folder above; a new one would replace it."""

    path: Path
    section: tuple[str, ...]
    values: Mapping[str, Any]
    inherited: bool = False

    @property
    def own(self) -> Mapping[str, Any]:
        """What the project itself says: a file above is about more than this project."""
        return {} if self.inherited else self.values

    @property
    def is_toml(self) -> bool:
        return self.path.suffix == ".toml"


def find_settings(folder: Path) -> Settings:
    """What pytest takes in this folder; where it finds nothing, pyproject.toml or a new pytest.ini."""
    for here in (folder, *folder.parents):
        for name in _SECTIONS:
            found = _settings_in(here / name)
            if found:
                return replace(found, inherited=here != folder)
    if (folder / "pyproject.toml").is_file():
        return Settings(folder / "pyproject.toml", _INI_OPTIONS, {})
    return Settings(folder / "pytest.ini", ("pytest",), {})


def python_path(folder: Path) -> list[Path]:
    """The folders that pytest adds to the path of imports here."""
    settings = find_settings(folder)
    named = settings.values.get("pythonpath") or ()
    return [settings.path.parent / path for path in (shlex.split(named) if isinstance(named, str) else named)]


def with_keys(settings: Settings, text: str, keys: Mapping[str, Value]) -> str:
    """The text of the file with these keys added. Raises `CannotAdd`."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = "".join(f"{line}{newline}" for line in lines_of(settings, keys))
    header = _header_of(settings)
    found = re.search(_header_pattern(settings), text, re.MULTILINE)
    if found:
        ends = "" if found[0].endswith("\n") else newline
        added = f"{text[: found.end()]}{ends}{lines}{text[found.end() :]}"
    else:
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        added = f"{text}{gap}{header}{newline}{lines}"
    try:
        old = _values(settings.path, text, settings.section) or {}
        new = _values(settings.path, added, settings.section)
    except (tomllib.TOMLDecodeError, configparser.Error) as error:
        raise CannotAdd(str(error)) from None
    written = keys if settings.is_toml else {key: " ".join([v] if isinstance(v, str) else v) for key, v in keys.items()}
    if new != {**old, **written}:
        raise CannotAdd(f"{_header_of(settings)} would not read as it does now")
    return added


def lines_of(settings: Settings, keys: Mapping[str, Value]) -> Iterator[str]:
    """The keys as lines of the file, without the header."""
    for key, value in keys.items():
        if settings.is_toml:
            yield f"{key} = {json.dumps(value, ensure_ascii=False)}"
        else:
            yield f"{key} = {value if isinstance(value, str) else ' '.join(value)}"


def _settings_in(path: Path) -> Settings | None:
    """None where the file is not there, cannot be read, or has no section of pytest's."""
    if not path.is_file():
        return None
    try:
        text = path.read_text(encoding="utf-8")
        for section in _SECTIONS[path.name]:
            values = _values(path, text, section)
            if values is not None:
                return Settings(path, section, values)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, configparser.Error):
        return None
    return Settings(path, ("pytest",), {}) if path.stem in ("pytest", ".pytest") else None


def _values(path: Path, text: str, section: tuple[str, ...]) -> dict[str, Any] | None:
    """The keys and values of a section, or None where there is no such section."""
    if path.suffix != ".toml":
        parser = configparser.ConfigParser(interpolation=None, strict=False, allow_no_value=True)
        parser.optionxform = str  # type: ignore[assignment,method-assign]
        parser.read_string(text)
        return dict(parser[section[0]]) if section[0] in parser else None
    table: Any = tomllib.loads(text)
    for name in section:
        table = table.get(name) if isinstance(table, dict) else None
    if section == ("tool", "pytest") and not table:  # pytest takes no notice of an empty one
        return None
    return table if isinstance(table, dict) else None


def _header_of(settings: Settings) -> str:
    return f"[{'.'.join(settings.section)}]"


def _header_pattern(settings: Settings) -> str:
    if not settings.is_toml:
        return rf"^\[{re.escape(settings.section[0])}\].*(?:\n|\Z)"
    names = r"\s*\.\s*".join(re.escape(name) for name in settings.section)
    return rf"^[ \t]*\[\s*{names}\s*\][ \t]*(?:#.*)?\r?(?:\n|\Z)"
