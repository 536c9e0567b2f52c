"""The shards of one run joined. Knows results alone."""

from collections.abc import Sequence
from dataclasses import fields, replace

from agent_conformance.results.model import BrokenScenario, CaseRecord, Ending, Results, Shard, with_cases

ENDINGS: tuple[Ending, ...] = ("complete", "stopped", "interrupted", "terminated", "killed")
"""The worst last."""
ALIKE = ("suite", "agent", "options")


class NotMergeable(Exception):
    """These results are not shards of one run: one line that says why."""


def merged(shards: Sequence[tuple[str, Results]]) -> Results:
    """One run out of its shards, each with the name that messages give it. Raises `NotMergeable`.

    Shards may be missing: `shard.missing` of the result says which, and the exit code is at least 1.
    """
    _check(shards)
    runs = [run for _, run in sorted(shards, key=lambda named: _shard(named[1]).has)]
    first = runs[0]
    shard = Shard(_shard(first).of, tuple(sorted(number for run in runs for number in _shard(run).has)))
    cases = _cases(shards)
    joined = replace(
        first,
        started=min(run.started for run in runs),
        seconds=max(run.seconds for run in runs),
        ended=max((run.ended for run in runs), key=ENDINGS.index),
        exit_code=_exit_code(runs, shard),
        selected=sum(run.selected for run in runs),
        shard=shard,
        broken_files=_broken(runs),
        stray_exits=tuple(text for run in runs for text in run.stray_exits),
        rules={id: text for run in runs for id, text in run.rules.items()},
        laws={id: text for run in runs for id, text in run.laws.items()},
    )
    return with_cases(joined, cases, {id: body for run in runs for id, body in run.bodies.items()})


def _check(shards: Sequence[tuple[str, Results]]) -> None:
    if not shards:
        raise NotMergeable("there are no results to merge. Name the folders that the shards wrote.")
    seen: dict[int, str] = {}
    name, first = shards[0]
    for other, run in shards:
        shard = _shard(run, other)
        if shard.of != _shard(first).of:
            raise NotMergeable(
                f"{other} is a shard of {shard.of}, {name} one of {_shard(first).of}. Merge those of one run."
            )
        for number in shard.has:
            if number in seen:
                raise NotMergeable(
                    f"shard {number}/{shard.of} is given twice, as {seen[number]} and {other}. Name one."
                )
            seen[number] = other
        for what in ALIKE:
            if (difference := _difference(getattr(first, what), getattr(run, what))) is not None:
                raise NotMergeable(f"{other} is of another run than {name}: {what}, {difference}")


def _shard(run: Results, name: str = "") -> Shard:
    if run.shard is None:
        raise NotMergeable(f"{name} is no shard: it was made without --agent-shard, such as --agent-shard=1/3.")
    return run.shard


def _difference(first: object, other: object) -> str | None:
    for field in fields(first):  # type: ignore[arg-type]
        was, now = getattr(first, field.name), getattr(other, field.name)
        if was != now:
            return f"{field.name} is {now!r} and not {was!r}."
    return None


def _cases(shards: Sequence[tuple[str, Results]]) -> list[CaseRecord]:
    found: dict[str, str] = {}
    for name, run in shards:
        for case in run.cases:
            if case.id in found:
                raise NotMergeable(f"{case.id} is in {found[case.id]} and in {name}. Merge shards of one run.")
            found[case.id] = name
    return [case for _, run in shards for case in run.cases]


def _exit_code(runs: Sequence[Results], shard: Shard) -> int:
    """The worst: a run that never ended counts as an error of the set-up, as a missing shard counts as a failure."""
    codes = [3 if run.exit_code is None else run.exit_code for run in runs]
    return max([*codes, 1 if shard.missing else 0])


def _broken(runs: Sequence[Results]) -> tuple[BrokenScenario, ...]:
    """Each shard reads all files."""
    return tuple({file.path: file for run in runs for file in run.broken_files}.values())
