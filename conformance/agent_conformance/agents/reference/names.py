"""Tool names that every provider accepts, one for each tool. Knows no wire: the strictest pattern fits all."""

import hashlib
import re
from collections.abc import Iterable, Mapping

VALID = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
LONGEST = 64


def wire_name(name: str) -> str:
    """The name if every provider accepts it, else the nearest one that they accept."""
    if VALID.fullmatch(name):
        return name
    safe = re.sub(r"[^A-Za-z0-9_-]", "_", name)
    return (safe if VALID.match(safe) else f"t_{safe}")[:LONGEST]


def wire_names(names: Iterable[str]) -> Mapping[str, str]:
    """From each tool's own name to its name on the wire. Valid names stay as they are; no two tools share one."""
    wanted = list(dict.fromkeys(names))
    taken = {name for name in wanted if wire_name(name) == name}
    mapping: dict[str, str] = {}
    for name in wanted:
        candidate = wire_name(name)
        if candidate != name and candidate in taken:
            digest = hashlib.sha256(name.encode(errors="replace")).hexdigest()[:6]
            candidate = f"{candidate[: LONGEST - 7]}_{digest}"
        taken.add(candidate)
        mapping[name] = candidate
    return mapping
