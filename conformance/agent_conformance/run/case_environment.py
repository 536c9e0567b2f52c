"""Where a case runs, as its session gives it. Knows no agent."""

import math
from dataclasses import dataclass
from pathlib import Path

from agent_conformance.scenario.cases import Case
from agent_conformance.scenario.derived.targets import Target
from fake_providers.http import Handler
from fake_providers.registry import wire_for
from fake_providers.transport.answerer import Mounts
from fake_providers.transport.server import LoopbackServer


@dataclass(frozen=True, slots=True)
class CaseEnvironment:
    """Where a case runs: the server that serves its provider, the state directory, how long silence may last, and how
    long a turn.

    Places in the agent's code are shown from `start`. `tolerated` are rules whose breaches the provider accepts.
    """

    mounts: Mounts
    server: LoopbackServer
    state_dir: Path
    timeout: float
    start: Path | None = None
    tolerated: frozenset[str] = frozenset()
    extra_start: float = 0.0
    """Seconds of silence that are allowed in addition before the first request, where an SDK may still be imported."""
    turn_limit: float = math.inf
    """Seconds that a turn may last, whatever the agent does in it."""

    def mount(self, provider: Handler) -> str:
        """The token under which the server now reaches this provider."""
        return self.mounts.mount(provider)

    def base_url(self, token: str, case: Case, target: Target | None = None) -> str:
        """Where this token is served, for the case's own provider and wire or another target."""
        wire = wire_for(case.provider, case.wire) if target is None else wire_for(target.provider, target.wire)
        return f"{self.server.url}/{token}{wire.base_path}"
