"""What a reference within a JSON Schema points at."""

from collections.abc import Mapping
from typing import Any


def referred(reference: str, root: Any) -> Any:
    """`#/$defs/Contact` in `root`; None for what points nowhere or elsewhere."""
    found = root
    for part in reference.removeprefix("#").strip("/").split("/"):
        name = part.replace("~1", "/").replace("~0", "~")
        found = found.get(name) if isinstance(found, Mapping) else None
    return found
