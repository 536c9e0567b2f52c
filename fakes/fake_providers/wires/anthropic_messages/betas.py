"""The betas and versions of Anthropic's API by name, as the headers `anthropic-beta` and `anthropic-version` have them.

A beta brings fields and types that are refused without its header. What the betas here bring is known, so that an
unknown name is refused beside them as without. Of any other beta or version it is not known, however early its date
is: vendors have betas of their own, and the SDK gets some late. The names are those of the SDK's
`AnthropicBetaParam`, and those that Anthropic's own pages and clients name besides.
"""

from typing import Final

from fake_providers.rulebook import RequestContext


def _named(table: str) -> frozenset[str]:
    return frozenset(table.split())


BETAS: Final = _named("""
    admin-user-sign-out-2026-10-08 advisor-tool-2026-03-01 agent-memory-2026-07-22 analytics-usage-cost-2026-08-24
    cache-diagnosis-2026-04-07 ce-claude-code-managed-settings-2026-10-06 ce-plugins-2026-09-01
    ce-user-management-2026-07-13 code-execution-2025-05-22 compact-2026-01-12 compact-2026-09-04
    computer-use-2024-10-22 computer-use-2025-01-24 computer-use-2025-11-24 context-1m-2025-08-07
    context-management-2025-06-27 dev-full-thinking-2025-05-14 dreaming-2026-04-21 experimental-claude-tag-2026-10-21
    extended-cache-ttl-2025-04-11 fallback-credit-2026-06-01 fallback-credit-2026-07-01 fast-mode-2026-02-01
    files-api-2025-04-14 inline-tools-2026-09-15 interleaved-thinking-2025-05-14 managed-agents-2026-04-01
    mcp-client-2025-04-04 mcp-client-2025-11-20 mcp-client-2026-09-15 mcp-tunnels-2026-06-22
    message-batches-2024-09-24 message-threads-2026-08-12 mid-conversation-output-config-2026-07-01
    mid-conversation-system-clear-at-2026-08-21 mid-conversation-tool-changes-2026-07-01
    model-context-window-exceeded-2025-08-26 output-128k-2025-02-19 output-300k-2026-03-24 pdfs-2024-09-25
    prompt-caching-2024-07-31 server-side-fallback-2026-06-01 server-side-fallback-2026-07-01 skills-2025-10-02
    spend-limit-reads-2026-09-26 structured-outputs-2025-11-13 task-budgets-2026-03-13
    telemetry-destinations-2026-08-11 thinking-binding-controls-2026-08-01 thinking-display-updates-2026-08-18
    thinking-token-count-2026-05-13 token-counting-2024-11-01 token-efficient-tools-2025-02-19
    user-profiles-2026-03-24 user-profiles-2026-08-18 user-profiles-2026-09-04 user-profiles-billing-2026-10-01
    webhooks-2026-10-07
""") | _named("""
    advanced-tool-use-2025-11-20 claude-code-20250219 code-execution-2025-08-25 effort-2025-11-24
    fine-grained-tool-streaming-2025-05-14 oauth-2025-04-20 tool-examples-2025-10-29 tool-search-tool-2025-10-19
    tools-2024-04-04 tools-2024-05-16 web-fetch-2025-09-10
""")
"""The SDK's, as of anthropic 2.12, and others: `tests/fakes/wires/anthropic_messages/test_anthropic_betas.py` says
which the SDK has that are missing here."""

VERSIONS: Final = _named("2023-01-01 2023-06-01")
"""The two that Anthropic's page on versions lists."""


def of_known_names(context: RequestContext) -> bool:
    """Whether every beta and the version that the headers name is known, and so every key that may come with them."""
    version = context.headers.get("anthropic-version", "").strip()
    if version and version not in VERSIONS:
        return False
    named = context.headers.get("anthropic-beta")
    return named is None or all(beta.strip() in BETAS for beta in named.split(",") if beta.strip())
