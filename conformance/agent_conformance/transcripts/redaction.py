"""The one place that knows the secrets of this process, and through which every text goes that leaves the suite.

In a transcript they are replaced before any text is judged, normalised, cut, escaped or counted, because a part of a
secret is not recognised any more. The bytes of requests and responses stay as they were sent: whoever shows them hides
what they say as a whole. What a secret is, and how it is written, is in `secret_names`.
"""

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct, structs

from agent_conformance.transcripts.secret_names import (
    Span,
    anchors_of,
    forms_of,
    is_secret,
    secrets_of,
    without_needless_escapes,
)

if TYPE_CHECKING:  # every command hides secrets, and most need neither
    from agent_conformance.transcripts.finding import Verdict
    from agent_conformance.transcripts.transcript import Transcript, TurnRecord

MOST = 300
"""Secrets that are known: an agent may set new ones in every case. Each costs a search in every text."""

SETUP_KEY = "setup.api_key"
"""The name of the key that agents get from the suite."""
DEEPEST = 100
"""Levels of mappings, lists and data classes within each other."""

_T = TypeVar("_T")


class Key(Struct, frozen=True):
    name: str
    value: str

    def hidden(self, text: str) -> str:
        """The text with the name in place of the value, in whichever form it has there."""
        plain = without_needless_escapes(text)
        spans = [span for form in forms_of(self.value) for span in form.spans(plain)]
        return _replaced(plain, spans, f"${self.name}") if spans else text

    def may_be_in(self, text: str) -> bool:
        """Whether it is worth while to look for it: quick, and no for nearly every text."""
        return any(map(text.__contains__, anchors_of(self.value)))


def keys_of(environment: Mapping[str, str]) -> tuple[Key, ...]:
    """The variables whose names end as those of keys do."""
    return _sorted(Key(name, value) for name, value in secrets_of(environment))


def text_without_keys(text: str, keys: Iterable[Key]) -> str:
    for key in keys:
        text = key.hidden(text)
    return text


def without_keys(verdict: "Verdict", keys: Iterable[Key]) -> "Verdict":
    """The verdict as it may be printed and kept in files."""
    chosen = tuple(keys)
    hidden: Verdict = rebuilt(verdict, lambda text: text_without_keys(text, chosen))
    return hidden


class Secrets:
    """What this process must not show: what was learned, and the keys of its environment at any time. Thread-safe.

    `observer` is called with each new name and value: a worker reports them to the suite.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._names: dict[str, str] = {}
        self._keys: tuple[Key, ...] | None = ()
        self._environment: dict[Any, Any] = {}
        self.observer: Callable[[str, str], None] | None = None

    def learn(self, name: str, value: str) -> None:
        """From now on this value is shown as `$name`, whatever it looks like."""
        with self._lock:
            if value in self._names or not value or len(self._names) >= MOST:
                return
            self._names[value] = name
            self._keys = None
        if self.observer is not None:
            self.observer(name, value)

    def learn_all(self, found: Iterable[tuple[str, str]]) -> None:
        """Learn those that look like secrets."""
        for name, value in found:
            if is_secret(value):
                self.learn(name, value)

    def look(self) -> None:
        """Learn the keys that are in the environment now. What is as it was costs nothing: pytest sets a variable anew
        for each phase of a test.
        """
        environment = dict(getattr(os.environ, "_data", os.environ))  # undecoded, which is quicker
        if environment == self._environment:
            return
        before, self._environment = self._environment, environment
        changed = {name: value for name, value in environment.items() if before.get(name) != value}
        self.learn_all(secrets_of({os.fsdecode(name): os.fsdecode(value) for name, value in changed.items()}))

    def known(self) -> tuple[Key, ...]:
        """All of them, with those that are in the environment now."""
        self.look()
        with self._lock:
            if self._keys is None:
                self._keys = _sorted(Key(name, value) for value, name in self._names.items())
            return self._keys

    def forget(self) -> None:
        """Know nothing any more: for tests."""
        with self._lock:
            self._names.clear()
            self._keys = ()
            self._environment = {}


SECRETS = Secrets()
"""The secrets of this process. A value that was secret once stays so: the agent that set it may show it later."""


def redacted(text: str) -> str:
    """The text as it may be printed or written to a file."""
    return text_without_keys(text, SECRETS.known())


def redacted_tree(value: _T) -> _T:
    """The same of every text in structs, dataclasses, mappings, lists and tuples, and of the keys of mappings."""
    keys = SECRETS.known()
    return rebuilt(value, lambda text: text_without_keys(text, keys)) if keys else value


def rebuilt(value: Any, hide: Callable[[str], str], depth: int = 0) -> Any:
    """The value with each text replaced by what `hide` makes of it. What does not change is the same object as before.

    What lies deeper than `DEEPEST` becomes one text, if it changes.
    """
    if isinstance(value, str):
        return hide(value)
    if depth > DEEPEST:
        text = json.dumps(value, ensure_ascii=False, default=repr)
        return value if (hidden := hide(text)) == text else hidden
    names = _fields_of(value)
    if names:
        parts = {name: getattr(value, name) for name in names}
        changed = {name: new for name, old in parts.items() if (new := rebuilt(old, hide, depth + 1)) is not old}
        new_one = structs.replace if isinstance(value, Struct) else replace
        return new_one(value, **changed) if changed else value
    if isinstance(value, dict | MappingProxyType):
        items = {rebuilt(name, hide, depth + 1): rebuilt(item, hide, depth + 1) for name, item in value.items()}
        return value if all(items.get(name, items) is item for name, item in value.items()) else items
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        new = [rebuilt(item, hide, depth + 1) for item in value]
        return value if all(a is b for a, b in zip(new, value, strict=True)) else type(value)(new)
    return value


def _fields_of(value: Any) -> Iterable[str]:
    """The names of what a value is made of, as one can give them; none of a value that has no fields."""
    if isinstance(value, Struct):
        return value.__struct_fields__
    if is_dataclass(value) and not isinstance(value, type):
        return [field.name for field in fields(value) if field.init]
    return ()


class RedactedStream:
    """A text stream in place of a standard one. Whatever is written to it goes through `redacted`."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        self._stream.write(redacted(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        self.write("".join(lines))


def _sorted(keys: Iterable[Key]) -> tuple[Key, ...]:
    """The longest first: one may begin like another."""
    return tuple(sorted(set(keys), key=lambda key: (-len(key.value), key.name)))


def _replaced(text: str, spans: list[Span], name: str) -> str:
    """The name in place of each span; those that overlap or touch are one."""
    parts: list[str] = []
    end = 0
    for start, stop in sorted(spans):
        if start > end or not parts:
            parts += [text[end:start], name]
        end = max(end, stop)
    return "".join([*parts, text[end:]])


__all__ = [
    "SECRETS",
    "SETUP_KEY",
    "Key",
    "RedactedStream",
    "Secrets",
    "is_secret",
    "keys_of",
    "rebuilt",
    "redacted",
    "redacted_tree",
    "text_without_keys",
    "without_keys",
]


def without_secrets(transcript: "Transcript") -> "Transcript":
    """The same object if it has none, which is quick to see."""
    text = without_needless_escapes("\n".join(_texts(transcript)))
    keys = [key for key in SECRETS.known() if key.may_be_in(text)]
    turns = [_turn_without(record, keys) for record in transcript.turns] if keys else transcript.turns
    if all(new is old for new, old in zip(turns, transcript.turns, strict=True)):
        return transcript
    return structs.replace(transcript, turns=turns)


def _texts(transcript: "Transcript") -> Iterator[str]:
    """Whatever the agent said, as it was said. The body of a request has all that its view has."""
    from fake_providers.neutral_text import flat_json

    for record in transcript.turns:
        yield from ("".join(record.deltas), record.failure, record.log_tail, record.hidden_crash)
        yield str(record.place or "")
        yield from (*record.withdrawn, *record.events, record.own_reply or "")
        if record.trace is not None:
            yield record.trace.whole
            yield record.trace.brief
        for request in record.requests:
            yield request.http.path
            yield request.http.body.decode("utf-8", "backslashreplace")
        for attempt in record.attempts:
            yield f"{attempt.tool} {flat_json(attempt.arguments)} {attempt.result}"
        for approval in record.approvals:
            yield f"{approval.tool} {flat_json(approval.arguments)}"


def _turn_without(record: "TurnRecord", keys: list[Key]) -> "TurnRecord":
    hidden: TurnRecord = rebuilt(record, lambda text: text_without_keys(text, keys))
    said = "".join(record.deltas)
    if (shown := text_without_keys(said, keys)) != "".join(hidden.deltas):
        hidden = structs.replace(hidden, deltas=[shown])  # the pieces of a secret are none
    return hidden
