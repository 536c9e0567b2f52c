"""The forms that nearly all messages and tools have. A rule that can only refuse another form skips what has one.

They are types of msgspec, which tries one in a call. Which rules need another form is said by what they look at
(`rulebook.Selector`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_type_hints

import msgspec
from msgspec import inspect as info

Name = Annotated[str, msgspec.Meta(pattern=r"^[a-zA-Z0-9_-]{1,64}\Z")]
Id = Annotated[str, msgspec.Meta(pattern=r"^[a-zA-Z0-9_-]{1,40}\Z")]


MOST_TOOLS = 64
"""Of a usual request."""


class Conversation(msgspec.Struct, frozen=True):
    """How far a usual conversation has come. It may begin with a text of the system; then texts of the user and of the
    model follow each other, and between them calls, each message of calls by the result of each.

    Each method returns the conversation with one message more, or None where the message is not usual there.
    """

    last: Literal["nothing", "system", "user", "model", "calls", "results"] = "nothing"
    open: tuple[str, ...] = ()
    """The ids of calls that have no results yet."""
    ids: frozenset[str] = frozenset()
    """Those of all calls."""

    @property
    def is_whole(self) -> bool:
        """Whether it is the model's turn."""
        return self.last in ("user", "results") and not self.open

    def system(self, text: str) -> "Conversation | None":
        return Conversation("system") if self.last == "nothing" and text.strip() else None

    def user(self, text: str) -> "Conversation | None":
        is_here = self.last in ("nothing", "system", "model")
        return Conversation("user", (), self.ids) if is_here and text.strip() else None

    def model(self, text: str) -> "Conversation | None":
        return Conversation("model", (), self.ids) if self.is_whole and text.strip() else None

    def calls(self, ids: Sequence[str], *, beside_others: bool = False) -> "Conversation | None":
        """`beside_others` where each call is a message of its own."""
        known = self.ids.union(ids)
        is_here = self.is_whole or (beside_others and self.last == "calls")
        is_new = len(known) == len(self.ids) + len(ids)
        return Conversation("calls", (*self.open, *ids), known) if is_here and is_new else None

    def result(self, id: str) -> "Conversation | None":
        if id not in self.open:
            return None
        still_open = tuple([other for other in self.open if other != id]) if len(self.open) > 1 else ()
        return Conversation("results", still_open, self.ids)


EMPTY = Conversation()


class Form(msgspec.Struct, forbid_unknown_fields=True):
    """An object of which each member is known."""

    def follow(self, conversation: Conversation) -> Conversation | None:
        """The conversation with this message; None for one that is not usual there, or that is no message."""
        return None

    @property
    def names(self) -> Sequence[str]:
        """Of the tools that this declares."""
        return ()


class OneMember(Form):
    """An object with one of some members."""

    def __post_init__(self) -> None:
        values = msgspec.structs.astuple(self)
        if len(values) - values.count(msgspec.UNSET) != 1:
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
        if len(self.required) > 1:
            _refuse_twice(self.required)


def _refuse_twice(names: list[str]) -> None:
    if len(set(names)) != len(names):
        raise ValueError("a name is there twice")


class Untyped(Form, tag_field="type", tag=""):
    """No schema: msgspec asks for the tag of a form only where there is another."""

    def __post_init__(self) -> None:
        raise ValueError("no type")


Parameters: TypeAlias = Objects | Untyped
Schema: TypeAlias = Texts | Integers | Numbers | Booleans | Lists | Objects


class Function(Form):
    name: Name
    parameters: Parameters
    description: str = ""


class FunctionTool(Form):
    """A tool as chat completions have it."""

    type: Literal["function"]
    function: Function

    @property
    def names(self) -> Sequence[str]:
        return (self.function.name,)


class Usual:
    """The usual forms of messages or tools, told apart by one `member`, which some may not have."""

    def __init__(self, member: str, *forms: type[Form]) -> None:
        self._member = member
        self.forms: Mapping[str | None, type[Form]] = {
            kind: form for form in forms for kind in get_args(get_type_hints(form).get(member)) or (None,)
        }
        # At once: names in annotations are looked up in the module that `sys.modules` has, which an agent may replace.
        names = [name for form in self.forms.values() for name in _names_in(info.type_info(form), [])]
        self.members = frozenset(map(str.encode, names))
        """The names of members, and the texts, without which no part of these forms is written."""

    def read(self, value: Mapping[str, Any]) -> Form | None:
        """None for a value of another form."""
        kind = value.get(self._member)
        form = self.forms.get(kind) if kind is None or isinstance(kind, str) else None
        try:
            return None if form is None else msgspec.convert(value, form)
        except msgspec.ValidationError:
            return None

    def has_tools(self, values: Sequence[Mapping[str, Any]]) -> bool:
        """Whether these are usual tools: each of a usual form and a name of its own, and not many."""
        names: list[str] = []
        for value in values:
            form = self.read(value)
            if form is None:
                return False
            names += form.names
        return 0 < len(set(names)) == len(names) <= MOST_TOOLS

    def conversation(self, before: Conversation | None, values: Sequence[Mapping[str, Any]]) -> Conversation | None:
        """The conversation with these messages; None where one has another form, or is not usual there."""
        for value in values:
            form = None if before is None else self.read(value)
            if before is None or form is None:
                return None
            before = form.follow(before)
        return before


def _names_in(kind: Any, seen: list[Any]) -> Iterator[str]:
    """The names of all members of a type, and the texts of which it has one. `seen` are the types around it."""
    if kind in seen:
        return
    if isinstance(kind, info.StructType):
        yield from (kind.tag_field or "", str(kind.tag or ""))
        for member in kind.fields:
            yield member.encode_name
            yield from _names_in(member.type, [*seen, kind])
    elif isinstance(kind, info.LiteralType):
        yield from map(str, kind.values)
    elif isinstance(kind, info.UnionType):
        for one in kind.types:
            yield from _names_in(one, [*seen, kind])
    elif isinstance(kind, info.ListType):
        yield from _names_in(kind.item_type, [*seen, kind])
    elif isinstance(kind, info.DictType):
        yield from _names_in(kind.value_type, [*seen, kind])


class Said(Form):
    """On all wires whose messages have a text as it is."""

    role: Literal["system", "user"]
    content: str

    def follow(self, conversation: Conversation) -> Conversation | None:
        return conversation.user(self.content) if self.role == "user" else conversation.system(self.content)
