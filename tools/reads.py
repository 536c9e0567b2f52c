"""`python -m tools reads`: which part of a request each rule of the fakes reads, found by trial."""

import argparse
import json
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import fake_providers.rulebook
from fake_providers.http import Request
from fake_providers.provider_facts import own_provider
from fake_providers.registry import PROVIDERS, wire_for
from fake_providers.request_parts import PartReader
from fake_providers.rulebook import Reads, RequestContext, Rulebook
from fake_providers.wire import Wire

TABLE = Path(fake_providers.rulebook.__file__).with_name("reads.json")
PATHS = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic-messages": "/v1/messages",
    "gemini-generate": "/v1beta/models/gemini-2.5-flash:generateContent",
    "ollama-chat": "/api/chat",
    "bedrock-converse": "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse",
}
LISTS = ("messages", "input", "contents", "tools")
HEADERS = {"authorization": "Bearer x", "x-api-key": "x", "anthropic-version": "2023-06-01"}
MOST_PARTS = 40
COMPARES = re.compile(
    r"count|order|many|unique|twice|last|first|duplicate|modified|without-use|unknown-call|content-required|signature"
    r"|beside|deferred|whitespace|cache|config-missing|tools-missing|caller|provider-error"
    r"|^mistral/.*(?:type|member-missing|role-unknown)$"
)
"""In the id of a rule that compares parts or counts over them, although its samples may break it within one."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The rules that one body breaks: as a whole, and in any of its parts alone."""

    whole: frozenset[str]
    in_a_part: frozenset[str]


@contextmanager
def every_breach() -> Iterator[set[str]]:
    """Where all rules are checked, whatever was broken before: the ids of the broken ones are put into the set.

    A rule that raises, because it relies on an earlier one, says nothing.
    """
    found: set[str] = set()

    def judge_each(book: Rulebook, contexts: Any, provider: str, reads: Reads | None = None) -> None:
        for context in contexts:
            for rule, check, providers, only, *_ in book._entries:
                if (providers is None or provider in providers) and _breaks(check, only, context):
                    found.add(rule.id)

    with (
        mock.patch.object(Rulebook, "judge_each", judge_each),
        mock.patch.object(Rulebook, "has_any", return_value=True),
        mock.patch.object(PartReader, "read", return_value=None),
    ):
        yield found


def _breaks(check: Any, only: Any, context: RequestContext) -> bool:
    try:
        return (only is None or only(context)) and check(context) is not None
    except Exception:
        return False


def trials(provider: str, wire: Wire, chance: random.Random, count: int) -> Iterator[Trial]:
    lists = [name for name in LISTS if wire.name != "bedrock-converse" or name != "tools"]
    with every_breach() as found:

        def broken(path: str, headers: dict[str, str], body: dict[str, Any]) -> frozenset[str]:
            found.clear()
            try:
                wire.judge(Request("POST", path, headers, json.dumps(body).encode()), provider=provider)
            except Exception:
                return frozenset()  # what is checked between the books relies on what they refuse
            return frozenset(found)

        for path, headers, body in bodies(wire, chance, count):
            parts = [(name, part) for name in lists if isinstance(body.get(name), list) for part in body[name]]
            if not parts or len(parts) > MOST_PARTS:
                continue
            bare = {name: [] if name in lists and isinstance(value, list) else value for name, value in body.items()}
            alone = [broken(path, headers, {**bare, name: [part]}) for name, part in parts]
            yield Trial(broken(path, headers, body), frozenset().union(*alone))


def bodies(wire: Wire, chance: random.Random, count: int) -> Iterator[tuple[str, dict[str, str], dict[str, Any]]]:
    """The samples themselves, then `count` mixtures of two."""
    own = wire_for(own_provider(wire.name), wire.name)
    rules = [*wire.rules, *(() if own is wire else own.rules)]
    samples = [
        (rule.path if is_routed(wire, rule.path) else PATHS[wire.name], {**HEADERS, **(rule.headers or {})}, body)
        for rule in rules
        for body in (rule.breaking, rule.accepted)
        if isinstance(body, dict)
    ]
    yield from samples
    for _ in range(count):
        (path, headers, first), (_, more, second) = chance.choice(samples), chance.choice(samples)
        body = dict(first)
        other = chance.choice(list(second) or [""])
        if other not in LISTS and other and chance.random() < 0.3:
            body[other] = second[other]
        for name in LISTS:
            kind = chance.random()
            mixed = [*_items(first, name), *(_items(second, name) if kind < 0.9 else _items(first, name))]
            if mixed:
                if chance.random() < 0.2:
                    mixed = [piece for item in mixed for piece in _pieces(item)]
                if kind < 0.5:
                    chance.shuffle(mixed)
                body[name] = [item for item in mixed if kind < 0.8 or chance.random() < 0.7]
        yield path, {**headers, **more}, body


def is_routed(wire: Wire, path: str) -> bool:
    return bool(path) and wire.route(Request("POST", path, {}, b"{}")) is not None


def _items(body: dict[str, Any], name: str) -> list[Any]:
    found = body.get(name)
    return found if isinstance(found, list) else []


def _pieces(item: Any) -> list[Any]:
    """A message of several blocks as several of one."""
    for name in ("content", "parts"):
        if isinstance(item, dict) and isinstance(item.get(name), list) and item[name]:
            return [{**item, name: [block]} for block in item[name]]
    return [item]


def contradicted(found: Trial, table: dict[str, Reads]) -> frozenset[str]:
    """The rules that the table must not have as it does: because of them a refused body could be taken for accepted.

    Only whether anything is refused counts, as one broken rule may hide another of the same stage.
    """
    if found.whole:
        is_seen = not table.keys() >= found.whole or not found.in_a_part.isdisjoint(table)
        return frozenset() if is_seen else found.whole
    return found.in_a_part & table.keys()  # a part that is accepted here, and may be refused beside others


def all_trials(seed: int, count: int) -> list[Trial]:
    chance = random.Random(seed)
    return [
        trial
        for provider, names in PROVIDERS.items()
        for name in names
        for trial in trials(
            provider, wire_for(provider, name), chance, count if provider == own_provider(name) else count // 3
        )
    ]


def table_of(found: list[Trial]) -> dict[str, Reads]:
    broken = frozenset().union(*(trial.whole for trial in found))
    table: dict[str, Reads] = {rule: "parts" for rule in broken if not COMPARES.search(rule)}
    while wrong := [rules for trial in found if (rules := contradicted(trial, table))]:
        # Of several it is not known which one reads more; where one stands alone, it is.
        sure = [rules for rules in wrong if len(rules) == 1] or wrong[:1]
        for rule in frozenset().union(*sure):
            table.pop(rule, None)
    return table


SUMMARY = "try which part of a request each rule of the fakes reads"
DESCRIPTION = """\
Bodies are made of the samples of all rules: messages and tools of two samples, mixed, with the parameters of one of
them. A rule reads one part at a time where a body is refused exactly if one of its parts alone is, with the parameters.
Every other rule reads the whole, and so does a rule that no body breaks. What
the trial contradicts of the table is printed; exit code 1 if there is anything."""
EXAMPLES = """\
examples:
  python -m tools reads --seed 7
  python -m tools reads --write"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--bodies", type=int, default=1500, help="mixtures for each wire of its own provider")
    parser.add_argument("--write", action="store_true", help="renew the table by what is found")


def run(options: argparse.Namespace) -> int:
    found = all_trials(options.seed, options.bodies)
    if options.write:
        table = table_of(found)
        TABLE.write_text(json.dumps(table, indent=0, sort_keys=True) + "\n", encoding="utf-8")
        print(f"{len(table)} rules read less than the whole request")
        return 0
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    wrong = frozenset().union(*(contradicted(trial, table) for trial in found))
    print("\n".join(sorted(wrong)) or f"seed {options.seed}: {len(found)} bodies contradict nothing")
    return 1 if wrong else 0
