"""The subcommand `verdicts`: whether the fakes say the same as those of another revision, of made-up requests.

Of each provider and wire, the rules are compared in every field, and the verdicts on requests that are made by changing
the rules' samples: rule, status, body, place and confidence.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

SUMMARY = "compare the verdicts of the fakes with those of another revision"
DESCRIPTION = "Compare the rules of the fakes, and their verdicts on made-up requests, with those of another revision."
EXAMPLES = """\
examples:
  ./dev python -m tools verdicts HEAD~1
  ./dev python -m tools verdicts main --only mistral --requests 2000"""
HEADERS = {"authorization": "Bearer x", "x-api-key": "x", "anthropic-version": "2023-06-01"}
PATHS = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic-messages": "/v1/messages",
    "gemini-generate": "/v1beta/models/gemini-2.5-flash:generateContent",
    "ollama-chat": "/api/chat",
    "bedrock-converse": "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse",
    "cohere-chat": "/v2/chat",
}
VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    2.5,
    "",
    " ",
    "x",
    [],
    {},
    [1],
    ["a"],
    [[]],
    [{}],
    {"a": 1},
    10**30,
)
SHOWN, LONGEST = 10, 2000
"""Differences that are printed, and characters of each."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("revision", help="of git, or a folder with another `fake_providers`")
    parser.add_argument("--requests", type=int, default=100_000, help="over all providers and wires (100000)")
    parser.add_argument("--seed", type=int, default=2026, help="of what is made up (2026)")
    parser.add_argument("--only", default="", help="providers and wires with this text in `provider@wire`")


def run(options: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as folder:
        theirs = Path(options.revision)
        if not theirs.is_dir():
            archive = subprocess.run(["git", "archive", options.revision, "fakes"], check=True, capture_output=True)
            subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
            theirs = Path(folder, "fakes")
        ours = Path(__file__).parents[1] / "fakes"
        with _judging(theirs, options) as before, _judging(ours, options) as after:
            return _compare(before.stdout or (), after.stdout or ())


def _judging(fakes: Path, options: argparse.Namespace) -> "subprocess.Popen[str]":
    numbers = [str(options.requests), str(options.seed), options.only]
    return subprocess.Popen([sys.executable, __file__, str(fakes), *numbers], stdout=subprocess.PIPE, text=True)


def _compare(theirs: Iterable[str], ours: Iterable[str]) -> int:
    before = dict(line.rstrip("\n").split("\t", 1) for line in theirs)
    after = dict(line.rstrip("\n").split("\t", 1) for line in ours)
    different = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    for key in different[:SHOWN]:
        print(f"{key}\n  before {before.get(key, '')[:LONGEST]}\n  after  {after.get(key, '')[:LONGEST]}")
    for where, count in Counter(key.split()[0] for key in different).items():
        print(f"{where}: {count} different")
    refused = sum('"verdict": [' in line for line in after.values())
    print(f"{len(after)} rules and requests, {refused} refused, {len(different)} different")
    return 1 if different or not after else 0


def _print_all(requests: int, seed: int, only: str) -> None:
    """Prints a line of JSON for each rule and for each request; in a process with the fakes of one revision."""
    from fake_providers.registry import PROVIDERS, wire_for

    pairs = [(provider, name) for provider, names in sorted(PROVIDERS.items()) for name in names]
    pairs = [pair for pair in pairs if only in "@".join(pair)]
    for provider, name in pairs:
        wire = wire_for(provider, name)
        for rule in sorted(wire.rules, key=lambda rule: rule.id):
            fields = {field: repr(value) for field in sorted(rule.__struct_fields__) if (value := getattr(rule, field))}
            _print(f"{provider}@{name} rule {rule.id}", fields)
        _print(f"{provider}@{name} order", [rule.id for rule in wire.rules])
        chance = random.Random(f"{seed} {provider} {name}")
        for number, (path, headers, body) in enumerate(_made_up(wire, chance, requests // max(1, len(pairs)))):
            verdict = _verdict(wire, provider, path, headers, body)
            _print(f"{provider}@{name} request {number}", {"path": path, "body": body, "verdict": verdict})


def _print(key: str, value: Any) -> None:
    print(f"{key}\t{json.dumps(value)}")


def _verdict(wire: Any, provider: str, path: str, headers: dict[str, str], body: Any) -> Any:
    from fake_providers.http import Request

    try:
        found = wire.judge(Request("POST", path, headers, json.dumps(body).encode()), provider=provider)
    except Exception as error:
        return repr(error)
    return found and [found.rule, found.status, found.body, found.message, found.at, found.confidence, found.about]


def _made_up(wire: Any, chance: random.Random, count: int) -> Iterator[tuple[str, dict[str, str], Any]]:
    from fake_providers.http import Request

    rules = sorted((rule for rule in wire.rules if isinstance(rule.breaking, dict)), key=lambda rule: rule.id)
    samples = [
        (rule.path or PATHS[wire.name], {**HEADERS, **(rule.headers or {})}, body)
        for rule in rules
        for body in (rule.breaking, rule.accepted)
        if wire.route(Request("POST", rule.path or PATHS[wire.name], {}, b"{}")) is not None
    ]
    if not samples:
        return
    pool = [*VALUES, *(value for _, _, body in samples for value in _values(body))]
    for path, headers, body in samples:
        yield path, headers, body
    for _ in range(count):
        path, headers, body = chance.choice(samples)
        changed = deepcopy(body)
        if chance.random() < 0.2:
            changed |= deepcopy(chance.choice(samples)[2])
        for _ in range(chance.choice((1, 1, 2, 3))):
            _change(changed, pool, chance)
        yield path, headers, changed


def _values(value: Any) -> Iterator[Any]:
    yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _values(inner)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each container with a key of it."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


def _change(body: dict[str, Any], pool: list[Any], chance: random.Random) -> None:
    places = list(_places(body))
    if not places:
        return
    owner, key = chance.choice(places)
    kind = chance.random()
    if kind < 0.25:
        del owner[key]
    elif kind < 0.35 and isinstance(owner, list):
        owner.insert(key, deepcopy(chance.choice(owner)))
    elif kind < 0.45 and isinstance(owner, dict):
        owner[chance.choice(("type", "role", "content", "name", "id", "x"))] = deepcopy(chance.choice(pool))
    else:
        owner[key] = deepcopy(chance.choice(pool))


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    _print_all(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
