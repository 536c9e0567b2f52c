"""A check as lines of text."""

from collections.abc import Iterator

from agent_conformance.commands.check_request.checks import Check
from fake_providers.neutral_text import printable

NOTHING_TRIED = "no change was found that is accepted and keeps the conversation as it is"


def check_lines(check: Check) -> Iterator[str]:
    """One line for an accepted body, a block for a refused one."""
    violation = check.violation
    if violation is None or check.advice is None:
        yield f"{check.target.provider}: accepted"
        return
    yield f"{check.target.provider}: refused by {violation.rule}"
    yield _labelled("status", str(violation.status))
    yield _labelled("message", violation.message.strip())
    yield _labelled("at", violation.at or "the body")
    if violation.confidence == "inferred":
        yield _labelled("confidence", "inferred: the real provider may accept it")
    yield _labelled("remedy", check.advice.remedy)
    for number, change in enumerate(check.advice.changes):
        yield _labelled("or" if number else "tried", change.words)
    if not check.advice.changes:
        yield _labelled("tried", NOTHING_TRIED)


def _labelled(label: str, text: str) -> str:
    return f"  {label:10}  {printable(text)}"
