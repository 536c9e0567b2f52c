"""A fake as a respx route, for people's own tests. Imports respx when it is first used, and nothing else does.

respx 0.23 patches httpx only. `register_httpx2` adds httpx2, which today's vendor SDKs use:

    register_httpx2()
    with respx.mock(base_url="https://api.openai.com", using="httpx2") as router:
        route = add_route(router, handler)
"""

from typing import TYPE_CHECKING, Any

from fake_providers.http import Handler
from fake_providers.transport.answerer import Answerer, Mounts
from fake_providers.transport.hook import InterceptedRequest

if TYPE_CHECKING:
    import respx


def add_route(router: "respx.Router", handler: Handler, **lookups: Any) -> "respx.Route":
    """A route of `router` that `handler` answers, with real chunks, delays and cuts.

    It matches everything below the router's base URL; `lookups` are respx's own and narrow it down
    (`path__startswith="/v1"`). The handler sees the whole path. An exception of the handler is raised in the test.
    A delay blocks the loop of an asynchronous client: respx does not say which kind of client it is.
    """
    import httpx

    mounts = Mounts()
    prefix = f"/{mounts.mount(handler)}"
    answerer = Answerer(mounts, _raise)

    def answer(request: httpx.Request) -> httpx.Response:
        response: httpx.Response = InterceptedRequest(httpx, request, answerer, prefix=prefix).answer()
        return response

    return router.route(**lookups).mock(side_effect=answer)


def _raise(path: str, error: BaseException) -> None:
    raise error


def register_httpx2() -> None:
    """Makes `respx.mock(using="httpx2")` work; calling it again changes nothing.

    respx converts through httpx: what it cannot match or mock is an httpx error even for an httpx2 client, but the
    errors of a cut or a delay are httpx2's own.
    """
    import fake_providers.transport.respx_mocker  # noqa: F401  (respx knows a mocker from its definition on)
