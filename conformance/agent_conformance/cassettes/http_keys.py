"""Recorded headers and addresses without their keys. What it takes away, `SECRETS` learns, so no output shows it."""

import json
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit, urlunsplit

from agent_conformance.cassettes.exchange import Headers
from agent_conformance.transcripts.redaction import SECRETS, is_secret
from agent_conformance.transcripts.secret_names import is_named_as_secret

KEY_HEADERS = frozenset(
    ("authorization", "proxy-authorization", "api-key", "x-api-key", "x-goog-api-key", "cookie", "set-cookie")
)
KEY_PARAMETERS = frozenset(("key", "access_token", "code", "sig", "signature"))
HIDDEN = "REDACTED"
"""What stands in a query for a key, so that it is plain that there was one."""


def is_key_header(name: str) -> bool:
    return name in KEY_HEADERS or is_named_as_secret(name)


def headers_without_keys(headers: Iterable[tuple[str, str]]) -> Headers:
    """The same with names in lower case, and without those that hold keys."""
    kept = []
    for name, value in ((name.lower(), value) for name, value in headers):
        if is_key_header(name):
            learn_key(name, value)
        else:
            kept.append((name, value))
    return tuple(kept)


def url_without_keys(url: str) -> str:
    """The address without user and password, and with the keys in its query hidden."""
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    learn_key("password", parts.password or "")
    host = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else parts.hostname or ""
    return urlunsplit((parts.scheme, f"{host}{port}", parts.path, _query(parts.query), ""))


def _query(query: str) -> str:
    pairs = parse_qsl(query, keep_blank_values=True)
    if not any(_is_key_parameter(name) for name, _ in pairs):
        return query
    for name, value in pairs:
        if _is_key_parameter(name):
            learn_key(name, value)
    hidden = ((name, HIDDEN if _is_key_parameter(name) else value) for name, value in pairs)
    return "&".join(f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in hidden)


def _is_key_parameter(name: str) -> bool:
    return name.lower() in KEY_PARAMETERS or is_named_as_secret(name)


def learn_key(name: str, value: str) -> None:
    """Whoever sends it has it: from now on it is shown by its name."""
    for word in {value, value.rpartition(" ")[2]}:
        if is_secret(word):
            SECRETS.learn(name.upper().replace("-", "_"), word)


def keys_in_body(body: bytes) -> Iterator[tuple[str, str]]:
    """Members of a JSON body that are keys by their names and by their looks: of a server of tools, for instance.

    A `key` in the arguments of a call may be any word, so a value without digits or with blanks is none.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return
    stack: list[Any] = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, list):
            stack += current
        elif isinstance(current, dict):
            for name, member in current.items():
                if isinstance(member, str) and is_key_header(name.lower()) and _looks_like_a_key(member):
                    yield name, member
                else:
                    stack.append(member)


def _looks_like_a_key(value: str) -> bool:
    last = value.removeprefix("Bearer ")
    return not any(c.isspace() for c in last) and any(c.isdigit() for c in last) and any(c.isalpha() for c in last)
