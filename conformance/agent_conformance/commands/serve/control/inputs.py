"""What a test program sends to the control interface, checked. Knows no HTTP."""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError

from agent_conformance.commands.serve.script import Script, script_of
from agent_conformance.scenario.checking import mistakes_in_reply
from agent_conformance.scenario.faults import fault_of
from agent_conformance.scenario.model import FaultSpec, ReplySpec
from agent_conformance.scenario.problems import described
from agent_conformance.scenario.reading import KeyPath
from agent_conformance.scenario.validation_messages import messages_of
from fake_providers import Fault
from fake_providers.transport_faults import features_of
from fake_providers.wire_capabilities import can_express


def replies_from(data: Any, wires: Sequence[str]) -> Script:
    """Raises `ValueError` with all mistakes, a line each."""
    script = script_of(data, lambda path: shown_path("replies", path))
    script.check_for(wires)
    return script


def faults_from(data: Any, wires: Sequence[str]) -> dict[int, Fault]:
    """By the number of the request. Raises `ValueError` with all mistakes, a line each."""
    if not isinstance(data, dict):
        raise ValueError(
            f"faults: {described(data)}; expected a mapping from the number of a request to its fault, such as "
            '`{"1": {"status": 503}}`; 1 is the next request.'
        )
    faults: dict[int, Fault] = {}
    mistakes: list[str] = []
    for name, value in data.items():
        found = list(_mistakes(name, value))
        mistakes += found
        if not found:
            faults[int(name)] = _fault(value)
            mistakes += _inexpressible(name, faults[int(name)], wires)
    if mistakes:
        raise ValueError("\n".join(mistakes))
    return faults


def shown_path(root: str, path: KeyPath) -> str:
    """`replies[2].when.user`."""
    return root + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)


def _mistakes(name: str, value: Any) -> Iterator[str]:
    if not name.isdecimal() or len(name) > 9 or int(name) < 1:
        yield f"faults.{name}: a fault is for a request, counted from 1. Write a whole number."
        return
    try:
        spec = FaultSpec.model_validate(value)
    except ValidationError as error:
        yield from (f"{shown_path('faults', (name, *at))}: {said}" for at, said in messages_of(error, value, FaultSpec))
        return
    for at, said in mistakes_in_reply(ReplySpec(text="", fault=spec)):
        yield f"{shown_path('faults', (name, *at[1:]))}: {said}"


def _fault(value: Any) -> Fault:
    fault = fault_of(ReplySpec(fault=FaultSpec.model_validate(value)))
    assert fault is not None
    return fault


def _inexpressible(name: str, fault: Fault, wires: Sequence[str]) -> Iterator[str]:
    for feature in features_of(fault):
        if not any(can_express(feature, wire=wire, mode="stream") for wire in wires):
            yield f"faults.{name}: {' or '.join(wires)} cannot express this fault ({feature}). Leave it out."
