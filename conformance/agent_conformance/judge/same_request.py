"""Whether a request has the same conversation as another, or begins with it. Knows views, and no law."""

from itertools import zip_longest

from agent_conformance.judge.cuts import same_at_start
from fake_providers import View, ViewMessage


def same_conversation(view: View, other: View) -> bool:
    return view.system == other.system and view.messages == other.messages


def change_of_beginning(before: View, view: View) -> tuple[str, str] | None:
    """What does not begin as in the request before, as a place and what stands there now.

    A last request without tools, which asks for words, is right.
    """
    if view.tools and before.tools and view.tools[: len(before.tools)] != before.tools:
        return "the declarations", ", ".join(tool.name for tool in view.tools)
    if view.system != before.system:
        return "the system prompt", view.system[same_at_start(before.system, view.system) :]
    for old, new in zip_longest(before.messages, view.messages[: len(before.messages)]):
        if new is None:
            return "the messages", f"{len(view.messages)} of them"
        if not _begins_with(new, old):
            return new.at, f"{new.role}: {new.text}"
    return None


def _begins_with(new: ViewMessage, old: ViewMessage) -> bool:
    return (
        new.role == old.role
        and new.text.startswith(old.text)
        and new.calls[: len(old.calls)] == old.calls
        and new.results[: len(old.results)] == old.results
    )
