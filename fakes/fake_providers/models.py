"""Families of models: which rules hold for which model. Reads the facts of the providers."""

import re
from collections.abc import Callable
from functools import lru_cache

from fake_providers.provider_facts import Models, facts_by_provider, own_provider

PROFILE = re.compile(r"^(?:us-gov|us|eu|apac|jp|au|ca|sa|global)\.(?=[a-z0-9-]+\.)")
"""Before the id of a model, where Bedrock serves it from several regions of a geography."""
NEWER = re.compile(r"[.-]?\d{1,2}(?![\da-zA-Z]|-\d{2}(?:\d{2})?(?!\d))|\.\d")
"""What makes another version of a family behind its name: `-2` or `.8`, but no date, such as `-0905` or `-03-2025`, and
no size, such as `-8b`."""
LONGEST_KEPT = 100
"""Characters of a name up to which it is kept: names come from clients."""


def default_model(wire: str, provider: str = "") -> str:
    """The model a case uses on this wire unless its scenario names another; of the provider, where it has its own."""
    return models_of(wire, provider).default


def latest_model(wire: str, provider: str = "") -> str:
    """The newest model of this wire that takes tools without further options; of the provider, where it has its own."""
    models = models_of(wire, provider)
    return models.latest or models.default


def has_own_models(wire: str, provider: str) -> bool:
    """Whether this provider serves other models than the wire's own provider."""
    return provider != own_provider(wire) and wire in facts_by_provider()[provider].models


def takes_pictures(wire: str, model: str, provider: str = "") -> bool:
    """Whether this provider accepts pictures for this model. Whether the model understands them is another matter."""
    return "no-pictures" not in traits(wire, model, provider)


def families_of(wire: str, provider: str) -> Callable[[str], frozenset[str]]:
    """`traits` of this provider's models; of the wire's own provider's, where it serves those."""
    return lambda model: traits(wire, model, provider)


def traits(wire: str, model: str, provider: str = "") -> frozenset[str]:
    """What is special about this model, by its longest family; what is of none is of the `newest`.

    A family is the beginning of a name, with no newer version behind it unless it ends in a separator, as `gemini-2.`.
    A provider's prefix before a slash (`models/`, `openai/`) does not count, nor does `ft:` of one that was tuned, nor
    the geography of a profile of Bedrock's.
    """
    return (_kept_traits if len(model) <= LONGEST_KEPT else _traits)(wire, model, provider)


def knows_model(wire: str, model: str) -> bool:
    """Whether a model of this name is one of the wire's own provider's."""
    return any(is_of(model, family) for family in models_of(wire).families)


def _traits(wire: str, model: str, provider: str) -> frozenset[str]:
    bare = PROFILE.sub("", model.rsplit("/", 1)[-1].removeprefix("ft:"), count=1)
    models = models_of(wire, provider)
    known = max((family for family in models.families if is_of(bare, family)), key=len, default=models.newest)
    return frozenset(models.families.get(known, ()))


def is_of(bare: str, family: str) -> bool:
    return bare.startswith(family) and not (family[-1].isalnum() and NEWER.match(bare, len(family)))


_kept_traits = lru_cache(maxsize=1024)(_traits)


def models_of(wire: str, provider: str = "") -> Models:
    """The models of this provider on this wire; those of the wire's own provider, where it serves them."""
    facts = facts_by_provider()
    own = facts[provider].models.get(wire) if provider else None
    return own or facts[own_provider(wire)].models[wire]
