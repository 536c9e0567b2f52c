"""Which files and ids are scenarios, and which of them a run is about.

Here are the folder of the bundled ones, and patterns of ids: the names of a case, and which patterns match them.
"""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

HERE = Path(__file__).resolve().parents[2]


@cache
def bundled_scenarios() -> Path:
    """The folder of the corpus. Raises `FileNotFoundError` for a broken installation."""
    in_wheel, in_checkout = HERE / "_scenarios", HERE.parents[1] / "scenarios"
    if in_wheel.is_dir():
        return in_wheel
    if (in_checkout / "scenario.schema.json").is_file() or (in_checkout / "README.md").is_file():
        return in_checkout
    raise FileNotFoundError(f"the bundled scenarios are neither in {in_wheel} nor in {in_checkout}; install again")


SUFFIXES = (".yaml", ".yml")
"""The suffixes of files that may be scenarios."""


class Patterns:
    """Several patterns at once: a thousand pasted ids are looked up, and only those with `*` or `?` are matched."""

    def __init__(self, patterns: Iterable[str]) -> None:
        given = tuple(patterns)
        self._plain = frozenset(pattern for pattern in given if not is_glob(pattern))
        self._heads = frozenset(map(head_of, self._plain))
        self._globs = tuple(filter(is_glob, given))

    def match(self, case_id: str) -> bool:
        names = names_of(case_id)
        return not self._plain.isdisjoint(names) or any(matches(pattern, case_id) for pattern in self._globs)

    def could_match(self, scenario_id: str) -> bool:
        names = (scenario_id, scenario_id.rpartition("/")[0])
        return not self._heads.isdisjoint(names) or any(could_match(pattern, scenario_id) for pattern in self._globs)


@cache
def _regex(pattern: str) -> re.Pattern[str]:
    """`*` and `?` match; brackets are those of an example's name."""
    return re.compile("".join({"*": ".*", "?": "."}.get(char, re.escape(char)) for char in pattern), re.DOTALL)


def names_of(case_id: str) -> tuple[str, ...]:
    """The names of a case: its id, those of its example, its scenario and its area, and its id without the example."""
    example, _, target = case_id.rpartition("@")
    scenario = example.partition("[")[0]
    return case_id, example, scenario, scenario.rpartition("/")[0], f"{scenario}@{target}"


def matches_text(pattern: str, text: str) -> bool:
    """Whether the whole text is as the pattern says."""
    return _regex(pattern).fullmatch(text) is not None


def matches(pattern: str, case_id: str) -> bool:
    """Whether a pattern is a name of this case."""
    return any(_regex(pattern).fullmatch(name) for name in names_of(case_id))


def matches_whole(pattern: str, scenario_id: str) -> bool:
    """Whether a pattern names this scenario, or its area."""
    return any(_regex(pattern).fullmatch(name) for name in (scenario_id, scenario_id.rpartition("/")[0]))


def could_match(pattern: str, scenario_id: str) -> bool:
    """Whether a case of this scenario may match: false only when its name rules that out."""
    head = head_of(pattern)
    if "*" in head:
        literal = re.split(r"[*?]", head, maxsplit=1)[0]
        return scenario_id.startswith(literal) or literal.startswith(scenario_id)
    return matches_whole(head, scenario_id)


def is_glob(pattern: str) -> bool:
    return "*" in pattern or "?" in pattern


def head_of(pattern: str) -> str:
    """The part that is about the scenario's id."""
    return re.split(r"[\[@]", pattern, maxsplit=1)[0]


def case_and_finding(text: str) -> tuple[str, str]:
    """The case and the finding in `round-trip/zero@openai-chat+plain#1.reply`; without `#` it is the case alone."""
    case, _, finding = text.partition("#")
    return case, finding


def kind_and_name(text: str) -> tuple[str, str]:
    """What an entry about many findings names: `law paired`, `area round-trip`; a pattern of findings has no name."""
    kind, _, name = text.partition(" ")
    return kind, name


def without_finding(argument: str) -> str:
    """An id as a pattern: a finding's id means its case, and `scenarios/area/x.yaml` the scenario."""
    pattern = case_and_finding(argument)[0].rstrip("/")
    if "@" not in pattern and pattern.endswith(SUFFIXES):
        pattern = pattern.rpartition(".")[0]
    return pattern.removeprefix("./").removeprefix("scenarios/")


CassetteFormat = Literal["agent-conformance", "aimock", "har", "langchain", "vcr-json", "vcr-yaml"]

LOOKED_AT = 64 * 1024
"""Characters at the beginning of a file that show its format."""
RECORDINGS_SUFFIXES = (*SUFFIXES, ".json", ".jsonl", ".har")
"""The suffixes of files that may be cassettes, where a folder is searched for them."""

_JSON: tuple[tuple[CassetteFormat, str], ...] = (
    ("aimock", r'"fixtures"\s*:\s*\['),
    ("vcr-json", r'"(?:http_)?interactions"\s*:\s*\['),
)
_UNSAFE = re.compile(r"[^\w.-]+")
"""Characters that mean something in the id of a case, or in a shell."""


def cassette_format(text: str) -> CassetteFormat | None:
    """What the text of a file is a cassette of; None for any other file."""
    head = text[:LOOKED_AT].lstrip("\ufeff \t\r\n")
    if head.startswith("{"):
        if re.match(r'\{\s*"cassette"\s*:', head):
            return "agent-conformance"
        for name, pattern in _JSON:
            if re.search(pattern, head):
                return name
        is_har = re.search(r'"log"\s*:\s*\{', head) and re.search(r'"(?:entries|creator|version)"\s*:', head)
        return "har" if is_har else None
    if re.search(r"^(?:http_)?interactions\s*:", text, re.MULTILINE):
        return "vcr-yaml"
    if re.search(r"^requests\s*:", text, re.MULTILINE) and re.search(r"^responses\s*:", text, re.MULTILINE):
        return "langchain"
    return None


def is_cassette(path: Path) -> bool:
    """By the name and the beginning. A `.har` file is meant as one, whatever is in it."""
    if path.suffix not in RECORDINGS_SUFFIXES or path.name.startswith((".", "_")):
        return False
    return path.suffix == ".har" or _begins_as_one(path)


def cassettes_below(folder: Path) -> list[Path]:
    """The cassettes that are no YAML, in order of their paths; hidden files and folders are left out."""
    found = (path for suffix in RECORDINGS_SUFFIXES if suffix not in SUFFIXES for path in folder.rglob(f"*{suffix}"))
    shown = (path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts))
    return sorted(filter(is_cassette, shown))


def safe_name(name: str) -> str:
    """The name of a file or folder as a part of an id: `test_add[two]` becomes `test_add-two`."""
    return _UNSAFE.sub("-", name).strip("-") or "cassette"


@lru_cache(maxsize=4096)
def _begins_as_one(path: Path) -> bool:
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return cassette_format(file.read(LOOKED_AT).decode(errors="replace")) is not None
    except OSError:
        return False
