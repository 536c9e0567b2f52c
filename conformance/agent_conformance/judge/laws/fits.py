"""The law `fits`: what is too long for the model's window is made shorter, and not sent again as it is."""

from collections.abc import Iterator

from agent_conformance.judge.calls import change_of_beginning
from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.transcripts.transcript import CONVERSATION, RecordedRequest, TurnRecord
from fake_providers.values.tokens import count_tokens

AS_LONG = 2
"""So many requests of a turn may be as long as the first one that did not fit, itself included: an agent may have the
model summarise the whole conversation, which is refused too."""


def check_window(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """After a refusal requests become shorter. Of a window that truncates in silence, none is longer than it; where
    there is none, none is much longer than the agent's own limit.
    """
    window = evidence.scenario.window
    if window is None:
        yield from _beyond_the_limit(evidence)
        return
    for record in evidence.turns:
        if window.how == "truncate":
            # Beyond the agent's own limit it is wrong. Within it the agent only has to know its server: that is
            # advice.
            limit = evidence.scenario.limits.context_tokens or window.tokens
            for request in (one for one in record.requests if one.kind in CONVERSATION):
                tokens, kept = count_tokens(request.view), request.view.window or window.tokens
                if tokens > kept:
                    yield FITS.broken_by(
                        record,
                        request,
                        level="must" if tokens > limit else "should",
                        expected=f"at most {kept} tokens, as many as the server keeps ({_said(request)})",
                        got=f"{tokens} tokens: the server drops the beginning of the conversation and does not say so",
                    )
        else:
            yield from _as_long_again(record)


def _beyond_the_limit(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """The first request that is longer than the agent's own limit by half: tokens are counted in other ways, too."""
    limit = evidence.scenario.limits.context_tokens
    for record, request in evidence.model_requests():
        tokens = count_tokens(request.view) if limit is not None and not request.refused else 0
        if limit is not None and 2 * tokens > 3 * limit:
            yield FITS.broken_by(
                record,
                request,
                expected=f"about {limit} tokens at most, the agent's own limit",
                got=f"{tokens} tokens",
                detail="a request longer than the agent's own limit",
            )
            return


def _as_long_again(record: TurnRecord) -> Iterator[Mismatch]:
    """Counted anew once a request fitted and its successor goes on from it: then what is new is too much by itself."""
    as_long: list[RecordedRequest] = []
    first, fitting = 0, None
    for request in record.requests:
        if request.kind != "window":
            fitting = request.view if as_long and request.kind in CONVERSATION and not request.refused else fitting
            continue
        tokens = count_tokens(request.view)
        if not as_long or (fitting is not None and change_of_beginning(fitting, request.view) is None):
            first, fitting, as_long = tokens, None, []
        as_long += [request] if tokens >= first else []
        if len(as_long) > AS_LONG:
            yield FITS.broken_by(
                record,
                request,
                expected=f"a request shorter than the first that did not fit ({first} tokens), or the turn's end",
                got=f"{len(as_long)} requests as long, this one of {tokens} tokens",
            )
            return


def _said(request: RecordedRequest) -> str:
    return "its `options.num_ctx`" if request.view.window else "without `options.num_ctx`"


FITS = Law("fits", check_window, Harm.REFUSAL)
