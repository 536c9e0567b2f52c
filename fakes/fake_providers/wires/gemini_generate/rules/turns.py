"""Rules on roles and the order of turns. They check contents of one side joined.

Recorded requests with a call without a response, with responses in several contents, and with calls in several contents
were accepted, so they break no rule.
"""

from collections.abc import Iterator
from typing import Any

from fake_providers import remedies
from fake_providers.ids import Ids
from fake_providers.rule import Remedy
from fake_providers.rulebook import WHOLE_REQUEST, Breach, RequestContext
from fake_providers.wires.gemini_generate.proto_messages import Turn, data_of, field, is_model, items, turns
from fake_providers.wires.gemini_generate.rules.rulebook import (
    BOOK,
    CONTENT,
    GEMINI,
    LAST_CONTENT,
    PART,
    TURN,
    parts_of,
)
from fake_providers.wires.gemini_generate.rules.samples import (
    NEWEST,
    call,
    exchange,
    gemini_path,
    model,
    result,
    sample_request,
    user,
)
from fake_providers.wires.gemini_generate.thought_signatures import is_corrupted, is_foreign, issue

INTACT = issue(Ids("rules"))
ALTERED = INTACT[:-8] + "AAAAAAA="
CALLED, ANSWERED = ("functionCall", "function_call"), ("functionResponse", "function_response")
SIGNED = ("thoughtSignature", "thought_signature")
UNSIGNED = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, "
    "and missing thought_signature may lead to degraded model performance."
)
MISSING = (
    f"{UNSIGNED} Additional data, function call `default_api:{{name}}` , position {{position}}. Please refer to "
    "https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
)


def _mixes_calls_and_responses(content: Any) -> bool:
    members = {name for part in items(field(content, "parts")) for name in data_of(part)}
    return {"function_call", "function_response"} <= members


def _calls_itself(context: RequestContext) -> bool:
    """Whether the client answers the calls: a turn of a server that asks MCP servers has calls and their responses."""
    return all(field(tool, "mcp_servers") is None for tool in items(field(context.body.value, "tools")))


def _mixes_responses_and_text(content: Any) -> bool:
    parts = items(field(content, "parts"))
    responses = any(field(part, "function_response") is not None for part in parts)
    return responses and not is_model(content) and any(field(part, "text") for part in parts)


def _current_turns(body: Any) -> list[Turn]:
    """The turns since the last content of the user that has anything but responses."""
    start = 0
    found = turns(body)
    for i, turn in enumerate(found):
        if not turn.is_model and any(field(part, "function_response") is None for _, part in turn.parts):
            start = i
    return found[start:]


def unsigned_calls(body: Any, words: str) -> Iterator[Breach]:
    """Each model turn since the user's last message whose first call has no signature; `words` is formatted with the
    call's name and position."""
    for turn in _current_turns(body):
        if turn.calls and not field(turn.calls[0][1], "thought_signature"):
            index, part = turn.calls[0]
            name = field(field(part, "function_call"), "name")
            yield Breach(f"contents[{index}]", words.format(name=name, position=index + 1))


def has_changed_signature(part: Any) -> bool:
    """Whether this fake issued the signature and it was changed since, or another provider issued it."""
    signature = field(part, "thought_signature")
    return isinstance(signature, str) and (is_corrupted(signature) or is_foreign(signature))


def corrupted_places(body: Any) -> Iterator[str]:
    return (f"contents[{i}].parts[{j}]" for part, i, j in parts_of(body) if has_changed_signature(part))


# A table: two rows are to be compared.
# fmt: off
BOOK.row("gemini/role-unknown",
    "The role of a content is not user or model. `function` and a missing role are accepted.",
    CONTENT, lambda one: (role := field(one, "role")) and role not in ("user", "model", "function"),
    "Please use a valid role: user, model.", ".role", path=gemini_path(),
    remedy=Remedy("messages",
        "Write `model` for what the model said and `user` for all else; results of tools are parts of a `user` "
        "content."),
    wrong=sample_request(user("Rain?"), {"role": "assistant", "parts": [{"text": "No."}]}, user("Sure?")),
    right=sample_request(user("Rain?"), {"role": "model", "parts": [{"text": "No."}]}, user("Sure?")),
    recorded={"Vertex AI recordings of a role `invalid_role`": "...", "public code quoting it": ""})
BOOK.row("gemini/call-mixed-with-response", "One content has both a call and a response.",
    CONTENT, _mixes_calls_and_responses,
    "Please ensure that function call turn contains at least one function_call part which can not be "
        "mixed with function_response parts.", given=_calls_itself, needs=ANSWERED, path=gemini_path(),
    remedy=remedies.RESPONSES_APART,
    wrong=sample_request(user("Rain?"), model(call(), result()), user("Well?")),
    right=sample_request(user("Rain?"), model(call()), user("Well?")),
    verbatim={"googleapis/python-genai#81": "..."})
BOOK.row("gemini/call-after-user-turn",
    "A call comes before any user content, because the history was pruned in the middle or at its beginning.",
    TURN, lambda turn, number: number == 0 and turn.calls,
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    needs=CALLED, path=gemini_path(), remedy=remedies.KEEP_USER_MESSAGE,
    wrong=sample_request(model(call()), user(result())), right=exchange(),
    verbatim={"google-gemini/gemini-cli#11814": "...", "google-gemini/gemini-cli#26486": "",
        "continuedev/continue#11047": "", "lobehub/lobehub#7298": "", "zeroclaw-labs/zeroclaw#6303": ""})
BOOK.row("gemini/response-after-call-turn",
    "A response has no call in the turn before it, because the call was pruned.",
    TURN, lambda turn, called: turn.responses and not called,
    "Please ensure that function response turn comes immediately after a function call turn.", needs=ANSWERED,
    path=gemini_path(), remedy=remedies.RESULT_WITH_CALL,
    wrong=sample_request(user("Rain?"), model("One moment."), user(result())),
    right=sample_request(user("Rain?"), model("One moment.", call()), user(result())),
    verbatim={"langchain-ai/langchain#27799": "...", "lobehub/lobehub#7298": ""})
BOOK.row("gemini/response-count",
    "Only some calls of a turn have a response, or there are more responses than calls. A turn without any "
        "response is accepted.",
    TURN, lambda turn, called: turn.responses and len(turn.responses) != called,
    "Please ensure that the number of function response parts is equal to the number of "
        "function call parts of the function call turn.", needs=ANSWERED, path=gemini_path(),
        remedy=remedies.ONE_RESULT_EACH,
    wrong=sample_request(user("Rain?"), model(call(), call("get_news", signed=False)), user(result())),
    right=sample_request(user("Rain?"), model(call(), call("get_news", signed=False)),
        user(result(), result("get_news"))),
    verbatim={"microsoft/vscode#299295": "...", "google-gemini/gemini-cli#16132": "",
        "google-gemini/gemini-cli#2321": ""})
BOOK.row("gemini/ends-with-model", "The last content is the model's; these models do not support prefill.",
    LAST_CONTENT, is_model, "Requests ending with a model turn are not supported.", needs="model", trait="no-prefill",
    models="3.5-flash-lite, 3.6, 3.7", path=gemini_path(NEWEST), remedy=remedies.END_WITH_USER,
    wrong=sample_request(user("Rain?"), {"role": "model", "parts": [{"text": "The"}]}),
    right=sample_request(user("Rain?"), {"role": "user", "parts": [{"text": "The"}]}),
    verbatim={"pipecat-ai/pipecat#5821": "...", "LibreChat-AI/agents#323": "", "LibreChat-AI/agents#412": ""})
BOOK.row("gemini/response-mixed-with-text",
    "The last content has responses and text together, which these models treat as a model turn. Put the text into "
        "a content of its own.",
    LAST_CONTENT, _mixes_responses_and_text, "Requests ending with a model turn are not supported.", needs=ANSWERED,
    trait="no-prefill", models="3.5-flash-lite, 3.6, 3.7", path=gemini_path(NEWEST),
    remedy=remedies.RESPONSES_APART,
    wrong=sample_request(user("Rain?"), model(call()), user(result(), "Be brief.")), right=exchange(),
    reported={"vellum-ai/vellum-assistant#39495": "..."})
BOOK.row("gemini/thought-signature-missing",
    "The first call of a model turn since the last user content has no thoughtSignature. Later calls of the same "
        "turn and earlier turns need none.",
    WHOLE_REQUEST, lambda context: next(unsigned_calls(context.body.value, MISSING), None), needs=CALLED,
    trait="thought-signatures",
    models="3 and later; gemini-3-pro-preview signs its calls, was recorded without the signature in one accepted "
        "request of the Developer API, and is said to refuse it in the first of these reports", path=gemini_path(),
    providers=GEMINI, remedy=remedies.SIGNATURE_STORED,
    wrong=exchange(call(signed=False)), right=exchange(),
    verbatim={"langgenius/dify-official-plugins#2088": UNSIGNED, "NousResearch/hermes-agent#14488": "",
        "MadAppGang/claudish#26": ""})
BOOK.row("gemini/thought-signature-corrupted",
    "A signature was changed: cut, altered or encoded twice; or Anthropic or OpenAI issued it. The documented "
        "`skip_thought_signature_validator` is accepted, for calls of another model.",
    PART, has_changed_signature, "Corrupted thought signature.",
    given=lambda context: "invalid-signature-wording" not in context.traits, needs=SIGNED, trait="thought-signatures",
    models="3 and later", path=gemini_path(), providers=GEMINI, remedy=remedies.SIGNATURE_UNCHANGED,
    wrong=exchange({**call(), "thoughtSignature": ALTERED}), right=exchange({**call(), "thoughtSignature": INTACT}),
    verbatim={"google-gemini/gemini-cli#13467": "...", "RooCodeInc/Roo-Code#10554": "", "charmbracelet/crush#1698": "",
        "router-for-me/CLIProxyAPI#994": "", "decolua/9router#4136": ""})
BOOK.row("gemini/thought-signature-invalid",
    "A signature was changed; the newest models report it with another sentence.",
    PART, has_changed_signature, "Invalid thought signature.",
    given=lambda context: "invalid-signature-wording" in context.traits, needs=SIGNED, trait="thought-signatures",
    models="3.7", path=gemini_path(NEWEST), providers=GEMINI, remedy=remedies.SIGNATURE_UNCHANGED,
    wrong=exchange({**call(), "thoughtSignature": ALTERED}), right=exchange({**call(), "thoughtSignature": INTACT}),
    verbatim={"lbjlaq/Antigravity-Manager#3342": "..."})
# fmt: on
