"""Google's words and details for a quota that is used up, and for how long to wait. Knows no response."""

from typing import Any

QUOTA = (
    "You exceeded your current quota, please check your plan and billing details. For more information on this error, "
    "head to: https://ai.google.dev/gemini-api/docs/rate-limits."
)
METRIC = "generativelanguage.googleapis.com/generate_content_free_tier_requests"


def quota_message(model: str, seconds: float | None) -> str:
    """With the quota and the delay, which many clients find in this text. It is quoted in
    https://github.com/browserbase/mcp-server-browserbase/issues/129 and https://github.com/diegosouzapw/OmniRoute/issues/9504
    """
    usage = "To monitor your current usage, head to: https://ai.dev/rate-limit."
    lines = [f"{QUOTA} {usage} ", f"* Quota exceeded for metric: {METRIC}, limit: 20, model: {model}"]
    if seconds is not None:
        lines.append(f"Please retry in {_duration(seconds)}.")
    return "\n".join(lines)


def quota_details(model: str) -> list[Any]:
    return [
        {
            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            "violations": [
                {
                    "quotaMetric": METRIC,
                    "quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier",
                    "quotaDimensions": {"location": "global", "model": model},
                }
            ],
        },
        {
            "@type": "type.googleapis.com/google.rpc.Help",
            "links": [
                {
                    "description": "Learn more about Gemini API quotas",
                    "url": "https://ai.google.dev/gemini-api/docs/rate-limits",
                }
            ],
        },
    ]


def retry_info(seconds: float | None) -> list[Any]:
    if seconds is None:
        return []
    return [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{_decimal(seconds)}s"}]


def _duration(seconds: float) -> str:
    """As Go prints a duration: `1m30s`, `8.3s`, `250ms`, `0s`."""
    if 0 < seconds < 1:
        return f"{_decimal(seconds * 1000)}ms"
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(int(minutes), 60)
    whole = f"{hours}h{minutes}m" if hours else f"{minutes}m" if minutes else ""
    return f"{whole}{_decimal(rest)}s"


def _decimal(number: float) -> str:
    """At most nine digits behind the point, and no zeros at their end."""
    return f"{number:.9f}".rstrip("0").rstrip(".")
