"""The exchanges of a cassette, as requests with their responses. Each recorder's format is read elsewhere."""

from agent_conformance.cassettes import Problem, RecordedExchange, UnknownFormat, exchanges_of, wire_of
from agent_conformance.cassettes.decoding.wires import request_of
from agent_conformance.cassettes.endings import ABOUT, line_after_the_end
from agent_conformance.drafts.evidence import CannotDraft, Evidence
from agent_conformance.drafts.requests import Sent, evidence_of
from agent_conformance.drafts.source_file import SourceFile

CUT = ("before it.", "no more are.")
"""How the problem of a file that stops ends; any other is of one entry."""


def evidence_of_cassette(file: SourceFile) -> Evidence:
    """Raises `CannotDraft` for a file that was cut, or has no request to a model."""
    try:
        found = list(exchanges_of(file.data, file.label))
    except UnknownFormat as error:
        raise CannotDraft(str(error)) from None
    problems = [one for one in found if isinstance(one, Problem)]
    if problems and problems[-1].message.endswith(CUT):
        raise CannotDraft(f"{problems[-1]} Give the file whole, or without what comes after these entries.")
    sent = [one for exchange in found if isinstance(exchange, RecordedExchange) for one in _sent(exchange)]
    if not sent:
        raise CannotDraft(f"{file.label}: none of its {len(found)} entries is a request to a model that is known here.")
    if (line := line_after_the_end(file.text)) is not None:
        raise CannotDraft(f"{file.label}:{line}: {ABOUT}")
    wires = dict.fromkeys(one.wire for one in sent)
    notes = [f"The entry at line {one.place.line} could not be read." for one in problems]
    if len(wires) > 1:
        notes.append(f"The cassette has requests of {' and '.join(wires)}; those of the first are used.")
    return evidence_of([one for one in sent if one.wire == sent[0].wire], "cassette", notes)


def _sent(exchange: RecordedExchange) -> list[Sent]:
    wire = wire_of(exchange)
    if wire is None:
        return []
    request = request_of(exchange.request, wire)
    return [Sent(request, wire.wire, wire.provider, exchange.response, exchange.is_made_up)]
