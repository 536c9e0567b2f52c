"""Why nothing provokes a rule: a closed list of reasons, and which rules have them."""

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, get_args

import yaml

from agent_conformance.scenario.problems import did_you_mean

Reason = Literal[
    "out of an agent's reach",
    "other endpoint",
    "needs media",
    "needs a model that no scenario names",
    "key or quota",
    "duplicate of another rule",
]

FILE = Path(__file__).with_name("reasons.yaml")


class WrongReasons(ValueError):
    """The file has a reason that is not on the list, or a rule that is not known."""


def reasons(rules: Iterable[str], path: Path = FILE) -> dict[str, Reason]:
    """By rule. Raises `WrongReasons`, with the name of the file."""
    known = list(rules)
    found: dict[str, Reason] = {}
    for reason, ids in yaml.safe_load(path.read_text(encoding="utf-8")).items():
        if reason not in get_args(Reason):
            raise WrongReasons(f"{path}: {reason!r} is none of the reasons: {', '.join(get_args(Reason))}")
        for id in ids:
            found.update(dict.fromkeys(_matching(id, known, path), reason))
    return found


def _matching(id: str, known: list[str], path: Path) -> Iterator[str]:
    matching = [rule for rule in known if fnmatchcase(rule, id)]
    if not matching:
        raise WrongReasons(f"{path}: no rule of the default run matches {id}.{did_you_mean(id, known)}")
    return iter(matching)
