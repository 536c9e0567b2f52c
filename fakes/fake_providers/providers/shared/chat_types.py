"""The JSON types of the members of a chat request, and the rules that compatible providers share about them.

Each provider brings the words in which it refuses a wrong type, and what it reads otherwise or not at all.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final, Literal, Protocol

from msgspec import Struct, field

from fake_providers import remedies
from fake_providers.rule import Citation, Confidence, Remedy, Rule
from fake_providers.rulebook import ANY_PART, Breach, Condition, Quotes, RequestContext, Rulebook, cited
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, RESULT, TOOL, USER, sample_request

CHECKED: Final = "2026-11-23"
TOOLS: Final = ("tools[function].function", "tools[].function.name")
"""What the documents of all providers require of a tool: a tool as Responses has it lacks the first."""
ROLES: Final = ("system", "user", "assistant", "tool", "developer", "function")

Group = Literal[
    "message-type", "role-unknown", "result-type", "content-type", "content-part-type", "arguments-type", "call-type",
    "tools-type", "tool-choice-type", "response-format-type", "parameter-type", "member-missing",
]  # fmt: skip

MEMBERS: Final = """
model                                                                     string          parameter-type
messages[]                                                                object          message-type
messages[].role                                                           role            role-unknown
messages[].name messages[].tool_call_id                                   string          message-type
messages[].content                                                        string|array    content-type
messages[].content[]                                                      object          content-part-type
messages[].content[].type messages[].content[].text                       string          content-part-type
messages[].content[].image_url                                            object          content-part-type
messages[].content[].image_url.url                                        string          content-part-type
messages[].tool_calls                                                     array           call-type
messages[].tool_calls[]                                                   object          call-type
messages[].tool_calls[].id messages[].tool_calls[].type                   string          call-type
messages[].tool_calls[].function                                          object          call-type
messages[].tool_calls[].function.name                                     string          call-type
messages[].tool_calls[].function.arguments                                string          arguments-type
tools                                                                     array           tools-type
tools[]                                                                   object          tools-type
tools[].type                                                              string          tools-type
tools[].function                                                          object          tools-type
tools[].function.name tools[].function.description                        string          tools-type
tools[].function.parameters                                               object          tools-type
tools[].function.strict                                                   boolean         tools-type
tool_choice                                                               string|object   tool-choice-type
tool_choice.type                                                          string          tool-choice-type
tool_choice.function                                                      object          tool-choice-type
tool_choice.function.name                                                 string          tool-choice-type
response_format                                                           object          response-format-type
response_format.type                                                      string          response-format-type
response_format.json_schema                                               object          response-format-type
response_format.json_schema.name response_format.json_schema.description  string          response-format-type
response_format.json_schema.schema                                        object          response-format-type
response_format.json_schema.strict                                        boolean         response-format-type
stream                                                                    boolean         parameter-type
stream_options                                                            object          parameter-type
stream_options.include_usage                                              boolean         parameter-type
temperature top_p presence_penalty frequency_penalty                      number          parameter-type
max_tokens max_completion_tokens n seed                                   integer         parameter-type
stop                                                                      string|array    parameter-type
stop[]                                                                    string          parameter-type
logprobs                                                                  boolean         parameter-type
top_logprobs                                                              integer         parameter-type
parallel_tool_calls                                                       boolean         parameter-type
reasoning_effort user                                                     string          parameter-type
"""
"""The places of members, their types, and the rule that refuses others. Null is refused in lists only."""


CLASSES: Final = {"string": str, "object": dict, "array": list, "any": object}
INTEGER: Final = re.compile(r"\s*[+-]?\d+(_\d+)*(\.0+)?\s*")
NUMBER: Final = re.compile(r"\s*[+-]?(\d+(_\d+)*\.?\d*|\.\d+)(e[+-]?\d+)?\s*", re.IGNORECASE)


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()
"""The value of a member that must be there."""


class WrongType(Struct, frozen=True):
    """A value of none of the types of its member, or `MISSING`. `role` is that of the message in which it is."""

    path: tuple[str | int, ...]
    value: Any
    types: tuple[str, ...]
    rule: Group
    role: str = ""

    @property
    def at(self) -> str:
        """The place as `messages[1].content`."""
        return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path).lstrip(".")

    @property
    def dotted(self) -> str:
        """The place as `messages.1.content`."""
        return ".".join(map(str, self.path))

    def owner(self, body: Any) -> Any:
        """The object or list that has the value, or lacks it."""
        for part in self.path[:-1]:
            body = body[part]
        return body


class Dialect(Struct, frozen=True):
    """How a provider reads a request.

    - `words`: those of a refusal, or the whole of it where it reports another place than that of the value.
    - `types`: by place, members with other types than here; `any` for one that it does not check.
    - `required`: places of members that may not be missing; `messages[tool].content` in messages of this role only, and
      `tools[function].function` in tools of this type.
    - `roles`: of messages.
    - `lax`: text that has a number or a truth value is taken for it, as pydantic does.
    - `known`: by rule, how it is known that the provider refuses this; else it is deduced.
    - `members`: the table of the wire's members.
    """

    words: Callable[[WrongType, RequestContext], Breach | str]
    source: str
    types: Mapping[str, str] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    roles: tuple[str, ...] = ROLES
    lax: bool = False
    known: Mapping[str, tuple[Confidence, Quotes]] = field(default_factory=dict)
    members: str = MEMBERS


SORTED_BY: Final[dict[str | int, str]] = {"messages": "role", "tools": "type"}
"""What says of which sort an item of these lists is."""


class _Node(Struct):
    types: tuple[str, ...] = ("any",)
    rule: Group = "parameter-type"
    members: "dict[str, _Node]" = field(default_factory=dict)
    required: list[tuple[str, str]] = field(default_factory=list)
    """Each with the role of messages, or the type of tools, that must have it; empty for every one."""


class _Reader:
    """The table as a tree, with what a dialect changes in it."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._root = _Node(("object",))
        for line in dialect.members.strip().splitlines():
            *places, types, rule = line.split()
            for place in places:
                node = self._node(place)
                node.types = tuple(dialect.types.get(place, types).split("|"))
                node.rule = rule  # type: ignore[assignment]
        for place in dialect.required:
            owner, _, name = place.rpartition(".")
            role = re.search(r"(?:messages|tools)\[(\w+)\]", owner)
            self._node(re.sub(r"\[\w+\]", "[]", owner)).required.append((name, role[1] if role else ""))

    def _node(self, place: str) -> _Node:
        node = self._root
        for name in place.replace("[]", ".[]").split(".") if place else ():
            node = node.members.setdefault(name, _Node())
        return node

    def all_in(self, body: Any) -> Iterator[WrongType]:
        """Each value of a wrong type, in the order in which the body has them."""
        return self._within(body, self._root, (), "")

    def _within(self, value: Any, node: _Node, path: tuple[str | int, ...], role: str) -> Iterator[WrongType]:
        if isinstance(value, list) and (item := node.members.get("[]")):
            for index, one in enumerate(value):
                yield from self._checked(one, item, (*path, index), role)
        elif isinstance(value, dict):
            if len(path) == 2 and path[0] in SORTED_BY:
                sort = value.get(SORTED_BY[path[0]])
                role = sort if isinstance(sort, str) else ""
            for name, child in node.members.items():
                if name in value and (value[name] is not None or name == "role"):
                    yield from self._checked(value[name], child, (*path, name), role)
            for name, needed_by in node.required:
                if name not in value and needed_by in ("", role):
                    yield WrongType((*path, name), MISSING, node.members[name].types, "member-missing", role)

    def _checked(self, value: Any, node: _Node, path: tuple[str | int, ...], role: str) -> Iterator[WrongType]:
        if not any(self._fits(value, type_) for type_ in node.types):
            of_result = node.rule == "content-type" and role == "tool"
            yield WrongType(path, value, node.types, "result-type" if of_result else node.rule, role)
        elif node.members and isinstance(value, dict | list):
            yield from self._within(value, node, path, role)

    def _fits(self, value: Any, type_: str) -> bool:
        if type_ in CLASSES:
            return isinstance(value, CLASSES[type_])
        if type_ == "role":
            return isinstance(value, str) and value in self._dialect.roles
        if isinstance(value, str):
            return self._dialect.lax and reads_as(value, type_)
        if type_ == "boolean":
            return isinstance(value, bool) or (self._dialect.lax and value in (0, 1))
        if isinstance(value, bool):
            return self._dialect.lax
        return isinstance(value, int) or (isinstance(value, float) and (type_ == "number" or value.is_integer()))


def reads_as(text: str, type_: str) -> bool:
    """Whether pydantic takes the text for a value of this type."""
    if type_ == "boolean":
        return text.lower() in ("0", "off", "f", "false", "n", "no", "1", "on", "t", "true", "y", "yes")
    return (INTEGER if type_ == "integer" else NUMBER).fullmatch(text) is not None


class Samples(Struct, frozen=True):
    """Requests of a provider: its model, and an assistant's message with a call and its result as it takes them."""

    model: str
    call: Mapping[str, Any] = field(default_factory=lambda: CALL_MESSAGE)
    result: Mapping[str, Any] = field(default_factory=lambda: RESULT)

    def at(self, place: str, value: Any) -> dict[str, Any]:
        """A whole conversation with a tool, and this value in this place; `MISSING` takes it out."""
        answer = {"role": "assistant", "content": "Rain."}
        whole = sample_request(USER, dict(self.call), dict(self.result), answer, USER, model=self.model, tools=[TOOL])
        body: dict[str, Any] = json.loads(json.dumps(whole))  # no part of it twice
        return with_value(body, place, value)


class SampleRequests(Protocol):
    def at(self, place: str, value: Any) -> dict[str, Any]: ...


def with_value(body: dict[str, Any], place: str, value: Any) -> dict[str, Any]:
    *way, last = [int(part) if part.isdigit() else part for part in place.split(".")]
    owner: Any = body
    for part in way:
        owner = owner.setdefault(part, {}) if isinstance(owner, dict) else owner[part]
    if value is MISSING:
        owner.pop(last, None)
    else:
        owner[last] = value
    return body


Sample = tuple[str, Any, Any]
"""A place, with a value that breaks the rule and one that does not."""
Rules = Mapping[Group, tuple[str, Remedy, tuple[Sample, ...]]]
"""By group, why its rule refuses, what to do about it, and its samples: the first that a dialect refuses for it is the
rule's."""

# A table: two rows are to be compared.
# fmt: off
RULES: Final[Rules] = {
    "message-type": ("A message is not an object, or its name or `tool_call_id` is not a string.",
        remedies.MESSAGE_LIST, (("messages.0", "Hello", USER), ("messages.2.tool_call_id", 7, "call_1"))),
    "role-unknown": ("A message has an unknown role.",
        remedies.CHAT_ROLES, (("messages.0.role", "robot", "user"), ("messages.0.role", 7, "user"))),
    "result-type": (
        "The result of a tool is neither a string nor a list of parts: an object that was not written as JSON text.",
        remedies.CONTENT_SHAPE.of("results"), (("messages.2.content", {"degrees": 7}, '{"degrees": 7}'),)),
    "content-type": ("The content of a message is neither a string nor a list of parts.",
        remedies.CONTENT_SHAPE, (("messages.0.content", {"text": "Hello"}, "Hello"),)),
    "content-part-type": ("A part of a content is not an object, or its type or text is not a string.",
        remedies.PART_TYPES, (("messages.0.content", ["Hello"], [{"type": "text", "text": "Hello"}]),
         ("messages.0.content", [{"type": "text", "text": 7}], [{"type": "text", "text": "7"}]))),
    "arguments-type": ("The arguments of a tool call are not a string.",
        remedies.ARGUMENTS_AS_TEXT,
        (("messages.1.tool_calls.0.function.arguments", {"city": "Oslo"}, '{"city": "Oslo"}'),)),
    "call-type": ("The tool calls of a message are not a list of objects, or a member of one has the wrong type.",
        remedies.VALUE.of("calls"), (("messages.1.tool_calls.0.function.name", 7, "get_weather"),)),
    "tools-type": ("`tools` is not a list of objects, or a member of a tool has the wrong type.",
        remedies.TOOL_SHAPE, (("tools", {}, [TOOL]), ("tools.0.function.description", 7, "Current weather."))),
    "tool-choice-type": ("`tool_choice` is neither a string nor an object, or a member of it has the wrong type.",
        remedies.CHOICE_SHAPE, (("tool_choice", 7, "auto"),)),
    "response-format-type": ("`response_format` is not an object, or a member of it has the wrong type.",
        remedies.FORMAT_SHAPE, (("response_format", "text", {"type": "text"}),)),
    "parameter-type": ("A parameter has the wrong type, such as a word for `temperature`.",
        remedies.VALUE, (("temperature", "warm", 0.5),)),
    "member-missing": ("A message, a call or a tool lacks a member that it must have.",
        remedies.REQUIRED_MEMBERS,
        (("messages.2.content", MISSING, "7 degrees"), ("tools.0.function.name", MISSING, "get_weather"),
         ("tools.0.function", MISSING, TOOL["function"]),
         ("messages.1.tool_calls.0.type", MISSING, "function"), ("messages.0.role", MISSING, "user"))),
}
# fmt: on


_WITH_RULES: Final[defaultdict[Rulebook, set[Group]]] = defaultdict(set)
"""The groups of each book that rules are about."""


def refuse_wrong_types(
    book: Rulebook,
    provider: str,
    dialect: Dialect,
    samples: SampleRequests,
    *,
    status: int = 400,
    prefix: str = "",
    suffix: str = "",
    models: str = "all",
    rules: Collection[Group] = (),
    only: Condition | None = None,
    table: Rules = RULES,
) -> None:
    """Add these rules, or all of the table, that this dialect has, each between `prefix` and `suffix`.

    They report the first wrong type of a body only that one of the book's rules is about, so their order is of no
    matter, and what no rule is about hides nothing.
    """
    reader = _Reader(dialect)
    with_rules = _WITH_RULES[book]

    def first(context: RequestContext) -> WrongType | None:
        if "wrong type" not in context.read:
            found_in = (found for found in reader.all_in(context.body) if found.rule in with_rules)
            context.read["wrong type"] = next(found_in, None)
        found: WrongType | None = context.read["wrong type"]
        return found

    def add(rule: Group, why: str, remedy: Remedy, breaking: Any, accepted: Any) -> None:
        confidence, quotes = dialect.known.get(rule, ("inferred", ()))

        def check(context: RequestContext) -> Breach | None:
            found = first(context)
            if found is None or found.rule != rule:
                return None
            words = dialect.words(found, context)
            return Breach(found.at, words) if isinstance(words, str) else words

        evidence, id = (*cited(quotes), Citation(dialect.source)), f"{provider}/{prefix}{rule}{suffix}"
        made = Rule(id, status, why, models, confidence, evidence, CHECKED, breaking, accepted, remedy)
        book.add(made, ANY_PART, check, given=only)

    for rule, (why, remedy, candidates) in table.items():
        if rules and rule not in rules:
            continue
        for place, wrong, right in candidates:
            breaking = samples.at(place, wrong)
            found = next(reader.all_in(breaking), None)
            if found is not None and found.rule == rule:
                add(rule, why, remedy, breaking, samples.at(place, right))
                with_rules.add(rule)
                break


def text_before(context: RequestContext, found: WrongType) -> str:
    """The body as JSON without spaces, up to where parsing stopped: as closely as a parsed body shows."""
    body = context.body
    member = str(found.path[0])
    names = list(body)
    read = {name: body[name] for name in names[: names.index(member) + 1]} if member in body else body
    if member == "messages" and len(found.path) > 1:
        read["messages"] = body["messages"][: int(found.path[1]) + 1]
    return json.dumps(read, separators=(",", ":"))
