"""The forms that nearly all messages and tools have: what has one is taken by every rule that needs another form.

They are types of msgspec, which tries one in a call. Which rules need another form is in `needs.json`, with what else
they need; no rule is left out that is not named there.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias, get_args

import msgspec

Name = Annotated[str, msgspec.Meta(pattern=r"^[a-zA-Z0-9_-]{1,64}\Z")]
Id = Annotated[str, msgspec.Meta(pattern=r"^[a-zA-Z0-9_-]{1,40}\Z")]


class Form(msgspec.Struct, forbid_unknown_fields=True):
    """An object of which each member is known."""


class OneMember(Form):
    """An object with one of some members."""

    def __post_init__(self) -> None:
        if sum(value is not msgspec.UNSET for value in msgspec.structs.astuple(self)) != 1:
            raise ValueError("it has none of the members, or two")


class CalledFunction(Form):
    name: Name
    arguments: str


class FunctionCall(Form):
    """A call as chat completions have it."""

    id: Id
    type: Literal["function"]
    function: CalledFunction


class Texts(Form, tag_field="type", tag="string"):
    description: str = ""
    enum: Annotated[list[str], msgspec.Meta(min_length=1)] | msgspec.UnsetType = msgspec.UNSET

    def __post_init__(self) -> None:
        if self.enum is not msgspec.UNSET:
            _refuse_twice(self.enum)


class Integers(Form, tag_field="type", tag="integer"):
    description: str = ""


class Numbers(Form, tag_field="type", tag="number"):
    description: str = ""


class Booleans(Form, tag_field="type", tag="boolean"):
    description: str = ""


class Lists(Form, tag_field="type", tag="array"):
    items: "Schema"
    description: str = ""


class Objects(Form, tag_field="type", tag="object"):
    properties: dict[Name, "Schema"]
    required: list[str] = []
    description: str = ""

    def __post_init__(self) -> None:
        _refuse_twice(self.required)


def _refuse_twice(names: list[str]) -> None:
    if len(set(names)) != len(names):
        raise ValueError("a name is there twice")


Schema: TypeAlias = Texts | Integers | Numbers | Booleans | Lists | Objects


class Usual:
    """The usual forms of messages or tools, told apart by one `member`, which some may not have."""

    def __init__(self, member: str, *forms: type[Form]) -> None:
        self._member = member
        self.forms: Mapping[str | None, type[Form]] = {
            kind: form for form in forms for kind in get_args(form.__annotations__.get(member)) or (None,)
        }

    def has(self, value: Mapping[str, Any]) -> bool:
        kind = value.get(self._member)
        form = self.forms.get(kind) if kind is None or isinstance(kind, str) else None
        try:
            return form is not None and msgspec.convert(value, form) is not None
        except msgspec.ValidationError:
            return False


class Said(Form):
    """On all wires whose messages have a text as it is."""

    role: Literal["system", "user"]
    content: str
