"""Rules on the functions that are declared or called, which both wires check alike.

A check gets the place of a function, and the object with its name and its parameters or arguments. Samples are made
with changes to that object.
"""

import re
from dataclasses import replace
from typing import Any, Final

from fake_providers.rulebook import Breach
from fake_providers.wires.openai_shared.shared_rules import shared_rule
from fake_providers.wires.openai_shared.wording import empty_string, long_string, wrong_pattern, wrong_type

LONGEST_NAME: Final = 64
NAME_PATTERN: Final = "^[a-zA-Z0-9_-]+$"

Function = dict[str, Any]


def wrong_name_characters(place: str, name: str) -> Breach | None:
    """A breach if the name has characters that names of functions and of schemas must not have."""
    return None if re.fullmatch("[a-zA-Z0-9_-]+", name) else wrong_pattern(place, NAME_PATTERN)


@shared_rule("The name of a function is null or not a string.", breaking=lambda sample: sample(name=7))
def name_type(place: str, function: Function) -> Breach | None:
    name = function["name"]
    return None if isinstance(name, str) else wrong_type(f"{place}.name", "a string", name)


@shared_rule(
    "The description of a function is not a string, or `strict` not a boolean.",
    breaking=lambda sample: sample(description=7),
)
def member_type(place: str, function: Function) -> Breach | None:
    description, strict = function.get("description"), function.get("strict")
    if description is not None and not isinstance(description, str):
        return wrong_type(f"{place}.description", "a string", description)
    if strict is not None and not isinstance(strict, bool):
        return wrong_type(f"{place}.strict", "a boolean", strict)
    return None


@shared_rule("The name of a function is empty.", breaking=lambda sample: sample(name=""))
def name_empty(place: str, function: Function) -> Breach | None:
    return None if function["name"] else empty_string(f"{place}.name")


@shared_rule(
    "The name of a function has more than 64 characters.",
    breaking=lambda sample: sample(name="g" * 65),
    accepted=lambda sample: sample(name="g" * 64),
)
def name_too_long(place: str, function: Function) -> Breach | None:
    length = len(function["name"])
    return long_string(f"{place}.name", most=LONGEST_NAME, length=length) if length > LONGEST_NAME else None


@shared_rule(
    "The name of a function has characters other than letters, digits, _ and -.",
    breaking=lambda sample: sample(name="weather.get"),
)
def name_pattern(place: str, function: Function) -> Breach | None:
    return wrong_name_characters(f"{place}.name", function["name"])


call_name_empty = replace(name_empty, why="The name of a tool call is empty.")
call_name_too_long = replace(name_too_long, why="The name of a tool call has more than 64 characters.")
call_name_pattern = replace(
    name_pattern, why="The name of a tool call has characters other than letters, digits, _ and -."
)


@shared_rule(
    "The arguments of a tool call are an object or null instead of a JSON text.",
    breaking=lambda sample: sample(arguments={"city": "Oslo"}),
)
def call_arguments_type(place: str, function: Function) -> Breach | None:
    arguments = function["arguments"]
    return None if isinstance(arguments, str) else wrong_type(f"{place}.arguments", "a string", arguments)
