"""What has changed at a provider since its rules were written down: both requests of each rule, posted to the real one.

It costs money and needs a key, so it does not run in CI without `--yes`. Knows rules and HTTP; no scenario.
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

from agent_conformance.cassettes.decoding import path_of
from agent_conformance.explain import all_rules
from fake_providers import Rule, Violation, judge
from fake_providers.wires.anthropic_messages.thinking_signatures import MARK as SIGNED_FOR_ANTHROPIC
from fake_providers.wires.gemini_generate.thought_signatures import MARK as SIGNED_FOR_GEMINI
from fake_providers.wires.openai_responses.request import PLAIN as ENCRYPTED_FOR_XAI
from tools.drift.provider_accounts import Account, CannotConnect, account_of

TIMEOUT = 120.0
SIGNATURES = tuple(base64.b64encode(mark).decode()[:12] for mark in (SIGNED_FOR_ANTHROPIC, SIGNED_FOR_GEMINI))
OURS = (*SIGNATURES, ENCRYPTED_FOR_XAI)
STATE = ('"previous_response_id"', '"item_reference"', '"conversation"')
"""Marks of what only the fakes issue: signatures, and ids of responses. The real provider cannot know them."""


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
    def is_temporary(self) -> bool:
        """Whether it says nothing about the request: a rate limit, a failure."""
        return self.status in (408, 409, 429) or self.status >= 500


@dataclass(frozen=True, slots=True)
class Change:
    """The outcome of one rule, with lines on what was expected and what came if they differ."""

    outcome: str
    details: tuple[str, ...] = ()


def drift(provider: str, *, base_url: str | None, only: str, yes: bool) -> int:
    """Print a line for each rule. 1: something has changed; 2: no request could be made."""
    if os.environ.get("CI", "").lower() not in ("", "0", "false") and not yes:
        print("drift sends requests to the real provider, which costs money. Give --yes to run it in CI.")
        return 2
    try:
        account = account_of(provider, os.environ, base_url=base_url)
    except CannotConnect as problem:
        print(problem, file=sys.stderr)
        return 2
    pairs, left_out = pairs_of(provider, only)
    print(f"{provider}: {2 * len(pairs)} requests to {account.base_url}, one after the other", flush=True)
    for rule, reason in left_out:
        print(f"{rule.id:52} not tried: {reason}")
    counts: dict[str, int] = {}
    try:
        with httpx2.Client(timeout=TIMEOUT) as client:
            for pair in pairs:
                change = compare(pair, provider, client, account)
                counts[change.outcome] = counts.get(change.outcome, 0) + 1
                print("\n".join([f"{pair.rule.id:52} {change.outcome}", *change.details]), flush=True)
    except (CannotConnect, httpx2.HTTPError) as problem:
        print(f"stopped: {problem or type(problem).__name__}", file=sys.stderr)
        return 2
    print(
        ", ".join(f"{count} {outcome}" for outcome, count in counts.items()) or f"no rule of {provider} matches {only}"
    )
    return int(any(outcome != "same" for outcome in counts))


def pairs_of(provider: str, only: str) -> tuple[list[Pair], list[tuple[Rule, str]]]:
    """The pairs to post, and the rules that cannot be tried, with the reason."""
    pairs, left_out = [], []
    for owner, wire, rule in all_rules():
        if owner != provider or not fnmatchcase(rule.id, only):
            continue
        breaking, accepted = _content(rule.breaking), _content(rule.accepted)
        both = (breaking + accepted).decode("latin-1")
        if rule.breaking is None and rule.accepted is None:
            left_out.append((rule, "no request body shows it"))
        elif any(mark in both for mark in (*OURS, *STATE)):
            left_out.append((rule, "its requests contain what only the fake issues"))
        else:
            path = rule.path or path_of(provider, wire, rule.accepted)
            pairs.append(Pair(rule, wire, path, breaking, accepted))
    return pairs, left_out


def _content(body: Any) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def compare(pair: Pair, provider: str, client: httpx2.Client, account: Account) -> Change:
    """Post both requests. Raises `CannotConnect` if the key is refused."""
    headers = {"content-type": "application/json", **(pair.rule.headers or {})}
    known = judge(provider, pair.path, pair.breaking, headers)
    assert known is not None, f"{pair.rule.id} does not refuse its own breaking request"
    refused = _post(client, account, pair, pair.breaking, expected=known.status)
    accepted = _post(client, account, pair, pair.accepted, expected=200)
    outcomes = [*_changes_of_refusal(refused, known), *_changes_of_acceptance(accepted)]
    if not outcomes:
        return Change("same")
    return Change(", ".join(outcome for outcome, _ in outcomes), tuple(line for _, line in outcomes))


def _changes_of_refusal(answer: Answer, known: Violation) -> Iterator[tuple[str, str]]:
    was = f"  was  {known.status} {known.message}"
    now = f"\n  is   {answer.status} {answer.sentence}"
    if answer.status < 300:
        yield "accepted now", was
    elif answer.is_temporary and answer.status != known.status:
        yield f"no answer ({answer.status})", f"  got  {answer.sentence}"
    elif answer.status != known.status:
        yield "other status", was + now
    elif comparable(answer.sentence) != comparable(sentence_of(known.body)):
        yield "other message", was + now


def _changes_of_acceptance(answer: Answer) -> Iterator[tuple[str, str]]:
    if answer.is_temporary:
        yield f"no answer ({answer.status})", f"  got  {answer.sentence}"
    elif answer.status >= 300:
        yield "refused now", f"  the accepted request: {answer.status} {answer.sentence}"


def _post(client: httpx2.Client, account: Account, pair: Pair, body: bytes, *, expected: int) -> Answer:
    """Of a response that accepts the request only the status is read, unless a refusal may stand in its stream."""
    headers = {"content-type": "application/json", **account.headers(pair.wire), **(pair.rule.headers or {})}
    url = account.base_url + account.located(pair.path)
    with client.stream("POST", url, content=body, headers=headers) as response:
        if response.status_code < 300:
            first = next(response.iter_lines(), "") if expected >= 300 else ""
            is_refused = first.startswith('data: {"error"')  # DashScope refuses a streamed request so
            return Answer(expected, sentence_of(first[6:])) if is_refused else Answer(response.status_code)
        sentence = sentence_of(response.read().decode(errors="replace"))
    if response.status_code in (401, 403) and response.status_code != expected:
        raise CannotConnect(f"{pair.rule.id}: {response.status_code} {sentence}")
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
    message = error.get("message") if isinstance(error, Mapping) else body.get("message") or body.get("detail") or error
    return message if isinstance(message, str) else json.dumps(message, sort_keys=True)


def comparable(sentence: str) -> str:
    """The sentence without ids, numbers and the length of white space."""
    return " ".join(re.sub(r"[\w-]*\d[\w-]*", "#", sentence).split())
