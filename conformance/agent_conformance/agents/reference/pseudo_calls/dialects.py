"""The forms in which models write calls as text, in the order in which they are tried. Knows how each begins."""

from agent_conformance.agents.reference.pseudo_calls.announced import react, tool_line, using_tool
from agent_conformance.agents.reference.pseudo_calls.blocks import Dialect
from agent_conformance.agents.reference.pseudo_calls.brackets import bracket_arrow, bracketed, mistral, pythonic
from agent_conformance.agents.reference.pseudo_calls.channels import harmony, recipient
from agent_conformance.agents.reference.pseudo_calls.gemini import default_api
from agent_conformance.agents.reference.pseudo_calls.json_forms import bare_json, fenced
from agent_conformance.agents.reference.pseudo_calls.regions import FENCES
from agent_conformance.agents.reference.pseudo_calls.tags import (
    TAGS,
    code_action,
    element,
    function_attribute,
    function_equals,
    tagged,
    tools_wrapper,
)
from agent_conformance.agents.reference.pseudo_calls.tokens import flower, mark, token_json, token_pair

MARK = Dialect(
    "mark",
    (
        *("<|start_", "<|end_", "<|eo", "<|im_end", "<｜end", "<|end", "<final>", "</final>", "<|close|>"),
        *("<|assistant|>", "<|call|>", "<|stop|>", "<response>", "</response>", "<eom", "<|eom"),
    ),
    mark,
)
DEFAULT_API = tuple(
    before + call
    for before in ("", "call ", "call\n", "tool_code ", "tool_code\n")
    for call in ("print(default_api.", "default_api.", "default_api:", "call:default_api:")
)
DIALECTS: tuple[Dialect, ...] = (
    Dialect("fence", FENCES, fenced),
    Dialect("tag", (*(f"<{tag}" for tag in TAGS), "<invoke"), tagged),
    Dialect("stray-word", ("court\n<", "count\n<", "course\n<", "call\n<"), lambda position: None),
    Dialect("function-equals", ("<function=",), function_equals),
    Dialect("function-attribute", ("<function name", "<call tool", "<tool name"), function_attribute),
    Dialect("tools", ("<tools>",), tools_wrapper),
    Dialect("bracket-arrow", ("[tool_call]", "tool_call\n{", "tool_call {", "tool_call{"), bracket_arrow),
    Dialect("mistral", ("[tool_calls]",), mistral),
    Dialect(
        "token-pair",
        (
            "<｜tool",
            "<|tool",
            "<|python_",
            "<|start_action",
            "<|action_start",
            "<start_function_call",
            "<|open|>",
            "[tool_request]",
            "<function_result",
            "<function_response",
            "<tool_result",
            "[tool result",
            "<tool_response",
        ),
        token_pair,
    ),
    Dialect("token-json", ("<|tool_call|>", "functools["), token_json),
    Dialect("harmony", ("<|start|>", "<|channel|>", "commentary to=", "> commentary to="), harmony),
    Dialect("recipient", ("<|from|>", "<|recipient|>", "all\n<|content|>", ">>>"), recipient),
    Dialect("default-api", DEFAULT_API, default_api),
    Dialect("control-token", ("<ctrl",), default_api),
    Dialect("flower", ("✿",), flower),
    Dialect("react", ("action:", "action ", "thought:", "thought "), react),
    Dialect("bracketed", ("[calling tool:", "[tool call:", "[tool:"), bracketed),
    Dialect("tool-line", ("tool:",), tool_line),
    Dialect("using-tool", ("using tool:",), using_tool),
    MARK,
    Dialect("bare-json", ("{", "["), bare_json, lead=True),
    Dialect("named-bracket", (), bracketed),
    Dialect("pythonic", (), pythonic),
    Dialect("element", (), element),
    Dialect("code-action", ("<execute_", "<code_interpreter", "<code>\n"), code_action),
)
