"""The validator of a JSON Schema is kept, for this schema and for no other that looks like it."""

import copy
from typing import Any

import pytest

from fake_providers.values.json_texts import SCHEMA_KEPT, validator_of

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}


def test_validator_of_a_schema_is_made_once() -> None:
    assert validator_of(SCHEMA) is validator_of(copy.deepcopy(SCHEMA))


def test_validator_of_a_large_schema_is_not_kept() -> None:
    large = {**SCHEMA, "description": "x" * SCHEMA_KEPT}

    assert validator_of(large) is not validator_of(large)


@pytest.mark.parametrize(("schema", "fitting"), [({"const": 1}, 1), ({"const": True}, True), ({"const": "1"}, "1")])
def test_schemas_that_are_equal_in_python_have_validators_of_their_own(schema: Any, fitting: Any) -> None:
    values = (1, True, "1")
    for value in values:
        validator_of({"const": value})

    assert [value for value in values if validator_of(schema).is_valid(value)] == [fitting]


def test_key_that_is_no_text_makes_no_schema_beside_one_in_which_it_is() -> None:
    assert validator_of({"properties": {"1": {"type": "string"}}}).is_valid({"1": "x"})

    with pytest.raises(ValueError, match="str"):
        validator_of({"properties": {1: {"type": "string"}}})
