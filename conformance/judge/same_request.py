"""Whether a request has the same conversation as another. Knows views, and no law."""

from fakes import View


def same_conversation(view: View, other: View) -> bool:
    return view.system == other.system and view.messages == other.messages
