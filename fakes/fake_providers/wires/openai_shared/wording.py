"""OpenAI's error messages with their `param` and `code`.

Most messages are made from a dozen sentences, which recorded requests and probes of the API show word for word.
"""

import re
from collections.abc import Iterable, Mapping, Sized
from typing import Any, Final

from fake_providers.rulebook import Breach

MAX_DISTANCE: Final = 2
"""How many letters a key may differ from the suggested one: measured."""


def breach(param: str | None, message: str, code: str | None = None, *, at: str | None = None) -> Breach:
    """A breach with OpenAI's `param` and `code`. `at` is the place in the body, if `param` does not name it."""
    place = at if at is not None else (param or "").replace(".[", "[")
    return Breach(place, message, {"param": param, "code": code})


def missing(param: str) -> Breach:
    return breach(param, f"Missing required parameter: '{param}'.", "missing_required_parameter")


def wrong_type(param: str, expected: str, value: Any) -> Breach:
    message = f"Invalid type for '{param}': expected {expected}, but got {kind(value)} instead."
    return breach(param, message, "invalid_type")


def wrong_text(param: str, part: Mapping[str, Any]) -> Breach | None:
    """The breach of a part whose text is missing or not a string."""
    if isinstance(part.get("text"), str):
        return None
    return wrong_type(param, "a string", part["text"]) if "text" in part else missing(param)


def wrong_value(param: str, value: str, supported: tuple[str, ...]) -> Breach:
    names = ", ".join(f"'{name}'" for name in supported[:-1])
    comma = "," if len(supported) > 2 else ""
    last = f"{names}{comma} and '{supported[-1]}'" if names else f"'{supported[-1]}'"
    message = f"Invalid value: '{value}'. Supported values are: {last}."
    return breach(param, message, "invalid_value")


def unknown_word(param: str, value: Any, supported: tuple[str, ...]) -> Breach | None:
    """The breach of a value that is none of these words."""
    if not isinstance(value, str):
        return wrong_type(param, one_of(supported), value)
    return None if value in supported else wrong_value(param, value, supported)


def empty_array(param: str) -> Breach:
    sentence = "empty array. Expected an array with minimum length 1, but got an empty array instead."
    return breach(param, f"Invalid '{param}': {sentence}", "empty_array")


def long_array(param: str, items: Sized, most: int) -> Breach | None:
    """The breach of a list with more items."""
    if len(items) <= most:
        return None
    sentence = f"Expected an array with maximum length {most}, but got an array with length {len(items)} instead."
    return breach(param, f"Invalid '{param}': array too long. {sentence}", "array_above_max_length")


def not_a_list(param: str, value: Any, expected: str = "an array of objects") -> Breach | None:
    """The breach of any other value than a list and null."""
    return None if value is None or isinstance(value, list) else wrong_type(param, expected, value)


def empty_string(param: str) -> Breach:
    sentence = "empty string. Expected a string with minimum length 1, but got an empty string instead."
    return breach(param, f"Invalid '{param}': {sentence}", "empty_string")


def long_string(param: str, text: Any, most: int) -> Breach | None:
    """The breach of a text with more characters."""
    if not isinstance(text, str) or len(text) <= most:
        return None
    sentence = f"Expected a string with maximum length {most}, but got a string with length {len(text)} instead."
    return breach(param, f"Invalid '{param}': string too long. {sentence}", "string_above_max_length")


def wrong_pattern(param: str, pattern: str) -> Breach:
    sentence = f"string does not match pattern. Expected a string that matches the pattern '{pattern}'."
    return breach(param, f"Invalid '{param}': {sentence}", "invalid_value")


def wrong_name(param: str, name: Any) -> Breach | None:
    """The breach of a name with characters that names of functions and of schemas must not have."""
    allowed = not isinstance(name, str) or re.fullmatch("[a-zA-Z0-9_-]+", name)
    return None if allowed else wrong_pattern(param, "^[a-zA-Z0-9_-]+$")


def unknown(param: str, meant: str = "") -> Breach:
    return breach(param, f"Unknown parameter: '{param}'.{meant}", "unknown_parameter")


def unsupported(param: str, advice: str = "") -> Breach:
    message = f"Unsupported parameter: '{param}' is not supported with this model.{advice}"
    return breach(param, message, "unsupported_parameter")


def one_of(values: tuple[str, ...]) -> str:
    """The expected value of a parameter that is one of these words."""
    names = [f"'{value}'" for value in values]
    if len(names) == 2:
        return f"one of {names[0]} or {names[1]}"
    return f"one of {', '.join(names[:-1])}, or {names[-1]}"


def help_with_spelling(word: str, known: Iterable[str]) -> str:
    """The question after an unknown word: the closest known words, at most two letters away (measured)."""
    close = (key for key in known if abs(len(key) - len(word)) <= MAX_DISTANCE)
    closest = sorted((distance, key) for key in close if (distance := _distance(word, key)) <= MAX_DISTANCE)
    return f" Did you mean {' or '.join(repr(key) for _, key in closest)}?" if closest else ""


def _distance(one: str, other: str) -> int:
    """How many letters must be added, removed or replaced."""
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        above, row[0] = row[0], i
        for j, expected in enumerate(other, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (letter != expected))
    return row[-1]


def kind(value: Any) -> str:
    """OpenAI's name for the type of a JSON value."""
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


UNPARSED: Final = (
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library "
    "correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you have trouble "
    "figuring out how to fix this, please contact us through our help center at help.openai.com.)"
)


LONGEST_TEXT: Final = 10_485_760
