"""Rules that the shape of a request breaks, by what is wrong and where. All that is wrong comes in one sentence.

The faults are found by `shapes`; the rule is that of the first.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from fake_providers import remedies
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_PART, Breach, Check, Quotes, RequestContext, Rulebook, cited
from fake_providers.wires.bedrock_converse.errors import envelope
from fake_providers.wires.bedrock_converse.rules.samples import (
    DOCUMENT,
    TOOL,
    call,
    result,
    sample_request,
    sample_with_tools,
    tool,
)
from fake_providers.wires.bedrock_converse.shapes import Kind, ShapeFault

BOOK = Rulebook(envelope)
SPEC = "toolConfig.tools.member.toolSpec"
BLOCK = "messages.member.content.member"


class Payload(Struct, frozen=True):
    """`RequestContext.body` of this book: what is wrong with the shape."""

    faults: tuple[ShapeFault, ...]


def rule_of(fault: ShapeFault) -> str:
    """The name of the rule that a fault breaks."""
    if fault.kind == "type":
        return "type-mismatch"
    if fault.where.startswith("inferenceConfig.") and fault.kind in ("low", "high"):
        return "out-of-range"
    of_place: Mapping[Kind, str] = RULES.get(fault.where, {})
    return of_place.get(fault.kind) or OTHERS[fault.kind]


RULES: Mapping[str, Mapping[Kind, str]] = {
    "messages.member.role": {"enum": "role-unknown"},
    "messages.member.content": {"null": "content-null"},
    "toolConfig.tools": {"null": "tools-missing", "short": "tools-empty"},
    f"{SPEC}.name": {"pattern": "tool-name-characters", "long": "tool-name-long"},
    f"{SPEC}.description": {"short": "tool-description-empty"},
    f"{BLOCK}.toolUse.name": dict.fromkeys(("pattern", "long"), "called-name"),
    f"{BLOCK}.toolUse.toolUseId": dict.fromkeys(("pattern", "long"), "tool-use-id"),
    f"{BLOCK}.toolResult.toolUseId": dict.fromkeys(("pattern", "long"), "tool-use-id"),
    f"{BLOCK}.document.name": dict.fromkeys(("short", "long"), "document-name-length"),
    "system.member.text": {"short": "system-empty"},
}
OTHERS: Mapping[Kind, str] = {
    "null": "member-missing",
    "union": "union-empty",
    "enum": "member-unknown",
    "pattern": "member-characters",
    "short": "member-length",
    "long": "member-length",
    "low": "member-length",
    "high": "member-length",
}


def _check_of(name: str) -> Check:
    def check(context: RequestContext) -> Breach | None:
        faults: tuple[ShapeFault, ...] = context.body.faults
        if not faults or rule_of(faults[0]) != name:
            return None
        if faults[0].kind in ("type", "union"):
            return Breach(faults[0].at, faults[0].sentence)
        detected = f"{len(faults)} validation error{'s' if len(faults) > 1 else ''} detected: "
        return Breach(faults[0].at, detected + "; ".join(fault.sentence for fault in faults))

    return check


def _row(name: str, why: str, *, remedy: Remedy, wrong: Any, right: Any, **evidence: Quotes) -> None:
    """Add the rule on the faults that `rule_of` names so. All have the service model for a source, too."""
    ((confidence, quotes),) = evidence.items()
    sources = (*cited(quotes), *cited({"the service model of bedrock-runtime, which botocore ships": ""}))
    known: dict[str, Any] = {confidence: sources}
    known |= {"remedy": remedy, "wrong": wrong, "right": right, "checked": "2026-11-23"}
    BOOK.row(f"bedrock/{name}", why, ANY_PART, _check_of(name), **known)


# A table: two rows are to be compared.
# fmt: off
_row("type-mismatch",
    "A value has another JSON type, such as a message's content that is a string and not a list of blocks.",
    remedy=Remedy("parameters",
        "Write each value with the type of the API's reference; the content of a message is a list of blocks, "
        '`[{"text": ...}]`.'),
    wrong=sample_request({"role": "user", "content": "a"}),
    right=sample_request({"role": "user", "content": [{"text": "a"}]}),
    inferred={"other services of Amazon with this protocol": "can not be converted to a String"})
_row("role-unknown",
    "A message has an unknown role. Results are blocks of a user message, and instructions are `system`.",
    remedy=Remedy("messages",
        "Send results as `toolResult` blocks of a user message, and instructions in `system`; the roles are "
        "`user` and `assistant`."),
    wrong=sample_request({"role": "tool", "content": [{"text": "a"}]}),
    right=sample_request({"role": "user", "content": [{"text": "a"}]}),
    verbatim={"aws-samples/bedrock-access-gateway#209":
        "failed to satisfy constraint: Member must satisfy enum value set: [user, assistant]"})
_row("content-null", "A message has no content, or null.", remedy=remedies.LEAVE_OUT_EMPTY,
    wrong=sample_request("a", {"role": "assistant", "content": None}, "b"),
    right=sample_request("a", {"role": "assistant", "content": [{"text": "c"}]}, "b"),
    verbatim={"maximhq/bifrost#6732": "failed to satisfy constraint: Member must not be null"})
_row("tools-missing", "`toolConfig` has no `tools`; leave it out where there are none.", remedy=remedies.NO_TOOL_CONFIG,
    wrong=sample_request(toolConfig={}), right=sample_request(toolConfig={"tools": [TOOL]}),
    reported={"elastic/kibana#277821": ""})
_row("tools-empty", "`toolConfig.tools` is empty; leave `toolConfig` out where there are no tools.",
    remedy=remedies.NO_TOOL_CONFIG,
    wrong=sample_request(toolConfig={"tools": []}), right=sample_request(toolConfig={"tools": [TOOL]}),
    verbatim={"Portkey-AI/gateway#1124":
        "Value at 'toolConfig.tools' failed to satisfy constraint: Member must have length greater than or equal to 1",
        "genkit-ai/aws-bedrock-js-plugin#43": ""})
_row("tool-name-characters",
    "A tool's name has other characters than letters, digits, `_` and `-`, such as a dot.",
    remedy=remedies.TOOL_NAMES_ALIKE,
    wrong=sample_request(toolConfig={"tools": [tool(name="fetch.get")]}),
    right=sample_request(toolConfig={"tools": [tool(name="fetch_get")]}),
    verbatim={"aws-samples/remote-swe-agents#457":
        "at 'toolConfig.tools.22.member.toolSpec.name' failed to satisfy constraint: Member must satisfy regular "
        "expression pattern: [a-zA-Z0-9_-]+", "kagent-dev/kagent#1730": "", "openclaw/openclaw#12949": "",
        "BerriAI/litellm#24668: two faults of an empty name, and that of an empty description": ""})
_row("tool-name-long", "A tool's name has more than 64 characters.", remedy=remedies.TOOL_NAMES_ALIKE,
    wrong=sample_request(toolConfig={"tools": [tool(name="f" * 65)]}),
    right=sample_request(toolConfig={"tools": [tool(name="f" * 64)]}),
    reported={"aws-samples/sample-apj-sup-sa#137": ""})
_row("tool-description-empty", "A tool's description is an empty string; leave it out.",
    remedy=Remedy("declarations", "Leave out the description of a tool that has none."),
    wrong=sample_request(toolConfig={"tools": [tool(description="")]}),
    right=sample_request(toolConfig={"tools": [tool(description="d")]}),
    verbatim={"BerriAI/litellm#24668":
        "Value '' at 'toolConfig.tools.1.member.toolSpec.description' failed to satisfy constraint: Member must have "
        "length greater than or equal to 1"})
_row("called-name", "A call in the history has a name that no tool can have, mostly one that the model made up.",
    remedy=Remedy("calls",
        "Map the names of all calls in the history to letters, digits, `_` and `-`, also of those that the model "
        "made up."),
    wrong=sample_with_tools("a", call(name="$READFILE"), result()),
    right=sample_with_tools("a", call(name="READFILE"), result()),
    recorded={"vercel/ai#17769, fixture bedrock-invalid-tool-name-validation-error.json":
        "Value at 'messages.2.member.content.1.member.toolUse.name' failed to satisfy constraint: Member must satisfy "
        "regular expression pattern: [a-zA-Z0-9_-]+"})
_row("tool-use-id",
    "The id of a call or a result has other characters than letters, digits and `_.:-`, or more than 64.",
    remedy=Remedy("calls",
        "Give each call an id of 1 to 64 letters, digits and `_.:-` when it is stored, and its result the same."),
    wrong=sample_with_tools("a", [call(), call("x|1")], [result(), result("x_1")]),
    right=sample_with_tools("a", [call(), call("x_1")], [result(), result("x_1")]),
    reported={"run-llama/llama_index#22775": "Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+"})
_row("document-name-length", "The name of a document is empty or has more than 200 characters.",
    remedy=remedies.DOCUMENT_NAMES,
    wrong=sample_request(["a", {"document": {**DOCUMENT["document"], "name": ""}}]),
    right=sample_request(["a", {"document": {**DOCUMENT["document"], "name": "b"}}]),
    recorded={"vercel/ai#20365":
        "Value at 'messages.1.member.content.2.member.document.name' failed to satisfy constraint: Member must have "
        "length less than or equal to 200"})
_row("system-empty", "A text of `system` is empty; leave it out.", remedy=remedies.JOIN_INSTRUCTIONS,
    wrong=sample_request(system=[{"text": ""}]), right=sample_request(system=[{"text": "Be brief."}]),
    reported={})
_row("out-of-range", "`maxTokens` is less than 1, or `temperature` or `topP` is not from 0 to 1.",
    remedy=Remedy("parameters", "Keep `temperature` and `topP` between 0 and 1, and `maxTokens` at 1 or more."),
    wrong=sample_request(inferenceConfig={"temperature": 1.5}),
    right=sample_request(inferenceConfig={"temperature": 1}),
    verbatim={"stdapi-ai/stdapi.ai#224":
        "Value '1.5' at 'inferenceConfig.temperature' failed to satisfy constraint: Member must have value less than "
        "or equal to 1", "microsoft/semantic-kernel, a thread on maxTokens 0": ""})
_row("member-missing", "A required member is missing or null, such as the `input` of a call.",
    remedy=remedies.REFERENCE_MEMBER,
    wrong=sample_with_tools("a", call(input=None), result()),
    right=sample_with_tools("a", call(input={}), result()),
    reported={})
_row("union-empty", "An object that has one of several members has none, such as the source of a picture.",
    remedy=remedies.ONE_KEY,
    wrong=sample_request(["a", {"document": {**DOCUMENT["document"], "source": {}}}]),
    right=sample_request(["a", DOCUMENT]),
    inferred={"worded like the refusal of a block without a key": "must set one of the following keys"})
_row("member-unknown", "A value is not one of those that the service model lists, such as the status of a result.",
    remedy=remedies.REFERENCE_MEMBER,
    wrong=sample_with_tools("a", call(), result(status="failed")),
    right=sample_with_tools("a", call(), result(status="error")),
    reported={})
_row("member-characters", "A value does not match the pattern that the service model has for it.",
    remedy=remedies.REFERENCE_MEMBER,
    wrong=sample_request(requestMetadata={"team": "a|b"}), right=sample_request(requestMetadata={"team": "a/b"}),
    reported={})
_row("member-length", "A value is shorter, longer, smaller or larger than the service model says.",
    remedy=remedies.REFERENCE_MEMBER,
    wrong=sample_request(inferenceConfig={"stopSequences": [""]}),
    right=sample_request(inferenceConfig={"stopSequences": ["."]}),
    reported={})
# fmt: on
