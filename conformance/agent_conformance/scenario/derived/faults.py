"""The fault and the tokens of a scenario's reply, as the fakes' types."""

from agent_conformance.scenario.model import CallSpec, ReplySpec
from fake_providers import Fault, Usage
from fake_providers.reply import HARMLESS_QUIRKS
from fake_providers.values.json_texts import read_json


def fault_of(reply: ReplySpec) -> Fault | None:
    """The reply's fault, or None where nothing goes wrong."""
    if reply.fault is None:
        return None
    fields = reply.fault.data()
    return Fault(**{**fields, "noise": tuple(fields["noise"])})


def usage_of(reply: ReplySpec) -> Usage | None:
    """The tokens that the provider reports, or None where it counts. Raises `ValueError` for numbers that it never
    reports."""
    return None if reply.usage is None else Usage(**reply.usage.data())


def has_harmful_fault(reply: ReplySpec) -> bool:
    """Whether a correct agent may fail because of this reply's fault; noise is no reason to fail."""
    fault = fault_of(reply)
    return fault is not None and fault.is_harmful


def is_flawed(reply: ReplySpec) -> bool:
    """Whether the reply is blank, cut off or refused, writes a call or reasoning as text, or has a broken call or one
    in odd deltas."""
    if reply.means is not None and reply.means.handling != "show":
        return True
    if reply.finish not in (None, "stop") or not (reply.calls or (reply.text or "").strip()):
        return True
    return has_repeated_ids(reply) or has_harmful_quirk(reply) or any(is_broken(call) for call in reply.calls)


def has_harmful_quirk(reply: ReplySpec) -> bool:
    """Whether the calls are sent in a way that no documentation allows: a right agent need not understand them."""
    return not HARMLESS_QUIRKS.issuperset(reply.quirks)


def has_repeated_ids(reply: ReplySpec) -> bool:
    given = [call.id for call in reply.calls if "id" in call.given]
    return None in given or len(set(given)) < len(given)


def is_broken(call: CallSpec) -> bool:
    """Whether the argument text of a call is no JSON object."""
    if call.arguments_text is None:
        return False
    try:
        return not isinstance(read_json(call.arguments_text), dict)
    except ValueError:
        return True
