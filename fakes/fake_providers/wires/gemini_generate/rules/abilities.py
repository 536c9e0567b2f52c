"""What models of the Developer API cannot do: thinking, formats, tools, instructions, penalties, log probabilities."""

from collections.abc import Callable
from typing import Any

from fake_providers.rulebook import WHOLE_REQUEST, ModelRefusal, refuse_by_model
from fake_providers.wires.gemini_generate.proto_messages import declarations, field, thinking
from fake_providers.wires.gemini_generate.rules.rulebook import BOOK, GEMINI
from fake_providers.wires.gemini_generate.rules.samples import (
    OLD,
    cite,
    declaration_of,
    gemini_path,
    sample_request,
    sample_with_tools,
)

GEMMA = "gemma-3-27b-it"
PRO = "gemini-2.5-pro"
STREAM = f"/v1beta/models/{OLD}:streamGenerateContent"
SYSTEM = {"parts": [{"text": "Be brief."}]}

Body = dict[str, Any]


def _config(*names: str) -> Callable[[Body], str]:
    """Asks with one of these members of `generationConfig`."""

    def asks(body: Body) -> str:
        config = field(body, "generation_config")
        found = (name for name in names if field(config, name) not in (None, False))
        return next((f"generationConfig.{name}" for name in found), "")

    return asks


def _with(**config: Any) -> Body:
    return sample_request(generationConfig=config)


ROWS = (
    ModelRefusal(
        "gemini/logprobs-in-stream",
        "",
        _config("response_logprobs"),
        "LogProbs is not supported in streaming mode",
        why="A stream asks for log probabilities.",
        models="all",
        confidence="recorded",
        evidence=cite("recordings, gemini-2.5-flash, gemini-flash-latest", quote="LogProbs is not supported in stream"),
        breaking=_with(responseLogprobs=True),
        accepted=_with(responseLogprobs=False),
        path=STREAM,
        streams_only=True,
    ),
    ModelRefusal(
        "gemini/logprobs-unsupported",
        "no-logprobs",
        _config("response_logprobs"),
        "Logprobs is not enabled for models/{model}",
        why="Log probabilities are asked for, and the model does not give them.",
        models="gemini-2.5",
        confidence="recorded",
        evidence=cite(
            "recording, gemini-2.5-flash-lite", quote="Logprobs is not enabled for models/gemini-2.5-flash-li"
        ),
        breaking=_with(responseLogprobs=True),
        accepted=_with(responseLogprobs=False),
        path=gemini_path(OLD),
    ),
    ModelRefusal(
        "gemini/logprobs-unsupported-by-alias",
        "no-logprobs-by-alias",
        _config("response_logprobs"),
        "Logprobs is not enabled for this model",
        why="Log probabilities are asked for, and the model behind the name does not give them.",
        models="gemini-flash-latest, gemini-flash-lite-latest",
        confidence="recorded",
        evidence=cite("recording, gemini-flash-latest", quote="Logprobs is not enabled for this model"),
        breaking=_with(responseLogprobs=True),
        accepted=_with(responseLogprobs=False),
        path=gemini_path("gemini-flash-latest"),
    ),
    ModelRefusal(
        "gemini/penalty-unsupported",
        "no-penalty",
        _config("presence_penalty", "frequency_penalty"),
        "Penalty is not enabled for models/{model}",
        why="A penalty is set, and the model has none.",
        models="gemini-2.5",
        confidence="recorded",
        evidence=cite("recording, gemini-2.5-flash", quote="Penalty is not enabled for models/gemini-2.5-flash"),
        breaking=_with(presencePenalty=0.5),
        accepted=sample_request(generationConfig={"presencePenalty": None}),
        path=gemini_path(OLD),
    ),
    ModelRefusal(
        "gemini/budget-zero",
        "always-thinks",
        lambda body: "generationConfig.thinkingConfig.thinkingBudget" if thinking(body, "thinking_budget") == 0 else "",
        "Budget 0 is invalid. This model only works in thinking mode.",
        why="Thinking is turned off for a model that always thinks.",
        models="gemini-2.5-pro, gemini-3-pro, gemini-3.1-pro",
        confidence="verbatim",
        evidence=cite("ten public projects", quote="Budget 0 is invalid. This model only works in thinking mode."),
        breaking=_with(thinkingConfig={"thinkingBudget": 0}),
        accepted=_with(thinkingConfig={"thinkingBudget": 128}),
        path=gemini_path(PRO),
    ),
    ModelRefusal(
        "gemini/thinking-level-unsupported",
        "no-thinking-level",
        lambda body: "generationConfig.thinkingConfig.thinkingLevel" if thinking(body, "thinking_level") else "",
        "Thinking level is not supported for this model.",
        why="A thinking level is set for a model that has budgets.",
        models="gemini-2.5",
        confidence="verbatim",
        evidence=cite("ten public projects", quote="Thinking level is not supported for this model."),
        breaking=_with(thinkingConfig={"thinkingLevel": "low"}),
        accepted=_with(thinkingConfig={"thinkingLevel": None}),
        path=gemini_path(OLD),
    ),
    ModelRefusal(
        "gemini/functions-unsupported",
        "no-functions",
        lambda body: "tools" if next(iter(declarations(body)), None) else "",
        "Function calling is not enabled for models/{model}",
        why="Functions are declared to a model that calls none.",
        models="gemma-3, gemini-2.0-flash-preview-image-generation",
        confidence="recorded",
        evidence=cite(
            "recording, gemini-2.0-flash-preview-image-generation",
            "ten public projects, gemma-3",
            quote="Function calling is not enabled for models/gemini-2.0-flash-preview-image-generation",
        ),
        selector=WHOLE_REQUEST,
        breaking=sample_with_tools(declaration_of({"type": "object"})),
        accepted=sample_request(),
        path=gemini_path(GEMMA),
    ),
    ModelRefusal(
        "gemini/instruction-unsupported",
        "no-instruction",
        lambda body: "systemInstruction" if field(body, "system_instruction") else "",
        "Developer instruction is not enabled for models/{model}",
        why="There is a system instruction, and the model takes none.",
        models="gemma-3",
        confidence="verbatim",
        evidence=cite("ten public projects", quote="Developer instruction is not enabled for models/gemma-3-27b-it"),
        breaking=sample_request(systemInstruction=SYSTEM),
        accepted=sample_request(),
        path=gemini_path(GEMMA),
    ),
    ModelRefusal(
        "gemini/json-unsupported",
        "no-json",
        lambda body: (
            "generationConfig.responseMimeType"
            if field(field(body, "generation_config"), "response_mime_type") == "application/json"
            else ""
        ),
        "JSON mode is not enabled for models/{model}",
        why="JSON is asked for, and the model has no JSON mode.",
        models="gemma-3, gemini-2.0-flash-preview-image-generation",
        confidence="recorded",
        evidence=cite(
            "recording, gemini-2.0-flash-preview-image-generation",
            "ten public projects, gemma-3",
            quote="JSON mode is not enabled for models/gemini-2.0-flash-preview-image-generation",
        ),
        breaking=_with(responseMimeType="application/json"),
        accepted=_with(responseMimeType="text/plain"),
        path=gemini_path(GEMMA),
    ),
)

refuse_by_model(BOOK, ROWS, body=lambda context: context.body.value, providers=GEMINI)
