"""What a scenario says of a fault, as the fakes tell it. Knows the format and the fakes' types, no wire."""

from conformance.scenario.model import ReplySpec
from fakes import Fault


def fault_of(reply: ReplySpec) -> Fault | None:
    """The reply's fault, or None where nothing goes wrong."""
    if reply.fault is None:
        return None
    given = reply.fault.model_dump()
    return Fault(**{**given, "noise": tuple(given["noise"])})


def comes_to_harm(reply: ReplySpec) -> bool:
    """Whether a right agent may fail at what becomes of this reply; noise is no harm."""
    fault = fault_of(reply)
    return fault is not None and fault.is_harmful
