"""The JSON types of the members of requests to Anthropic's Messages and OpenAI's Responses, for servers that have them
beside a wire of their own, and how those servers read the items of both.
"""

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from fake_providers import remedies
from fake_providers.providers.shared.chat_reading import MESSAGES, ConversationMember, PlacedItem
from fake_providers.providers.shared.chat_types import MISSING, Rules, with_value
from fake_providers.rulebook import RequestContext, Selector
from fake_providers.values.lenient import listed

MEMBERS_OF_MESSAGES: Final = """
model                                                string          parameter-type
max_tokens                                           integer         parameter-type
messages[]                                           object          message-type
messages[].role                                      role            role-unknown
messages[].content                                   string|array    content-type
messages[].content[]                                 object          content-part-type
messages[].content[].type messages[].content[].text  string          content-part-type
messages[].content[].thinking                        string          content-part-type
messages[].content[].id messages[].content[].name    string          call-type
messages[].content[].input                           object          arguments-type
messages[].content[].tool_use_id                     string          message-type
messages[].content[].content                         string|array    result-type
messages[].content[].is_error                        boolean         message-type
system                                               string|array    parameter-type
tools                                                array           tools-type
tools[]                                              object          tools-type
tools[].name tools[].description                     string          tools-type
tools[].input_schema                                 object          tools-type
tool_choice                                          object          tool-choice-type
tool_choice.type tool_choice.name                    string          tool-choice-type
stop_sequences                                       array           parameter-type
stop_sequences[]                                     string          parameter-type
stream                                               boolean         parameter-type
temperature top_p                                    number          parameter-type
top_k                                                integer         parameter-type
thinking                                             object          parameter-type
thinking.type                                        string          parameter-type
thinking.budget_tokens                               integer         parameter-type
metadata                                             object          parameter-type
metadata.user_id                                     string          parameter-type
"""
"""The members of a request to Anthropic's Messages: their places, JSON types, and the rule on a wrong type."""

MEMBERS_OF_RESPONSES: Final = """
model                                          string          parameter-type
input                                          string|array    content-type
input[]                                        object          message-type
input[].role                                   role            role-unknown
input[].content                                string|array    content-type
input[].content[]                              object          content-part-type
input[].content[].type input[].content[].text  string          content-part-type
input[].call_id input[].name                   string          call-type
input[].arguments                              string          arguments-type
input[].output                                 string|array    result-type
instructions                                   string          parameter-type
tools                                          array           tools-type
tools[]                                        object          tools-type
tools[].type tools[].name tools[].description  string          tools-type
tools[].parameters                             object          tools-type
tool_choice                                    string|object   tool-choice-type
stream store                                   boolean         parameter-type
temperature top_p                              number          parameter-type
max_output_tokens                              integer         parameter-type
parallel_tool_calls                            boolean         parameter-type
previous_response_id                           string          parameter-type
reasoning                                      object          parameter-type
reasoning.effort                               string          parameter-type
text text.format                               object          response-format-type
text.format.type                               string          response-format-type
"""
"""The members of a request to OpenAI's Responses, in the same columns."""


class MessageSamples(Struct, frozen=True):
    """Makes requests to Anthropic's Messages for samples: a call with its result, and one value changed."""

    model: str

    def at(self, place: str, value: Any) -> dict[str, Any]:
        call = {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}
        result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "7 degrees"}
        question = {"role": "user", "content": "What is the weather in Oslo?"}
        turns = ({"role": "assistant", "content": [call]}, {"role": "user", "content": [result]})
        tool = {"name": "get_weather", "input_schema": {"type": "object"}}
        return with_value(sample(self.model, question, *turns, tools=[tool]), place, value)


class ResponsesSamples(Struct, frozen=True):
    """Makes requests to OpenAI's Responses for samples: a call with its result, and one value changed. `fields` are
    further members of each."""

    model: str
    fields: Mapping[str, Any] = field(default_factory=dict)

    def at(self, place: str, value: Any) -> dict[str, Any]:
        call = {"type": "function_call", "call_id": "call_1", "name": "get_weather", "arguments": '{"city": "Oslo"}'}
        result = {"type": "function_call_output", "call_id": "call_1", "output": "7 degrees"}
        tool = {"type": "function", "name": "get_weather", "parameters": {"type": "object"}}
        question = {"role": "user", "content": "What is the weather in Oslo?"}
        body = {"model": self.model, **self.fields, "input": [question, call, result], "tools": [tool]}
        return with_value(body, place, value)


# Tables: two rows are to be compared.
# fmt: off
RULES_OF_MESSAGES: Final[Rules] = {
    "message-type": ("A message is not an object, or the id of a result or its `is_error` has the wrong type.",
        remedies.MESSAGE_LIST, (("messages.2.content.0.tool_use_id", 7, "toolu_1"),)),
    "role-unknown": ("A message has an unknown role.",
        remedies.USER_AND_ASSISTANT, (("messages.0.role", "robot", "user"),)),
    "result-type": (
        "The result of a tool is neither a string nor a list of blocks: an object that was not written as JSON text.",
        remedies.CONTENT_SHAPE.of("results"), (("messages.2.content.0.content", {"degrees": 7}, '{"degrees": 7}'),)),
    "content-type": ("The content of a message is neither a string nor a list of blocks.",
        remedies.CONTENT_SHAPE, (("messages.0.content", {"text": "Hello"}, "Hello"),)),
    "content-part-type": ("A block is not an object, or its type or text is not a string.",
        remedies.PART_TYPES, (("messages.0.content", ["Hello"], [{"type": "text", "text": "Hello"}]),)),
    "arguments-type": ("The input of a call is not an object, such as JSON text.",
        remedies.ARGUMENTS_AS_OBJECT, (("messages.1.content.0.input", '{"city": "Oslo"}', {"city": "Oslo"}),)),
    "call-type": ("The id or the name of a call is not a string.",
        remedies.VALUE.of("calls"), (("messages.1.content.0.name", 7, "get_weather"),)),
    "tools-type": ("`tools` is not a list of objects, or a member of a tool has the wrong type.",
        remedies.TOOL_SHAPE, (("tools.0.input_schema", "object", {"type": "object"}),)),
    "tool-choice-type": ("`tool_choice` is not an object, or a member of it has the wrong type.",
        remedies.CHOICE_SHAPE, (("tool_choice", "auto", {"type": "auto"}),)),
    "parameter-type": ("A parameter has the wrong type.", remedies.VALUE, (("temperature", "warm", 0.5),)),
    "member-missing": ("The request, a message, a call, a result or a tool lacks a member that it must have.",
        remedies.REQUIRED_MEMBERS, (("max_tokens", MISSING, 16), ("messages.0.content", MISSING, "Hello"),
         ("tools.0.name", MISSING, "get_weather"))),
}

RULES_OF_RESPONSES: Final[Rules] = {
    "message-type": ("An item of the input is not an object.",
        remedies.MESSAGE_LIST, (("input.0", "Hello", {"role": "user", "content": "Hello"}),)),
    "role-unknown": ("A message has an unknown role.", remedies.CHAT_ROLES, (("input.0.role", "robot", "user"),)),
    "result-type": (
        "The output of a call is neither a string nor a list of parts: an object that was not written as JSON text.",
        remedies.CONTENT_SHAPE.of("results"), (("input.2.output", {"degrees": 7}, '{"degrees": 7}'),)),
    "content-type": ("The input, or the content of a message, is neither a string nor a list.",
        remedies.CONTENT_SHAPE, (("input.0.content", {"text": "Hello"}, "Hello"),)),
    "content-part-type": ("A part of a content is not an object, or its type or text is not a string.",
        remedies.PART_TYPES, (("input.0.content", ["Hello"], [{"type": "input_text", "text": "Hello"}]),)),
    "arguments-type": ("The arguments of a call are not a string.",
        remedies.ARGUMENTS_AS_TEXT, (("input.1.arguments", {"city": "Oslo"}, '{"city": "Oslo"}'),)),
    "call-type": ("The id or the name of a call is not a string.",
        remedies.VALUE.of("calls"), (("input.1.name", 7, "get_weather"),)),
    "tools-type": ("`tools` is not a list of objects, or a member of a tool has the wrong type.",
        remedies.TOOL_SHAPE, (("tools.0.parameters", "object", {"type": "object"}),)),
    "tool-choice-type": ("`tool_choice` is neither a string nor an object.",
        remedies.CHOICE_SHAPE, (("tool_choice", 7, "auto"),)),
    "response-format-type": ("`text` or its format is not an object.",
        remedies.FORMAT_SHAPE, (("text", "text", {"format": {"type": "text"}}),)),
    "parameter-type": ("A parameter has the wrong type.", remedies.VALUE, (("temperature", "warm", 0.5),)),
    "member-missing": ("The request names no model.",
        remedies.REQUIRED_MEMBERS, (("model", MISSING, "any"), ("tools.0.name", MISSING, "get_weather"))),
}
# fmt: on


CONVERSATION: Final[ConversationMember] = replace(MESSAGES, rules="anthropic-")
REQUIRED: Final = ("messages[].role", "messages[].content", "tools[].name")


def blocks(context: RequestContext, kind: str) -> list[tuple[str, dict[str, Any]]]:
    """Each block of this type, with its place."""
    return [
        (f"messages[{index}].content[{number}]", block)
        for index, message in conversation(context)
        for number, block in objects(message.get("content"))
        if block.get("type") == kind
    ]


def conversation(context: RequestContext) -> list[PlacedItem]:
    """Each message that is an object, with its index."""
    return objects(context.body.get("messages"))


def sample(model: str, *messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    hello = {"role": "user", "content": "Hello"}
    return {"model": model, "max_tokens": 16, "messages": list(messages) or [hello], **fields}


samples: Final = MessageSamples
ItemAt = tuple[str, dict[str, Any]]


def kind_of(item: dict[str, Any]) -> str | None:
    """The type of the item as a string; None for a message without one."""
    kind = item.get("type")
    return None if kind is None else str(kind)


def items(context: RequestContext) -> list[ItemAt]:
    """Each item of the input that is an object, with its place."""
    return [(f"input[{index}]", item) for index, item in objects(context.body.get("input"))]


NEAR_ITEMS: Final = Selector(
    lambda context: ((objects(context.body.get("input")),),), "input[{i}]", (), "exchanges", ("conversation",)
)
"""All items of the input with their indexes, for rules that compare those near each other. A row finds an `i`."""


def tools(context: RequestContext) -> list[ItemAt]:
    return [(f"tools[{index}]", tool) for index, tool in objects(context.body.get("tools"))]


def objects(value: Any) -> list[PlacedItem]:
    return [(index, one) for index, one in enumerate(listed(value)) if isinstance(one, dict)]
