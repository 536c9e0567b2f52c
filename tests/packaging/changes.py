"""What an environment has otherwise than a file of pins: `uv pip freeze | python -m tests.packaging.changes FILE`."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def changes(installed: Iterable[str], pinned: Iterable[str]) -> Iterator[str]:
    """A line for each package: another version, a new one, or one that is no longer needed on this machine."""
    now, before = dict(pairs(installed)), dict(pairs(pinned))
    for name in sorted(now.keys() | before.keys()):
        if name not in before:
            yield f"  {name} {now[name]} (new)"
        elif name not in now:
            yield f"  {name} {before[name]} (no longer installed)"
        elif now[name] != before[name]:
            yield f"  {name} {before[name]} -> {now[name]}"


def pairs(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Names and versions of what is pinned for this machine; the project itself, by its path, is none of them."""
    for line in lines:
        if "==" not in line or line.lstrip().startswith("#"):
            continue
        pin = Requirement(line.strip())
        if pin.marker is None or pin.marker.evaluate():
            yield canonicalize_name(pin.name), next(iter(pin.specifier)).version


if __name__ == "__main__":
    print(*changes(sys.stdin, Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()), sep="\n")
