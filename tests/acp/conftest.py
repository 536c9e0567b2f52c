"""The small agent of this folder behind `acp:`."""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from conformance.agents.acp import AcpAgent, acp_adapter

AGENT = Path(__file__).with_name("small_agent.py")


@pytest.fixture(scope="session")
def small() -> Callable[..., type[AcpAgent]]:
    """Gives the adapter of the small agent, with what it does wrong."""

    @cache
    def adapter(*wrong: str) -> type[AcpAgent]:
        return acp_adapter(f"wire=openai-chat mode=plain {sys.executable} {AGENT} {' '.join(wrong)}")

    return adapter
