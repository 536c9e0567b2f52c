"""What is looked for in schemas at once is what the single checks of them find."""

import random
from typing import Any

from fake_providers.wires.openai_shared import schema_faults
from tests.tables import rows

CHECKS = (schema_faults.type_unknown, schema_faults.required_not_list, schema_faults.array_without_items)
TYPES = ["string", "object", "array", "str", ["array", "null"], ["string", "null"], ["text"], None, 7]


def made_up(draw: random.Random, depth: int = 3) -> Any:
    """A schema, or what stands in place of one."""
    if depth == 0 or draw.random() < 0.1:
        return draw.choice([True, None, [], "string", {}])
    schema: dict[str, Any] = {"type": draw.choices(TYPES, [9, 9, 3, 1, 1, 3, 1, 3, 1])[0]}
    if draw.random() < 0.3:
        schema["required"] = draw.choices([["a"], True, None], [9, 1, 1])[0]
    for keyword in draw.sample(["properties", "$defs", "items", "additionalProperties", "anyOf", "oneOf", "enum"], 2):
        inner = [made_up(draw, depth - 1) for _ in range(2)]
        shapes = [{"a": inner[0], "b": inner[1]}, inner, inner[0]]
        fitting = 0 if keyword in schema_faults.MAPS else 1 if keyword in schema_faults.LISTS else 2
        schema[keyword] = shapes[fitting] if draw.random() < 0.9 else draw.choice(shapes)
    return schema


def test_fault_inside_is_one_of_those_that_the_checks_find() -> None:
    draw = random.Random(11)
    found = {True: 0, False: 0}

    for _ in range(4000):
        schema = made_up(draw)
        has_fault = any(check(schema) is not None for check in CHECKS)
        found[has_fault] += 1
        assert schema_faults.has_fault_inside(schema) is has_fault, schema
    assert min(found.values()) > 400


@rows("keyword", ["allOf", "oneOf", "propertyNames", "uniqueItems", "contains", "if"])
def test_strict_mode_names_a_keyword_that_it_does_not_permit(keyword: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", keyword: True}}}

    assert schema_faults.not_permitted(schema) == f"In context=('properties', 'a'), '{keyword}' is not permitted."
