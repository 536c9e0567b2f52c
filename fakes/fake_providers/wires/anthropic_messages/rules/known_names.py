"""The names that the wire knows: fields, types of blocks and types of tools. Knows no rule."""


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
