"""Vertex AI's OpenAI-compatible chat completions: those of the Gemini API, in Vertex AI's words, where a model is named
with its publisher."""

from typing import Any, Final

from msgspec.structs import replace

from fake_providers import remedies
from fake_providers.models import families_of
from fake_providers.providers.gemini import gemini_chat as gemini
from fake_providers.providers.shared.chat_reading import MESSAGES, refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, Samples, refuse_wrong_types
from fake_providers.providers.vertex.vertex_generate import MISSING, OWN_SENTENCES, REFERENCE, range_sentence
from fake_providers.replies.documents import ByStatus
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_PARAMETER, WHOLE_REQUEST, Breach, Rulebook
from fake_providers.wire import ReplyContext
from fake_providers.wires.gemini_generate.errors import NO_CREDENTIAL
from fake_providers.wires.openai_chat.provider import Provider
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, RESULT, USER, sample_request
from fake_providers.wires.openai_shared.provider_errors import context_length_rule, missing_key_rule

MODEL: Final = "google/gemini-3-flash-preview"
CHECKED: Final = "2026-11-27"
SAME: Final = "the Gemini API's chat completions, which Vertex AI's documents describe alike"

BOOK = Rulebook(gemini.error_body.refusal)
refuse_unread(BOOK, "vertex", MESSAGES, model=MODEL, not_json=Breach("body", "Invalid JSON payload received."),
    missing=lambda body: Breach("messages",
        f"Unable to submit request because at least one contents field is required. {REFERENCE}"),
    source="the native endpoint's message for a request without contents")  # fmt: skip
refuse_wrong_types(BOOK, "vertex", Dialect(words=gemini.wrong_type, source=SAME, required=("tools[].function.name",)),
    Samples(MODEL, call=gemini.CALL), prefix="chat-")  # fmt: skip

RANGES: Final = {
    "temperature": "temperature",
    "max_tokens": "maxOutputTokens",
    "max_completion_tokens": "maxOutputTokens",
}


def _outside_range(body: Any) -> Any:
    found = ((name, range_sentence(native, body.get(name))) for name, native in RANGES.items())
    return next(({"where": name, "sentence": sentence} for name, sentence in found if sentence), None)


def _failure(status: int, context: ReplyContext, _retry_after: float | None) -> Any:
    sentence = OWN_SENTENCES.get(status) or gemini.SENTENCES.get(status, gemini.UNREADABLE)
    publisher, _, name = gemini.PROVIDER.model(context.request).rpartition("/")
    resource = f"projects/p/locations/global/publishers/{publisher or 'google'}/models/{name}"
    return gemini.error_body(sentence.format(resource=resource), status=status)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("vertex/model-without-publisher",
    "The model is not named with its publisher, as in `google/gemini-3-flash-preview`.",
    ANY_PARAMETER, lambda body, context: "/" not in context.model,
    "Malformed publisher model (`model`: '{model}') for the 'openapi' request endpoint ID; expected "
        "'<publisher>/<model>'.", "model", checked=CHECKED,
    remedy=Remedy("models", "Name the model with its publisher, as in `google/gemini-3-flash-preview`."),
    wrong=sample_request(model="gemini-3-flash-preview"), right=sample_request(model=MODEL),
    verbatim={"NVIDIA/OpenShell#2494": "expected '<publisher>/<model>'",
        "NVIDIA/OpenShell#2351": "Malformed publisher model",
        "NousResearch/hermes-agent#56778": "Malformed publisher model"})
BOOK.row("vertex/chat-tool-calls-before-user",
    "Tool calls come before the first user message, which often happens when a history is pruned.",
    WHOLE_REQUEST, gemini.calls_before_user, checked=CHECKED, remedy=remedies.KEEP_USER_MESSAGE,
    wrong=sample_request(gemini.CALL, RESULT, model=MODEL),
    right=sample_request(USER, gemini.CALL, RESULT, model=MODEL),
    reported={SAME: "Please ensure that function call turn comes immediately after a user turn"})
BOOK.row("vertex/chat-thought-signature-missing",
    "The first tool call of a message since the last user message lacks its `extra_content.google.thought_signature`.",
    WHOLE_REQUEST, lambda context: gemini.first_unsigned(context, MISSING), models="3 and later", checked=CHECKED,
    remedy=remedies.SIGNATURE_STORED,
    wrong=sample_request(USER, CALL_MESSAGE, RESULT, model=MODEL),
    right=sample_request(USER, gemini.CALL, RESULT, model=MODEL),
    verbatim={"openai/codex#7519": "in the 4. content block is missing a thought_signature",
        "openclaw/openclaw#77925": "in the 2. content block is missing a `thought_signature`",
        "earendil-works/pi#294": ""})
BOOK.row("vertex/chat-value-outside-range",
    "The temperature is above 2, or the longest answer is below 1 or above 65536 tokens.",
    ANY_PARAMETER, _outside_range, "{sentence}", "{where}", checked=CHECKED, remedy=remedies.KEEP_IN_RANGE,
    wrong=sample_request(model=MODEL, max_tokens=256000), right=sample_request(model=MODEL, max_tokens=65536),
    reported={"public code that quotes it": "it has a maxOutputTokens value of 256000 but the supported range is"})

PROVIDER = Provider(
    name="vertex",
    base_path="/v1/projects/p/locations/global/endpoints/openapi",
    errors=replace(
        gemini.PROVIDER.errors,
        failures=ByStatus({}, _failure),
        window=context_length_rule(
            "vertex/chat-prompt-too-long",
            reported={"the native endpoint's message": "exceeds the maximum number of tokens allowed"}),
        missing_key=missing_key_rule("vertex/chat-missing-bearer", reported={"the native endpoint's message": ""}),
        no_key=NO_CREDENTIAL),
    answers=gemini.PROVIDER.answers,
    books=(BOOK,),
    traits=families_of("openai-chat", "vertex"))
# fmt: on
