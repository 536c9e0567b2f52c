"""Strict fake model providers: a request in, a response out. Knows no scenario, no pytest, no YAML, no vendor SDK.

PYTEST_DONT_REWRITE: pytest warns otherwise where this is imported before it.
"""

from typing import TYPE_CHECKING, Any

from fake_providers.clock import ManualClock
from fake_providers.http import Handler, Request, Response
from fake_providers.registry import PROVIDERS, WIRES, judge, provider_wires, wire_named
from fake_providers.reply import (
    MADE_BY_PROVIDER,
    Call,
    CannotExpress,
    Fault,
    Reply,
    ServerCall,
    Source,
    StreamTiming,
    Usage,
)
from fake_providers.rule import Citation, Rule, Violation
from fake_providers.serving.scripted_fake import ScriptedFake
from fake_providers.serving.when import When
from fake_providers.view import View, ViewCall, ViewMessage, ViewResult, ViewTool
from fake_providers.wire import ReplyContext, Route, Wire

if TYPE_CHECKING:
    from fake_providers.serving.loopback import serve

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
    "Source",
    "StreamTiming",
    "Usage",
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
        from fake_providers.serving.loopback import serve

        return serve
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
