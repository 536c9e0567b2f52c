"""Google's JSON-to-protobuf parser: the error messages for a body that does not match.

All violations of a body are found in the order of the document and reported in one message.
"""

import json
import re
from typing import Any

from msgspec import Struct

from fake_providers.body_slices import PartReader
from fake_providers.http import compact
from fake_providers.values.json_texts import STRICT, cached_by_body, fault_of, plain_parser, refuse_constant
from fake_providers.wires.gemini_generate.proto_messages import DATA, ENUMS, FieldType, camel, snake, type_of_member
from fake_providers.wires.gemini_generate.request_validator import FieldViolation

NOT_JSON = "not-json"
DEPTH = 100
TOO_DEEP = "Message too deep. Max recursion depth reached."
# As protobuf decodes bytes: both alphabets, with or without padding, and white space.
BASE64 = re.compile(r"[A-Za-z0-9+/_\-\s]*=*\s*")


class Parsed(Struct, frozen=True):
    """A body as Google's front end parses it: the value, or the violations."""

    value: Any
    mismatches: tuple[FieldViolation, ...] = ()


PARTS = PartReader(plain_parser(STRICT), "contents", "tools")


def mismatches(value: dict[str, Any], *, version: str, vertex: bool) -> tuple[FieldViolation, ...]:
    """What does not match of a body that is an object."""
    return tuple(_Checker(version, vertex=vertex).message("GenerateContentRequest", value, ""))


@cached_by_body
def parse(body: bytes, *, version: str = "v1beta", vertex: bool = False) -> Parsed:
    """Never raises. `version` is the first segment of the path; some messages contain it, together with the package of
    the service."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return _not_json("Encountered non UTF-8 code points.")
    try:
        value = json.loads(text, parse_constant=refuse_constant)
    except json.JSONDecodeError as error:
        return _not_json(_syntax(text, error))
    except ValueError:
        return _not_json("Unexpected token.")
    except RecursionError:
        return _not_json(TOO_DEEP)
    if _is_deep(text, value):
        return _not_json(TOO_DEEP)
    if not isinstance(value, dict):
        return Parsed(value, (_unknown_name("body-not-object", "", "", "Root element must be a message."),))
    return Parsed(value, mismatches(value, version=version, vertex=vertex))


def _is_deep(text: str, value: Any) -> bool:
    """Whether values nest deeper than protobuf's JSON allows; only counted if there are enough brackets."""
    if text.count("{") + text.count("[") <= DEPTH:
        return False
    level, depth = [value], 0
    while level and depth <= DEPTH:
        depth += 1
        inside = [item.values() if isinstance(item, dict) else item for item in level if isinstance(item, (dict, list))]
        level = [child for children in inside for child in children]
    return depth > DEPTH


def _not_json(sentence: str) -> Parsed:
    return Parsed(None, (FieldViolation(NOT_JSON, "", f"Invalid JSON payload received. {sentence}", ""),))


def _syntax(text: str, error: json.JSONDecodeError) -> str:
    """The message with 20 characters on either side of the error, and a caret under it."""
    message, at = fault_of(error)
    before, after = text[max(0, at - 20) : at], text[at : at + 20]
    place = f"\n{before}{after}\n{' ' * len(before)}^"
    if not after.strip():
        return f"Unexpected end of string. Expected a value.{place}"
    if "delimiter" in message:
        opened = text[:at]
        in_object = opened.rfind("{") > opened.rfind("[")
        return f"Expected , or {'} after key:value pair' if in_object else '] after array value'}.{place}"
    return f"Unexpected token.{place}"


def _unknown_name(rule: str, name: str, path: str, why: str, *, at: str = "") -> FieldViolation:
    where = f" at '{path}'" if path else ""
    return FieldViolation(rule, path, f'Invalid JSON payload received. Unknown name "{name}"{where}: {why}', at or path)


class _Checker:
    """Checks one body against the messages."""

    def __init__(self, version: str, *, vertex: bool) -> None:
        package = "google.cloud.aiplatform" if vertex else "google.ai.generativelanguage"
        self._package = f"type.googleapis.com/{package}.{version}"
        self._vertex = vertex
        self._has_more = version.startswith("v1alpha")
        """Whether its messages have fields that no reference here has; schemas are the same."""

    def message(self, name: str, value: dict[str, Any], path: str) -> list[FieldViolation]:
        found: list[FieldViolation] = []
        data = ""
        for key, member in value.items():
            expected = type_of_member(name, key, self._vertex)
            if expected is None:
                if self._has_more and name != "Schema":
                    continue
                rule = "schema-unknown-field" if name == "Schema" else "unknown-field"
                found.append(_unknown_name(rule, key, path, "Cannot find field.", at=_join(path, key)))
                continue
            if member is None:
                continue
            if name == "Part" and snake(key) in DATA:
                if data:
                    text = f"Invalid value at '{path}' (oneof), oneof field 'data' is already set. Cannot set '{key}'"
                    found.append(FieldViolation("part-two-data", path, text, path))
                    continue
                data = key
            if type(member) is str and expected.kind == "string" and not expected.is_map:
                continue  # as most are
            if expected.kind == "any" or (expected.kind in ("Struct", "object") and isinstance(member, dict)):
                continue
            found += self._field(name, key, expected, member, path)
        return found

    def _field(self, message: str, key: str, type: FieldType, value: Any, path: str) -> list[FieldViolation]:
        at = _join(path, snake(key))
        if type.is_map:
            return self._map(key, type, value, path)
        if isinstance(value, list):
            if not type.repeated:
                rule = _LISTS.get((message, snake(key)), "not-repeated")
                return [_unknown_name(rule, key, path, "Proto field is not repeating, cannot start list.", at=at)]
            return [
                mismatch for i, item in enumerate(value) for mismatch in self._value(message, key, type, item, at, i)
            ]
        return self._value(message, key, type, value, at, None)

    def _map(self, key: str, type: FieldType, value: Any, path: str) -> list[FieldViolation]:
        at = _join(path, snake(key))
        if isinstance(value, list):
            return [_unknown_name("not-repeated", key, path, "Proto field is not repeating, cannot start list.", at=at)]
        if not isinstance(value, dict):
            return [self._invalid("invalid-value", at, f"{self._package}.Schema.PropertiesEntry", value)]
        found: list[FieldViolation] = []
        for i, item in enumerate(value.values()):
            found += self._value("", "value", type, item, f"{at}[{i}].value", None)
        return found

    def _value(
        self, message: str, key: str, type: FieldType, value: Any, at: str, index: int | None
    ) -> list[FieldViolation]:
        place = at if index is None else f"{at}[{index}]"
        if value is None:
            return []
        if isinstance(value, list):
            return [_unknown_name("not-repeated", "", place, "Proto field is not repeating, cannot start list.")]
        if type.kind == "Struct":
            rule = "response-not-object" if message == "FunctionResponse" else "args-not-object"
            struct = "type.googleapis.com/google.protobuf.Struct"
            return [self._invalid(rule, place, struct, value)]
        if type.kind in ENUMS:
            return self._enum(type.kind, value, place)
        if type.kind[0].isupper() or type.kind == "object":
            if isinstance(value, dict):
                return self.message(type.kind, value, place)
            name = type.kind if type.kind[0].isupper() else camel(f"_{snake(key)}")
            return [self._invalid("invalid-value", place, f"{self._package}.{name}", value)]
        if isinstance(value, dict):
            parent = place.rpartition(".")[0]
            text = f"Invalid value at '{parent}' ({snake(key)}), Starting an object on a scalar field"
            return [FieldViolation("invalid-value", parent, text, place)]
        rule = "schema-enum-not-string" if (message, key) == ("Schema", "enum") else "invalid-value"
        return self._scalar(rule, type.kind, value, place)

    def _enum(self, kind: str, value: Any, at: str) -> list[FieldViolation]:
        """Names are accepted in any case; every number is accepted."""
        known = isinstance(value, int) if not isinstance(value, str) else value.upper() in ENUMS[kind]
        if known and not isinstance(value, bool):
            return []
        rule = "schema-type-unknown" if kind == "Type" else "invalid-value"
        return [self._invalid(rule, at, f"{self._package}.{kind}", value)]

    def _scalar(self, rule: str, kind: str, value: Any, at: str) -> list[FieldViolation]:
        if kind == "bytes" and isinstance(value, str):
            if BASE64.fullmatch(value):
                return []
            sentence = f"Invalid value at '{at}' (TYPE_BYTES), Base64 decoding failed for {compact(value)}"
            return [FieldViolation("signature-not-base64", at, sentence, at)]
        if _fits(kind, value):
            return []
        return [self._invalid(rule, at, _SCALARS[kind], value)]

    def _invalid(self, rule: str, at: str, type: str, value: Any) -> FieldViolation:
        return FieldViolation(rule, at, f"Invalid value at '{at}' ({type}), {compact(value)}", at)


_LISTS = {
    ("Schema", "type"): "schema-type-list",
    ("FunctionResponse", "response"): "response-not-object",
    ("FunctionCall", "args"): "args-not-object",
}
_SCALARS = {
    "string": "TYPE_STRING",
    "bytes": "TYPE_BYTES",
    "bool": "TYPE_BOOL",
    "integer": "TYPE_INT64",
    "number": "TYPE_DOUBLE",
    "enum": "TYPE_ENUM",
    "int32": "TYPE_INT32",
    "float": "TYPE_FLOAT",
}


def _fits(kind: str, value: Any) -> bool:
    """Protobuf's JSON accepts numbers and booleans as text, and whole floats as integers."""
    if kind in ("string", "bytes"):
        return isinstance(value, str)
    if kind == "enum":
        return isinstance(value, str | int) and not isinstance(value, bool)
    if kind == "bool":
        return isinstance(value, bool) or value in ("true", "false")
    if isinstance(value, bool):
        return False
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    if kind == "int32":
        return number.is_integer() and abs(number) < 2**31
    return kind in ("number", "float") or number.is_integer()


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
