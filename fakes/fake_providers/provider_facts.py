"""The facts of each provider, without its code. Reads `providers/<folder>/facts.json`.

Facts are data, not modules: every run reads all of them, and importing a module for each would take ten times as long.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct, field

FOLDERS = Path(__file__).parent / "providers"


class Models(Struct, frozen=True):
    """The models of a provider on one wire: the one a case uses by default, and what is special about each family.

    A model that is of no family counts as one of the family `newest`. `latest` is the newest model that takes tools
    there without further options; empty where it is the default.
    """

    default: str
    newest: str
    families: Mapping[str, Sequence[str]]
    latest: str = ""


class ProviderFacts(Struct, frozen=True):
    """One provider. `wires` are those it offers, the default one first.

    - `folder`: where its rules and answers stand, in `fakes/fake_providers/providers`.
    - `title`: its name in a sentence.
    - `rank`: its place in every list of providers; the first one that offers a wire is the wire's own provider.
    - `makers`: whose models it serves: those of these providers, or `open-models`.
    - `hosts`: domains that serve its models.
    - `base_url`: of its API, without what an SDK's base URL ends in; empty where each user has another.
    - `base_url_variable`, `key_variable`: environment variables of a base URL and of a key; empty where it has none.
    - `refuses_own_calls`: it answers a tool call that its model wrote wrongly with an error, so no client ever gets it.
    - `listed_model`: what its list of models says of each, on OpenAI's wires. `$id` and `$window` stand for the model's
      name and the tokens of the longest conversation.
    - `lists_models_openly`: without a key.
    - `models`: by wire; one that is missing serves the models of the wire's own provider.
    """

    folder: str
    name: str
    title: str
    rank: int
    wires: Sequence[str]
    makers: Sequence[str]
    hosts: Sequence[str] = ()
    base_url: str = ""
    base_url_variable: str = ""
    key_variable: str = ""
    refuses_own_calls: bool = False
    listed_model: Mapping[str, Any] = field(default_factory=dict)
    lists_models_openly: bool = False
    models: Mapping[str, Models] = field(default_factory=dict)


@cache
def facts_by_provider() -> Mapping[str, ProviderFacts]:
    """The facts of every folder that has some, by the provider's name and in the order of `rank`."""
    found = (_read(path) for path in FOLDERS.glob("*/facts.json"))
    return {facts.name: facts for facts in sorted(found, key=lambda facts: facts.rank)}


@cache
def providers_of(wire: str) -> tuple[str, ...]:
    """The providers that offer this wire, the one whose wire it is first."""
    return tuple(name for name, facts in facts_by_provider().items() if wire in facts.wires)


def own_provider(wire: str) -> str:
    """The provider whose wire it is: `openai` for `openai-chat`."""
    return providers_of(wire)[0]


def _read(path: Path) -> ProviderFacts:
    written = json.loads(path.read_text(encoding="utf-8"))
    models = {wire: Models(**members) for wire, members in written.pop("models", {}).items()}
    return ProviderFacts(folder=path.parent.name, models=models, **written)
