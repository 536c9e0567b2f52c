"""What Ollama looks at once the body is read: the model, what it can do, the options, the format."""

import json
from typing import Any, Final

from fakes.rulebook import Breach, RequestContext, Rulebook
from fakes.wires.ollama_chat.errors import envelope
from fakes.wires.ollama_chat.model_names import parsed
from fakes.wires.ollama_chat.request import loads_only, member
from fakes.wires.ollama_chat.request_types import EFFORTS
from fakes.wires.ollama_chat.rules.samples import ROUTES, asking, cite, offering

BOOK = Rulebook(envelope)

OPTIONS: Final = {
    "num_keep": "integer",
    "seed": "integer",
    "num_predict": "integer",
    "top_k": "integer",
    "repeat_last_n": "integer",
    "num_ctx": "integer",
    "num_batch": "integer",
    "num_gpu": "integer",
    "main_gpu": "integer",
    "num_thread": "integer",
    "draft_num_predict": "integer",
    "top_p": "float32",
    "min_p": "float32",
    "typical_p": "float32",
    "temperature": "float32",
    "repeat_penalty": "float32",
    "presence_penalty": "float32",
    "frequency_penalty": "float32",
    "use_mmap": "boolean",
    "stop": "array",
}
"""What each option is called to be; an unknown one is only logged."""


@BOOK.rule(
    "ollama/top-logprobs",
    why="`top_logprobs` is not between 0 and 20",
    confidence="reported",
    evidence=cite(ROUTES, "top_logprobs must be between 0 and 20"),
    breaking=asking(top_logprobs=21),
    accepted=asking(top_logprobs=20),
)
def _top_logprobs(context: RequestContext) -> Breach | None:
    wanted = member(context.body.value, "top_logprobs") or 0
    return None if 0 <= wanted <= 20 else Breach("top_logprobs", "top_logprobs must be between 0 and 20")


@BOOK.rule(
    "ollama/model-required",
    why="no model is named",
    confidence="reported",
    evidence=cite(ROUTES, "model is required"),
    breaking=asking(model=""),
    accepted=asking(),
)
def _model_required(context: RequestContext) -> Breach | None:
    return None if context.model.strip() else Breach("model", "model is required")


@BOOK.rule(
    "ollama/model-name",
    why="the model's name has a character that no name has",
    confidence="reported",
    evidence=cite("ollama/ollama server/model_resolver.go, types/errtypes", "invalid model name"),
    breaking=asking(model="qwen3 8b"),
    accepted=asking(),
)
def _model_name(context: RequestContext) -> Breach | None:
    return None if parsed(context.model) else Breach("model", "invalid model name")


@BOOK.rule(
    "ollama/no-thinking",
    why="the model cannot think, and is told to",
    models="gemma, llama, mistral, qwen2.5, phi and others of the library; see `fakes/models.json`",
    confidence="verbatim",
    evidence=cite(
        "agentscope-ai/agentscope#1099 and Gitlawb/openclaude#1371", '"llama3.1:8b" does not support thinking'
    ),
    breaking=asking(model="llama3.1:8b", think=True),
    accepted=asking(model="llama3.1:8b", think=False),
)
def _no_thinking(context: RequestContext) -> Breach | None:
    think = member(context.body.value, "think")
    if "no-thinking" not in context.traits or (think is not True and think not in EFFORTS):
        return None
    return Breach("think", f"{json.dumps(context.model, ensure_ascii=False)} does not support thinking")


@BOOK.rule(
    "ollama/no-tools",
    why="the model cannot call tools, and is offered some; an empty list is none",
    models="gemma to gemma3, llama2, llama3, phi3, phi4, codellama and others of the library; see `fakes/models.json`",
    confidence="recorded",
    evidence=cite(
        "recorded exchanges, gemma3:1b and gemma3:4b", "registry.ollama.ai/library/gemma3:1b does not support tools"
    ),
    breaking=offering() | {"model": "gemma3:4b"},
    accepted=offering() | {"model": "gemma4:e2b"},
)
def _no_tools(context: RequestContext) -> Breach | None:
    name = parsed(context.model)
    if name is None or "no-tools" not in context.traits or not member(context.body.value, "tools"):
        return None
    return Breach("tools", f"{name.full} does not support tools")


@BOOK.rule(
    "ollama/option-type",
    status=500,
    why="an option has another type; `stop` is a list even for one text",
    confidence="verbatim",
    evidence=cite("stavsap/comfyui-ollama#103", 'option "stop" must be of type array (status code: 500)'),
    breaking=asking(options={"stop": "END"}),
    accepted=asking(options={"stop": ["END"]}),
)
def _option_type(context: RequestContext) -> Breach | None:
    for name, value in (member(context.body.value, "options") or {}).items():
        fault = _option_fault(OPTIONS.get(name), value)
        if fault:
            return Breach(f"options.{name}", f"option {json.dumps(name)} must be of {fault}")
    return None


@BOOK.rule(
    "ollama/format",
    status=500,
    why="`format` is neither `json` nor a schema",
    confidence="reported",
    evidence=cite("ollama/ollama llm/llama_server.go", 'expected "json" or a valid JSON Schema object'),
    breaking=asking(format="xml"),
    accepted=asking(format="json"),
)
def _format(context: RequestContext) -> Breach | None:
    wanted = member(context.body.value, "format")
    if wanted in (None, "", "json") or isinstance(wanted, dict) or loads_only(context.body.value):
        return None
    raw = json.dumps(json.dumps(wanted, ensure_ascii=False, separators=(",", ":")), ensure_ascii=False)
    return Breach("format", f'invalid format: {raw}; expected "json" or a valid JSON Schema object')


def _option_fault(wanted: str | None, value: Any) -> str:
    """What the option is called to be, or nothing where it is, or is unknown or null."""
    if wanted is None or value is None:
        return ""
    if wanted == "array":
        if isinstance(value, list):
            return "" if all(isinstance(item, str) for item in value) else "an array of strings"
        return "type array"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    fits = isinstance(value, bool) if wanted == "boolean" else is_number
    return "" if fits else f"type {wanted}"
