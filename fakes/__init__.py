"""Strict fake model providers: a request in, a response out. Knows no scenario, no pytest, no YAML, no vendor SDK."""

from pkgutil import extend_path
from typing import TYPE_CHECKING, Any

__path__ = extend_path(__path__, __name__)

from fakes.clock import ManualClock
from fakes.http import Handler, Request, Response
from fakes.judging import judge
from fakes.registry import PROVIDERS, WIRES, provider_wires, wire_named
from fakes.reply import MADE_BY_PROVIDER, Call, CannotExpress, Fault, Reply, ServerCall
from fakes.rule import Citation, Rule, Violation
from fakes.serving.scripted_fake import ScriptedFake
from fakes.serving.when import When
from fakes.stream_timing import StreamTiming
from fakes.view import View, ViewCall, ViewMessage, ViewResult, ViewTool
from fakes.wire import ReplyContext, Route, Wire

if TYPE_CHECKING:
    from fakes.serving.loopback import serve

__all__ = [
    "MADE_BY_PROVIDER",
    "PROVIDERS",
    "WIRES",
    "Call",
    "CannotExpress",
    "Citation",
    "Fault",
    "Handler",
    "ManualClock",
    "Reply",
    "ReplyContext",
    "Request",
    "Response",
    "Route",
    "Rule",
    "ScriptedFake",
    "ServerCall",
    "StreamTiming",
    "View",
    "ViewCall",
    "ViewMessage",
    "ViewResult",
    "ViewTool",
    "Violation",
    "When",
    "Wire",
    "judge",
    "provider_wires",
    "serve",
    "wire_named",
]


def __getattr__(name: str) -> Any:
    """`serve` brings the socket server, which only those who serve pay for."""
    if name == "serve":
        from fakes.serving.loopback import serve

        return serve
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
