"""The addresses of the real providers, and the environment variables with their keys. Knows no rule; sends nothing."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from fake_providers.provider_facts import facts_by_provider


class CannotConnect(Exception):
    """There is no key or no address, or the provider refuses the key."""


PROJECT, LOCATION = "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"


@dataclass(frozen=True, slots=True)
class Account:
    """A user's access to one provider. `base_url` has no slash at its end; `project` and `location` are Vertex AI's."""

    provider: str
    base_url: str
    key: str = ""
    project: str = ""
    location: str = "global"

    def headers(self, wire: str) -> Mapping[str, str]:
        if not self.key:
            return {}
        if self.provider == "azure":
            return {"api-key": self.key}
        if wire == "anthropic-messages":
            return {"x-api-key": self.key, "anthropic-version": "2023-06-01"}
        if wire == "gemini-generate" and self.provider == "gemini":
            return {"x-goog-api-key": self.key}
        return {"authorization": f"Bearer {self.key}"}

    def located(self, path: str) -> str:
        """The path of a rule, below this user's project."""
        own = f"projects/{self.project}/locations/{self.location}"
        return re.sub(r"projects/[^/]+/locations/[^/]+", lambda _: own, path) if self.project else path


def account_of(provider: str, environment: Mapping[str, str], *, base_url: str | None) -> Account:
    """Raises `CannotConnect`, which says what to set."""
    facts = facts_by_provider().get(provider)
    if facts is None:
        raise CannotConnect(f"no provider `{provider}`; there are {', '.join(facts_by_provider())}")
    key = environment.get(facts.key_variable, "")
    if facts.key_variable and not key:
        raise CannotConnect(f"set {facts.key_variable}: the requests go to the real {facts.title}")
    project = environment.get(PROJECT, "") if provider == "vertex" else ""
    if provider == "vertex" and not project:
        raise CannotConnect(
            f"set {PROJECT} (and {LOCATION} if it is not global): the requests go to the real {facts.title}"
        )
    location = environment.get(LOCATION) or "global"
    address = base_url or environment.get(facts.base_url_variable, "") or facts.base_url
    if provider == "vertex" and not base_url and location != "global":
        address = f"https://{location}-aiplatform.googleapis.com"
    if not address:
        raise CannotConnect(f"set {facts.base_url_variable}, or give --base-url")
    if "://" not in address:
        address = f"http://{address}"
    return Account(provider, address.rstrip("/"), key, project, location)
