"""A request to the control interface, read: its session, its query, its body."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agent_conformance.commands.serve.sessions import Forgotten, Session, Sessions
from fake_providers import Request
from fake_providers.serving.scripted_fake import ScriptedFake
from fake_providers.values.json_texts import read_json

if TYPE_CHECKING:
    from agent_conformance.commands.serve.mcp_tools import ScriptedTools

LARGEST = 256 * 1024
"""Bytes of a body: as many as a file of replies may have."""


class BadRequest(Exception):
    """A request that a test program must change. `status` is that of the response."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class ControlRequest:
    http: Request
    query: Mapping[str, str]
    sessions: Sessions

    @property
    def session(self) -> Session:
        """Raises `BadRequest` where it was forgotten."""
        try:
            return self.sessions.of(self.http)
        except Forgotten as forgotten:
            raise BadRequest(str(forgotten), 410) from None

    def begin(self) -> None:
        """For a client whose replies are set now, it does not matter that others were forgotten."""
        self.sessions.of(self.http, anew=True)

    @property
    def tools(self) -> "ScriptedTools":
        """The tools of the MCP server. Raises `BadRequest` where there is none."""
        if self.sessions.tools is None:
            raise BadRequest("this server has no tools. Start one with --mcp tools.yaml.", 409)
        return self.sessions.tools

    @property
    def fakes(self) -> list[ScriptedFake]:
        """The fakes that `provider` and `wire` of the query choose, or all. Raises `BadRequest`."""
        fakes = self.session.fakes
        if not fakes:
            raise BadRequest(
                "this server answers from a cassette, which has all replies. Start one without --replay.", 409
            )
        chosen = [fake for fake in fakes if self._is_chosen(fake)]
        if not chosen:
            served = ", ".join(f"{fake.provider} on {fake.wire.name}" for fake in fakes)
            raise BadRequest(f"the query chooses no fake. Served are {served}.", 404)
        return chosen

    def _is_chosen(self, fake: ScriptedFake) -> bool:
        provider, wire = self.query.get("provider"), self.query.get("wire")
        return provider in (None, fake.provider) and wire in (None, fake.wire.name)

    @property
    def data(self) -> Any:
        """The value of the body. Raises `BadRequest`."""
        if len(self.http.body) > LARGEST:
            raise BadRequest(f"the body has {len(self.http.body):,} bytes; at most {LARGEST:,} are read.", 413)
        try:
            return read_json(self.http.body, strict=True)
        except ValueError as error:
            raise BadRequest(f"the body is not JSON: {error}.") from None
