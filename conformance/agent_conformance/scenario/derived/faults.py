"""The fault and the tokens of a scenario's reply, as the fakes' types. Knows the format, no wire."""

from agent_conformance.scenario.model import ReplySpec
from fake_providers import Fault, Usage


def fault_of(reply: ReplySpec) -> Fault | None:
    """The reply's fault, or None where nothing goes wrong."""
    if reply.fault is None:
        return None
    fields = reply.fault.model_dump()
    return Fault(**{**fields, "noise": tuple(fields["noise"])})


def usage_of(reply: ReplySpec) -> Usage | None:
    """The tokens that the provider reports, or None where it counts. Raises `ValueError` for numbers that it never
    reports."""
    return None if reply.usage is None else Usage(**reply.usage.model_dump())


def has_harmful_fault(reply: ReplySpec) -> bool:
    """Whether a correct agent may fail because of this reply's fault; noise is no reason to fail."""
    fault = fault_of(reply)
    return fault is not None and fault.is_harmful
