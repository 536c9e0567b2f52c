"""Rules on the body of a request as a whole, which both wires check first."""

import json
from typing import Any

from fake_providers.rulebook import Breach
from fake_providers.wires.openai_shared.request_body import NOT_JSON
from fake_providers.wires.openai_shared.shared_rules import shared_rule
from fake_providers.wires.openai_shared.wording import UNPARSED, breach


@shared_rule(
    "The body is not JSON; NaN and Infinity are not JSON either.",
    breaking=lambda sample: json.dumps(sample()).encode()[:-1],
)
def not_json(_place: str, body: Any) -> Breach | None:
    return breach(None, UNPARSED) if body is NOT_JSON else None


@shared_rule("The body is JSON but not an object.", breaking=lambda sample: [sample()])
def not_object(_place: str, body: Any) -> Breach | None:
    return None if isinstance(body, dict) else breach(None, UNPARSED)
