"""Nova over `invoke` and `invoke-with-response-stream`: the body of Amazon's own models, with the model in the path.

It has Converse's messages and tools, other names of a few parameters, and a check of its keys by a schema of its own.
Shapes: four recordings of Nova Micro by alibaba/loongsuite-python-agent, and the request schema of Nova's user guide.
What Converse refuses of such a conversation is refused here too; that the two agree is inferred.
"""

import base64
import json
from collections.abc import Iterator
from typing import Any, Final

from msgspec import structs

from fake_providers.http import AS_ESCAPE, Request, Response, compact, json_response
from fake_providers.reply import Reply
from fake_providers.rule import Remedy, Violation
from fake_providers.rulebook import ANY_PARAMETER, RequestContext, Rulebook
from fake_providers.view import View
from fake_providers.wire import ReplyContext
from fake_providers.wires.bedrock_converse import request as converse_request
from fake_providers.wires.bedrock_converse import response as converse_response
from fake_providers.wires.bedrock_converse import rules as converse_rules
from fake_providers.wires.bedrock_converse.errors import MODEL, envelope, headers
from fake_providers.wires.bedrock_converse.request import body_of, target_of, traits_at
from fake_providers.wires.bedrock_converse.response import LATENCY, in_frames
from fake_providers.wires.bedrock_converse.rules.samples import NOVA

PATH: Final = f"/model/{NOVA}/invoke"
SAMPLE: Final[dict[str, Any]] = {"messages": [{"role": "user", "content": [{"text": "a"}]}]}
KEYS: Final = ("schemaVersion", "messages", "system", "inferenceConfig", "toolConfig", "additionalModelRequestFields")
IN_CONVERSE: Final = {"max_new_tokens": "maxTokens", "maxTokens": "maxTokens", "temperature": "temperature",
    "topP": "topP", "top_p": "topP", "stopSequences": "stopSequences"}  # fmt: skip
MALFORMED: Final = "Malformed input request: #: {problem}, please reformat your input and try again."
BOOK = Rulebook(envelope)


def as_converse(request: Request) -> Request:
    """The same request to Converse; a body that is no object stays as it is."""
    body = body_of(request)
    path = request.path.replace("/invoke-with-response-stream", "/converse-stream").replace("/invoke", "/converse")
    if not isinstance(body, dict):
        return structs.replace(request, path=path)
    own = {name: value for name, value in body.items() if name in KEYS and name != "schemaVersion"}
    config = own.get("inferenceConfig")
    if isinstance(config, dict):
        own["inferenceConfig"] = {IN_CONVERSE[name]: value for name, value in config.items() if name in IN_CONVERSE}
    return structs.replace(request, path=path, body=compact(own).encode(errors=AS_ESCAPE))


def judge(request: Request, *, provider: str) -> Violation | None:
    """What Nova's schema refuses, then what Converse does, in the service's envelope and without a prefix."""
    target, body = target_of(request), body_of(request)
    if isinstance(body, dict):
        context = RequestContext(body, request.headers, target.model, traits_at(request), target.stream, provider)
        if found := BOOK.judge(context):
            return found
    theirs = converse_rules.judge(as_converse(request), provider=provider)
    if theirs is None:
        return None
    message = theirs.message.removeprefix(MODEL)
    return structs.replace(theirs, message=message, body={"message": message}, confidence="inferred")


def view(request: Request) -> View:
    return converse_request.view(as_converse(request))


def encode(reply: Reply, context: ReplyContext) -> Response:
    """Raises `CannotExpress`."""
    theirs = structs.replace(context, request=as_converse(context.request))
    if target_of(context.request).stream:
        return in_frames(_events(reply, theirs), reply, context)
    response = converse_response.plain(reply, theirs)
    body = json.loads(response.body)
    answer = {"output": body["output"], "stopReason": body["stopReason"], "usage": _usage(body["usage"])}
    counts = {"input": body["usage"]["inputTokens"], "output": body["usage"]["outputTokens"]}
    counted = [(f"x-amzn-bedrock-{name}-token-count", str(count)) for name, count in counts.items()]
    latency = ("x-amzn-bedrock-invocation-latency", str(LATENCY))
    return json_response(200, answer, [*headers(context.ids), latency, *counted])


def _usage(counts: dict[str, Any]) -> dict[str, Any]:
    """As Nova writes it, which Converse does in another order and with more."""
    names = ("inputTokens", "outputTokens", "totalTokens", "cacheReadInputTokenCount", "cacheWriteInputTokenCount")
    return {name: counts.get(name, 0) for name in names}


def _events(reply: Reply, context: ReplyContext) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of Converse, each with its name as the one key of a `chunk`; the last has the counts of tokens."""
    for name, members in _in_converse(reply, context):
        event: dict[str, Any] = {name: members}
        if name == "metadata":
            usage = members["usage"]
            event["amazon-bedrock-invocationMetrics"] = {
                "inputTokenCount": usage["inputTokens"],
                "outputTokenCount": usage["outputTokens"],
                "invocationLatency": LATENCY,
                "firstByteLatency": LATENCY,
            }
        yield "chunk", {"bytes": base64.b64encode(compact(event).encode(errors=AS_ESCAPE)).decode()}


def _in_converse(reply: Reply, context: ReplyContext) -> Iterator[tuple[str, dict[str, Any]]]:
    blocks = converse_response.content_blocks(reply, context)
    yield "messageStart", {"role": "assistant"}
    for index, block in enumerate(blocks):
        if "toolUse" in block:
            yield "contentBlockStart", {"start": block, "contentBlockIndex": index}
        for delta in converse_response.deltas(block, reply, context, call=index - len(blocks) + len(reply.calls)):
            yield "contentBlockDelta", {"delta": delta, "contentBlockIndex": index}
        yield "contentBlockStop", {"contentBlockIndex": index}
    yield "messageStop", {"stopReason": converse_response.stop_reason(reply)}
    yield "metadata", {"usage": _usage(converse_response.usage(reply, context)), "metrics": {}, "trace": {}}


# A table: two rows are to be compared.
# fmt: off
BOOK.row("bedrock/nova-messages-missing", "The body has no `messages`, such as a prompt or Titan's `inputText`.",
    ANY_PARAMETER, lambda body: "messages" not in body,
    MALFORMED.format(problem="required key [messages] not found"), "messages", models="Nova, by `invoke`",
    checked="2026-11-29", path=PATH, remedy=Remedy("messages", "Send `messages`, as Converse has them."),
    wrong={}, right=SAMPLE,
    verbatim={"BerriAI/litellm#7019 and langchain-ai/langchain-aws#604": "..."})
BOOK.row("bedrock/nova-key-unknown", "The body has a key that Nova does not know, such as `max_tokens` or `top_p`.",
    ANY_PARAMETER, lambda body: next((name for name in body if name not in KEYS), None),
    MALFORMED.format(problem="extraneous key [{found}] is not permitted"), "{found}", models="Nova, by `invoke`",
    checked="2026-11-29", path=PATH,
    remedy=Remedy("parameters", "Put limits and temperatures into `inferenceConfig`, under Nova's names."),
    wrong={**SAMPLE, "max_tokens": 16}, right=SAMPLE,
    verbatim={"logancyang/obsidian-copilot#2145": "extraneous key [max_tokens] is not permitted",
        "rollwagen/bods#51 and lobehub/lobehub#5203": "extraneous key [top_p] is not permitted"})
# fmt: on
