"""Texts and pictures as a scenario writes them: `{text: ...}`, `{image: {...}}`."""

from collections.abc import Sequence
from enum import Enum
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

MOST_PIXELS = 4_000_000
"""Of a GIF, which is written without compression: its file stays below 5 MiB."""


class FieldSort(Enum):
    """What a field of a scenario says, other than what is sent and expected. A field without a sort says that.

    A `REMARK` is for readers, a `NAME` is of the scenario itself, a `REACH` is which agents it is for, and a `WEIGHT`
    is what its findings count for.
    """

    REMARK = "remark"
    NAME = "name"
    REACH = "reach"
    WEIGHT = "weight"


REMARK, NAME, REACH, WEIGHT = FieldSort
SAYS_NOTHING = (REMARK, NAME, REACH)
"""Fields of these sorts can be changed, and every case runs and is judged as before."""


class Strict(BaseModel):
    # What is only a part of another model needs no validator of its own: half the time of the import.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class ImageSpec(Strict):
    """A picture that the suite draws: noise, which is another for each picture of a case."""

    width: Annotated[int, Field(ge=1, le=10_000)]
    height: Annotated[int, Field(ge=1, le=10_000)]
    media_type: Literal["png", "jpeg", "gif", "svg"] = "png"

    @model_validator(mode="after")
    def small_enough(self) -> Self:
        if self.media_type == "gif" and self.width * self.height > MOST_PIXELS:
            raise ValueError(f"a GIF has at most {MOST_PIXELS:,} pixels here. Take a PNG or a JPEG.")
        return self


class PartSpec(Strict):
    """A text or a picture; exactly one of the two is given."""

    text: str | None = None
    image: ImageSpec | None = None

    @model_validator(mode="after")
    def one_kind(self) -> Self:
        if (self.text is None) == (self.image is None):
            raise ValueError("a part has exactly one of `text`, `image`.")
        return self


Parts = Annotated[list[PartSpec], Field(min_length=1)]

PARTS: TypeAdapter[list[PartSpec]] = TypeAdapter(Parts)


def is_parts(value: Any) -> bool:
    """Whether a result is written as parts: `{parts: [...]}`, with that one key."""
    return isinstance(value, dict) and value.keys() == {"parts"}


def failure_of(value: Any) -> str | None:
    """The text of a result that is an error by its flag, `{result: text, error: true}` with these two keys."""
    if isinstance(value, dict) and value.keys() == {"result", "error"} and value["error"] is True:
        return str(value["result"])
    return None


def parts_of(value: Any) -> list[PartSpec] | None:
    """The parts of a result that is written as `{parts: [...]}`; None for any other JSON value."""
    return PARTS.validate_python(value["parts"]) if is_parts(value) else None


def text_of(parts: str | Sequence[PartSpec]) -> str:
    """The texts alone, a line each; a text as it is."""
    if isinstance(parts, str):
        return parts
    return "\n".join(part.text for part in parts if part.text is not None)


def without_pictures(result: Any) -> Any:
    """The texts of a result that is written as parts; any other one as it is."""
    parts = parts_of(result)
    return text_of(parts) if parts else result


def has_picture(parts: Sequence[PartSpec] | None) -> bool:
    return any(part.image is not None for part in parts or ())
