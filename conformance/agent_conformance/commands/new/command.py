"""What `new` does: read, replace, draft, run each draft, write the one that fails. Judges nothing itself."""

import argparse
import os
import sys
import tempfile
import textwrap
from dataclasses import replace
from pathlib import Path

from agent_conformance.agents.loading import AgentNotFound
from agent_conformance.commands.new.choosing import Choice, chosen
from agent_conformance.commands.shared.agents_to_try import named_agent
from agent_conformance.drafts.drafting import Draft, drafts_of
from agent_conformance.drafts.evidence import CannotDraft, Evidence
from agent_conformance.drafts.neutral import Neutral
from agent_conformance.drafts.playing import obstacle_to_playing
from agent_conformance.drafts.sources import evidence_in
from agent_conformance.minimise.documents import Document, yaml_text
from agent_conformance.record.redaction import redacted

COMMENT_WIDTH = 110


def new(options: argparse.Namespace) -> int:
    if options.to is not None and options.to.exists():
        return _wrong(f"{options.to} is there already. Remove it, or give another name.")
    if options.minimise and options.agent is None:
        return _wrong("--minimise needs --agent: what must remain is a finding of that agent.")
    try:
        agent = None if options.agent is None else named_agent(options.agent)
    except AgentNotFound as error:
        print(error, file=sys.stderr)
        return 4
    neutral = Neutral(words=tuple(options.replace), are_tools_renamed=options.rename_tools)
    try:
        evidence = neutral.evidence(_evidence(options))
        drafts = [_shortened(draft, neutral) for draft in drafts_of(evidence)]
        choice = chosen(drafts, evidence, agent, timeout=options.timeout)
    except CannotDraft as problem:
        return _wrong(f"{problem}\nNothing was written.")
    _report(evidence, choice, neutral)
    code = _write(evidence, choice, options)
    if choice.has_stuck_thread:
        sys.stdout.flush()
        os._exit(code)
    return code


def _wrong(text: str) -> int:
    print(redacted(text), file=sys.stderr)
    return 2


def _evidence(options: argparse.Namespace) -> Evidence:
    return evidence_in(
        options.file, kind=options.kind, answer=options.answer, provider=options.provider, case=options.case
    )


def _shortened(draft: Draft, neutral: Neutral) -> Draft:
    return replace(draft, document=neutral.shortened(draft.document))


def _report(evidence: Evidence, choice: Choice, neutral: Neutral) -> None:
    calls = sum(len(message.calls) for message in evidence.messages)
    lines = [
        f"{evidence.kind} on {evidence.wire}: {len(evidence.messages)} messages, {calls} calls, "
        f"{len(evidence.tools)} declared tools"
    ]
    refusal = evidence.refusal
    if refusal is not None:
        rule = f" ({refusal.rule})" if refusal.rule else ""
        message = textwrap.shorten(redacted(refusal.message), 80, placeholder="...")
        lines.append(f"  refused       {refusal.status} {message}{rule}")
    obstacle = obstacle_to_playing(evidence.messages)
    lines += [f"  not played    {obstacle}"] if obstacle else []
    lines += [f"  {line}" for line in choice.lines]
    lines += [f"  not known     {note}" for note in (*evidence.unknown, *choice.draft.made_up)]
    replaced = [f"    {line}" for line in neutral.lines()]
    lines += ["  replaced", *replaced] if replaced else []
    lines.append("  Names are not always found. Read the file before you publish it; --replace takes more texts.")
    print(redacted("\n".join(lines)), file=sys.stderr)


def _write(evidence: Evidence, choice: Choice, options: argparse.Namespace) -> int:
    text = redacted(yaml_text(_with_source(choice.draft.document, options.source), _comment(evidence, choice)))
    if options.minimise and choice.finding:
        return _minimised(text, choice, options)
    _put(text, options.to)
    return 0 if choice.finding or options.agent is None else 1


def _with_source(document: Document, source: str) -> Document:
    head = {key: document[key] for key in ("description", "profile")}
    return {**head, **({"source": source} if source else {}), **{k: v for k, v in document.items() if k not in head}}


def _comment(evidence: Evidence, choice: Choice) -> str:
    refusal = evidence.refusal
    lines = [f"From a {evidence.kind} of an incident; the conversation is {choice.draft.name}."]
    if refusal is not None:
        lines.append(f"The request was refused: {refusal.status} {refusal.message}")
    if choice.comment:
        lines.append(choice.comment)
    notes = (*evidence.unknown, *choice.draft.made_up)
    return "\n".join(part for line in (*lines, *notes) for part in _wrapped(line))


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(" ".join(redacted(line).split())[:400], COMMENT_WIDTH)


def _put(text: str, to: Path | None) -> None:
    """Whole or not at all."""
    if to is None:
        print(text, end="")
        return
    to.parent.mkdir(parents=True, exist_ok=True)
    half = to.with_name(f".{to.name}.half")
    half.write_text(text, encoding="utf-8")
    half.replace(to)


def _minimised(text: str, choice: Choice, options: argparse.Namespace) -> int:
    """Written whole where it cannot be made smaller."""
    from agent_conformance.commands.shared.minimising import minimise

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scenarios" / "incidents" / "new.yaml"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
        asked = {
            "scenario": str(path),
            "row": None,
            "wire": choice.wire,
            "mode": choice.mode,
            "finding": choice.finding,
        }
        code = minimise(argparse.Namespace(**{**vars(options), **asked}))
    if code:
        _put(text, options.to)
    return 0
