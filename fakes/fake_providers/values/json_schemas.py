"""Validators of JSON Schemas from anywhere. They fetch nothing: no `$ref` and no `$schema` reaches a network or a file.

Knows no tool and no wire. Nothing else makes a validator.
"""

from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from jsonschema_rs import Validator


def validator_of(schema: Any) -> "Validator":
    """Raises `ValueError` for what is no JSON Schema, which one that refers to an address is not either."""
    import jsonschema_rs  # takes a fifth of `import fake_providers`, and most fakes have no call to check

    try:
        return jsonschema_rs.validator_for(schema, retriever=_refuse_address)
    except jsonschema_rs.ReferencingError as error:
        raise ValueError(str(error)) from None


def why_no_schema(schema: Any) -> str:
    """Why this is no JSON Schema, in one line; empty if it is one."""
    try:
        validator_of(schema)
    except ValueError as error:
        return str(getattr(error, "message", "") or error).splitlines()[0]
    return ""


def _refuse_address(address: str) -> NoReturn:
    raise ValueError(f"{address} is not fetched")
