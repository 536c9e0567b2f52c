"""Betas that are newer than the names in `rules/known_names.py`. Knows no rule.

A beta brings fields and types that are refused without its header. Those of the betas up to `KNOWN_UNTIL` are known, so
that an unknown name is refused beside them as without; what a later beta brings cannot be known, and so is accepted.
"""

import re
from collections.abc import Mapping

KNOWN_UNTIL = "20261021"
"""The date of the newest beta in the SDK that the names were taken from (anthropic 2.12)."""
DATE = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})$")


def uses_newer_beta(headers: Mapping[str, str]) -> bool:
    dates = (DATE.search(beta.strip()) for beta in headers.get("anthropic-beta", "").split(","))
    return any("".join(date.groups()) > KNOWN_UNTIL for date in dates if date)
