"""A fixture of aimock in the words of the fakes: what a request must have, and the reply. Knows no file."""

from dataclasses import dataclass, replace

from fake_providers.reply import Reply
from fake_providers.view import View, ViewResult


@dataclass(frozen=True, slots=True)
class Match:
    """What aimock compares. Names as in its files: `userMessage` is `user`, `sequenceIndex` is `sequence`.

    `turn` counts the model's messages before, `sequence` the requests that matched before; neither is part of the
    content, which is everything else.
    """

    user: str | None = None
    system: tuple[str, ...] = ()
    tool: str | None = None
    tool_call_id: str | None = None
    result: str | None = None
    has_tool_result: bool | None = None
    model: str | None = None
    has_schema: bool | None = None
    sequence: int | None = None
    turn: int | None = None

    @property
    def content(self) -> "Match":
        """Fixtures that differ in `sequence` alone count together."""
        return replace(self, sequence=None)

    def is_met(self, view: View) -> bool:
        """Whether the content of the request matches."""
        last = _last_result(view)
        return (
            (self.user is None or _is_in(self.user, _last_user_text(view)))
            and all(text in view.system for text in self.system)
            and (self.tool is None or any(tool.name == self.tool for tool in view.tools))
            and (self.tool_call_id is None or (last is not None and last.id == self.tool_call_id))
            and (self.result is None or (last is not None and self.result in last.text))
            and (self.has_tool_result is None or self.has_tool_result == _has_result_in_turn(view))
            and (self.model is None or _is_model(self.model, view.model))
            and (self.has_schema is None or self.has_schema == (view.schema is not None))
        )


@dataclass(frozen=True, slots=True)
class Fixture:
    """`place` is where it is written."""

    match: Match
    reply: Reply
    place: str


def model_messages(view: View) -> int:
    """How often the model has spoken before, which is what `turnIndex` counts."""
    return sum(message.role == "assistant" for message in view.messages)


def _is_in(wanted: str, text: str | None) -> bool:
    return text is not None and wanted in text


def _last_user_text(view: View) -> str | None:
    return next((m.text for m in reversed(view.messages) if m.role == "user" and (m.text or not m.pictures)), None)


def _last_result(view: View) -> ViewResult | None:
    """The last result, where the request ends with results."""
    last = view.messages[-1] if view.messages else None
    return last.results[-1] if last is not None and last.results else None


def _has_result_in_turn(view: View) -> bool:
    """Whether a tool has answered since the user's last message; without one, in the whole conversation."""
    for message in reversed(view.messages):
        if message.results:
            return True
        if message.role == "user":
            return False
    return False


def _is_model(wanted: str, name: str) -> bool:
    """The name itself, or a dated version of it."""
    rest = name.removeprefix(wanted)
    return name == wanted or (rest != name and rest[:1] == "-" and rest[1:2].isdigit())
