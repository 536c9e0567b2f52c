"""Several providers on one port: each below a path of its own name. Knows fakes and paths, no options."""

from collections.abc import Iterator, Mapping

from agent_conformance.commands.shared.served import (
    Answers,
    Everywhere,
    PrintingFake,
    Served,
    is_for_loopback,
    misdirected,
)
from fake_providers import Handler, Request, Response
from fake_providers.http import json_response
from fake_providers.transport.mounts import Mounts


def mounts_of(providers: Mapping[str, Served], answers: Mapping[str, Answers]) -> Mounts:
    """What answers for the providers, by the path that each is below; one alone may have none."""
    if [*answers] == [""]:
        return Everywhere(PrintingFake(answers[""]))
    return ByPrefix({prefix: PrintingFake(fake, prefix=prefix) for prefix, fake in answers.items()}, providers)


def base_urls(providers: Mapping[str, Served], url: str) -> Iterator[tuple[str, str, str]]:
    """Provider, wire and base URL as the wire's SDK takes it, of what a server at `url` has."""
    for prefix, provider in providers.items():
        for fake in provider.fakes:
            yield fake.provider, fake.wire.name, f"{url}{prefix}{fake.wire.base_path}"


class ByPrefix(Mounts):
    """Handlers by the first segment of the path, such as `/openai`."""

    def __init__(self, handlers: Mapping[str, Handler], providers: Mapping[str, Served]) -> None:
        super().__init__()
        self._by_prefix = handlers
        self._elsewhere = NoProvider([base for _, _, base in base_urls(providers, "")])

    def resolve(self, path: str) -> tuple[Handler, str] | None:
        target, mark, query = path.partition("?")
        first, _, rest = target.removeprefix("/").partition("/")
        handler = self._by_prefix.get(f"/{first}")
        return (self._elsewhere, path) if handler is None else (handler, f"/{rest}{mark}{query}")


class NoProvider:
    """The answer to a path below which no provider is: where they are."""

    def __init__(self, bases: list[str]) -> None:
        self._bases = list(dict.fromkeys(bases))

    def handle(self, request: Request) -> Response:
        if not is_for_loopback(request.headers):
            return misdirected(request)
        path = request.path.partition("?")[0]
        message = f"No provider is at {path}: the base URLs of this server end in {', '.join(self._bases)}."
        return json_response(404, {"error": {"message": message, "type": "fake_provider", "code": 404}})
