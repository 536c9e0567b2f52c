"""The text that a request has and the one before had not, without what the model wrote."""

from collections import Counter

from fake_providers import View


def added_text(view: View, previous: View | None) -> str:
    """User texts, results and system text that are new, a line each; a text that grew counts for its growth."""
    before = Counter(_units(previous)) if previous is not None else Counter()
    added = []
    for unit in _units(view):
        if before[unit]:
            before[unit] -= 1
            continue
        start = max((old for old in before if before[old] and old and unit.startswith(old)), key=len, default="")
        if start:
            before[start] -= 1
        added.append(unit[len(start) :])
    return "\n".join(part for part in added if part)


def _units(view: View) -> list[str]:
    units = [view.system]
    for message in view.messages:
        if message.role != "assistant":
            units.append(message.text)
        units += [result.text for result in message.results]
    return units
