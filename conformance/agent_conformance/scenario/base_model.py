"""What the types of a scenario have in common; its texts and pictures: `{text: ...}`, `{image: {...}}`."""

from collections.abc import Collection, Mapping, Sequence, Set
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, Self

from msgspec import NODEFAULT, Meta, Struct, ValidationError, convert
from msgspec.structs import fields, replace

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


class Strict(Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """A part of a scenario. It knows which of its fields were written: some say something else where they are."""

    @classmethod
    def read(cls, data: Any) -> Self:
        """Raises `ValidationError` for the first mistake; `messages_of` says all of them, in words for an author."""
        value: Self = converted(data, cls)
        return value

    def changed(self, fields: Mapping[str, Any]) -> Self:
        """The same with these fields, which count as written."""
        other = replace(self, **fields)
        other.__dict__["given"] = self.given | fields.keys()
        return other

    @property
    def given(self) -> Set[str]:
        """The fields that were written; of what was made without reading, those that differ from what they are else."""
        known: Set[str] | None = self.__dict__.get("given")
        if known is None:
            known = {name for name, default in _defaults_of(type(self)) if getattr(self, name) != default}
        return known

    def data(self, *, only_given: bool = False, without: Collection[str] = ()) -> dict[str, Any]:
        """All fields as JSON, or those that were written."""
        names = self.given if only_given else self.__struct_fields__
        return {
            name: _data(getattr(self, name), only_given)
            for name in self.__struct_fields__
            if name in names and name not in without
        }

    def mistake(self, given: Set[str]) -> str | None:
        """What is wrong with the fields together, of which these were written."""
        return None


def default_of(field: Any) -> Any:
    """What a field is where it is not written: of msgspec's description of it."""
    return field.default if field.default_factory is NODEFAULT else field.default_factory()


@cache
def _defaults_of(kind: type[Strict]) -> tuple[tuple[str, Any], ...]:
    return tuple((field.name, default_of(field)) for field in fields(kind))


def converted(data: Any, kind: Any) -> Any:
    """The data as a value of this type, in which everything knows what was written of it."""
    try:
        value = convert(data, kind)
    except UnicodeEncodeError:
        raise ValidationError("half a character stands where one of a few words is expected") from None
    _note(value, data)
    return value


def _note(value: Any, data: Any) -> None:
    if isinstance(value, Strict):
        value.__dict__["given"] = given = frozenset(data)
        if (mistake := value.mistake(given)) is not None:
            raise ValidationError(mistake)
        for name, inner in data.items():
            if isinstance(inner, dict | list):
                _note(getattr(value, name), inner)
    elif value is not data:
        for key in data if isinstance(data, dict) else range(len(data)):
            if isinstance(data[key], dict | list):
                _note(value[key], data[key])


def _data(value: Any, only_given: bool) -> Any:
    if isinstance(value, Strict):
        return value.data(only_given=only_given)
    if isinstance(value, dict):
        return {key: _data(inner, only_given) for key, inner in value.items()}
    return [_data(inner, only_given) for inner in value] if isinstance(value, list) else value


class ImageSpec(Strict, frozen=True):
    """A picture that the suite draws: noise, which is another for each picture of a case."""

    width: Annotated[int, Meta(ge=1, le=10_000)]
    height: Annotated[int, Meta(ge=1, le=10_000)]
    media_type: Literal["png", "jpeg", "gif", "svg", "unreadable"] = "png"

    def mistake(self, given: Set[str]) -> str | None:
        if self.media_type == "gif" and self.width * self.height > MOST_PIXELS:
            return f"a GIF has at most {MOST_PIXELS:,} pixels here. Take a PNG or a JPEG."
        return None


class PartSpec(Strict, frozen=True):
    """A text or a picture; exactly one of the two is given."""

    text: str | None = None
    image: ImageSpec | None = None

    def mistake(self, given: Set[str]) -> str | None:
        return "a part has exactly one of `text`, `image`." if (self.text is None) == (self.image is None) else None


Parts = Annotated[list[PartSpec], Meta(min_length=1)]


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
    return converted(value["parts"], Parts) if is_parts(value) else None


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
