"""Rules that the shape of a request breaks, by what is wrong and where. All that is wrong comes in one sentence.

The faults are found by `shapes`; the rule is that of the first.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from fake_providers.rule import Citation, Confidence, Rule
from fake_providers.rulebook import ANY_PART, Breach, Check, RequestContext, Rulebook
from fake_providers.wires.bedrock_converse.errors import envelope
from fake_providers.wires.bedrock_converse.rules.samples import (
    DOCUMENT,
    TOOL,
    assistant,
    call,
    cite,
    result,
    sample_request,
    sample_with_tools,
    tool,
    user,
)
from fake_providers.wires.bedrock_converse.shapes import Kind, ShapeFault

BOOK = Rulebook(envelope)
SPEC = "toolConfig.tools.member.toolSpec"
BLOCK = "messages.member.content.member"
MODEL = Citation("the service model of bedrock-runtime, which botocore ships")
IDS = cite("run-llama/llama_index#22775", quote="Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+")


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
        if faults[0].kind == "type":
            return Breach(faults[0].at, faults[0].sentence)
        detected = f"{len(faults)} validation error{'s' if len(faults) > 1 else ''} detected: "
        return Breach(faults[0].at, detected + "; ".join(fault.sentence for fault in faults))

    return check


def _rule(
    name: str, why: str, confidence: Confidence, evidence: tuple[Citation, ...], *, breaking: Any, accepted: Any
) -> None:
    evidence, id = (*evidence, MODEL), f"bedrock/{name}"
    rule = Rule(id, 400, why, "all", confidence, evidence, "2026-11-23", breaking, accepted)
    BOOK.add(rule, ANY_PART, _check_of(name))


_rule(
    "type-mismatch",
    "A value has another JSON type, such as a message's content that is a string and not a list of blocks.",
    "inferred",
    cite("other services of Amazon with this protocol", quote="can not be converted to a String"),
    breaking=sample_request({"role": "user", "content": "a"}),
    accepted=sample_request({"role": "user", "content": [{"text": "a"}]}),
)
_rule(
    "role-unknown",
    "A message has an unknown role. Results are blocks of a user message, and instructions are `system`.",
    "verbatim",
    cite(
        "aws-samples/bedrock-access-gateway#209",
        quote="failed to satisfy constraint: Member must satisfy enum value set: [user, assistant]",
    ),
    breaking=sample_request({"role": "tool", "content": [{"text": "a"}]}),
    accepted=sample_request({"role": "user", "content": [{"text": "a"}]}),
)
_rule(
    "content-null",
    "A message has no content, or null.",
    "verbatim",
    cite("maximhq/bifrost#6732", quote="failed to satisfy constraint: Member must not be null"),
    breaking=sample_request(user("a"), {"role": "assistant", "content": None}, user("b")),
    accepted=sample_request(user("a"), {"role": "assistant", "content": [{"text": "c"}]}, user("b")),
)
_rule(
    "tools-missing",
    "`toolConfig` has no `tools`; leave it out where there are none.",
    "reported",
    cite("elastic/kibana#277821"),
    breaking=sample_request(toolConfig={}),
    accepted=sample_request(toolConfig={"tools": [TOOL]}),
)
_rule(
    "tools-empty",
    "`toolConfig.tools` is empty; leave `toolConfig` out where there are no tools.",
    "verbatim",
    cite(
        "Portkey-AI/gateway#1124",
        "genkit-ai/aws-bedrock-js-plugin#43",
        quote="Value at 'toolConfig.tools' failed to satisfy constraint: Member must have length greater than or "
        "equal to 1",
    ),
    breaking=sample_request(toolConfig={"tools": []}),
    accepted=sample_request(toolConfig={"tools": [TOOL]}),
)
_rule(
    "tool-name-characters",
    "A tool's name has other characters than letters, digits, `_` and `-`, such as a dot.",
    "verbatim",
    cite(
        "aws-samples/remote-swe-agents#457",
        "kagent-dev/kagent#1730",
        "openclaw/openclaw#12949",
        "BerriAI/litellm#24668: two faults of an empty name, and that of an empty description",
        quote="at 'toolConfig.tools.22.member.toolSpec.name' failed to satisfy constraint: Member must satisfy "
        "regular expression pattern: [a-zA-Z0-9_-]+",
    ),
    breaking=sample_request(toolConfig={"tools": [tool(name="fetch.get")]}),
    accepted=sample_request(toolConfig={"tools": [tool(name="fetch_get")]}),
)
_rule(
    "tool-name-long",
    "A tool's name has more than 64 characters.",
    "reported",
    cite("aws-samples/sample-apj-sup-sa#137"),
    breaking=sample_request(toolConfig={"tools": [tool(name="f" * 65)]}),
    accepted=sample_request(toolConfig={"tools": [tool(name="f" * 64)]}),
)
_rule(
    "tool-description-empty",
    "A tool's description is an empty string; leave it out.",
    "verbatim",
    cite(
        "BerriAI/litellm#24668",
        quote="Value '' at 'toolConfig.tools.1.member.toolSpec.description' failed to satisfy constraint: Member must "
        "have length greater than or equal to 1",
    ),
    breaking=sample_request(toolConfig={"tools": [tool(description="")]}),
    accepted=sample_request(toolConfig={"tools": [tool(description="d")]}),
)
_rule(
    "called-name",
    "A call in the history has a name that no tool can have, mostly one that the model made up.",
    "recorded",
    cite(
        "vercel/ai#17769, fixture bedrock-invalid-tool-name-validation-error.json",
        quote="Value at 'messages.2.member.content.1.member.toolUse.name' failed to satisfy constraint: Member must "
        "satisfy regular expression pattern: [a-zA-Z0-9_-]+",
    ),
    breaking=sample_with_tools(user("a"), assistant(call(name="$READFILE")), user(result())),
    accepted=sample_with_tools(user("a"), assistant(call(name="READFILE")), user(result())),
)
_rule(
    "tool-use-id",
    "The id of a call or a result has other characters than letters, digits and `_.:-`, or more than 64.",
    "reported",
    IDS,
    breaking=sample_with_tools(user("a"), assistant(call(), call("x|1")), user(result(), result("x_1"))),
    accepted=sample_with_tools(user("a"), assistant(call(), call("x_1")), user(result(), result("x_1"))),
)
_rule(
    "document-name-length",
    "The name of a document is empty or has more than 200 characters.",
    "recorded",
    cite(
        "vercel/ai#20365",
        quote="Value at 'messages.1.member.content.2.member.document.name' failed to satisfy constraint: Member must "
        "have length less than or equal to 200",
    ),
    breaking=sample_request(user("a", {"document": {**DOCUMENT["document"], "name": ""}})),
    accepted=sample_request(user("a", {"document": {**DOCUMENT["document"], "name": "b"}})),
)
_rule(
    "system-empty",
    "A text of `system` is empty; leave it out.",
    "reported",
    (),
    breaking=sample_request(system=[{"text": ""}]),
    accepted=sample_request(system=[{"text": "Be brief."}]),
)
_rule(
    "out-of-range",
    "`maxTokens` is less than 1, or `temperature` or `topP` is not from 0 to 1.",
    "verbatim",
    cite(
        "stdapi-ai/stdapi.ai#224",
        "microsoft/semantic-kernel, a thread on maxTokens 0",
        quote="Value '1.5' at 'inferenceConfig.temperature' failed to satisfy constraint: Member must have value less "
        "than or equal to 1",
    ),
    breaking=sample_request(inferenceConfig={"temperature": 1.5}),
    accepted=sample_request(inferenceConfig={"temperature": 1}),
)
_rule(
    "member-missing",
    "A required member is missing or null, such as the `input` of a call.",
    "reported",
    (),
    breaking=sample_with_tools(user("a"), assistant(call(input=None)), user(result())),
    accepted=sample_with_tools(user("a"), assistant(call(input={})), user(result())),
)
_rule(
    "member-unknown",
    "A value is not one of those that the service model lists, such as the status of a result.",
    "reported",
    (),
    breaking=sample_with_tools(user("a"), assistant(call()), user(result(status="failed"))),
    accepted=sample_with_tools(user("a"), assistant(call()), user(result(status="error"))),
)
_rule(
    "member-characters",
    "A value does not match the pattern that the service model has for it.",
    "reported",
    (),
    breaking=sample_request(requestMetadata={"team": "a|b"}),
    accepted=sample_request(requestMetadata={"team": "a/b"}),
)
_rule(
    "member-length",
    "A value is shorter, longer, smaller or larger than the service model says.",
    "reported",
    (),
    breaking=sample_request(inferenceConfig={"stopSequences": [""]}),
    accepted=sample_request(inferenceConfig={"stopSequences": ["."]}),
)
