"""`GET .../models` and `GET .../models/<id>` of OpenAI and of the providers with its wires."""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from fake_providers.http import Request, Response, json_response
from fake_providers.provider_facts import facts_by_provider
from fake_providers.wire import ServedModels

PATH: Final = re.compile(r".*/models(?:/((?!.*:[a-z]+[A-Z]\w*$).+))?")  # `m:countTokens` is a request of Google's
WINDOW: Final = 131_072
"""What the fake says where it has no bound."""


def models_response(request: Request, served: ServedModels) -> Response | None:
    """None for a request that asks for no models."""
    found = PATH.fullmatch(unquote(urlsplit(request.path).path).rstrip("/"))
    if request.method.upper() != "GET" or found is None:
        return None
    facts = facts_by_provider()[served.provider]
    if found[1]:
        entry = _entry(facts.listed_model, found[1], served)
        return json_response(200, entry if "object" in entry else {"data": entry})
    entries = [_entry(facts.listed_model, id, served) for id in served.names]
    is_list = {"object": "list"} if "object" in facts.listed_model else {}
    return json_response(200, {**is_list, "data": entries})


def _entry(template: Mapping[str, Any], id: str, served: ServedModels) -> dict[str, Any]:
    values = {"$id": id, "$window": served.window or WINDOW}
    return {"id": id, **_filled(template, values)}


def _filled(template: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(template, dict):
        return {key: _filled(value, values) for key, value in template.items()}
    return values.get(template, template) if isinstance(template, str) else template
