"""Turns a request into its shape, and a shape back into a request. Knows JSON; the known words are in `shape_words`.

A shape is the request with every string, free key and free number replaced by a placeholder of its kind in angle
brackets, such as `<text>` or `<word 3>`.
"""

import json
import re
from typing import Any

import shape_words as words

PLACEHOLDER = re.compile(
    r"<(?:text|text json|text ending in space|blank|any|url|opaque|opaque odd|word|odd"
    r"|json (?:object|empty object|array|scalar|broken)"
    r"|(?:word|odd|dotted|figure|nine|" + "|".join(words.PREFIXES) + r") \d+(?: of \d+)?"
    r"|ref #(?:/(?:[$\w]+|\d+))*"
    r"|model [\w.:/-]+)>"
)
LONG = 40
"""Lengths above which the placeholder of an id or a name has a length: providers limit them to 40, 64, 128 or 512."""


def is_plain(text: str) -> bool:
    """Whether this string of a shape reveals nothing."""
    known = text in words.FIELDS or text in words.VALUES or text in words.BUILT_IN or text == ""
    return known or bool(words.DATED.fullmatch(text) or PLACEHOLDER.fullmatch(text))


class Shaper:
    """One request. `family_of` returns the family of a model's name."""

    def __init__(self, family_of: Any) -> None:
        self._family_of = family_of
        self._numbers: dict[str, int] = {}

    def body(self, value: Any) -> Any:
        return self._value(value, "")

    def path(self, path: str) -> str:
        """Segments that the wire does not define become words, a model in the path its family; of the query, `alt` is
        kept."""
        bare, _, query = path.partition("?")
        segments = bare.split("/")
        described = [self._segment(one, before) for before, one in zip(["", *segments], segments, strict=False)]
        kept = [one for one in query.split("&") if re.fullmatch(r"alt=\w+|api-version=[\w-]+", one)]
        return "/".join(described) + (f"?{'&'.join(kept)}" if kept else "")

    def _segment(self, segment: str, before: str) -> str:
        if segment in words.SEGMENTS or not segment:
            return segment
        name, colon, verb = segment.partition(":")
        if before in ("models", "deployments"):
            return f"<model {self._family_of(name)}>{colon}{verb}"
        return self._numbered("word", segment)

    def _value(self, value: Any, key: str) -> Any:
        if isinstance(value, dict):
            return self._object(value, key)
        if isinstance(value, list):
            return [self._value(one, key if isinstance(one, str) else "") for one in value]
        if isinstance(value, str):
            return self._text(value, key)
        if isinstance(value, bool) or value is None or key in words.NUMBERS:
            return value
        return 0 if isinstance(value, int) else 0.5

    def _object(self, value: dict[str, Any], key: str) -> dict[str, Any]:
        if key in words.FREE:
            return {"<any>": _kind_of(next(iter(value.values())))} if value else {}
        if key in words.NAMED:
            return {self._named(name): self._value(one, "") for name, one in value.items()}
        replies_of = key in ("functionResponse", "function_response")
        return {
            self._key(name): self._value(one, "args" if replies_of and name == "response" else name)
            for name, one in value.items()
        }

    def _key(self, name: str) -> str:
        return name if name in words.FIELDS else self._named(name)

    def _text(self, text: str, key: str) -> str:
        if text == "":
            return ""
        if key == "model":
            return f"<model {self._family_of(text)}>"
        if key == "arguments":
            return f"<json {_json_kind(text)}>"
        if key in words.OPAQUE:
            return "<opaque>" if re.fullmatch(r"[\w+/=-]+", text) else "<opaque odd>"
        if key == "$ref":
            return self._reference(text)
        if key in words.PROSE:
            return _prose_placeholder(text)
        if key in words.REFERRING:
            return text if text in words.BUILT_IN else self._named(text)
        if text in words.VALUES or words.DATED.fullmatch(text):
            return text
        if text.startswith(("http://", "https://")):
            return "<url>"
        return "<word>" if re.fullmatch(r"[\w-]+", text) else "<odd>"

    def _reference(self, text: str) -> str:
        segments = text.removeprefix("#/").split("/")
        described = [
            one if one in words.NAMED | {"items"} else str(self._number(one)) for one in segments if one != "#"
        ]
        return "<ref #" + "".join(f"/{one}" for one in described) + ">"

    def _named(self, text: str) -> str:
        for prefix in words.PREFIXES:
            if text.startswith(prefix) and re.fullmatch(r"[\w-]+", text):
                return self._numbered(prefix, text)
        if re.fullmatch(r"[A-Za-z0-9]{9}", text):
            return self._numbered("nine", text)
        if re.fullmatch(r"[A-Za-z_][\w-]*", text, re.ASCII):
            return self._numbered("word", text)
        if re.fullmatch(r"[\w-]+", text, re.ASCII):
            return self._numbered("figure", text)
        return self._numbered("dotted" if re.fullmatch(r"[A-Za-z_][\w.:-]*", text, re.ASCII) else "odd", text)

    def _number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers) + 1)

    def _numbered(self, kind: str, text: str) -> str:
        length = f" of {len(text)}" if len(text) > LONG else ""
        return f"<{kind} {self._number(text)}{length}>"


def _kind_of(value: Any) -> Any:
    if isinstance(value, str):
        return "<text>"
    if isinstance(value, (dict, list)):
        return type(value)()
    return value if isinstance(value, bool) or value is None else 0


def _prose_placeholder(text: str) -> str:
    if not text.strip():
        return "<blank>"
    if text[-1].isspace():
        return "<text ending in space>"
    return "<text json>" if "json" in text.lower() else "<text>"


def _json_kind(text: str) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        return "broken"
    if isinstance(value, dict):
        return "object" if value else "empty object"
    return "array" if isinstance(value, list) else "scalar"


TEXTS = {
    "<text>": "Is it raining?",
    "<text json>": "Answer in json.",
    "<text ending in space>": "It is ",
    "<blank>": " ",
    "<any>": "any",
    "<url>": "https://example.invalid/a",
    "<opaque>": "REDACTEDREDACTED",
    "<opaque odd>": "{sealed}",
    "<word>": "word",
    "<odd>": "an odd one",
    "<json object>": '{"a":"b"}',
    "<json empty object>": "{}",
    "<json array>": "[]",
    "<json scalar>": "1",
    "<json broken>": '{"a":',
}


def request_of_shape(shape: Any) -> Any:
    """A request of this shape: placeholders become words of their kind, and equal ones equal words."""
    if isinstance(shape, dict):
        return {request_of_shape(key): request_of_shape(value) for key, value in shape.items()}
    if isinstance(shape, list):
        return [request_of_shape(one) for one in shape]
    return _text_of_placeholder(shape) if isinstance(shape, str) else shape


def path_of_shape(shape: str) -> str:
    return re.sub(r"<[^<>]+>", lambda found: _text_of_placeholder(found[0]), shape)


def _text_of_placeholder(text: str) -> str:
    if not text.startswith("<") or not PLACEHOLDER.fullmatch(text):
        return text
    if text in TEXTS:
        return TEXTS[text]
    kind, _, rest = text[1:-1].partition(" ")
    if kind == "model":
        return rest if rest[-1].isalnum() else f"{rest}x"
    if kind == "ref":
        return re.sub(r"(?<=/)\d+(?=/|$)", lambda found: f"word_{found[0]}", rest)
    number, _, length = rest.partition(" of ")
    return _NAMES.get(kind, kind + "{}").format(number).ljust(int(length or 0), "x")


_NAMES = {"word": "word_{}", "nine": "nine{:0>5}", "figure": "{}-figure", "dotted": "dotted.{}", "odd": "an odd {}"}
