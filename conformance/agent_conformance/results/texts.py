"""Texts of agents and models as results keep them: printable, without keys, and the same in each run."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from agent_conformance.explain.texts import expectation_texts, law_texts, without_links
from agent_conformance.gate.printing import shown
from agent_conformance.results.model import LawText, Results, RuleText
from fake_providers import PROVIDERS
from fake_providers.registry import wire_for

LONGEST = 20_000
"""Characters of a text of several lines."""

BEGINNING = 200
"""Characters of a long line in a transcript that is too long."""

_PORT = re.compile(r"(?<![\w.])(127\.0\.0\.1|localhost):\d+(?:/[0-9a-f]{20}\b)?")
"""The part of the path is where a fake of the suite is mounted."""
_OBJECT = re.compile(r"\b0x[0-9a-f]{6,16}\b", re.IGNORECASE)
_UNPRINTABLE_JSON = re.compile(r"[^\n\t\x20-\x7e]")


@dataclass(frozen=True, slots=True)
class TextCleaner:
    """`hide` replaces keys by their names. The state directory of the case becomes `STATE`."""

    hide: Callable[[str], str]
    state_dir: str = ""

    def line(self, text: str) -> str:
        """One line, cut where it is very long."""
        return shown(self._without_keys(text)) if text else ""

    def lines(self, texts: Iterable[str]) -> tuple[str, ...]:
        return tuple(map(self.line, texts))

    def block(self, text: str, limit: int = LONGEST) -> str:
        """The line breaks stay. A very long text says how many characters are left out."""
        whole = self._without_keys(text)
        left = "" if len(whole) <= limit else f"\n... ({len(whole) - limit} more characters)"
        return printable_lines(whole[:limit]) + left

    def transcript(self, text: str, limit: int) -> str:
        """Several lines, of which very long ones are shortened first, and then the middle is left out: how it ended
        stands last.
        """
        whole = printable_lines(self._without_keys(text))
        if len(whole) > limit:
            whole = "\n".join(map(_shortened, whole.split("\n")))
        if len(whole) <= limit:
            return whole
        half = limit // 2
        return f"{whole[:half]}\n... ({len(whole) - 2 * half} more characters) ...\n{whole[-half:]}"

    def body(self, text: str, limit: int) -> tuple[str, int]:
        """A body of HTTP, and how many characters are left out at its end. JSON stays JSON with the same value."""
        whole = self._without_keys(text)
        return escaped(whole[:limit]), max(0, len(whole) - limit)

    def _without_keys(self, text: str) -> str:
        if self.state_dir and self.state_dir in text:
            text = text.replace(self.state_dir, "STATE")
        return _without_addresses(self.hide(text))


def _shortened(line: str) -> str:
    left = len(line) - BEGINNING
    return line if left < BEGINNING else f"{line[:BEGINNING]} ... ({left:,} more characters)"


def _without_addresses(text: str) -> str:
    """Nearly no text has an address: that is quick to see, and the patterns are slow to."""
    if "127.0.0.1:" in text or "localhost:" in text:
        text = _PORT.sub(r"\1:PORT", text)
    return _OBJECT.sub("0x...", text) if "0x" in text or "0X" in text else text


def printable_lines(text: str) -> str:
    """The text with its line breaks, and an escape for every other character that is not printable."""
    return text if text.isprintable() else "\n".join(shown(line, len(line)) for line in text.split("\n"))


def escaped(text: str) -> str:
    """The text with JSON's escape for each character that is not printable: within its strings it means the same."""
    if text.isprintable():
        return text
    return _UNPRINTABLE_JSON.sub(lambda found: _escape(found[0]), text)


def _escape(char: str) -> str:
    if char.isprintable():
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[place] << 8 | units[place + 1]:04x}" for place in range(0, len(units), 2))


def texts_of_rules(results: Results) -> dict[str, RuleText]:
    """By rule, in order of the ids."""
    named = {
        (finding.rule, case.provider, case.wire) for case in results.cases for finding in case.findings if finding.rule
    }
    found: dict[str, RuleText] = {}
    for id, provider, wire in sorted(named):
        # Those among which this one is: a rule is named after its provider, which need not be the case's
        own = id.partition("/")[0]
        targets = [*((own, one) for one in PROVIDERS.get(own, ())), (provider, wire)]
        rule = next(
            (rule for rule in (rule for target in targets for rule in wire_for(*target).rules) if rule.id == id), None
        )
        if rule is not None:
            first = rule.evidence[0] if rule.evidence else None
            found[id] = RuleText(rule.why, rule.confidence, first.source if first else "", first.quote if first else "")
    return found


def texts_of_laws(results: Results) -> dict[str, LawText]:
    """By law, in order of the ids. Without a finding nothing is read."""
    named = sorted({finding.law for case in results.cases for finding in case.findings if finding.law})
    texts = {**expectation_texts(), **law_texts()} if named else {}
    return {
        id: LawText(without_links(texts[id].title), without_links(texts[id].demands), texts[id].why)
        for id in named
        if id in texts
    }
