"""Checks of single values: missing, wrong type or out of range, in the provider's words.

Each check takes a value and returns None, or the path below the field and the sentence.
"""

from collections.abc import Callable, Collection
from typing import Any

FieldError = tuple[str, str]
ValueCheck = Callable[[Any], FieldError | None]

REQUIRED = "Field required"
EXTRA = "Extra inputs are not permitted"
SHAPE = "Input does not match the expected shape."


def _is(kind: type, otherwise: str) -> ValueCheck:
    return lambda value: None if isinstance(value, kind) else ("", otherwise)


string = _is(str, "Input should be a valid string")
boolean = _is(bool, "Input should be a valid boolean")
obj = _is(dict, "Input should be an object")
must_be_object = _is(dict, SHAPE)


def integer(value: Any) -> FieldError | None:
    return None if isinstance(value, int) and not isinstance(value, bool) else ("", "Input should be a valid integer")


def at_most_one(value: Any) -> FieldError | None:
    """A number from 0 to 1; -1, sent by clients for "not set", is recorded as accepted, and -5 as refused."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ("", "Input should be a valid number")
    return None if value == -1 or 0 <= value <= 1 else ("", "range: 0..1")


def not_negative(value: Any) -> FieldError | None:
    fault = integer(value)
    return fault or (None if value >= 0 else ("", "must be greater than or equal to 0"))


def one_of(*allowed: str) -> ValueCheck:
    words = " or ".join(f"'{word}'" for word in allowed)
    return lambda value: None if isinstance(value, str) and value in allowed else ("", f"Input should be {words}")


def array_of(member: ValueCheck) -> ValueCheck:
    def check(value: Any) -> FieldError | None:
        if not isinstance(value, list):
            return ("", "Input should be a valid array")
        for index, item in enumerate(value):
            if fault := member(item):
                return (f".{index}{fault[0]}", fault[1])
        return None

    return check


def text_or_blocks(value: Any) -> FieldError | None:
    """A string, or a list of objects: what `system` may be."""
    return None if isinstance(value, str) else array_of(_text_block)(value)


def _text_block(value: Any) -> FieldError | None:
    if fault := must_be_object(value):
        return fault
    if value.get("type", "text") != "text":
        return (".type", "Input should be 'text'")
    if "text" not in value:
        return (".text", REQUIRED)
    if fault := string(value["text"]):
        return (".text", fault[1])
    fault = optional(obj)(value.get("cache_control"))
    return (".cache_control", fault[1]) if fault else None


def optional(member: ValueCheck) -> ValueCheck:
    """Accepts None, as if the field were left out."""
    return lambda value: None if value is None else member(value)


def unknown_key(value: dict[str, Any], known: Collection[str]) -> tuple[str] | None:
    """The first key that is not in `known`; it may be empty."""
    return next(((key,) for key in value if key not in known), None)


def unknown_tag(value: Any, expected: Collection[str]) -> str:
    words = ", ".join(f"'{tag}'" for tag in expected)
    return f"Input tag '{value}' found using 'type' does not match any of the expected tags: {words}"


def _words(table: str) -> tuple[str, ...]:
    return tuple(table.split())


FIELDS = frozenset(
    _words("""
    model messages max_tokens system tools tool_choice thinking output_config cache_control metadata stop_sequences
    temperature service_tier top_k top_p stream container inference_geo output_format context_management mcp_servers
    betas speed diagnostics fallbacks fallback_credit_token user_profile_id workspace_id thread compaction
    billing_policy prefill anthropic_version
    """)
)
"""The fields of a request: the documented ones and those of betas, whose values are not checked."""

TOOL_FIELDS = frozenset(
    _words("""
    name description input_schema type cache_control strict defer_loading eager_input_streaming input_examples
    allowed_callers
    """)
)
"""The fields of a client's own tool."""

TOOL_TAGS = _words("""
    bash_20250124 code_execution_20250522 code_execution_20250825 code_execution_20260120 custom memory_20250818
    text_editor_20250124 text_editor_20250429 text_editor_20250728 tool_search_tool_bm25
    tool_search_tool_bm25_20251119 tool_search_tool_regex tool_search_tool_regex_20251119 web_fetch_20250910
    web_fetch_20260209 web_search_20250305 web_search_20260209
""")
"""The tool types that a refusal lists, as quoted in 2026; betas have more."""

OLD_BLOCK_TAGS = _words("""
    document image redacted_thinking search_result server_tool_use text thinking tool_result tool_use
    web_search_tool_result
""")
"""The block types that a refusal listed in early 2026."""

BLOCK_TAGS = _words("""
    bash_code_execution_tool_result code_execution_tool_result connector_text container_upload document image
    mid_conv_system redacted_thinking search_result server_tool_use text text_editor_code_execution_tool_result thinking
    tool_result tool_search_tool_result tool_use web_fetch_tool_result web_search_tool_result
""")
"""The block types that it lists since autumn 2026, as recorded."""

BLOCK_TYPES = frozenset(BLOCK_TAGS) | frozenset(
    _words("""
    advisor_tool_result compaction fallback mcp_tool_listing mcp_tool_result mcp_tool_use tool_addition tool_reference
    tool_removal
    """)
)
"""Every accepted block type, including those of betas."""

RESULT_TAGS = _words("document image search_result text tool_reference")
"""The types of blocks inside a result that a refusal lists."""

RESULT_TYPES = (*RESULT_TAGS, "browser_state")
"""Every accepted type of block inside a result; the SDK has one more."""
