"""Expectations of how a turn ends and of the agent's reply: `outcome`, `reply`, `narration`."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from agent_conformance.judge.calls import same_value
from agent_conformance.judge.case_evidence import Mismatch, quoted, unmet
from agent_conformance.judge.laws.user_text import narrations
from agent_conformance.scenario.model import Demands, ReplyExpectation
from agent_conformance.transcripts.finding import Level
from agent_conformance.transcripts.transcript import TurnRecord
from fake_providers.values.json_texts import read_json
from fake_providers.values.patterns import found

FENCED = re.compile(r"```(?:json)?\s*\n(.*?)\n\s*```", re.DOTALL)


def outcome(record: TurnRecord, demands: Demands, *, is_default: bool) -> Iterator[Mismatch]:
    """`reply` unless the scenario has another; a crash, a hang and a flood break the law `answers`."""
    default = "killed" if record.turn.crash else "parked" if record.awaits_user else "reply"
    wanted = demands.outcome or (default if is_default else None)
    if wanted is None or record.outcome in ("crash", "hang", "flood"):
        return
    allowed = {"either": ("reply", "error"), "parked": ("parked", "error")}.get(wanted, (wanted,))
    if record.outcome not in allowed:
        got = f"{record.outcome}: {record.failure}" if record.failure else f'the reply "{quoted(record.reply)}"'
        expected = f"the turn to end in {' or '.join(allowed)}"
        mismatch = unmet(record, "outcome", expected, got, detail=record.kind_of_failure)
        is_error = record.outcome == "error"
        yield replace(mismatch, kind="failure", refused=record.last_refusal) if is_error else mismatch


def reply(record: TurnRecord, demands: Demands) -> Iterator[Mismatch]:
    if demands.reply is None or record.outcome not in ("reply", "cancelled"):
        return
    got = f'"{quoted(record.reply, 300)}"'
    for expected, level in _unmet(record, demands.reply):
        yield replace(unmet(record, "reply", expected, got), level=level)
        return


def _unmet(record: TurnRecord, wanted: ReplyExpectation) -> Iterator[tuple[str, Level]]:
    """What was expected and is not so; text that the model wrote with a call may be shown or left out.

    White space around an exact reply is advice, as it is around a result: nobody sees it.
    """
    yield from ((expected, "must") for expected in _missing(record, wanted))
    if wanted.exactly is not None and not any(wanted.exactly == text for text in shown_forms(record)):
        yield f'exactly the reply "{quoted(wanted.exactly)}", without white space around it', "should"


def _missing(record: TurnRecord, wanted: ReplyExpectation) -> Iterator[str]:
    texts = shown_forms(record)
    if wanted.equals is not None and not any(_tidy(text) == _tidy(wanted.equals) for text in texts):
        yield f'the reply "{quoted(wanted.equals)}"'
    if wanted.exactly is not None and not any(text.strip() == wanted.exactly.strip() for text in texts):
        yield f'exactly the reply "{quoted(wanted.exactly)}"'
    if wanted.one_of and not any(_tidy(text) == _tidy(choice) for text in texts for choice in wanted.one_of):
        yield "one of the replies " + ", ".join(f'"{quoted(choice, 60)}"' for choice in wanted.one_of)
    for part in wanted.contains:
        if part not in record.reply:
            yield f'a reply that contains "{quoted(part)}"'
    for part in wanted.lacks:
        if part in record.reply:
            yield f'a reply without "{quoted(part)}"'
    if "json" in wanted.model_fields_set and not any(_is_json(text, wanted.json) for text in texts):
        yield f"the reply {json.dumps(wanted.json, ensure_ascii=False)}, as JSON"
    if wanted.matches is not None and not found(wanted.matches, record.reply):
        yield f"a reply that matches {wanted.matches}"


def shown_forms(record: TurnRecord) -> list[str]:
    """The reply as it is, and without texts at its beginning that the model wrote with calls."""
    forms = [record.reply]
    text = record.reply
    optional = narrations(record)
    while (rest := _after_narration(text.lstrip(), optional)) is not None:
        text = rest
        forms += [text, text.lstrip("\r\n"), text.lstrip()]
    return forms


def _after_narration(text: str, optional: list[str]) -> str | None:
    """What follows the one with which the text begins. White space in it may differ, as where its blocks are joined."""
    for narration_ in optional:
        if begun := re.match(r"\s*".join(map(re.escape, narration_.split())), text):
            return text[begun.end() :]
    return None


def narration(record: TurnRecord, demands: Demands) -> Iterator[Mismatch]:
    """`hidden`: no text that the model wrote with a call reaches the user; `shown`: each does."""
    if demands.narration is None or record.outcome != "reply":
        return
    visible = "".join(record.deltas) + "\n" + record.reply
    for text in narrations(record):
        if (text in visible) != (demands.narration == "shown"):
            word = "to be shown" if demands.narration == "shown" else "not to be shown"
            yield unmet(record, "narration", f'"{quoted(text)}" {word}', f'"{quoted(visible)}"')
            return


def _is_json(text: str, value: Any) -> bool:
    """Whether the text is JSON of this value, alone or as a block of code."""
    fenced = FENCED.fullmatch(text.strip())
    try:
        found = read_json(fenced[1] if fenced else text)
    except ValueError:
        return False
    return bool(same_value(found, value))


def _tidy(text: str) -> str:
    """Trimmed, blank lines collapsed, no white space at the ends of lines."""
    lines = [line.rstrip() for line in text.strip().splitlines()]
    return re.sub(r"\n{2,}", "\n", "\n".join(lines))
