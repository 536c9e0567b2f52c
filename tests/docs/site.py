"""The documentation site as `mkdocs.yml` and its hook lay it out. Needs no MkDocs, and builds nothing."""

from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import yaml

from tests.docs.documents import ROOT

CONFIGURATION: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))


def loaded_hook() -> Any:
    """The module that MkDocs runs while it builds the site."""
    [path] = CONFIGURATION["hooks"]
    spec = spec_from_file_location("site_hook", ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


HOOK = loaded_hook()


def pages_in_nav(entry: Any = None) -> Iterator[str]:
    """Every page that the navigation names, in its order."""
    entry = CONFIGURATION["nav"] if entry is None else entry
    if isinstance(entry, str):
        yield entry
        return
    for inner in entry.values() if isinstance(entry, dict) else entry:
        yield from pages_in_nav(inner)
