"""The rules of Gemini's `generateContent`, in the provider's order of checks, which is the order of the imports below.

First come the parser's rules (reported together, with field violations), then the validator's (bullets, reported
together), then single sentences, with turn order and signatures last. The order is inferred from the shapes of the
messages. Vertex AI has the same parser, and single sentences for everything else.
"""

from typing import Annotated, Any, Literal

import msgspec

from fake_providers.usual_forms import Form, Name, OneMember, Usual

# isort: off
from fake_providers.wires.gemini_generate.rules import parsing
from fake_providers.wires.gemini_generate.rules import contents
from fake_providers.wires.gemini_generate.rules import abilities
from fake_providers.wires.gemini_generate.rules import declarations
from fake_providers.wires.gemini_generate.rules import turns
# isort: on

from fake_providers.wires.gemini_generate.rules.rulebook import BOOK, FORM, Payload


class _Call(Form):
    name: Name
    args: dict[str, Any]


class _Result(Form):
    name: Name
    response: dict[str, Any]


class _Said(OneMember):
    text: str | msgspec.UnsetType = msgspec.UNSET
    functionCall: _Call | msgspec.UnsetType = msgspec.UNSET  # noqa: N815


class _Asked(OneMember):
    text: str | msgspec.UnsetType = msgspec.UNSET
    functionResponse: _Result | msgspec.UnsetType = msgspec.UNSET  # noqa: N815


class _Answer(Form):
    role: Literal["model"]
    parts: Annotated[list[_Said], msgspec.Meta(min_length=1)]


class _User(Form):
    role: Literal["user"]
    parts: Annotated[list[_Asked], msgspec.Meta(min_length=1)]


CONTENTS = Usual("role", _User, _Answer)

__all__ = [
    "BOOK",
    "CONTENTS",
    "FORM",
    "Payload",
    "abilities",
    "contents",
    "declarations",
    "parsing",
    "turns",
]
