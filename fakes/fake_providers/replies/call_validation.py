"""A scripted call: its id and its arguments as wires send them, and what the tools of a request say against it."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from fake_providers.http import compact, spaced
from fake_providers.reply import Call, CannotExpress
from fake_providers.values.json_texts import read_json, validator_of

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

CallFault = Literal["undeclared-call", "arguments-not-json", "tool-schema-mismatch"]


def fault_of_call(call: Call, schemas: Mapping[str, Any]) -> CallFault | None:
    """The first fault of the call. `schemas` has the parameters of each tool in the request, by its name."""
    if call.name not in schemas:
        return "undeclared-call"
    try:
        arguments = arguments_of(call)
    except ValueError:
        return "arguments-not-json"
    return "tool-schema-mismatch" if mismatches(schemas[call.name], arguments) else None


def arguments_of(call: Call) -> Any:
    """The value of the arguments; an empty text and null mean no arguments. Raises `ValueError` for a text that is not
    JSON."""
    if call.arguments_text is None:
        return dict(call.arguments or {})
    if not call.arguments_text.strip():
        return {}
    value = read_json(call.arguments_text, strict=True)
    return {} if value is None else value


def arguments_as_json(call: Call) -> str:
    """The text of the arguments, for a wire that sends them as one."""
    return compact(call.arguments or {}) if call.arguments_text is None else call.arguments_text


def id_of_call(call: Call, make: Callable[[], str]) -> str:
    """The scripted id, or one that the provider makes. Raises `CannotExpress` where it is to have none."""
    if call.id is None:
        raise CannotExpress("call-id-null")
    return call.id if isinstance(call.id, str) else make()


def mismatches(schema: Any, arguments: Any) -> list["ValidationError"]:
    """All errors of the arguments; none for a schema that is broken or refers to an address."""
    try:
        return list(validator_of(schema).iter_errors(arguments))
    except ValueError:
        return []


def arguments_object(call: Call) -> dict[str, Any]:
    """The arguments for a wire that sends them as an object. Raises `CannotExpress` for any other value or text."""
    if call.arguments_text is None:
        return dict(call.arguments or {})
    try:
        arguments = read_json(call.arguments_text, strict=True)
    except ValueError:
        raise CannotExpress("arguments-not-json") from None
    if not isinstance(arguments, dict):
        raise CannotExpress("arguments-not-object")
    return arguments


def arguments_text(call: Call) -> str:
    """What the deltas of a call add up to, for a wire whose arguments are an object: as the model writes them, or
    nothing where there are none.

    Raises `CannotExpress` for JSON that is no object.
    """
    if call.arguments_text is None:
        return spaced(call.arguments) if call.arguments else ""
    try:
        arguments_object(call)
    except CannotExpress as error:
        if error.feature != "arguments-not-json":
            raise
    return call.arguments_text
