"""The rules of Gemini's `generateContent`, in the provider's order of checks.

First come the parser's rules (reported together, with field violations), then the validator's (bullets, reported
together), both in `FORM`; then single sentences, in `BOOK`, in the order of the imports below, with turn order and
signatures last. The order is inferred from the shapes of the messages. Vertex AI has the same parser, and single
sentences for everything else.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from fake_providers.skippable_forms import Conversation, Form, OneMember, Usual
from fake_providers.wires.gemini_generate.proto_parser import BASE64
from fake_providers.wires.gemini_generate.request_validator import FUNCTION_NAME
from fake_providers.wires.gemini_generate.rules import form, parameters, turns
from fake_providers.wires.gemini_generate.rules.rulebook import BOOK, FORM, Payload
from fake_providers.wires.gemini_generate.thought_signatures import is_corrupted, is_foreign

__all__ = ["BOOK", "CONTENTS", "FORM", "TOOLS", "Payload", "form", "parameters", "turns"]


_Name: TypeAlias = Annotated[str, msgspec.Meta(pattern=rf"^{FUNCTION_NAME.pattern}\Z")]
_Signature: TypeAlias = Annotated[str, msgspec.Meta(pattern=rf"^{BASE64.pattern}\Z")]


class _Call(Form):
    name: _Name
    args: dict[str, Any]
    id: str = ""


class _Result(Form):
    name: _Name
    response: dict[str, Any]
    id: str = ""


class _Said(Form):
    text: str | msgspec.UnsetType = msgspec.UNSET
    functionCall: _Call | msgspec.UnsetType = msgspec.UNSET  # noqa: N815 - Google's names
    thought: bool = False
    thoughtSignature: _Signature = ""  # noqa: N815

    def __post_init__(self) -> None:
        if (self.text is msgspec.UNSET) == (self.functionCall is msgspec.UNSET):
            raise ValueError("it has neither a text nor a call, or both")
        if self.thoughtSignature and (is_corrupted(self.thoughtSignature) or is_foreign(self.thoughtSignature)):
            raise ValueError("the signature was changed, or another provider issued it")


class _Answer(Form):
    role: Literal["model"]
    parts: Annotated[list[_Said], msgspec.Meta(min_length=1)]

    def follow(self, conversation: Conversation) -> Conversation | None:
        """Calls have no ids, and those of several contents in a row are one turn."""
        if conversation.last == "nothing":
            return None
        calls = [said.functionCall.name for said in self.parts if said.functionCall is not msgspec.UNSET]
        open = (*conversation.open, *calls)
        return Conversation("calls" if open else "model", open)


class _Asked(OneMember):
    text: str | msgspec.UnsetType = msgspec.UNSET
    functionResponse: _Result | msgspec.UnsetType = msgspec.UNSET  # noqa: N815


class _User(Form):
    role: Literal["user"]
    parts: Annotated[list[_Asked], msgspec.Meta(min_length=1)]

    def follow(self, conversation: Conversation) -> Conversation | None:
        results = [part for part in self.parts if part.functionResponse is not msgspec.UNSET]
        if not results:
            return None if conversation.last in ("calls", "results") else Conversation("user")
        answers_all = len(results) == len(conversation.open) == len(self.parts)
        return Conversation("results") if answers_all else None


class _Object(Form):
    """What schemas have at the root and below."""

    description: str = ""
    title: str = ""
    properties: dict[str, "_Schema"] = msgspec.field(default_factory=dict)
    required: list[str] = msgspec.field(default_factory=list)

    def __post_init__(self) -> None:
        if self.required and not self.properties.keys() >= set(self.required):
            raise ValueError("a property is required that there is not")


class _Parameters(_Object, kw_only=True):
    type: Literal["object", "OBJECT"]


class _Schema(_Object, kw_only=True):
    """Types are in small letters, or in capitals as Google's own SDK sends them."""

    type: Literal[
        "string", "number", "integer", "boolean", "array", "object",
        "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT",
    ]  # fmt: skip
    nullable: bool = False
    default: Any = None
    enum: list[str] = msgspec.field(default_factory=list)
    items: "_Schema | msgspec.UnsetType" = msgspec.UNSET

    def __post_init__(self) -> None:
        kind = self.type.upper()
        if bool(self.properties) != (kind == "OBJECT") or (self.items is msgspec.UNSET) == (kind == "ARRAY"):
            raise ValueError("a list without items, an object without properties, or another type with them")
        if self.enum and kind != "STRING":
            raise ValueError("values are listed of another type than texts")
        super().__post_init__()


class _Declaration(Form):
    name: _Name
    description: str = ""
    parameters: _Parameters | msgspec.UnsetType = msgspec.UNSET
    parametersJsonSchema: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET  # noqa: N815


class _Tool(Form):
    functionDeclarations: list[_Declaration]  # noqa: N815

    @property
    def names(self) -> Sequence[str]:
        return [declaration.name for declaration in self.functionDeclarations]


CONTENTS = Usual("role", _User, _Answer)
TOOLS = Usual("type", _Tool)
