"""Claude on Vertex AI: the path names the model and whether to stream, the body the version of the API."""

import re
from urllib.parse import unquote

from msgspec.structs import replace

from fake_providers.http import AS_ESCAPE, Request, compact
from fake_providers.providers.shared.hosted_claude import hosted
from fake_providers.wires.anthropic_messages.json_parser import NOTHING, tolerant
from fake_providers.wires.openai_chat.rules.samples import cite

PATH = re.compile(r".*/publishers/anthropic/models/([^/:]+):(rawPredict|streamRawPredict)")


def own_request(request: Request) -> Request | None:
    """The request as one to Anthropic's API. A model in the body goes before the path's.

    Betas may be named in the body as well (BerriAI/litellm#20666 and #22321).
    """
    found = PATH.fullmatch(unquote(request.path.partition("?")[0]))
    if found is None or request.method.upper() != "POST" or found[1] == "count-tokens":
        return None
    body = tolerant(request)
    if body is NOTHING:
        return replace(request, path="/v1/messages")
    others = {name: value for name, value in body.items() if name not in ("anthropic_version", "anthropic_beta")}
    content = compact({"model": found[1], **others}).encode(errors=AS_ESCAPE)
    betas, headers = body.get("anthropic_beta"), request.headers
    if isinstance(betas, list) and betas:
        named = [*filter(None, [headers.get("anthropic-beta")]), *map(str, betas)]
        headers = {**headers, "anthropic-beta": ",".join(named)}
    return replace(request, path="/v1/messages", headers=headers, body=content)


PROVIDER = hosted(
    "vertex",
    cite(
        "anthropics/claude-code#37746, OpenHands/software-agent-sdk#1630",
        "output_config: Extra inputs are not permitted",
    ),
    base_path="/v1",
    id_prefix="msg_vrtx_01",
    request_ids="req_vrtx_",
    key_sentence="Request is missing required authentication credential.",
    path="/v1/projects/p/locations/global/publishers/anthropic/models/claude-sonnet-4-6:rawPredict",
    own_request=own_request,
)
