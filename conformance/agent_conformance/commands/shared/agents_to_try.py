"""The agents that commands try documents on: the one that `--agent` names, and the reference agent beside it."""

import sys
from collections.abc import Iterable
from pathlib import Path

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.attach.isolated.loading import load_isolated_agent
from agent_conformance.attach.loading import load_agent
from agent_conformance.commands.shared.settings import python_path
from agent_conformance.minimise.trials import Trials

REFERENCE = "agent_conformance.reference:Adapter"


def named_agent(spec: str) -> DeclaredAgent:
    """In a process of its own, found where pytest finds it. Raises `AgentNotFound`."""
    sys.path[:0] = map(str, python_path(Path.cwd()))
    return load_isolated_agent(spec, cwd=Path.cwd())


def reference_trials(*, timeout: float, tolerated: Iterable[str] = ()) -> Trials:
    """Of a right agent: what it has too is no finding."""
    return Trials(load_agent(REFERENCE, cwd=Path.cwd()), timeout=timeout, tolerated=tolerated)
