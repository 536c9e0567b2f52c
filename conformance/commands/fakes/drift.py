"""What has changed at a provider since its rules were written down: both requests of each rule, posted to the real one.

Costs money and needs a key, so nobody runs it by accident: not in CI unless told to. Knows rules and HTTP; no scenario.
"""

import base64
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import httpx2

from conformance.commands.fakes.check_request import path_of
from conformance.commands.fakes.provider_hosts import Account, CannotAsk, account_of
from conformance.commands.fakes.rules import all_rules
from fakes import Rule, Violation, judge
from fakes.wires.anthropic_messages.thinking_signatures import MARK as SIGNED_FOR_ANTHROPIC
from fakes.wires.gemini_generate.thought_signatures import MARK as SIGNED_FOR_GEMINI
from fakes.wires.openai_responses.encrypted_reasoning import PLAIN as SEALED_FOR_XAI

TIMEOUT = 120.0
SIGNED = tuple(base64.b64encode(mark).decode()[:12] for mark in (SIGNED_FOR_ANTHROPIC, SIGNED_FOR_GEMINI))
OURS = (*SIGNED, SEALED_FOR_XAI)
STATE = ('"previous_response_id"', '"item_reference"', '"conversation"')
"""What only the fakes have issued: signatures, and ids of responses. The real provider cannot know them."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Both requests of one rule, as they are posted."""

    rule: Rule
    wire: str
    path: str
    breaking: bytes
    accepted: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    sentence: str = ""

    @property
    def is_of_the_moment(self) -> bool:
        """Whether it says nothing of the request: a limit, a failure."""
        return self.status in (408, 409, 429) or self.status >= 500


@dataclass(frozen=True, slots=True)
class Change:
    """One rule's outcome in words, and what was expected and seen where they are not the same."""

    outcome: str
    details: tuple[str, ...] = ()


def drift(provider: str, *, base_url: str | None, only: str, yes: bool) -> int:
    """Prints a line for each rule; gives 1 where something has changed, 2 where nothing could be asked."""
    if os.environ.get("CI", "").lower() not in ("", "0", "false") and not yes:
        print("drift asks the real provider, which costs money and changes by itself: not in CI, or with --yes")
        return 2
    try:
        account = account_of(provider, os.environ, base_url=base_url)
    except CannotAsk as problem:
        print(problem, file=sys.stderr)
        return 2
    pairs, not_asked = pairs_of(provider, only)
    print(f"{provider}: {2 * len(pairs)} requests to {account.base_url}, one after the other", flush=True)
    for rule, reason in not_asked:
        print(f"{rule.id:52} not asked: {reason}")
    counts: dict[str, int] = {}
    try:
        with httpx2.Client(timeout=TIMEOUT) as client:
            for pair in pairs:
                change = compare(pair, provider, client, account)
                counts[change.outcome] = counts.get(change.outcome, 0) + 1
                print("\n".join([f"{pair.rule.id:52} {change.outcome}", *change.details]), flush=True)
    except (CannotAsk, httpx2.HTTPError) as problem:
        print(f"stopped: {problem or type(problem).__name__}", file=sys.stderr)
        return 2
    print(
        ", ".join(f"{count} {outcome}" for outcome, count in counts.items()) or f"no rule of {provider} matches {only}"
    )
    return int(any(outcome != "same" for outcome in counts))


def pairs_of(provider: str, only: str) -> tuple[list[Pair], list[tuple[Rule, str]]]:
    """What can be asked, and the rules that cannot be, with the reason."""
    pairs, not_asked = [], []
    for owner, wire, rule in all_rules():
        if owner != provider or not fnmatchcase(rule.id, only):
            continue
        breaking, accepted = _content(rule.breaking), _content(rule.accepted)
        both = (breaking + accepted).decode("latin-1")
        if rule.breaking is None and rule.accepted is None:
            not_asked.append((rule, "no body shows it"))
        elif any(mark in both for mark in (*OURS, *STATE)):
            not_asked.append((rule, "its requests hold what only the fake has issued"))
        else:
            path = rule.path or path_of(provider, wire, rule.accepted)
            pairs.append(Pair(rule, wire, path, breaking, accepted))
    return pairs, not_asked


def _content(body: Any) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def compare(pair: Pair, provider: str, client: httpx2.Client, account: Account) -> Change:
    """Posts both requests. Raises `CannotAsk` where the key is refused."""
    headers = {"content-type": "application/json", **(pair.rule.headers or {})}
    known = judge(provider, pair.path, pair.breaking, headers)
    assert known is not None, f"{pair.rule.id} does not refuse its own breaking request"
    refused = _post(client, account, pair, pair.breaking, expected=known.status)
    accepted = _post(client, account, pair, pair.accepted, expected=200)
    outcomes = [*_of_the_refused(refused, known), *_of_the_accepted(accepted)]
    if not outcomes:
        return Change("same")
    return Change(", ".join(words for words, _ in outcomes), tuple(line for _, line in outcomes))


def _of_the_refused(seen: Answer, known: Violation) -> Iterator[tuple[str, str]]:
    was = f"  was  {known.status} {known.message}"
    now = f"\n  is   {seen.status} {seen.sentence}"
    if seen.status < 300:
        yield "accepted now", was
    elif seen.is_of_the_moment and seen.status != known.status:
        yield f"no answer ({seen.status})", f"  said {seen.sentence}"
    elif seen.status != known.status:
        yield "other status", was + now
    elif comparable(seen.sentence) != comparable(sentence_of(known.body)):
        yield "other words", was + now


def _of_the_accepted(seen: Answer) -> Iterator[tuple[str, str]]:
    if seen.is_of_the_moment:
        yield f"no answer ({seen.status})", f"  said {seen.sentence}"
    elif seen.status >= 300:
        yield "refused now", f"  the accepted request: {seen.status} {seen.sentence}"


def _post(client: httpx2.Client, account: Account, pair: Pair, body: bytes, *, expected: int) -> Answer:
    """Of an accepted request the status alone is read: nobody needs the answer."""
    headers = {"content-type": "application/json", **account.headers(pair.wire), **(pair.rule.headers or {})}
    url = account.base_url + account.located(pair.path)
    with client.stream("POST", url, content=body, headers=headers) as response:
        if response.status_code < 300:
            return Answer(response.status_code)
        sentence = sentence_of(response.read().decode(errors="replace"))
    if response.status_code in (401, 403) and response.status_code != expected:
        raise CannotAsk(f"{pair.rule.id}: {response.status_code} {sentence}")
    return Answer(response.status_code, sentence)


def sentence_of(body: Any) -> str:
    """The sentence of an error body, whatever its envelope: an object, a list of one, or a text."""
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except ValueError:
            return str(body).strip()
    if isinstance(body, list):
        body = body[0] if body else {}
    if not isinstance(body, Mapping):
        return str(body)
    error = body.get("error")
    told = error.get("message") if isinstance(error, Mapping) else body.get("message") or body.get("detail") or error
    return told if isinstance(told, str) else json.dumps(told, sort_keys=True)


def comparable(sentence: str) -> str:
    """Without ids, numbers and the length of white space."""
    return " ".join(re.sub(r"[\w-]*\d[\w-]*", "#", sentence).split())
