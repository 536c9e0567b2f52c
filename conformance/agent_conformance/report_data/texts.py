"""Texts of agents and models as results keep them, printable, without keys and the same in each run; and the transcript
of a case as text for a terminal."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from agent_conformance.explain.texts import expectation_texts, law_texts, without_links
from agent_conformance.report_data.model import Body, CaseRecord, LawText, Results, RuleText, TurnResult
from agent_conformance.transcripts.shown_texts import shown, shown_lines
from fake_providers import PROVIDERS
from fake_providers.registry import wire_for
from fake_providers.wire_neutral_lines import printable

LONGEST = 10_000
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

    def transcript(self, text: str, limit: int = LONGEST) -> str:
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


MOST_LINES = 400
"""The most lines of one body."""
NOTHING = "there is no transcript: the case was not run to its end"


def case_lines(case: CaseRecord, bodies: Mapping[str, Body], *, raw: bool) -> Iterator[str]:
    """A case on its own: what it is, how it ended, its findings, and its transcript."""
    yield case.id
    yield f"  title     {case.title}"
    yield f"  outcome   {case.outcome}" + (f": {case.reason.splitlines()[0]}" if case.reason else "")
    for finding in case.findings:
        state = "" if finding.state == "new" else f" ({finding.state})"
        yield f"{case.id}#{finding.id}{state}"
        for label, value in finding.facts:
            first, *rest = value.split("\n")
            yield f"  {label:<9} {first}"
            yield from (f"    {line}" for line in rest)
    yield from (f"  source    {source}" for source in case.sources)
    yield f"  rerun     {case.rerun}"
    yield ""
    yield from transcript_lines(case, bodies, raw=raw)


def transcript_lines(case: CaseRecord, bodies: Mapping[str, Body], *, raw: bool) -> Iterator[str]:
    """The narrative; with `raw` also each request and response, where they were kept."""
    if case.cut:
        yield f"text cut: {case.cut}"
    yield from (case.narrative or NOTHING).split("\n")
    if raw:
        for turn in case.turns:
            yield from _requests(turn, bodies)
        if not any(request.request for turn in case.turns for request in turn.requests):
            yield "the requests of this case were not kept: those of failing cases are"
    if raw and case.left_out:
        yield f"{case.left_out} requests or responses are left out, since the case sent very much"


def _requests(turn: TurnResult, bodies: Mapping[str, Body]) -> Iterator[str]:
    for request in turn.requests:
        sent, answer = bodies.get(request.request), bodies.get(request.response)
        if sent is None:
            continue
        yield ""
        kind = "" if request.kind == "reply" else f" ({request.kind})"
        rule = f", refused by {request.violation.rule}" if request.violation is not None else ""
        yield f"turn {turn.number}, request {request.number}{kind}: {sent.method} {sent.path}{rule}"
        yield from _body(sent)
        if answer is not None:
            yield f"response {answer.status}"
            yield from _body(answer)


def _body(body: Body) -> Iterator[str]:
    """Headers, then JSON with its indents; anything else, such as a stream, as it is."""
    yield from (f"  {name}: {value}" for name, value in body.headers)
    try:
        text = json.dumps(json.loads(body.text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        text = body.text
    yield from (f"  {printable(line)}" for line in shown_lines(text, MOST_LINES))
    if body.cut:
        yield f"  ... ({body.cut} more characters)"
