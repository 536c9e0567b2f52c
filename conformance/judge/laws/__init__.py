"""The laws: what holds in every case, unasked. Each reads one performance and yields what does not hold."""

from collections.abc import Callable, Iterator

from conformance.judge.evidence import Evidence, Fault
from conformance.judge.laws.ending import answers, bounded, survives
from conformance.judge.laws.executions import executions
from conformance.judge.laws.offered import offered
from conformance.judge.laws.paired import paired
from conformance.judge.laws.requests import accepted, asked, user_first
from conformance.judge.laws.user_text import no_protocol_text, stream_is_reply

LAWS: tuple[Callable[[Evidence], Iterator[Fault]], ...] = (
    accepted,
    asked,
    user_first,
    offered,
    paired,
    executions,
    no_protocol_text,
    stream_is_reply,
    bounded,
    answers,
    survives,
)
"""In the order in which findings at one place are listed; `executions` holds three laws."""
