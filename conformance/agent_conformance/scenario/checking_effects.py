"""What a scenario may say with `effects`, how often a tool runs in the whole case. Knows no line."""

from agent_conformance.scenario.mistakes import Found, undeclared
from agent_conformance.scenario.model import Scenario, Turn
from fake_providers.reply import HARMLESS_QUIRKS


def check_effects(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    declared = [tool.name for tool in scenario.tools]
    reason = next((why for turn in scenario.conversation if (why := _why_nothing_may_run(scenario, turn))), None)
    for name, wanted in scenario.effects.items():
        path = ("effects", name)
        yield from undeclared(name, path, declared)
        if min(wanted.min or 0, wanted.max or 0) < 0:
            yield path, "a tool runs at least 0 times. Give numbers from 0."
        elif wanted.min is not None and wanted.max is not None and wanted.min > wanted.max:
            yield path, f"`effects` has the minimum {wanted.min} above the maximum {wanted.max}."
        elif wanted.min and reason:
            yield path, f"a right agent may run nothing where there is {reason}. Give only a `max`."


def _why_nothing_may_run(scenario: Scenario, turn: Turn) -> str | None:
    """What of the turn, or of the scenario, lets a right agent end it before a tool has run."""
    if scenario.window is not None:
        return "a `window`"
    for field in ("crash", "cancel", "steer", "approve"):
        if getattr(turn, field):
            return f"a turn with `{field}`"
    if any(tool.approval for tool in scenario.tools):
        return "a tool with `approval`"
    if any(reply.fault for reply in turn.model):
        return "a reply with a `fault`"
    if any(set(reply.quirks) - HARMLESS_QUIRKS for reply in turn.model):
        return "a reply with `quirks`"
    return "`outcome: either`" if turn.expect.outcome == "either" else None
