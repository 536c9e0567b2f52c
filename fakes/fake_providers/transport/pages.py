"""Pages in browsers as clients: whose they are, and the headers without which they cannot read a response.

Knows HTTP, and no provider.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from fake_providers.http import Handler, Request, Response

_HOST = r"(?:(?:[\w-]+\.)*localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?"
_HOST_OF_THIS_MACHINE = re.compile(_HOST, re.IGNORECASE)
_PAGE_OF_THIS_MACHINE = re.compile(rf"https?://{_HOST}|(?!https?:)[\w+.-]+://.*", re.IGNORECASE)
"""With any other scheme, such as `app` or `vscode-webview`, it belongs to a program that is installed here."""


def is_of_this_machine(host: str) -> bool:
    """Of the header `Host`. A page reaches a loopback port under a name of its own that leads there: `Host` has that
    name."""
    return _HOST_OF_THIS_MACHINE.fullmatch(host.strip()) is not None


def foreign_page(headers: Mapping[str, str]) -> str:
    """The page of another machine that sends this request, in words; empty for any other client.

    A browser leaves `Origin` out where the page cannot read the response, as for a picture.
    """
    origin = headers.get("origin")
    if origin is None:
        return "another site" if headers.get("sec-fetch-site") == "cross-site" else ""
    return "" if _PAGE_OF_THIS_MACHINE.fullmatch(origin) else origin


class ForPages:
    """The handler, for pages as well: it answers the question that a browser asks before it sends a request."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    def handle(self, request: Request) -> Response:
        origin = request.headers.get("origin")
        if origin is None:
            return self._handler.handle(request)
        to_this_page = (("access-control-allow-origin", origin), ("vary", "origin"))
        if request.method == "OPTIONS" and "access-control-request-method" in request.headers:
            return Response(204, (*to_this_page, *_allowed(request.headers)), ())
        response = self._handler.handle(request)
        shown = ("access-control-expose-headers", "*")
        return replace(response, headers=(*response.headers, *to_this_page, shown))


def _allowed(asked: Mapping[str, str]) -> list[tuple[str, str]]:
    """What the browser asks for. A page on the public network has to ask for this machine as well."""
    answers = {
        "access-control-request-method": "access-control-allow-methods",
        "access-control-request-headers": "access-control-allow-headers",
        "access-control-request-private-network": "access-control-allow-private-network",
    }
    return [(answer, asked[question]) for question, answer in answers.items() if question in asked]
