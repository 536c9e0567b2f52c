"""Answers one question: would this provider refuse this request?"""

from collections.abc import Mapping

from fake_providers.http import Request
from fake_providers.registry import provider_wires
from fake_providers.rule import Violation


def judge(provider: str, path: str, body: bytes, headers: Mapping[str, str]) -> Violation | None:
    """None, or the violation with `rule`, `status` and the JSON `body` of the refusal.

    `path` may have a query. A missing key is no violation here, only for a served fake. State that cannot
    be resolved counts as accepted. Raises `LookupError` for a provider or a path that is not built.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    request = Request("POST", path, lower, body)
    for wire in provider_wires(provider):
        if wire.route(request) is not None:
            return wire.judge(request, provider=provider)
    raise LookupError(f"provider `{provider}` has no wire for the path {path}")
