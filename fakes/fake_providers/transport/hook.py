"""Answers httpx and httpx2 in process, at their transports. Knows which requests to take; `bridge` does the rest.

Requests elsewhere, and clients that the hook does not patch, are unaffected: the base URL is a real loopback server.
"""

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from fake_providers.transport.answerer import Answerer, OnError, ignore_error
from fake_providers.transport.bridge import InterceptedRequest
from fake_providers.transport.mounts import Mounts

LIBRARIES = ("httpx", "httpx2")


class InProcessHook:
    """Patches the transports of every imported library. Thread-safe for requests, not for `install` and `restore`."""

    def __init__(self, mounts: Mounts, host: str, port: int, on_error: OnError = ignore_error) -> None:
        self._answerer = Answerer(mounts, on_error)
        self._host = host
        self._port = port
        self._patched: dict[ModuleType, _Patch] = {}
        self._active = False

    def __enter__(self) -> "InProcessHook":
        self.install()
        return self

    def __exit__(self, *exception: object) -> None:
        self.restore()

    def install(self) -> None:
        """Patches what is imported by now. Called again at the start of each case, for what was imported since.

        Goes by the module and not by its name: `httpx2.alias_httpx()` makes both names one module.
        """
        self._active = True
        for name in LIBRARIES:
            module = sys.modules.get(name)
            # A module that is being imported just now has no transports yet.
            if module is not None and module not in self._patched and hasattr(module, "AsyncHTTPTransport"):
                self._patched[module] = _Patch(module, self)

    def restore(self) -> None:
        """Undoes the patches. One that somebody else has patched over stays, and passes every request on."""
        self._active = False
        for patch in self._patched.values():
            patch.undo()
        self._patched.clear()

    def answers(self, request: Any) -> bool:
        url = request.url
        return self._active and url.port == self._port and url.host == self._host

    def intercepted(self, module: ModuleType, request: Any) -> InterceptedRequest:
        return InterceptedRequest(module, request, self._answerer)


class _Patch:
    """The two patched methods of one library."""

    def __init__(self, module: ModuleType, hook: InProcessHook) -> None:
        self._transports: tuple[tuple[Any, str, Any, Any], ...] = (
            _replace(module.HTTPTransport, "handle_request", lambda original: _sync(module, hook, original)),
            _replace(
                module.AsyncHTTPTransport, "handle_async_request", lambda original: _async(module, hook, original)
            ),
        )

    def undo(self) -> None:
        for transport, name, original, replacement in self._transports:
            if transport.__dict__.get(name) is replacement:
                setattr(transport, name, original)


def _replace(transport: Any, name: str, make: Callable[[Any], Any]) -> tuple[Any, str, Any, Any]:
    original = transport.__dict__[name]
    replacement = make(original)
    setattr(transport, name, replacement)
    return transport, name, original, replacement


def _sync(module: ModuleType, hook: InProcessHook, original: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def handle_request(self: Any, request: Any) -> Any:
        if not hook.answers(request):
            return original(self, request)
        intercepted = hook.intercepted(module, request)
        intercepted.read()
        return intercepted.answer()

    return handle_request


def _async(module: ModuleType, hook: InProcessHook, original: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    async def handle_async_request(self: Any, request: Any) -> Any:
        if not hook.answers(request):
            return await original(self, request)
        intercepted = hook.intercepted(module, request)
        await intercepted.aread()
        return await intercepted.aanswer()

    return handle_async_request
