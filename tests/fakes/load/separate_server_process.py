"""A loopback server in a process of its own, to be measured from outside. Run, not imported.

Prints the URLs of its handlers as JSON, serves until its standard input ends, stops, and prints its own errors as JSON.
"""

import json
import sys

from load_requests import OWN

from fake_providers import Reply, Request, Response, ScriptedFake
from fake_providers.http import json_response
from fake_providers.transport import LoopbackServer, Mounts

CHUNKS, CHUNK = 2500, b"x" * 4096
"""A stream of ten megabytes."""


class Constant:
    """Sends the same response to every request and stores nothing."""

    def __init__(self, response: Response) -> None:
        self._response = response

    def handle(self, request: Request) -> Response:
        return self._response


class FreshFake:
    """A new strict fake for every request, so that only what the fakes themselves cache is kept."""

    def __init__(self, provider: str, wire: str) -> None:
        self._provider, self._wire = provider, wire

    def handle(self, request: Request) -> Response:
        return ScriptedFake(self._provider, [Reply(text="7 degrees.")], wire=self._wire).handle(request)


def main() -> None:
    mounts = Mounts()
    errors: list[str] = []
    handlers = {
        "constant": Constant(json_response(200, {})),
        "stream": Constant(Response(200, (("content-type", "text/event-stream"),), (CHUNK,) * CHUNKS)),
        **{load_request.wire.name: FreshFake(load_request.provider, load_request.wire.name) for load_request in OWN},
    }
    with LoopbackServer(mounts, lambda path, error: errors.append(repr(error))) as server:
        urls = {name: f"{server.url}/{mounts.mount(handler)}" for name, handler in handlers.items()}
        print(json.dumps(urls), flush=True)
        sys.stdin.read()
    print(json.dumps(errors), flush=True)


if __name__ == "__main__":
    main()
