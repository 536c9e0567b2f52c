"""A connection asks, writes and closes as it is written out, whatever the bytes that come."""

from fake_providers import Request, Response
from fake_providers.transport import Mounts
from tests.fakes.transport.raw_exchanges import REQUESTS, exchange, written
from tests.tables import rows

WRITTEN = written()


class Nobody:
    def handle(self, request: Request) -> Response:
        raise AssertionError("it is never asked")


@rows("name", REQUESTS)
def test_connection_does_what_is_written_out(name: str) -> None:
    assert exchange(REQUESTS[name]) == WRITTEN[name], (
        "if it is right: ./dev python -m tests.docs.regenerate --figures=rules"
    )


@rows("name", ["a body", "a body in chunks with trailers", "an upgrade", "headers again", "no HTTP after a request"])
def test_requests_are_answered_alike_when_each_byte_comes_by_itself(name: str) -> None:
    whole = b"".join(REQUESTS[name]).replace(b"TOKEN", Mounts(seed="raw").mount(Nobody()).encode())

    assert exchange(tuple(whole[at : at + 1] for at in range(len(whole)))) == WRITTEN[name]


def test_what_is_written_out_is_about_requests_that_there_are() -> None:
    assert list(WRITTEN) == list(REQUESTS)
