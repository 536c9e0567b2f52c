"""The sentences in which OpenAI refuses, and their `param` and `code`. Knows no rule.

Most refusals are filled in from a dozen sentences, which recorded exchanges and probes of the API show word for word.
"""

from typing import Any

from fakes.rulebook import Broken


def broken(param: str | None, message: str, code: str | None = None, *, at: str | None = None) -> Broken:
    """`at` is the place in the body, where `param` does not say it."""
    place = at if at is not None else (param or "").replace(".[", "[")
    return Broken(place, message, {"param": param, "code": code})


def missing(param: str) -> Broken:
    return broken(param, f"Missing required parameter: '{param}'.", "missing_required_parameter")


def wrong_type(param: str, expected: str, value: Any) -> Broken:
    message = f"Invalid type for '{param}': expected {expected}, but got {kind(value)} instead."
    return broken(param, message, "invalid_type")


def wrong_value(param: str, value: str, supported: tuple[str, ...]) -> Broken:
    names = ", ".join(f"'{name}'" for name in supported[:-1])
    message = f"Invalid value: '{value}'. Supported values are: {names}, and '{supported[-1]}'."
    return broken(param, message, "invalid_value")


def empty_array(param: str) -> Broken:
    sentence = "empty array. Expected an array with minimum length 1, but got an empty array instead."
    return broken(param, f"Invalid '{param}': {sentence}", "empty_array")


def long_array(param: str, *, most: int, length: int) -> Broken:
    sentence = f"Expected an array with maximum length {most}, but got an array with length {length} instead."
    return broken(param, f"Invalid '{param}': array too long. {sentence}", "array_above_max_length")


def empty_string(param: str) -> Broken:
    sentence = "empty string. Expected a string with minimum length 1, but got an empty string instead."
    return broken(param, f"Invalid '{param}': {sentence}", "empty_string")


def long_string(param: str, *, most: int, length: int) -> Broken:
    sentence = f"Expected a string with maximum length {most}, but got a string with length {length} instead."
    return broken(param, f"Invalid '{param}': string too long. {sentence}", "string_above_max_length")


def wrong_pattern(param: str, pattern: str) -> Broken:
    sentence = f"string does not match pattern. Expected a string that matches the pattern '{pattern}'."
    return broken(param, f"Invalid '{param}': {sentence}", "invalid_value")


def unsupported(param: str, advice: str = "") -> Broken:
    message = f"Unsupported parameter: '{param}' is not supported with this model.{advice}"
    return broken(param, message, "unsupported_parameter")


def kind(value: Any) -> str:
    """What OpenAI calls a JSON value of this type."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int):
        return "an integer"
    if isinstance(value, float):
        return "a decimal number"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, list) else "an object"
