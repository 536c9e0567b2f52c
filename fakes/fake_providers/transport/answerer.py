"""From a raw HTTP request to a framed response: the handler's, or the transport's own. Knows no socket, no client.

A thread that an agent has left behind may ask again as soon as it is answered, for as long as the process lives.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from urllib.parse import quote, unquote_to_bytes

from fake_providers.http import Request, Response, json_response
from fake_providers.transport.decoding import UnreadableRequest, decode_body
from fake_providers.transport.framing import Framed, frame
from fake_providers.transport.mounts import Mounts

OnError = Callable[[str, BaseException], None]
"""Called with every error of the fakes themselves: the request's path with its token, and the exception. Any thread."""

SEGMENT_SAFE = ":@!$&'()*+,;=-._~"


def ignore_error(path: str, error: BaseException) -> None:
    """For a transport without `on_error`; the client still gets the error in the 500."""


class Answerer:
    """Answers requests of any transport; raises nothing but Ctrl-C."""

    def __init__(self, mounts: Mounts, on_error: OnError = ignore_error) -> None:
        self._mounts = mounts
        self.on_error = on_error

    def answer(self, method: str, target: str, headers: Iterable[tuple[bytes, bytes]], body: bytes) -> Framed:
        """`target` is the path and query with the token. An exception of the handler becomes a 500 that names it.

        Even `SystemExit` of a handler is caught: it must not end the thread that serves all other cases.
        """
        try:
            response = self._respond(method, target, headers, body)
            return frame(response, method=method)
        except UnreadableRequest as error:
            return refused(method, error)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self.on_error(target, error)
            return frame(_own_error(500, _blame(error)), method=method)

    def _respond(self, method: str, target: str, headers: Iterable[tuple[bytes, bytes]], body: bytes) -> Response:
        found = self._mounts.resolve(target)
        if found is None:
            return slowed(_own_error(404, self._explain(target)), self._mounts.count_late(target))
        handler, path = found
        named: dict[str, str] = {}
        repeated: dict[str, list[str]] = {}
        for raw_name, raw_value in headers:
            name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
            if name in named:
                repeated.setdefault(name, [named[name]]).append(value)
            else:
                named[name] = value
        for name, values in repeated.items():
            named[name] = ", ".join(values)
        body = decode_body(body, named.pop("content-encoding", ""))
        return handler.handle(Request(method, _normalise(path), named, body))

    def _explain(self, target: str) -> str:
        if self._mounts.has_ended(target):
            return f"The fake provider at {target} has ended: the request came after its test was over."
        return f"No fake provider is at {target}: use the base URL as it was given, with its first path segment."


def refused(method: str, error: UnreadableRequest) -> Framed:
    """The 4xx for a body that cannot be read."""
    return frame(_own_error(error.status, str(error)), method=method)


def _own_error(status: int, message: str) -> Response:
    """`x-should-retry` keeps the SDKs that know it from retrying; all wires' SDKs read `error.message`."""
    body = {"error": {"message": message, "type": "fake_provider", "code": status}}
    return json_response(status, body, [("x-should-retry", "false")])


def _blame(error: BaseException) -> str:
    return (
        f"The fake provider failed, which is the test suite's fault, not the agent's: {type(error).__name__}: {error}"
    )


def _normalise(path: str) -> str:
    """Spells `%3A` as `:` and the like, as clients differ there; an escaped slash stays escaped."""
    if "%" not in path:
        return path
    path, mark, query = path.partition("?")
    segments = (quote(unquote_to_bytes(segment), safe=SEGMENT_SAFE) for segment in path.split("/"))
    return "/".join(segments) + mark + query


FIRST = 0.1
"""Seconds for the first late response; each further one takes twice as long."""
LATE = 5
"""Late responses that are sent."""


def slowed(response: Response, number: int) -> Response:
    """The response to late request `number`, counted from 1; one that is in time has none."""
    if number < 1:
        return response
    if number <= LATE:
        return replace(response, delay=FIRST * 2 ** (number - 1))
    return Response(response.status, (), (), cut=True, headless=True, loss="silent")
