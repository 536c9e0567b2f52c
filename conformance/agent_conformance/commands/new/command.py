"""What `new` does: read, replace, draft, run each draft, write the one that fails."""

import argparse
import json
import os
import sys
import tempfile
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.commands.shared import CommandEnds, fitted, json_text
from agent_conformance.commands.shared.minimising import named_agent, reference_trials
from agent_conformance.minimise import Trials, TrialTarget, kinds_of, yaml_text
from agent_conformance.recorded_cases.request_files import FOLDER
from agent_conformance.scenario_drafts.drafting import Draft, drafts_of, obstacle_to_playing
from agent_conformance.scenario_drafts.incident import CannotDraft, Evidence, Refusal
from agent_conformance.scenario_drafts.neutral import Neutral
from agent_conformance.scenario_drafts.sources import evidence_in
from agent_conformance.transcripts.finding import Verdict, subject_of
from agent_conformance.transcripts.redaction import redacted
from fake_providers.provider_facts import own_provider
from fake_providers.registry import PROVIDERS, judge

# Runs drafts: which one the agent fails as the incident did, and whether a right agent passes it.


@dataclass(frozen=True, slots=True)
class Choice:
    """`finding` is what to look for on `wire` and `mode`, "" where the agent has none or there is no agent.

    `lines` are for the terminal, `comment` for the file.
    """

    draft: Draft
    lines: tuple[str, ...]
    comment: str = ""
    finding: str = ""
    wire: str = ""
    mode: str = ""
    has_stuck_thread: bool = False


@dataclass(frozen=True, slots=True)
class _Found:
    """What one run of a draft gave: a finding with its id, or why there is none."""

    draft: Draft
    target: TrialTarget
    finding: str = ""
    code: str = ""
    why_not: str = ""


def chosen(
    drafts: Sequence[Draft], evidence: Evidence, agent: DeclaredAgent | None, *, timeout: float, is_quiet: bool = True
) -> Choice:
    """The first draft with the rule of the incident; else the first with a finding; else the first."""
    # The incident's wire if the agent has it, and its provider
    wires = agent.wires if agent is not None else (evidence.wire,)
    wire = evidence.wire if evidence.wire in wires else wires[0]
    provider = evidence.provider if wire in PROVIDERS.get(evidence.provider, ()) else own_provider(wire)
    modes = agent.modes if agent is not None else ("plain",)
    target = TrialTarget(wire, "plain" if "plain" in modes else modes[0], provider)
    drafts, passes = _fit_for_right_agents(drafts, target, timeout)
    if agent is None:
        draft = drafts[0]
        why_not = passes[0]
        lines = (f"written       {draft.name}; run with no agent, so no finding is known", _reference_line(why_not))
        comment = "It was written without running an agent that has the bug."
        return Choice(draft, lines, comment + (f" The reference agent does not pass it: {why_not}." if why_not else ""))
    with Trials(agent, timeout=timeout, is_quiet=is_quiet) as trials:
        found, is_stuck = _runs(drafts, evidence, agent, target, trials)
    rule = evidence.refusal.rule if evidence.refusal else ""
    failing = [one for one in found if one.finding]
    best = next((one for one in failing if rule and one.code == rule), failing[0] if failing else None)
    if best is None:
        choice = _passing(drafts[0], found, agent, passes[0])
    else:
        choice = _failing(best, agent, rule, passes[list(drafts).index(best.draft)])
    return replace(choice, has_stuck_thread=is_stuck)


def _fit_for_right_agents(
    drafts: Sequence[Draft], target: TrialTarget, timeout: float
) -> tuple[list[Draft], list[str]]:
    """The drafts, without expectations where the reference agent does not meet them; and what it does with each.

    Those that it passes come first. Raises `CannotDraft` where none is a scenario.
    """
    fit, passes, unusable = [], [], ""
    with reference_trials(timeout=timeout) as trials:
        for draft in drafts:
            verdict = trials.verdict(draft.document, target)
            if isinstance(verdict, str):
                unusable = unusable or verdict
                continue
            why = _why_not(verdict)
            turns = [
                {key: value for key, value in turn.items() if key != "expect"}
                for turn in draft.document["conversation"]
            ]
            bare = replace(draft, document={**draft.document, "conversation": turns})
            passes_bare = bool(why) and not _why_not(trials.verdict(bare.document, target))
            fit.append(bare if passes_bare else draft)
            passes.append("" if passes_bare else why)
    if not fit:
        raise CannotDraft(f"what was read makes no scenario: {unusable}")
    order = sorted(range(len(fit)), key=lambda place: bool(passes[place]))
    return [fit[place] for place in order], [passes[place] for place in order]


def _why_not(verdict: Verdict | str) -> str:
    """Why the verdict is none that passes; "" if it passes."""
    if isinstance(verdict, str):
        return verdict
    if verdict.outcome == "pass":
        return ""
    return ", ".join(kinds_of(verdict).values()) or verdict.outcome


def _runs(
    drafts: Sequence[Draft], evidence: Evidence, agent: DeclaredAgent, target: TrialTarget, trials: Trials
) -> tuple[list[_Found], bool]:
    """Each draft in each mode, until one has the rule of the incident."""
    rule = evidence.refusal.rule if evidence.refusal else ""
    found: list[_Found] = []
    for mode in agent.modes:
        here = replace(target, mode=mode)
        for draft in drafts:
            found.append(_found(draft, here, trials.verdict(draft.document, here), rule))
            if found[-1].finding and (not rule or found[-1].code == rule):
                return found, trials.session.has_stuck_thread
    return found, trials.session.has_stuck_thread


def _found(draft: Draft, target: TrialTarget, verdict: Verdict | str, rule: str) -> _Found:
    if isinstance(verdict, str):
        return _Found(draft, target, why_not=verdict)
    kinds = kinds_of(verdict) if verdict.outcome != "pass" else {}
    chosen = next((kind for kind in kinds if rule and kind[0] == rule), next(iter(kinds), None))
    if chosen is None:
        why = f"not judged, {verdict.reason}" if verdict.reason else verdict.outcome
        return _Found(draft, target, why_not=PASSES if verdict.outcome == "pass" else why)
    return _Found(draft, target, kinds[chosen], chosen[0])


def _reference_line(why_not: str) -> str:
    return f"reference     does not pass it: {why_not}" if why_not else "reference     passes it"


def _passing(draft: Draft, found: Sequence[_Found], agent: DeclaredAgent, why_not: str) -> Choice:
    tried = tuple(f"tried         {one.draft.name}, {one.target.mode}: {one.why_not}" for one in found)
    said = f"{agent.spec} passes it: the incident was not found again"
    told = "THE AGENT PASSES IT: the incident was not found again"
    if all(one.why_not != PASSES for one in found):
        said = f"{agent.spec} was not judged by it: {found[0].why_not.removeprefix('not judged, ')}"
        told = "THE AGENT WAS NOT JUDGED BY IT; `needs` names features that its adapter does not declare"
    lines = (f"written       {draft.name}; {told}", *tried)
    comment = f"{said}."
    return Choice(draft, (*lines, _reference_line(why_not)), comment)


def _failing(best: _Found, agent: DeclaredAgent, rule: str, why_not: str) -> Choice:
    other = "" if not rule or best.code == rule else f", and not {rule}"
    lines = (
        f"written       {best.draft.name}; {agent.spec} fails it on {best.target.wire}+{best.target.mode}",
        f"finding       {best.finding}{other}",
        _reference_line(why_not),
    )
    comment = f"The reference agent does not pass it either: {why_not}." if why_not else ""
    return Choice(best.draft, lines, comment, best.finding, best.target.wire, best.target.mode)


PASSES = "passes"
COMMENT_WIDTH = 110
LONGEST_DESCRIPTION = 72


def described(draft: Draft, finding: str) -> Draft:
    """The draft with a description that names what the agent does wrong, where it was found and the draft cannot."""
    subject = subject_of(finding)
    if not finding:
        return draft
    about = f"keeps the law {subject.law}" if subject.law else f"meets its expectation {subject.name}"
    said = f"a {draft.name.split()[0]} conversation {f'never breaks {subject.rule}' if subject.rule else about}"
    return replace(draft, document={**draft.document, "description": said[:LONGEST_DESCRIPTION]})


def new(options: argparse.Namespace) -> int:
    if options.to is not None and options.to.exists():
        return _wrong(f"{options.to} is there already. Remove it, or give another name.")
    if options.minimise and options.agent is None:
        return _wrong("--minimise needs --agent: what must remain is a finding of that agent.")
    agent = None if options.agent is None else named_agent(options.agent)
    neutral = Neutral(words=tuple(options.replace), are_tools_renamed=options.rename_tools)
    try:
        evidence = neutral.evidence(
            evidence_in(
                options.file,
                kind=options.kind,
                answer=options.answer,
                provider=options.provider,
                case=options.case,
                model=options.model,
            )
        )
        drafts = [replace(draft, document=neutral.shortened(draft.document)) for draft in drafts_of(evidence)]
        choice = chosen(drafts, evidence, agent, timeout=options.timeout, is_quiet=not options.verbose)
    except CannotDraft as problem:
        return _wrong(f"{problem}\nNothing was written.")
    choice = replace(choice, draft=described(choice.draft, choice.finding))
    neutral.keep_rows_of(choice.draft.document)
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
    if options.to is not None and is_request_name(options.to):
        return _write_request(evidence, options, neutral)
    if refusal is not None and refusal.rule and not refusal.is_in_scenarios and refusal.rule not in choice.finding:
        lines.append(
            f"  NOT IN IT     {_not_in_scenarios(refusal)} The request itself can be the test: --to {FOLDER}/NAME.json"
        )
    obstacle = obstacle_to_playing(evidence.messages)
    lines += [f"  not played    {obstacle}"] if obstacle else []
    lines += [f"  {line}" for line in choice.lines]
    lines += [f"  not known     {note}" for note in (*evidence.unknown, *choice.draft.made_up)]
    replaced = [f"    {line}" for line in neutral.lines()]
    lines += ["  replaced", *replaced] if replaced else []
    lines.append("  Names are not always found. Read the file before you publish it; --replace takes more texts.")
    print(fitted(redacted("\n".join(lines)), file=sys.stderr), file=sys.stderr)
    code = _write(evidence, choice, options)
    if choice.has_stuck_thread:
        sys.stdout.flush()
        os._exit(code)
    return code


def _not_in_scenarios(refusal: Refusal) -> str:
    return f"What was refused, `{refusal.at}`: a scenario has no such field, so this one cannot find it again."


def _wrong(text: str) -> int:
    print(fitted(redacted(text), file=sys.stderr), file=sys.stderr)
    return 2


def _write(evidence: Evidence, choice: Choice, options: argparse.Namespace) -> int:
    document = choice.draft.document
    head = {key: document[key] for key in ("description", "profile")}
    refusal = evidence.refusal
    lines = [f"From a {evidence.kind} of an incident; the conversation is {choice.draft.name}."]
    if refusal is not None:
        lines.append(f"The request was refused: {refusal.status} {refusal.message}")
        lines += [] if refusal.is_in_scenarios else [_not_in_scenarios(refusal)]
    if choice.comment:
        lines.append(choice.comment)
    notes = (*evidence.unknown, *choice.draft.made_up)
    text = redacted(
        yaml_text(
            {
                **head,
                **({"source": options.source} if options.source else {}),
                **{k: v for k, v in document.items() if k not in head},
            },
            "\n".join(
                part
                for line in (*lines, *notes)
                for part in textwrap.wrap(" ".join(redacted(line).split())[:400], COMMENT_WIDTH)
            ),
        )
    )
    if options.minimise and choice.finding:
        return _minimised(text, choice, options)
    _put(text, options.to)
    return 0 if choice.finding or options.agent is None else 1


def is_request_name(path: Path) -> bool:
    return path.suffix == ".json" and path.parent.name == FOLDER


def _write_request(evidence: Evidence, options: argparse.Namespace, neutral: Neutral) -> int:
    """A body that a provider refuses, as a test that it must accept it. 1 if nothing is refused any more in it."""
    refusal = evidence.refusal
    if refusal is None or not isinstance(refusal.body, dict):
        return _wrong("no provider refuses the request, so it is no test. Name where it was sent with --provider.")
    provider = refusal.provider or evidence.provider
    file = {"provider": provider, "path": refusal.path, "body": refusal.body}
    violation = judge(provider, refusal.path, json.dumps(refusal.body).encode(), {"content-type": "application/json"})
    _put(redacted(json_text({**({"source": options.source} if options.source else {}), **file})) + "\n", options.to)
    said = f"{violation.rule} refuses it" if violation else f"NOTHING REFUSES IT ANY MORE: it was {refusal.rule}"
    replaced = [f"    {line}" for line in neutral.lines()]
    lines = [
        f"{evidence.kind}: the request is a test: {provider} must accept it. Now {said}, at `{refusal.at}`.",
        *(["  replaced", *replaced] if replaced else []),
        f"  run           pytest --agent=... {options.to}",
        "  Write the body of today's code into it, or let a test of yours do so; it passes when the provider takes it.",
    ]
    print(fitted(redacted("\n".join(lines)), file=sys.stderr), file=sys.stderr)
    return 0 if violation else 1


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
        try:
            minimise(argparse.Namespace(**{**vars(options), **asked}))
        except CommandEnds as end:
            print(redacted(str(end)), file=sys.stderr)
            _put(text, options.to)
    return 0
