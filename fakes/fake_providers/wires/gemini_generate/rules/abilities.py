"""What models of the Developer API cannot do: thinking, formats, tools, instructions, penalties, log probabilities."""

from collections.abc import Callable
from typing import Any

from fake_providers.wires.gemini_generate.proto_messages import field, thinking
from fake_providers.wires.gemini_generate.rules.rulebook import BOOK, DECLARATION, GEMINI, PARAMETERS
from fake_providers.wires.gemini_generate.rules.samples import (
    OLD,
    declaration_of,
    gemini_path,
    sample_request,
    sample_with_tools,
)

GEMMA = "gemma-3-27b-it"
PREVIEW = "gemini-2.0-flash-preview-image-generation"
LATELY = "2026-11-23"
SYSTEM = {"parts": [{"text": "Be brief."}]}


def _config(*names: str) -> Callable[[Any], str]:
    """Finds one of these members of `generationConfig`."""
    return lambda body: next((name for name in names if field(config_of(body), name) not in (None, False)), "")


def config_of(body: Any) -> Any:
    return field(body, "generation_config")


def _with(**config: Any) -> Any:
    return sample_request(generationConfig=config)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("gemini/logprobs-in-stream", "A stream asks for log probabilities.",
    PARAMETERS, _config("response_logprobs"), "LogProbs is not supported in streaming mode", "generationConfig.{found}",
    given=lambda context: context.stream, checked=LATELY, path=f"/v1beta/models/{OLD}:streamGenerateContent",
    providers=GEMINI,
    wrong=_with(responseLogprobs=True), right=_with(responseLogprobs=False),
    recorded={"recordings, gemini-2.5-flash, gemini-flash-latest": "LogProbs is not supported in stream"})
BOOK.row("gemini/logprobs-unsupported", "Log probabilities are asked for, and the model does not give them.",
    PARAMETERS, _config("response_logprobs"), "Logprobs is not enabled for models/{model}", "generationConfig.{found}",
    trait="no-logprobs", models="gemini-2.5", checked=LATELY, path=gemini_path(OLD), providers=GEMINI,
    wrong=_with(responseLogprobs=True), right=_with(responseLogprobs=False),
    recorded={"recording, gemini-2.5-flash-lite": "Logprobs is not enabled for models/gemini-2.5-flash-li"})
BOOK.row("gemini/logprobs-unsupported-by-alias",
    "Log probabilities are asked for, and the model behind the name does not give them.",
    PARAMETERS, _config("response_logprobs"), "Logprobs is not enabled for this model", "generationConfig.{found}",
    trait="no-logprobs-by-alias", models="gemini-flash-latest, gemini-flash-lite-latest", checked=LATELY,
    path=gemini_path("gemini-flash-latest"), providers=GEMINI,
    wrong=_with(responseLogprobs=True), right=_with(responseLogprobs=False),
    recorded={"recording, gemini-flash-latest": "..."})
BOOK.row("gemini/penalty-unsupported", "A penalty is set, and the model has none.",
    PARAMETERS, _config("presence_penalty", "frequency_penalty"), "Penalty is not enabled for models/{model}",
    "generationConfig.{found}", trait="no-penalty", models="gemini-2.5", checked=LATELY, path=gemini_path(OLD),
    providers=GEMINI,
    wrong=_with(presencePenalty=0.5), right=_with(presencePenalty=None),
    recorded={"recording, gemini-2.5-flash": "Penalty is not enabled for models/gemini-2.5-flash"})
BOOK.row("gemini/budget-zero", "Thinking is turned off for a model that always thinks.",
    PARAMETERS, lambda body: thinking(body, "thinking_budget") == 0,
    "Budget 0 is invalid. This model only works in thinking mode.", "generationConfig.thinkingConfig.thinkingBudget",
    trait="always-thinks", models="gemini-2.5-pro, gemini-3-pro, gemini-3.1-pro", checked=LATELY,
    path=gemini_path("gemini-2.5-pro"), providers=GEMINI,
    wrong=_with(thinkingConfig={"thinkingBudget": 0}), right=_with(thinkingConfig={"thinkingBudget": 128}),
    verbatim={"ten public projects": "..."})
BOOK.row("gemini/thinking-level-unsupported", "A thinking level is set for a model that has budgets.",
    PARAMETERS, lambda body: thinking(body, "thinking_level"), "Thinking level is not supported for this model.",
    "generationConfig.thinkingConfig.thinkingLevel", trait="no-thinking-level", models="gemini-2.5", checked=LATELY,
    path=gemini_path(OLD), providers=GEMINI,
    wrong=_with(thinkingConfig={"thinkingLevel": "low"}), right=_with(thinkingConfig={"thinkingLevel": None}),
    verbatim={"ten public projects": "..."})
BOOK.row("gemini/functions-unsupported", "Functions are declared to a model that calls none.",
    DECLARATION, lambda declaration: True, "Function calling is not enabled for models/{model}", "/tools",
    even_usual=True, trait="no-functions", models=f"gemma-3, {PREVIEW}", checked=LATELY, path=gemini_path(GEMMA),
    providers=GEMINI,
    wrong=sample_with_tools(declaration_of({"type": "object"})), right=sample_request(),
    recorded={f"recording, {PREVIEW}": f"Function calling is not enabled for models/{PREVIEW}",
        "ten public projects, gemma-3": ""})
BOOK.row("gemini/instruction-unsupported", "There is a system instruction, and the model takes none.",
    PARAMETERS, lambda body: field(body, "system_instruction"),
    "Developer instruction is not enabled for models/{model}", "systemInstruction", trait="no-instruction",
    models="gemma-3", checked=LATELY, path=gemini_path(GEMMA), providers=GEMINI,
    wrong=sample_request(systemInstruction=SYSTEM), right=sample_request(),
    verbatim={"ten public projects": "Developer instruction is not enabled for models/gemma-3-27b-it"})
BOOK.row("gemini/json-unsupported", "JSON is asked for, and the model has no JSON mode.",
    PARAMETERS, lambda body: field(config_of(body), "response_mime_type") == "application/json",
    "JSON mode is not enabled for models/{model}", "generationConfig.responseMimeType", trait="no-json",
    models=f"gemma-3, {PREVIEW}", checked=LATELY, path=gemini_path(GEMMA), providers=GEMINI,
    wrong=_with(responseMimeType="application/json"), right=_with(responseMimeType="text/plain"),
    recorded={f"recording, {PREVIEW}": f"JSON mode is not enabled for models/{PREVIEW}",
        "ten public projects, gemma-3": ""})
# fmt: on
