"""Which agents `--agent-isolate` starts in a process of their own: those in Python. All others have one anyway."""

from pathlib import Path

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.attach.isolated.adapter import isolated_agent
from agent_conformance.attach.isolated.processes import CannotStart
from agent_conformance.attach.loading import AgentNotFound, install_hint, load_agent, python_spec


def load_isolated_agent(spec: str, *, cwd: Path, root: Path | None = None) -> DeclaredAgent:
    """As `load_agent`, with the adapter in a process of its own. Raises `AgentNotFound`."""
    if python_spec(spec) is None:
        return load_agent(spec, cwd=cwd, root=root)
    try:
        return isolated_agent(spec, cwd=cwd, root=root)
    except CannotStart as error:
        raise AgentNotFound(f"{error}{install_hint(spec)}") from None
