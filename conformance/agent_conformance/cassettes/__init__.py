"""Cassettes: requests and responses that somebody recorded, read from any recorder's format into one neutral form.

cassette = read_cassette(Path("tests/cassettes/weather.yaml"))
for exchange in cassette.exchanges:
    decoded = decode(exchange)  # what the model said, where the wire is a known one
"""

from agent_conformance.cassettes.decoding import DecodedReply, Usage, WireOfExchange, decode, wire_of
from agent_conformance.cassettes.reading import Cassette, UnknownFormat, exchanges_of, read_cassette
from agent_conformance.cassettes.recorded_exchange import (
    Place,
    Problem,
    RecordedExchange,
    RecordedRequest,
    RecordedResponse,
)

__all__ = [
    "Cassette",
    "DecodedReply",
    "Place",
    "Problem",
    "RecordedExchange",
    "RecordedRequest",
    "RecordedResponse",
    "UnknownFormat",
    "Usage",
    "WireOfExchange",
    "decode",
    "exchanges_of",
    "read_cassette",
    "wire_of",
]
