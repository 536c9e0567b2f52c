"""Ollama's rules in the server's own order: the body, then the model, its capabilities, the options, the format.

The server is open source, so the order and most sentences come from `server/routes.go` and `api/types.go` of
ollama/ollama (commit fb30760, 2026-08-21), and from threads of users. Ollama accepts what it does not check: roles, the
pairing of calls and results, names of tools.
"""

import json
from typing import Any, Final, Literal

import msgspec

from fake_providers import remedies
from fake_providers.http import Request
from fake_providers.models import traits
from fake_providers.rule import Violation
from fake_providers.rulebook import RequestContext, RuleFilter, Selector, has_parts
from fake_providers.skippable_forms import Conversation, Form, FunctionTool, Name, Usual
from fake_providers.values.go_json_body import PARTS, TOO_DEEP, body_of
from fake_providers.verdict_cache import VerdictCache
from fake_providers.wires.ollama_chat.go_json_fields import EFFORTS, REQUEST, mismatch
from fake_providers.wires.ollama_chat.model_names import parse_name, tools_unsupported
from fake_providers.wires.ollama_chat.request import loads_only, member, model_of, wants_stream
from fake_providers.wires.ollama_chat.rules.json_types import BOOK, ROUTES, ParsedBody, sample_request, sample_with_tool

OPTIONS: Final = {
    **dict.fromkeys((
        "num_keep", "seed", "num_predict", "top_k", "repeat_last_n", "num_ctx", "num_batch", "num_gpu", "main_gpu",
        "num_thread", "draft_num_predict",
    ), "integer"),
    **dict.fromkeys((
        "top_p", "min_p", "typical_p", "temperature", "repeat_penalty", "presence_penalty", "frequency_penalty",
    ), "float32"),
    "use_mmap": "boolean",
    "stop": "array",
}  # fmt: skip
"""The type that the error message names for each option; an unknown option is only logged."""
PARAMETERS: Final = Selector(lambda context: ((context.body.value,),), reads="parts", unusual=("parameter",))


def _thinks(body: Any, context: RequestContext) -> Any:
    think = member(body, "think")
    return (think is True or think in EFFORTS) and json.dumps(context.model, ensure_ascii=False)


def _wrong_option(body: Any) -> Any:
    for name, value in (member(body, "options") or {}).items():
        if fault := _option_fault(OPTIONS.get(name), value):
            return {"name": name, "quoted": json.dumps(name), "fault": fault}
    return None


def _option_fault(requested: str | None, value: Any) -> str:
    """The expected type, as the error message names it, or "" if the value fits, is null, or the option is unknown."""
    if requested is None or value is None:
        return ""
    if requested == "array":
        if isinstance(value, list):
            return "" if all(isinstance(item, str) for item in value) else "an array of strings"
        return "type array"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    fits = isinstance(value, bool) if requested == "boolean" else is_number
    return "" if fits else f"type {requested}"


def _wrong_format(body: Any) -> str:
    """The value as JSON in a string of JSON; empty where it is right."""
    requested = member(body, "format")
    if requested in (None, "", "json") or isinstance(requested, dict) or loads_only(body):
        return ""
    return json.dumps(json.dumps(requested, ensure_ascii=False, separators=(",", ":")), ensure_ascii=False)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("ollama/top-logprobs", "`top_logprobs` is not between 0 and 20.",
    PARAMETERS, lambda body: not 0 <= (member(body, "top_logprobs") or 0) <= 20,
    "top_logprobs must be between 0 and 20", "top_logprobs", remedy=remedies.VALUE,
    wrong=sample_request(top_logprobs=21), right=sample_request(top_logprobs=20),
    reported={ROUTES: "..."})
BOOK.row("ollama/model-required", "The request names no model.",
    PARAMETERS, lambda body, context: not context.model.strip(), "model is required", "model",
    remedy=remedies.MODEL_NAME,
    wrong=sample_request(model=""), right=sample_request(),
    reported={ROUTES: "..."})
BOOK.row("ollama/model-name", "The model's name has a character that is not allowed.",
    PARAMETERS, lambda body, context: not parse_name(context.model), "invalid model name", "model",
    remedy=remedies.MODEL_NAME,
    wrong=sample_request(model="qwen3 8b"), right=sample_request(),
    reported={"ollama/ollama server/model_resolver.go, types/errtypes": "..."})
BOOK.row("ollama/no-thinking", "Thinking is requested and the model does not support it.",
    PARAMETERS, _thinks, "{found} does not support thinking", "think", trait="no-thinking",
    models="gemma, llama, mistral, qwen2.5, phi and others of the library; see "
        "`fakes/fake_providers/providers/ollama/facts.json`", remedy=remedies.NO_EFFORT,
    wrong=sample_request(model="llama3.1:8b", think=True), right=sample_request(model="llama3.1:8b", think=False),
    verbatim={"agentscope-ai/agentscope#1099 and Gitlawb/openclaude#1371": '"llama3.1:8b" does not support thinking'})
BOOK.row("ollama/no-tools", "There are tools and the model does not support them; an empty list counts as none.",
    PARAMETERS, lambda body, context: tools_unsupported(context, member(body, "tools")),
    models="gemma to gemma3, llama2, llama3, phi3, phi4, codellama and others of the library; see "
        "`fakes/fake_providers/providers/ollama/facts.json`", remedy=remedies.TOOL_MODEL,
    wrong=sample_with_tool() | {"model": "gemma3:4b"}, right=sample_with_tool() | {"model": "gemma4:e2b"},
    recorded={"recordings, gemma3:1b and gemma3:4b": "registry.ollama.ai/library/gemma3:1b does not support tools"})
BOOK.row("ollama/option-type", "An option has another type; `stop` must be a list even for one string.",
    PARAMETERS, _wrong_option, "option {quoted} must be of {fault}", "options.{name}", status=500,
    remedy=remedies.VALUE,
    wrong=sample_request(options={"stop": "END"}), right=sample_request(options={"stop": ["END"]}),
    verbatim={"stavsap/comfyui-ollama#103": 'option "stop" must be of type array (status code: 500)'})
BOOK.row("ollama/format", "`format` is neither `json` nor a schema.",
    PARAMETERS, _wrong_format, 'invalid format: {found}; expected "json" or a valid JSON Schema object', "format",
    status=500, remedy=remedies.FORMAT_SHAPE,
    wrong=sample_request(format="xml"), right=sample_request(format="json"),
    reported={"ollama/ollama llm/llama_server.go": 'expected "json" or a valid JSON Schema object'})
# fmt: on


class _Message(Form):
    """Of a conversation in which any message may follow any other."""

    def follow(self, conversation: Conversation) -> Conversation | None:
        return Conversation("user")


class _Said(_Message):
    role: Literal["system", "user"]
    content: str


class _CalledFunction(Form):
    name: Name
    arguments: dict[str, Any]


class _Call(Form):
    function: _CalledFunction


class _Answer(_Message):
    role: Literal["assistant"]
    content: str = ""
    tool_calls: list[_Call] | msgspec.UnsetType = msgspec.UNSET


class _Result(_Message):
    role: Literal["tool"]
    content: str
    tool_name: str = ""


MESSAGES = Usual("role", _Said, _Answer, _Result)
TOOLS = Usual("type", FunctionTool)

_ACCEPTED = VerdictCache(BOOK, messages=MESSAGES, tools=TOOLS)
RULES = BOOK.rules


def judge(request: Request, *, provider: str) -> Violation | None:
    value = body_of(request)
    if value is TOO_DEEP:
        return None
    model = model_of(value)
    name = parse_name(model)
    capabilities = name.traits if name else traits("ollama-chat", "")

    def found_in(value: Any, reads: RuleFilter | None = None) -> Violation | None:
        body = ParsedBody(value, mismatch(value, REQUEST) if has_parts(reads) else None)
        context = RequestContext(body, request.headers, model, capabilities, wants_stream(value), provider)
        return BOOK.judge(context, reads)

    try:
        parts = PARTS.read(request.body)
        if parts is None:
            return found_in(value)
        return _ACCEPTED.judge(request, parts, provider=provider, traits=capabilities, judge=found_in)
    except RecursionError:  # nested so deep that Python can just parse it: Ollama's answer is not known
        return None
