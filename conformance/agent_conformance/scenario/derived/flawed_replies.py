"""Which scripted replies an agent may throw away, to request the same again. Knows the format, no wire and no agent."""

from agent_conformance.scenario.model import CallSpec, ReplySpec
from fake_providers.reply import HARMLESS_QUIRKS
from fake_providers.values.json_texts import read_json


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
    given = [call.id for call in reply.calls if "id" in call.model_fields_set]
    return None in given or len(set(given)) < len(given)


def is_broken(call: CallSpec) -> bool:
    """Whether the argument text of a call is no JSON object."""
    if call.arguments_text is None:
        return False
    try:
        return not isinstance(read_json(call.arguments_text), dict)
    except ValueError:
        return True
