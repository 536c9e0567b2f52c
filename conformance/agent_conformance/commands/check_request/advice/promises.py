"""What no edit does: put words into a mouth, drop the user's, change whose they are, or leave nothing behind."""

from collections import Counter
from typing import Any

from agent_conformance.commands.check_request.advice.places import walk

LISTS = ("messages", "contents", "input")
SPEAKERS = {"model": "assistant", "ai": "assistant", "bot": "assistant", "human": "user", "developer": "system"}


def keeps_promises(before: Any, after: Any) -> bool:
    """Whether the edited body is still the same people's conversation, and one that says something."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return False
    if any(before.get(key) for key in LISTS) and not any(after.get(key) for key in LISTS):
        return False
    return _says_nothing_new(before, after) and _keeps_users_words(before, after) and not _is_left_empty(before, after)


def _says_nothing_new(before: dict[str, Any], after: dict[str, Any]) -> bool:
    said = _said(before)
    for role, texts in _said(after).items():
        if role == "system":
            continue
        earlier = "\n\n".join([*said.get(role, []), *said.get("", [])])
        if any(piece and piece not in earlier for text in texts for piece in text.split("\n\n")):
            return False
    return True


def _keeps_users_words(before: dict[str, Any], after: dict[str, Any]) -> bool:
    said = "\n\n".join(text for texts in _said(after).values() for text in texts)
    kept = Counter(text.strip() for role in ("user", "system") for text in _said(before).get(role, []))
    return all(not text or said.count(text) >= times for text, times in kept.items())


def _said(body: dict[str, Any]) -> dict[str, list[str]]:
    """The texts of the user, the model and the system."""
    said: dict[str, list[str]] = {"system": _texts({"content": body.get("system")})}
    for message in _messages(body):
        role = _speaker(message)
        if role in ("user", "assistant", "system", ""):
            said.setdefault(role, []).extend(_texts(message))
    return said


def _speaker(message: dict[str, Any]) -> str:
    role = message.get("role", "")
    return SPEAKERS.get(role, role) if isinstance(role, str) else ""


def _texts(message: dict[str, Any]) -> list[str]:
    content = message.get("content", message.get("parts"))
    if isinstance(content, str):
        return [content]
    parts = [content] if isinstance(content, dict) else content if isinstance(content, list) else []
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    several = [text if isinstance(text, list) else [text] for text in texts]
    return [text for listed in several for text in listed if isinstance(text, str)]


def _messages(body: dict[str, Any]) -> list[dict[str, Any]]:
    found: Any = next((body[key] for key in LISTS if isinstance(body.get(key), list | dict)), [])
    return [message for message in ([found] if isinstance(found, dict) else found) if isinstance(message, dict)]


def _is_left_empty(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether a message is empty now, or the user's last words are gone."""
    if _empty_messages(after) > _empty_messages(before) or (_messages(before) and not _messages(after)):
        return True
    had = any(_speaker(message) == "user" for message in _messages(before))
    return had and not any(_speaker(message) == "user" for message in _messages(after))


def _empty_messages(body: dict[str, Any]) -> int:
    """Messages whose list of parts is empty."""
    lists = [value for place, value in walk(_messages(body)) if place and place[-1] in ("content", "parts")]
    return sum(value == [] for value in lists)
