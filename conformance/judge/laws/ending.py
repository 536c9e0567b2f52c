"""Laws on how a step ends: `bounded`, `answers`, `survives`."""

from collections.abc import Iterator

from conformance.judge.evidence import END, Evidence, Fault, quoted
from conformance.judge.laws.paired import mispaired
from conformance.record.bounds import BOUND_WITHOUT_LIMIT, MANY, MOST_MEGABYTES, MOST_REQUESTS
from conformance.record.transcript import Exchange, StepRecord


def bounded(evidence: Evidence) -> Iterator[Fault]:
    """A step ends within the bound; past it the fake answered nothing any more."""
    for record in evidence.steps:
        counted = len(record.counted)
        if (passed := _passed(record)) is not None:
            expected, seen = passed
            yield Fault(
                id="bounded",
                kind="bound",
                level="must",
                step=record.number,
                exchange=counted + 1,
                expected=expected,
                seen=f"{seen}; the suite answered no more",
                cause="bounded",
            )
        elif not evidence.has("exchange-limit") and counted > MANY:
            yield Fault(
                id="bounded",
                kind="shown",
                level="should",
                step=record.number,
                exchange=END,
                expected=f"at most {MANY} exchanges in a step (the suite stops at {BOUND_WITHOUT_LIMIT})",
                seen=f"{counted} exchanges",
                cause="bounded",
            )


def _passed(record: StepRecord) -> tuple[str, str] | None:
    """The bound at which the fake stopped answering, and what went past it."""
    megabytes = sum(len(exchange.request.body) for exchange in record.exchanges) / 1_000_000
    if megabytes > MOST_MEGABYTES:
        return f"at most {MOST_MEGABYTES} MB of requests in a step", f"{megabytes:.0f} MB"
    if any(exchange.kind == "stopped" for exchange in record.exchanges[:MOST_REQUESTS]):
        counted = len(record.counted)
        return f"at most {counted} exchanges in a step", f"exchange {counted + 1} was asked for"
    if len(record.exchanges) > MOST_REQUESTS:
        return f"at most {MOST_REQUESTS} requests in a step, refused and repeated ones included", "one more"
    return None


def answers(evidence: Evidence) -> Iterator[Fault]:
    """A step ends in a non-blank reply or a controlled failure, never in silence, a crash or a hang."""
    for record in evidence.steps:
        if record.outcome in ("crash", "hang", "flood"):
            if any(exchange.kind == "stopped" for exchange in record.exchanges):  # how it ends follows from the bound
                yield _ending(record.number, END, record.failure, kind="shown")
            else:
                yield _ending(record.number, _last(record.exchanges), record.failure, kind="ending")
        elif record.outcome == "reply" and not record.reply.strip():
            yield _ending(record.number, END, f'the reply "{quoted(record.reply)}"', kind="shown")


def _last(exchanges: list[Exchange]) -> int:
    return exchanges[-1].number if exchanges else 0


def _ending(step: int, exchange: int, seen: str, *, kind: str) -> Fault:
    return Fault(
        id="answers",
        kind="ending" if kind == "ending" else "shown",
        level="must",
        step=step,
        exchange=exchange,
        expected="a reply that is not blank, or a controlled failure",
        seen=seen,
        cause="answers",
    )


def survives(evidence: Evidence) -> Iterator[Fault]:
    """After the last step one more message is accepted and answered."""
    record = evidence.survival
    if record is None:
        return
    refused = next((exchange for exchange in record.exchanges if exchange.refused and exchange.violation), None)
    token = record.step.user.removesuffix(".").rsplit(" ", 1)[-1]
    if refused is not None and refused.violation is not None:
        seen = f"its request was refused: {refused.violation.status} {refused.violation.message}"
    elif record.outcome in ("crash", "hang", "flood", "error"):
        seen = f"{record.outcome}: {record.failure}"
    elif (unpaired := _unpaired(record)) is not None:
        seen = f"a request that holds {unpaired}"
    elif token not in record.reply:
        seen = f'the reply "{quoted(record.reply)}"'
    else:
        return
    yield Fault(
        id="survives",
        kind="survival",
        level="must",
        step=record.number,
        exchange=refused.number if refused else END,
        place=refused.violation.at if refused and refused.violation else "",
        expected=f'one more message, "{record.step.user}", to be accepted and answered',
        seen=seen,
        cause="survives",
    )


def _unpaired(record: StepRecord) -> str | None:
    """The first call or result in the one more request that lacks its other half."""
    problems = (problem for exchange in record.exchanges for _, problem in mispaired(exchange.view))
    return next(problems, None)
