"""Which quirks a scripted reply may have. Knows the format, and nothing of how a wire sends them."""

from collections.abc import Sequence

from agent_conformance.scenario.checks.mistakes import Found
from agent_conformance.scenario.model import ReplySpec
from agent_conformance.scenario.yaml_files.problems import listed

CALLS_NEEDED = {
    "same-index": 2,
    "interleaved": 2,
    "no-index": 1,
    "growing-index": 1,
    "late-id": 1,
    "id-in-every-delta": 1,
    "repeated-name": 1,
    "arguments-as-object": 1,
}
ONE_OF_THESE = (
    ("same-index", "no-index", "growing-index", "interleaved", "late-id"),
    ("arguments-as-object", "growing-index", "interleaved", "late-id"),
    ("arguments-as-object", "id-in-every-delta"),
    ("arguments-as-object", "repeated-name"),
    ("late-id", "id-in-every-delta"),
)
"""Nobody could put the calls together, or one of the two changes nothing."""


def mistakes_in_quirks(reply: ReplySpec) -> Found:
    """Path and sentence of each quirk that this reply cannot have."""
    for index, quirk in enumerate(reply.quirks):
        earlier = reply.quirks[:index]
        needed = CALLS_NEEDED.get(quirk, 0)
        if quirk in earlier:
            yield ("quirks", index), f"`{quirk}` stands twice. Keep one."
        elif needed > len(reply.calls):
            calls = "two `calls`" if needed == 2 else "`calls`"
            yield ("quirks", index), f"`{quirk}` changes how {calls} are sent, which this reply does not have."
        elif clash := _clash(quirk, earlier):
            yield ("quirks", index), f"{listed((clash, quirk))} exclude each other. Keep one."
        else:
            yield from _mistakes_in_calls(quirk, reply, index)


def _clash(quirk: str, earlier: Sequence[str]) -> str | None:
    groups = (group for group in ONE_OF_THESE if quirk in group)
    return next((other for group in groups for other in earlier if other in group), None)


def _mistakes_in_calls(quirk: str, reply: ReplySpec, index: int) -> Found:
    if quirk == "arguments-as-object" and any(call.arguments_text is not None for call in reply.calls):
        yield ("quirks", index), f"`{quirk}` sends `arguments`, and a call has `arguments_text`. Keep one."
    no_ids = any("id" in call.model_fields_set and call.id is None for call in reply.calls)
    if quirk in ("late-id", "id-in-every-delta") and no_ids:
        yield ("quirks", index), f"`{quirk}` says where the id stands, and a call has none. Keep one."
