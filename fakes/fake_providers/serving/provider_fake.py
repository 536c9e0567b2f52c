"""A provider on several wires at one base URL, as the real one: each request reaches the fake of its wire.

Knows no wire and no transport.
"""

from collections.abc import Sequence

from fake_providers.http import Request, Response
from fake_providers.serving.endpoints import describe_built
from fake_providers.serving.journal import Answer
from fake_providers.serving.scripted_fake import ScriptedFake


class ProviderFake:
    """Fakes of one provider, one for each wire, the default one first. A handler for any transport."""

    def __init__(self, fakes: Sequence[ScriptedFake]) -> None:
        self.fakes = tuple(fakes)

    def fake_for(self, request: Request) -> ScriptedFake | None:
        """The one that this request is for; None if it is for none of them."""
        return next((fake for fake in self.fakes if fake.claims(request)), None)

    def handle(self, request: Request) -> Response:
        return self.answer(request)[0]

    def answer(self, request: Request) -> tuple[Response, Answer | None]:
        """The response, and what it is: None for a request that is none of the model's."""
        return self.answer_with(self.fake_for(request), request)

    def answer_with(self, fake: ScriptedFake | None, request: Request) -> tuple[Response, Answer | None]:
        """The same, for whoever knows what `fake_for` returns."""
        if fake is not None:
            return fake.answer(request)
        built = describe_built(request, [fake.wire for fake in self.fakes])
        return self.fakes[0].not_built(request, built), None
