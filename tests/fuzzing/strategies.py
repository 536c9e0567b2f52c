"""Requests for one provider on one wire: right ones, right ones with changes, any JSON, any bytes, odd headers.

What a wire has a meaning for (paths, keys, words, numbers) comes from the samples of its rules.
"""

import gzip
import json
import zlib
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from fake_providers import Wire, provider_wires
from fake_providers.models import default_model
from fake_providers.provider_facts import own_provider
from fake_providers.registry import wire_for
from tests.fuzzing.fuzz_request import FuzzRequest, Headers
from tests.wire_samples import BODIES, PATHS

KEYS: Headers = (
    ("content-type", "application/json"),
    ("authorization", "Bearer any"),
    ("api-key", "any"),
    ("x-api-key", "any"),
    ("x-goog-api-key", "any"),
    ("anthropic-version", "2023-06-01"),
)
HEADERS = (
    *("accept", "accept-encoding", "anthropic-beta", "anthropic-version", "authorization", "api-key", "content-type"),
    *("content-length", "cookie", "expect", "host", "idempotency-key", "openai-beta", "openai-organization", "prefer"),
    *("te", "transfer-encoding", "user-agent", "x-api-key", "x-goog-api-key", "x-goog-user-project", "x-stainless-raw"),
)
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 7, 2.5, 1e308, -0.0, 10**30, 10**400),
    *("", "x", " ", "null", "{}", "[", "\ud800", "\x00", "\ufeff", "é" * 10, "a" * 5000, "user", "auto"),
    *([], [None], [[]], [{}], ["a", 1], [True] * 3),
    *({}, {"": None}, {"x": 1}, {"type": []}, {"type": {}}, {"type": "function"}, {"$ref": "#"}),
)
"""Every JSON type: empty, full and out of bounds."""
NESTS = (("[", "]"), ('{"a":', "}"), ('{"type":"array","items":', "}"), ('{"anyOf":[', "]}"), ('{"content":[', "]}"))
latin_1 = st.text(st.characters(max_codepoint=255, exclude_characters="\r\n\x00"), max_size=40)


@dataclass(frozen=True, slots=True, repr=False)
class Ground:
    """What requests to one provider on one wire are made of. What is drawn of it is copied before it is changed."""

    wire: Wire
    paths: tuple[str, ...]
    headers: tuple[Headers, ...]
    samples: tuple[tuple[str, Headers, Any], ...]
    """Bodies that rules accept or refuse, with their path and headers."""
    names: tuple[str, ...]
    words: tuple[Any, ...]

    def __repr__(self) -> str:  # Hypothesis shows it with each failure
        return f"<ground of {self.wire.name}>"


def ground_of(provider: str, wire: Wire) -> Ground:
    own = wire_for(own_provider(wire.name), wire.name)
    usual, right = PATHS[wire.name], dict(BODIES[wire.name])
    if wire.name != "gemini-generate":
        right["model"] = default_model(wire.name, provider)
    samples: list[tuple[str, Headers, Any]] = [(usual, (), right)]
    for rule in {rule.id: rule for rule in (*wire.rules, *own.rules)}.values():
        headers = tuple((rule.headers or {}).items())
        samples += [(rule.path or usual, headers, body) for body in (rule.accepted, rule.breaking) if body is not None]
    bodies = [body for _, _, body in samples if not isinstance(body, bytes)]
    names = dict.fromkeys(name for body in bodies for name in _names(body))
    words = dict.fromkeys(word for body in bodies for word in _words(body) if not isinstance(word, bool))
    return Ground(
        wire,
        tuple(dict.fromkeys(path for path, _, _ in samples)),
        tuple(dict.fromkeys(headers for _, headers, _ in samples)),
        tuple(samples),
        tuple(names),
        tuple(words),
    )


def requests_to(provider: str) -> st.SearchStrategy[tuple[str, FuzzRequest]]:
    """The name of one of the provider's wires, and a request for it."""
    grounds = [ground_of(provider, wire) for wire in provider_wires(provider)]
    return st.one_of([st.tuples(st.just(ground.wire.name), requests_on(ground)) for ground in grounds])


def requests_on(ground: Ground) -> st.SearchStrategy[FuzzRequest]:
    return st.one_of(
        _changed(ground, most=0),
        _changed(ground, most=2),
        _changed(ground, most=6),
        _any_json(ground),
        _any_bytes(ground),
    )


@st.composite
def _changed(draw: st.DrawFn, ground: Ground, *, most: int) -> FuzzRequest:
    """A sample with up to `most` changes."""
    path, headers, body = draw(st.sampled_from(ground.samples))
    if isinstance(body, bytes):
        return FuzzRequest("POST", path, (*KEYS, *headers), body)
    root = [deepcopy(body)]
    for _ in range(draw(st.integers(min(most, 1), most))):
        _change(draw, ground, root)
    content = json.dumps(root[0]).encode()
    return (
        draw(_sent(ground, path, (*KEYS, *headers), content))
        if most
        else FuzzRequest("POST", path, (*KEYS, *headers), content)
    )


def _change(draw: st.DrawFn, ground: Ground, root: list[Any]) -> None:
    """One change in place: remove, repeat, rename, wrap, copy from elsewhere, or replace."""
    places = list(_places(root))
    holder, key = places[draw(st.integers(0, len(places) - 1))]
    match draw(st.integers(0, 11)):
        case 0 | 1 if holder is not root:
            del holder[key]
        case 2 if isinstance(holder, list) and holder is not root:
            holder[key:key] = [deepcopy(holder[key]) for _ in range(draw(st.sampled_from([1, 2, 50])))]
        case 3 if isinstance(holder, dict):
            holder[draw(st.sampled_from(ground.names))] = deepcopy(holder[key])
        case 4:
            other, place = places[draw(st.integers(0, len(places) - 1))]
            holder[key] = deepcopy(other[place])
        case 5:
            holder[key] = [holder[key]]
        case 6:
            _, _, sample = draw(st.sampled_from(ground.samples))
            holder[key] = _part_of(draw, sample)
        case 7 if isinstance(holder[key], dict):
            holder[key][draw(st.sampled_from(ground.names))] = deepcopy(draw(_value(ground)))
        case 8 | 9:
            holder[key] = draw(st.sampled_from(ground.words))
        case 10:
            holder[key] = deepcopy(draw(_value(ground)))
        case _:
            holder[key] = deepcopy(draw(st.sampled_from(ODD)))


def _part_of(draw: st.DrawFn, sample: Any) -> Any:
    if isinstance(sample, bytes):
        return sample.decode("latin-1")
    places = list(_places([sample]))
    holder, key = places[draw(st.integers(0, len(places) - 1))]
    return deepcopy(holder[key])


def _value(ground: Ground) -> st.SearchStrategy[Any]:
    """Any JSON, in the wire's own names and words more often than not."""
    names = st.one_of(st.sampled_from(ground.names), st.sampled_from(ground.names), st.text(max_size=8))
    plain = st.one_of(
        st.sampled_from(ground.words), st.sampled_from(ODD), st.text(max_size=20), st.integers(), st.floats()
    )
    return st.recursive(
        plain,
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(names, inner, max_size=4)),
        max_leaves=12,
    )


@st.composite
def _any_json(draw: st.DrawFn, ground: Ground) -> FuzzRequest:
    """An object with some of the wire's members, or any other value, or a deep one."""
    body: Any = draw(_value(ground))
    if draw(st.booleans()):
        _, _, sample = draw(st.sampled_from(ground.samples))
        if isinstance(sample, dict) and sample:
            body = {**sample, draw(st.sampled_from(sorted(sample))): body}
    content = json.dumps(body)
    if draw(st.integers(0, 7)) == 0:
        opening, closing = draw(st.sampled_from(NESTS))
        depth = draw(st.sampled_from([90, 110, 330, 490, 700, 940, 5000]))
        content = opening * depth + content + closing * depth
    return draw(_sent(ground, draw(st.sampled_from(ground.paths)), KEYS, content.encode()))


@st.composite
def _any_bytes(draw: st.DrawFn, ground: Ground) -> FuzzRequest:
    """A sample with some bytes changed, or bytes that are nothing at all."""
    path, headers, body = draw(st.sampled_from(ground.samples))
    content = bytearray(body if isinstance(body, bytes) else json.dumps(body).encode())
    for _ in range(draw(st.integers(0, 4))):
        at, size = draw(st.integers(0, len(content))), draw(st.sampled_from([0, 0, 1, 5, 100]))
        content[at : at + size] = draw(st.one_of(st.binary(max_size=4), st.sampled_from(BYTES)))
    if draw(st.integers(0, 5)) == 0:
        content = bytearray(draw(st.binary(max_size=200)))
    return draw(_sent(ground, path, (*KEYS, *headers), bytes(content)))


BYTES = (
    b"\x00",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b'"',
    b"\\u0000",
    b"\\ud800",
    b"[",
    b"}",
    b"NaN",
    b"1e999",
    b"9" * 400,
)


@st.composite
def _sent(draw: st.DrawFn, ground: Ground, path: str, headers: Headers, body: bytes) -> FuzzRequest:
    """The body with a way in which it is sent, which is mostly the usual one."""
    way = draw(st.integers(0, 15))
    if way == 0:
        headers = _without(draw, headers)
    if way in (1, 2):
        name = draw(st.one_of(st.sampled_from(HEADERS), st.from_regex(r"\A[a-zA-Z-]{1,12}\Z")))
        value = draw(st.one_of(latin_1, st.sampled_from([str(word) for word in ground.words if _is_latin(word)])))
        headers = (*headers, (name, value))
    if way == 3:
        encoding, body = draw(st.sampled_from(list(_encoded(body))))
        headers = (*headers, ("content-encoding", encoding))
    if way == 4:
        path = draw(_odd_paths(path))
    method = draw(st.sampled_from(METHODS)) if way == 5 else "POST"
    return FuzzRequest(method, path, headers, body)


METHODS = ("GET", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "PROPFIND", "get")


def _without(draw: st.DrawFn, headers: Headers) -> Headers:
    left_out = draw(st.integers(0, len(headers) - 1))
    return headers[:left_out] + headers[left_out + 1 :]


def _encoded(body: bytes) -> Iterator[tuple[str, bytes]]:
    yield "gzip", gzip.compress(body, mtime=0)
    yield "deflate", zlib.compress(body)
    yield "gzip, gzip", gzip.compress(gzip.compress(body, mtime=0), mtime=0)
    yield "gzip", gzip.compress(body, mtime=0)[:-3]
    yield "gzip", body
    yield "br", body
    yield "identity, ,", body


def _odd_paths(path: str) -> st.SearchStrategy[str]:
    visible = st.text(st.characters(min_codepoint=33, max_codepoint=255, exclude_characters="\x7f#"), max_size=20)
    return st.one_of(
        st.just(path + "/"),
        st.just("/" + path),
        st.just(path.upper()),
        visible.map(lambda text: path + text),
        visible.map(lambda text: f"{path}?{text}"),
        visible.map(lambda text: "/" + text),
        visible.map(lambda text: path.replace("/", f"/{text}/", 1)),
    )


def _is_latin(word: Any) -> bool:
    return isinstance(word, str) and word.isprintable() and word.encode("latin-1", "replace").decode("latin-1") == word


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every value, as what holds it and its key there."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


def _names(value: Any) -> Iterator[str]:
    for holder, key in _places([value]):
        if isinstance(holder, dict):
            yield key


def _words(value: Any) -> Iterator[Any]:
    for holder, key in _places([value]):
        if isinstance(holder[key], (str, int, float)) and len(str(holder[key])) < 200:
            yield holder[key]
