"""How this suite was installed, and what pip takes to install more of it or the same elsewhere.

No package index has the suite, so nothing that is printed or written may tell pip its name alone, unless it came from
an index. What its extras need is on the index: that is named instead.
"""

import json
import shlex
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from urllib.parse import urlsplit

DISTRIBUTION = "pytest-agent-conformance"
ELSEWHERE = "git+https://YOUR-HOST/agent-conformance.git"
"""In place of an address that is not known, to be filled in by a person."""


def requirements_of(extra: str) -> tuple[str, ...]:
    """What an extra of the suite brings, such as `mcp>=2.3`, as the installed suite declares it."""
    try:
        declared = distribution(DISTRIBUTION).requires or ()
    except PackageNotFoundError:  # the packages are on the path, and nobody has installed them
        return ()
    parts = (line.partition(";") for line in declared)
    return tuple(name.strip() for name, _, marker in parts if marker.split() in _markers(extra))


def _markers(extra: str) -> list[list[str]]:
    return [["extra", "==", f"{quote}{extra}{quote}"] for quote in "'\""]


def install_command(extra: str) -> str:
    """The command that adds what an extra brings to an installed suite."""
    found = requirements_of(extra)
    return f"pip install {shlex.join(found)}" if found else f"install the suite with its extra `{extra}`"


def suite_for_pip() -> str:
    """What pip takes for the suite on another machine, its name or its address; "" where it came from a file."""
    try:
        return _origin(distribution(DISTRIBUTION))
    except PackageNotFoundError:
        return ""


def _origin(installed: Distribution) -> str:
    """From PEP 610's record of a direct reference, which an installation from an index has not."""
    text = installed.read_text("direct_url.json")
    if text is None:
        return DISTRIBUTION
    record = json.loads(text)
    url = str(record["url"])
    if urlsplit(url).scheme == "file" or urlsplit(url).password:  # pip leaves secrets out, and others may not
        return ""
    return f"git+{url}@{record['vcs_info']['commit_id']}" if "vcs_info" in record else url
