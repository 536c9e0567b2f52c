"""What fails while the body is read into Go's types: each rule stands for the places where a misfit can be.

Of one body Go complains once, so the order of these rules does not matter but for the last, which takes the rest.
"""

import re
from dataclasses import dataclass
from typing import Any

from fakes.rule import Citation, Confidence
from fakes.rulebook import Breach, RequestContext, Rulebook
from fakes.wires.ollama_chat.errors import envelope
from fakes.wires.ollama_chat.go_json import TypeMismatch
from fakes.wires.ollama_chat.request import NoJson
from fakes.wires.ollama_chat.rules.samples import (
    RESULT,
    ROUTES,
    TYPES,
    USER,
    asking,
    calling,
    cite,
    offering,
    said,
    with_property,
    with_schema,
)

BOOK = Rulebook(envelope)

OBJECT_WORDS = "Value looks like object, but can't find closing '}' symbol"
PROPERTIES = r"tools\[\]\.function\.parameters\.properties"


@dataclass(frozen=True, slots=True)
class Read:
    """`RequestContext.body` of this wire: the JSON value, and what does not fit Go's types."""

    value: Any
    mismatch: TypeMismatch | None


@BOOK.rule(
    "ollama/body-missing",
    why="there is no body",
    confidence="reported",
    evidence=cite(ROUTES, "missing request body"),
    breaking=b"",
    accepted=asking(),
)
def _missing(context: RequestContext) -> Breach | None:
    value = context.body.value
    return Breach("", "missing request body") if isinstance(value, NoJson) and not value.words else None


@BOOK.rule(
    "ollama/body-not-json",
    why="the body is no JSON; what comes after a whole value is not looked at",
    confidence="reported",
    evidence=cite(f"{ROUTES}: the words are those of Go's decoder", "unexpected EOF"),
    breaking=b'{"model": "qwen3:8b", "messages": [',
    accepted=asking(),
)
def _not_json(context: RequestContext) -> Breach | None:
    value = context.body.value
    return Breach("", value.words) if isinstance(value, NoJson) else None


def _misfit_rule(
    id: str,
    places: str,
    *,
    why: str,
    breaking: Any,
    accepted: Any,
    confidence: Confidence = "reported",
    evidence: tuple[Citation, ...] = (),
) -> None:
    """A rule for the places that match; indexes are left out of what is matched, and names of properties stay."""

    def check(context: RequestContext) -> Breach | None:
        found = context.body.mismatch
        if found is None or not re.fullmatch(places, re.sub(r"\[\d+\]", "[]", found.at), re.DOTALL):
            return None
        return Breach(found.at, found.words)

    BOOK.rule(
        f"ollama/{id}",
        why=why,
        confidence=confidence,
        evidence=(*evidence, *cite(TYPES)),
        breaking=breaking,
        accepted=accepted,
    )(check)


_misfit_rule("body-type", "", why="the body is JSON but no object", breaking=[asking()], accepted=asking())
_misfit_rule(
    "model-type", "model", why="the model's name is no string", breaking={**asking(), "model": 7}, accepted=asking()
)
_misfit_rule(
    "stream-type",
    "stream",
    why="`stream` is no boolean",
    breaking=asking(stream="false"),
    accepted=asking(stream=False),
)
_misfit_rule(
    "messages-type",
    r"messages(\[\])?",
    why="`messages` is no list of objects",
    breaking={"model": "qwen3:8b", "messages": "Hello"},
    accepted={"model": "qwen3:8b", "messages": [USER]},
)
_misfit_rule(
    "content-type",
    r"messages\[\]\.content",
    why="a message's content is no string; parts, as other providers take them, are not read",
    confidence="verbatim",
    evidence=(
        *cite(
            "ollama/ollama#10255",
            "cannot unmarshal array into Go struct field ChatRequest.messages.content of type string",
        ),
        *cite("ollama/ollama#6451, ahyatt/llm#70", "ChatRequest.messages of type string"),
    ),
    breaking=said(content=[{"type": "text", "text": USER["content"]}]),
    accepted=said(),
)
_misfit_rule(
    "message-member-type",
    r"messages\[\]\.(role|thinking|tool_name|tool_call_id)",
    why="a role, a thinking text, a tool's name or an id is no string",
    breaking=asking({**RESULT, "tool_call_id": 1}),
    accepted=asking({**RESULT, "tool_call_id": "1"}),
)
_misfit_rule(
    "images-type",
    r"messages\[\]\.images(\[\])?",
    why="an image is no bare base64: a data URL or an address is none",
    confidence="verbatim",
    evidence=(
        *cite("BerriAI/litellm#18338", "illegal base64 data at input byte 4"),
        *cite("BerriAI/litellm#30313", "illegal base64 data at input byte 5"),
    ),
    breaking=said(images=["data:image/png;base64,iVBORw0KGgo="]),
    accepted=said(images=["iVBORw0KGgo="]),
)
_misfit_rule(
    "arguments-type",
    r"messages\[\]\.tool_calls\[\]\.function\.arguments",
    why="the arguments of a call are no object; their JSON as a text, as OpenAI has it, is none",
    confidence="verbatim",
    evidence=(
        *cite("openclaw/openclaw#52253 and Xoshbin/asyar#513, ollama of 2026", OBJECT_WORDS),
        *cite(
            "aliasrobotics/cai#76, neuron-core/neuron-ai#219 and rashadphz/farfalle#89, ollama of 2024 and 2025",
            "cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments of type "
            "api.ToolCallFunctionArguments",
        ),
    ),
    breaking=calling(arguments='{"city":"Oslo"}'),
    accepted=calling(arguments={"city": "Oslo"}),
)
_misfit_rule(
    "calls-type",
    r"messages\[\]\.tool_calls.*",
    why="calls are no list of objects, or a name, an id or an index in one has another type",
    breaking=calling(index="0"),
    accepted=calling(index=0),
)
_misfit_rule(
    "properties-type",
    PROPERTIES,
    why="the properties of a tool are no object",
    confidence="verbatim",
    evidence=(
        *cite("ollama/ollama#10328: a list, refused by 0.6.5 in older words", "cannot unmarshal array into Go struct"),
        *cite("the words of 2026, said of any ordered map", OBJECT_WORDS),
    ),
    breaking=with_schema(properties=[]),
    accepted=with_schema(properties={}),
)
_misfit_rule(
    "property-required",
    rf"{PROPERTIES}\..+\.required(\[\])?",
    why="`required` of a property is no list of names; `true`, as in the third draft of JSON Schema, is none",
    confidence="verbatim",
    evidence=cite(
        "ollama/ollama#18051", "cannot unmarshal object into Go struct field ToolProperty.required of type []string"
    ),
    breaking=with_property({"type": "object", "required": True}),
    accepted=with_property({"type": "object", "required": ["name"]}),
)
_misfit_rule(
    "property-enum",
    rf"{PROPERTIES}\..+\.enum",
    why="`enum` of a property is no list",
    breaking=with_property({"type": "string", "enum": "Oslo"}),
    accepted=with_property({"type": "string", "enum": ["Oslo"]}),
)
_misfit_rule(
    "property-description",
    rf"{PROPERTIES}\..+\.description",
    why="the description of a property is no string",
    breaking=with_property({"type": "string", "description": ["A city."]}),
    accepted=with_property({"type": "string", "description": "A city."}),
)
_misfit_rule(
    "property-type",
    rf"{PROPERTIES}\..+\.(type|anyOf|properties)(\[\])?",
    why="the type of a property is neither a name nor a list of names",
    breaking=with_property({"type": {"name": "string"}}),
    accepted=with_property({"type": ["string", "null"]}),
)
_misfit_rule(
    "property-schema",
    rf"{PROPERTIES}\..+",
    why="a property's schema is no object: `true`, which JSON Schema allows, or a bare name of a type",
    confidence="verbatim",
    evidence=cite(
        "ollama/ollama#14256",
        "cannot unmarshal string into Go struct field ToolFunctionParameters.tools.function.parameters.properties of "
        "type api.ToolProperty",
    ),
    breaking=with_property("string"),
    accepted=with_property({"type": "string"}),
)
_misfit_rule(
    "parameters-required",
    r"tools\[\]\.function\.parameters\.required(\[\])?",
    why="`required` of a tool is no list of names",
    confidence="verbatim",
    evidence=cite(
        "leonardcser/smelt#26",
        "cannot unmarshal object into Go struct field ToolFunctionParameters.tools.function.parameters.required of "
        "type []string",
    ),
    breaking=with_schema(required={}),
    accepted=with_schema(required=[]),
)
_misfit_rule(
    "parameters-type",
    r"tools\[\]\.function\.parameters\.type",
    why="the type of a tool's parameters is a list; within a property it may be one",
    breaking=with_schema(type=["object", "null"]),
    accepted=with_schema(type="object"),
)
_misfit_rule(
    "tools-type",
    r"tools.*",
    why="`tools` is no list of objects, or a member of a tool has another type",
    breaking=offering(parameters="{}"),
    accepted=offering(parameters={}),
)
_misfit_rule(
    "options-type", "options", why="`options` is no object", breaking=asking(options=[]), accepted=asking(options={})
)
_misfit_rule(
    "think-value",
    "think",
    why="`think` is neither a boolean nor one of the four efforts",
    evidence=cite("ollama/ollama api/types.go, ThinkValue", "invalid think value"),
    breaking=asking(think="none"),
    accepted=asking(think="low"),
)
_misfit_rule(
    "keep-alive",
    "keep_alive",
    why="`keep_alive` is a text without a unit; as a number it would be seconds",
    confidence="verbatim",
    evidence=cite(
        "valentinfrlch/ha-llmvision#625 and karakeep-app/karakeep#2409", 'time: missing unit in duration "-1"'
    ),
    breaking=asking(keep_alive="-1"),
    accepted=asking(keep_alive=-1),
)
_misfit_rule(
    "member-type",
    r".*",
    why="any other member has another type",
    breaking=asking(logprobs="yes"),
    accepted=asking(logprobs=True),
)
