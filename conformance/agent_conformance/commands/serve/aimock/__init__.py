"""The fixtures of aimock as the script of `serve`: read, matched as aimock matches, and answered on any wire."""

from agent_conformance.commands.serve.aimock.reading import is_aimock, read_fixtures
from agent_conformance.commands.serve.aimock.replies import FixtureReplies

__all__ = ["FixtureReplies", "is_aimock", "read_fixtures"]
