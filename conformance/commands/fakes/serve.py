"""A strict fake on a port of loopback, for as long as somebody wants it; prints each refusal."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from conformance.run.model_script import told
from conformance.scenario.model import ReplySpec
from conformance.scenario.reading import read
from fakes import Handler, Reply, Request, Response
from fakes.serving.scripted_fake import ScriptedFake
from fakes.transport.mounts import Mounts
from fakes.transport.server import LoopbackServer


def stand(
    provider: str,
    *,
    wire: str | None,
    port: int,
    script: Path | None,
    until: Callable[[], object] | None = None,
) -> int:
    """Serves until `until` returns, or for ever; the keyboard interrupts it. Gives 2 where the call's words are off."""
    try:
        replies = None if script is None else replies_of(script)
        fake = ScriptedFake(provider, replies, wire=wire)
    except (LookupError, ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    try:
        server = LoopbackServer(_Everywhere(_Telling(fake)), _report, port=port)
    except OSError as error:
        print(f"port {port} cannot be had: {error.strerror}", file=sys.stderr)
        return 2
    with server:
        print(f"{provider} on {fake.wire.name}: base URL {server.url}{fake.wire.base_path}", flush=True)
        try:
            (until or threading.Event().wait)()
        except KeyboardInterrupt:
            print()
    return 0


def replies_of(path: Path) -> tuple[Reply, ...]:
    """The replies of a YAML file: a list as a scenario's `model`. Raises `ValueError` with file and line."""
    document = read(path.read_bytes())
    if document.mistakes:
        raise ValueError("\n".join(f"{path}:{mistake.line}: {mistake.message}" for mistake in document.mistakes))
    if not isinstance(document.value, list):
        raise ValueError(f"{path}:1: a script is a list of replies, each as in a scenario's `model`.")
    try:
        specs = TypeAdapter(list[ReplySpec]).validate_python(document.value)
    except ValidationError as error:
        first = error.errors()[0]
        place = (int(first["loc"][0]),) if first["loc"] else ()
        raise ValueError(f"{path}:{document.lines.get(place, 1)}: {first['msg']} at {first['loc']}") from None
    return tuple(told(spec, repetition, names={})[0] for spec in specs for repetition in range(1, spec.times + 1))


class _Everywhere(Mounts):
    """One handler for every path: who serves by hand wants the provider's own paths."""

    def __init__(self, handler: Handler) -> None:
        super().__init__()
        self._handler = handler

    def resolve(self, path: str) -> tuple[Handler, str] | None:
        return self._handler, path


class _Telling:
    """The fake, with a line printed for each request."""

    def __init__(self, fake: ScriptedFake) -> None:
        self._fake = fake

    def handle(self, request: Request) -> Response:
        before = len(self._fake.violations)
        response = self._fake.handle(request)
        new = self._fake.violations[before:]
        print(f"{request.method} {request.path}: {response.status}", flush=True)
        for violation in new:
            print(f"  refused by {violation.rule} at {violation.at}: {violation.message.strip()}", flush=True)
        return response


def _report(path: str, error: BaseException) -> None:
    print(f"the fake itself failed: {error!r}", file=sys.stderr, flush=True)
