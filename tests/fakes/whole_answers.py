"""What each provider answers, byte for byte: every kind of reply and every failure, plain and streamed.

`whole_answers/` has them, with requests that set each member that the provider takes. Writing them anew prints what has
changed.
"""

import ast
import inspect
import json
import re
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import Any, NamedTuple

from fake_providers import CannotExpress, Fault, Reply, ReplyContext, Request, Response, Source, Usage, Wire
from fake_providers.ids import Ids
from fake_providers.provider_facts import facts_by_provider
from fake_providers.registry import WIRES, wire_for
from tests.fakes.goldens import Goldens
from tests.fakes.refusals_of_rules import rules_to_break
from tests.fakes.shapes.fake_responses import CITIES, MODES, REPLIES, STATUSES, TARGETS, requests_of
from tests.fakes.test_expressible import REPLIES as ODD_REPLIES

FILES = Goldens("whole_answers", ".jsonl.xz")
FAKES = Path(inspect.getfile(Wire)).parent
MORE_STATUSES = (402, 405, 408, 409, 413, 424, 498, 502, 504)
MORE_REPLIES: dict[str, Reply] = {
    **ODD_REPLIES,
    "counted": Reply(text="Yes.", thinking="Hm.", usage=Usage(input=90, output=40, cached=30, reasoning=20)),
    "own ids": Reply(text="Yes.", calls=CITIES[:1], id="of-its-own", item_ids=("item-1", "item-2")),
    "two blocks": Reply(blocks=("One. ", "Two."), thoughts=("First.", "Second.")),
    "part of a source": Reply(text="It is so.", sources=(Source("https://example.org/a", "A page", text="so"),)),
    "no text, stopped": Reply(text="", finish="stop"),
    "calls cut off": Reply(calls=CITIES[:2], finish="length"),
}
VALUES: tuple[Any, ...] = (0.25, 3, 300, False, "low", {"a": "b"}, "auto", True)
"""What a member of a request is tried with, before the values that samples of rules have."""
LEFT_OUT = {"background", "stream", "n", "model"}
"""Members that make another kind of answer."""
NAME = re.compile(r"[a-z]\w{2,30}")
REPEATED_BY = ("text", "thinking", "three calls")
"""The replies to requests that set everything; the others differ in nothing that a request says."""


class Asked(NamedTuple):
    """A request, and whether it sets all that the provider takes."""

    provider: str
    wire: str
    mode: str
    number: int
    request: Request
    is_full: bool

    @property
    def name(self) -> str:
        return f"{self.provider} {self.wire} {self.mode} {'full ' * self.is_full}{self.number}"


def answers(asked: Asked) -> Iterator[tuple[str, str]]:
    """The answer to this request for each kind of reply and each status. What the wire cannot express is left out."""
    wire = wire_for(asked.provider, asked.wire)
    replies = {kind: REPLIES[kind] for kind in REPEATED_BY} if asked.is_full else REPLIES
    if not asked.number and not asked.is_full:
        replies = {**replies, **MORE_REPLIES}
    for kind, reply in replies.items():
        context = ReplyContext(asked.request, asked.provider, Ids(f"{asked.provider} {kind}"))
        try:
            yield kind, text_of(wire.encode(reply, context))
        except CannotExpress:
            continue
    for status in () if asked.number or asked.is_full else (*STATUSES, *MORE_STATUSES):
        context = ReplyContext(asked.request, asked.provider, Ids("failure"))
        failed = wire.fail(Fault(status=status, retry_after=2.0 if status == 429 else None), context)
        yield str(status), text_of(failed)


def text_of(response: Response) -> str:
    """The status, the headers, and each chunk in a line of its own, with what is not text as an escape."""
    headers = [f"{name}: {value}" for name, value in response.headers]
    body = [chunk.decode("utf-8", "backslashreplace").rstrip("\n") for chunk in response.chunks]
    return "\n".join((str(response.status), *headers, "", *body))


def written() -> dict[str, Any]:
    """`full`: the members of requests that set everything, by provider and wire; `answers`: by request and kind."""
    lines = FILES.read()
    return {sort: {line["of"]: line[sort] for line in lines if sort in line} for sort in ("full", "answers")}


def asked_of(full: dict[str, list[dict[str, Any]]], targets: Sequence[tuple[str, str]] = TARGETS) -> Iterator[Asked]:
    for provider, wire in targets:
        for mode in MODES:
            requests = list(requests_of(provider, wire, mode))
            for number, request in enumerate(requests):
                yield Asked(provider, wire, mode, number, request, is_full=False)
            for number, members in enumerate(full[f"{provider} {wire}"]):
                yield Asked(provider, wire, mode, number, _with(requests[0], members), is_full=True)


def _with(request: Request, members: dict[str, Any]) -> Request:
    return Request(
        request.method, request.path, request.headers, json.dumps({**json.loads(request.body), **members}).encode()
    )


def full_requests() -> dict[str, list[dict[str, Any]]]:
    """For each provider and wire the members that it takes, twice: each with the first and with the last such value."""
    samples = _values_of_samples()
    return {
        f"{provider} {wire}": [
            _members_taken(provider, wire, samples[wire], values) for values in (VALUES, VALUES[::-1])
        ]
        for provider, wire in TARGETS
    }


def _members_taken(provider: str, wire: str, samples: dict[str, list[Any]], values: tuple[Any, ...]) -> dict[str, Any]:
    plain = next(requests_of(provider, wire, "plain"))
    there = json.loads(plain.body)
    members: dict[str, Any] = {}
    for name in sorted((_names_read(provider, wire) | samples.keys()) - there.keys() - LEFT_OUT):
        for value in (*values, *samples[name]) if name in samples else values[:3]:
            request = _with(plain, {**members, name: value})
            if wire_for(provider, wire).judge(request, provider=provider) is None:
                members[name] = value
                break
    return members


def _values_of_samples() -> dict[str, dict[str, list[Any]]]:
    """By wire, the values that samples give to each member of a request."""
    found: dict[str, dict[str, list[Any]]] = {wire: {} for wire in WIRES}
    for wire, rule in rules_to_break():
        for name, value in rule.accepted.items() if isinstance(rule.accepted, dict) else ():
            known = found[wire.name].setdefault(name, [])
            if value not in known and len(known) < 5:
                known.append(value)
    return found


def _names_read(provider: str, wire: str) -> set[str]:
    """What the code of this provider and wire asks of anything by name: `body.get("seed")`."""
    folders = [
        FAKES / "providers" / facts_by_provider()[provider].folder,
        *(FAKES / "wires" / name for name in (wire.replace("-", "_"), "openai_shared")),
    ]
    return {
        argument.value
        for folder in folders
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        for argument in node.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str) and NAME.fullmatch(argument.value)
    }


def write() -> None:
    before: dict[str, dict[str, str]] = written()["answers"]
    full = full_requests()
    after = {asked.name: dict(answers(asked)) for asked in asked_of(full)}
    for name in before.keys() | after.keys() if before else ():
        for kind in before.get(name, {}).keys() | after.get(name, {}).keys():
            old, new = (texts.get(name, {}).get(kind, "").splitlines() for texts in (before, after))
            for line in unified_diff(old, new, f"{name}: {kind}, as written", "now", lineterm="", n=0):
                print(line)
    found = [(name, "full", members) for name, members in full.items()]
    found += [(name, "answers", texts) for name, texts in after.items()]
    FILES.write((name.split()[0], {"of": name, sort: value}) for name, sort, value in found)
