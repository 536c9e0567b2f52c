"""The fixtures of aimock as the script of `serve`: read, matched as aimock matches, and answered on any wire.

The first fixture whose content matches is chosen, but of those with a `turn` the newest that is not ahead of the
conversation. One with a `sequence` matches when as many requests have matched its content before.
"""

from collections.abc import Sequence

from agent_conformance.commands.serve.aimock.fixture import Fixture, Match, model_messages
from agent_conformance.commands.serve.aimock.reading import is_aimock, read_fixtures
from agent_conformance.transcripts.redaction import redacted
from fake_providers.neutral_text import offered_tools
from fake_providers.reply import Reply
from fake_providers.view import View

__all__ = ["FixtureReplies", "is_aimock", "read_fixtures"]

LONGEST = 100
"""Characters of the user's message in an error."""


class FixtureReplies:
    """Not thread-safe: the fake calls `next_reply` and `sent` in turns, one client after the other."""

    def __init__(self, fixtures: Sequence[Fixture]) -> None:
        self._fixtures = tuple(fixtures)
        self._matched: dict[Match, int] = {}
        self._chosen: Fixture | None = None
        self._used: set[int] = set()

    @property
    def unused(self) -> Sequence[Reply]:
        return tuple(fixture.reply for fixture in self._fixtures if id(fixture) not in self._used)

    def next_reply(self, view: View) -> Reply | str:
        """The reply, or the message that a request is stopped with which no fixture matches."""
        candidates = [fixture for fixture in self._fixtures if fixture.match.is_met(view) and self._is_next(fixture)]
        self._chosen = _chosen(candidates, model_messages(view)) if candidates else None
        return _no_match(view) if self._chosen is None else self._chosen.reply

    def sent(self) -> None:
        if self._chosen is not None:
            content = self._chosen.match.content
            self._used.add(id(self._chosen))
            self._matched[content] = self._matched.get(content, 0) + (self._chosen.match.sequence is not None)

    def _is_next(self, fixture: Fixture) -> bool:
        sequence = fixture.match.sequence
        return sequence is None or sequence == self._matched.get(fixture.match.content, 0)


def _chosen(candidates: Sequence[Fixture], spoken: int) -> Fixture:
    """`spoken` is how often the model has spoken before."""
    anytime = next((number for number, fixture in enumerate(candidates) if fixture.match.turn is None), None)
    turns = [
        (number, fixture.match.turn) for number, fixture in enumerate(candidates) if fixture.match.turn is not None
    ]
    reached = [(turn, -number) for number, turn in turns if turn <= spoken]
    if reached:
        turn, place = max(reached)
        is_earlier = anytime is not None and anytime < -place and turn == spoken
        return candidates[anytime if is_earlier and anytime is not None else -place]
    if anytime is not None:
        return candidates[anytime]
    return candidates[min(turns, key=lambda one: (one[1], one[0]))[0]]


def _no_match(view: View) -> str:
    text = next((message.text for message in reversed(view.messages) if message.role == "user"), "")
    text = redacted(text)
    user = text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
    return (
        f"no fixture matches this request (user: {user!r}; model: {view.model}; offers {offered_tools(view)}; "
        f"the model has spoken {model_messages(view)} times). Add one for it, or one with an empty `match` at the end."
    )
