"""The one place that knows the secrets of this process, and through which every text goes that leaves the suite.

In a transcript they are replaced before any text is judged, normalised, cut, escaped or counted, because a part of a
secret is not recognised any more. The bytes of requests and responses stay as they were sent: whoever shows them hides
what they say as a whole. What a secret is, and how it is written, is in `secret_names`.
"""

import json
import os
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from msgspec import Struct, structs

from agent_conformance.transcripts.secret_forms import Form, Span, forms_of, without_needless_escapes
from agent_conformance.transcripts.secret_names import (
    Bound,
    is_secret,
    secrets_in,
    secrets_of_members,
)

if TYPE_CHECKING:  # every command hides secrets, and most need neither
    from agent_conformance.transcripts.finding import Verdict
    from agent_conformance.transcripts.transcript import Transcript, TurnRecord

MOST = 20_000
"""Secrets that are known. Those of the environment stay, and an agent may set new ones in every case."""
MOST_OF_CASE = 2_000
"""Those of one case's adapters."""

NOT_HIDDEN = "not looked at for secrets, which may be shown"
"""The title of the bounds that were met."""

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
        return self.hidden_forms(text, forms_of(self.value))

    def hidden_forms(self, text: str, forms: Iterable[Form]) -> str:
        """The same of these forms alone."""
        plain = without_needless_escapes(text)
        spans = [span for form in forms for span in form.spans(plain)]
        return _replaced(plain, spans, f"${self.name}") if spans else text


def keys_of(environment: Mapping[str, str]) -> tuple[Key, ...]:
    """The variables whose names end as those of keys do."""
    found = (pair for name, value in environment.items() for pair in secrets_in(name, value))
    return _sorted(Key(name, value) for name, value in found if not isinstance(value, Bound))


def text_without_keys(text: str, keys: Iterable[Key]) -> str:
    for key in keys:
        text = key.hidden(text)
    return text


def without_keys(verdict: "Verdict", keys: Iterable[Key]) -> "Verdict":
    """The verdict as it may be printed and kept in files."""
    chosen = tuple(keys)
    hidden: Verdict = rebuilt(verdict, lambda text: text_without_keys(text, chosen))
    return hidden


GRAM = 4
"""Characters that are looked up at once."""
FULL = 2 * GRAM - 1
"""Of an anchor of so many characters, every fourth place of a text is looked at."""
MOST_WORDS, LONGEST_WORD = 100_000, 100
"""Words that are remembered, and their length."""

_APART = str.maketrans({char: " " for char in map(chr, range(128)) if not (char.isalnum() or char in "._~-")})
"""What is in no anchor."""


class SecretSearch:
    """Add secrets, then ask which may be in a text: the time does not depend on how many there are, if it has none.

    Each form of a secret has two *anchors*, which stand in every text that has this form. A text is cut into words;
    words that had no anchor before have none now, and in the others four characters at once are looked up in a table.
    """

    def __init__(self) -> None:
        self._forms: dict[str, dict[str, list[Form]]] = {}
        self._with_anchor: dict[bytes, set[str]] = defaultdict(set)
        self._anchors: dict[int, dict[int, set[bytes]]] = {1: {}, 2: {}, GRAM: {}}
        """By the distance of the places that are looked at, and by four characters of them."""
        self._short: set[str] = set()
        self._clean: set[str] = set()

    def add(self, value: str) -> None:
        if value in self._forms:
            return
        forms: dict[str, list[Form]] = defaultdict(list)
        for form in forms_of(value):
            for anchor in dict.fromkeys(form.anchors):
                forms[anchor].append(form)
        self._forms[value] = dict(forms)
        for anchor in forms:
            self._add_anchor(anchor.encode(), value)
        self._clean.clear()

    def _add_anchor(self, anchor: bytes, value: str) -> None:
        self._with_anchor[anchor].add(value)
        if len(anchor) < GRAM:
            self._short.add(anchor.decode())
            return
        distance = GRAM if len(anchor) >= FULL else 2 if len(anchor) > GRAM else 1
        table = self._anchors[distance]
        for place in range(distance):
            table.setdefault(int.from_bytes(anchor[place : place + GRAM], sys.byteorder), set()).add(anchor)

    def found_in(self, text: str) -> dict[str, list[Form]]:
        """The secrets that may be in this text, which has no needless escapes, and their forms."""
        ascii_text = text if text.isascii() else text.encode("ascii", "replace").decode()
        new = set(ascii_text.translate(_APART).split()) - self._clean
        anchors = set(self._anchors_in("\n".join(new).encode())) if new else set()
        if not anchors:
            if len(self._clean) > MOST_WORDS:
                self._clean.clear()
            self._clean.update(word for word in new if len(word) <= LONGEST_WORD)
        anchors.update(anchor.encode() for anchor in self._short if anchor in text)
        found: dict[str, dict[Form, None]] = defaultdict(dict)
        for anchor in anchors:
            for value in self._with_anchor[anchor]:
                found[value].update(dict.fromkeys(self._forms[value][anchor.decode()]))
        return {value: list(forms) for value, forms in found.items()}

    def _anchors_in(self, data: bytes) -> Iterator[bytes]:
        for distance, table in self._anchors.items():
            for shift in range(0, GRAM if table else 0, distance):
                view = memoryview(data)[shift : shift + (len(data) - shift) // GRAM * GRAM].cast("I")
                if table.keys().isdisjoint(view):
                    continue
                for number, gram in enumerate(view):
                    for anchor in table.get(gram, ()):
                        at = shift + GRAM * number
                        if data.find(anchor, max(0, at - GRAM), at + len(anchor)) >= 0:
                            yield anchor


class _Known:
    """Secrets that are forgotten together."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.names: dict[str, str] = {}
        self.search = SecretSearch()

    def add(self, name: str, value: str) -> bool:
        """Whether there was room for it."""
        if len(self.names) >= self.most:
            return False
        self.names[value] = name
        self.search.add(value)
        return True


class Secrets:
    """What this process must not show: what was learned, and the keys of its environment at any time. Thread-safe.

    What the adapters of a case have is forgotten when the next case begins: they may have new tokens in each.
    `observer` is called with each new name and value, and whether it is of a case, and `bound_observer` with each bound
    that was met: a worker reports them to the suite.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._environment: dict[Any, Any] = {}
        self.observer: Callable[[str, str, bool], None] | None = None
        self.bound_observer: Callable[[str], None] | None = None
        self.forget()

    def forget(self) -> None:
        """Know nothing any more: for tests."""
        with self._lock:
            self._lasting, self._of_case = _Known(MOST), _Known(MOST_OF_CASE)
            self._environment = {}
            self.bounds: dict[str, None] = {}

    def learn(self, name: str, value: str, *, of_case: bool = False) -> None:
        """From now on this value is shown as `$name`, whatever it looks like."""
        with self._lock:
            if not value or value in self._lasting.names or (of_case and value in self._of_case.names):
                return
            known = self._of_case if of_case else self._lasting
            if not known.add(name, value):
                self.note(f"more than {known.most:,} secrets are known: those that came later are shown as they are")
                return
        if self.observer is not None:
            self.observer(name, value, of_case)

    def learn_all(self, found: Iterable[tuple[str, str]], *, of_case: bool = False) -> None:
        """Learn those that look like secrets."""
        for name, value in found:
            if isinstance(value, Bound):
                self.note(value)
            elif is_secret(value):
                self.learn(name, value, of_case=of_case)

    def learn_members(self, adapter: object, *, of_case: bool = True) -> None:
        """Learn those of an adapter's attributes."""
        self.learn_all(secrets_of_members(adapter), of_case=of_case)

    def note(self, bound: str) -> None:
        """A bound that was met, once: the run and the commands say it at their end."""
        with self._lock:
            if bound in self.bounds:
                return
            self.bounds[str(bound)] = None
        if self.bound_observer is not None:
            self.bound_observer(str(bound))

    def begin_case(self, *, keep: bool = False) -> None:
        """Forget those of the case before. `keep`: something of it goes on, and may show them later."""
        with self._lock:
            before, self._of_case = self._of_case, _Known(MOST_OF_CASE)
            for value, name in before.names.items() if keep else ():
                self.learn(name, value)

    def look(self) -> None:
        """Learn the keys that are in the environment now. What is as it was costs nothing: pytest sets a variable anew
        for each phase of a test.
        """
        environment = getattr(os.environ, "_data", os.environ)  # undecoded, which is quicker
        if environment == self._environment:
            return
        before, self._environment = self._environment, dict(environment)
        for name, value in self._environment.items():
            if before.get(name) != value:
                self.learn_all(secrets_in(os.fsdecode(name), os.fsdecode(value)))

    def known(self) -> tuple[Key, ...]:
        """All of them, with those that are in the environment now."""
        self.look()
        with self._lock:
            names = self._of_case.names | self._lasting.names
            return _sorted(Key(name, value) for value, name in names.items())

    def hidden(self, text: str) -> str:
        """The text without any of them."""
        self.look()
        return self._hidden_now(text)

    def hider(self) -> Callable[[str], str]:
        """The same for many texts, for which the environment is looked at once."""
        self.look()
        return self._hidden_now

    def are_in(self, text: str) -> bool:
        """Whether any may be in it: quick, and no for nearly every text."""
        self.look()
        return bool(self._found_in(text))

    def _hidden_now(self, text: str) -> str:
        found = self._found_in(text)
        for key in _sorted(found):
            text = key.hidden_forms(text, found[key])
        return text

    def _found_in(self, text: str) -> dict[Key, list[Form]]:
        if not text:
            return {}
        plain = without_needless_escapes(text)
        with self._lock:
            return {
                Key(known.names[value], value): forms
                for known in (self._of_case, self._lasting)
                if known.names
                for value, forms in known.search.found_in(plain).items()
            }


SECRETS = Secrets()
"""The secrets of this process. What was once in its environment stays secret: the agent may show it later."""


def redacted(text: str) -> str:
    """The text as it may be printed or written to a file."""
    return SECRETS.hidden(text)


def redacted_tree(value: _T) -> _T:
    """The same of every text in structs, dataclasses, mappings, lists and tuples, and of the keys of mappings."""
    return cast("_T", rebuilt(value, SECRETS.hider()))


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
    "NOT_HIDDEN",
    "SECRETS",
    "SETUP_KEY",
    "Key",
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
    has_any = SECRETS.are_in("\n".join(_texts(transcript)))
    turns = [*map(_turn_without, transcript.turns)] if has_any else transcript.turns
    if all(new is old for new, old in zip(turns, transcript.turns, strict=True)):
        return transcript
    return structs.replace(transcript, turns=turns)


def _texts(transcript: "Transcript") -> Iterator[str]:
    """Whatever the agent said, as it was said. The body of a request has all that its view has."""
    from fake_providers.wire_neutral_lines import flat_json

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


def _turn_without(record: "TurnRecord") -> "TurnRecord":
    hidden: TurnRecord = redacted_tree(record)
    said = "".join(record.deltas)
    if (shown := redacted(said)) != "".join(hidden.deltas):
        hidden = structs.replace(hidden, deltas=[shown])  # the pieces of a secret are none
    return hidden
