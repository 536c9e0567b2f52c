"""Betas that a client has asked for by the header `openai-beta`. Knows no rule.

The keys of a beta are not all known here, and a new beta brings new ones: where a request names one, unknown keys are
accepted. `responses=experimental`, which Codex sent with every request, and `assistants=v2` bring none.
"""

from collections.abc import Mapping

HEADER = "openai-beta"
PREFIX = "responses_"
"""What the betas of Responses start with: `responses_multi_agent=v1`."""


def uses_beta(headers: Mapping[str, str]) -> bool:
    return any(beta.strip().startswith(PREFIX) for beta in headers.get(HEADER, "").split(","))
