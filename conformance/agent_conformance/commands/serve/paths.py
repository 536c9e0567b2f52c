"""Several providers on one port: each below a path of its own name. Knows fakes and paths, no options."""

from collections.abc import Iterator, Mapping

from agent_conformance.commands.shared.served import Answers, PrintingFake, Served
from fake_providers import Handler, Request, Response
from fake_providers.http import json_response


def handler_of(providers: Mapping[str, Served], answers: Mapping[str, Answers]) -> Handler:
    """What answers for the providers, by the path that each is below; one alone may have none."""
    if [*answers] == [""]:
        return PrintingFake(answers[""])
    return ByPrefix({prefix: PrintingFake(fake, prefix=prefix) for prefix, fake in answers.items()}, providers)


def base_urls(providers: Mapping[str, Served], url: str) -> Iterator[tuple[str, str, str]]:
    """Provider, wire and base URL as the wire's SDK takes it, of what a server at `url` has."""
    for prefix, provider in providers.items():
        for fake in provider.fakes:
            yield fake.provider, fake.wire.name, f"{url}{prefix}{fake.wire.base_path}"


class ByPrefix:
    """Handlers by the first segment of the path, such as `/openai`, and a 404 elsewhere that says where they are."""

    def __init__(self, handlers: Mapping[str, Handler], providers: Mapping[str, Served]) -> None:
        self._by_prefix = handlers
        self._bases = ", ".join(dict.fromkeys(base for _, _, base in base_urls(providers, "")))

    def handle(self, request: Request) -> Response:
        target, mark, query = request.path.partition("?")
        first, _, rest = target.removeprefix("/").partition("/")
        handler = self._by_prefix.get(f"/{first}")
        if handler is not None:
            return handler.handle(Request(request.method, f"/{rest}{mark}{query}", request.headers, request.body))
        message = f"No provider is at {target}: the base URLs of this server end in {self._bases}."
        return json_response(404, {"error": {"message": message, "type": "fake_provider", "code": 404}})
