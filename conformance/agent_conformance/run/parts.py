"""The parts of a scenario as agents get them, with the pictures drawn. Knows no agent."""

import base64
from collections.abc import Sequence
from typing import Any

from agent_conformance.adapter.types import Part, Tool
from agent_conformance.run.drawing import drawn
from agent_conformance.scenario.model import Turn
from agent_conformance.scenario.parts import ImageSpec, PartSpec, parts_of

MEDIA_TYPES = {"png": "image/png", "jpeg": "image/jpeg", "gif": "image/gif", "svg": "image/svg+xml"}


def made(parts: Sequence[PartSpec], *, seed: str) -> list[Part]:
    """Texts and pictures; each of these pictures, and those of another seed, are different."""
    return [_part(part, f"{seed} {index}") for index, part in enumerate(parts)]


def message_of(turn: Turn, number: int) -> str | list[Part]:
    """What the user sends in the turn of this number: a text, or the parts that the scenario writes."""
    return turn.user if isinstance(turn.user, str) else made(turn.user, seed=f"turn {number}")


def made_result(value: Any, *, seed: str) -> Any:
    """A result as a tool returns it: `{parts: [...]}` as a list of parts, any other JSON value as it is."""
    parts = parts_of(value)
    return value if parts is None else made(parts, seed=seed)


def text_alone(value: Any) -> str:
    """A result as text, without pictures."""
    if isinstance(value, list) and any(isinstance(part, Part) for part in value):
        return "\n".join(part.text for part in value if part.type == "text")
    return Tool.text(value)


def _part(part: PartSpec, seed: str) -> Part:
    if part.image is None:
        return Part("text", part.text or "")
    return Part("image", media_type=MEDIA_TYPES[part.image.media_type], data=_data(part.image, seed))


def _data(image: ImageSpec, seed: str) -> str:
    return base64.b64encode(drawn(image.media_type, image.width, image.height, seed)).decode()
