"""Ids of models in all their forms: base ids, profiles of a region, ARNs. Knows which family an id is of; no rule."""

import re
from functools import lru_cache

from fake_providers.models import PROFILE, traits

WIRE_NAME = "bedrock-converse"
BASE = re.compile(
    r"(?!(?:us|us-gov|eu|apac|jp|au|ca|sa|global)\.)[a-z0-9-]{1,63}\.[a-zA-Z0-9.-]{1,63}(:[0-9]{1,3}(:[a-z0-9]+)?)?"
)
"""`vendor.model-v1:0`, also with the length of the context after another colon."""
ARN = re.compile(
    r"arn:aws[a-z-]*:(?:bedrock:[a-z0-9-]+:[0-9]*:(?:foundation-model|(?:application-)?inference-profile|"
    r"provisioned-model|custom-model|custom-model-deployment|imported-model|prompt|(?:default-)?prompt-router)/[^\s]+|"
    r"sagemaker:[a-z0-9-]+:[0-9]{12}:endpoint/[a-zA-Z0-9-]+)"
)


def base_id(model: str) -> str:
    """`vendor.model` without a geography or an ARN around it; the id of a resource that says no vendor as it is."""
    resource = model.rsplit("/", 1)[-1] if model.startswith("arn:") else model
    return PROFILE.sub("", resource, count=1)


def is_known_form(model: str) -> bool:
    return bool(ARN.fullmatch(model) if model.startswith("arn:") else BASE.fullmatch(base_id(model)))


def is_base(model: str) -> bool:
    """Whether the model is asked for by its base id, which is on-demand throughput."""
    return not model.startswith("arn:") and base_id(model) == model


@lru_cache(maxsize=256)
def traits_of(model: str) -> frozenset[str]:
    """What is special about this model here; of a Claude also what Anthropic's own API knows of it."""
    bare = base_id(model)[:100]
    own = traits(WIRE_NAME, bare)
    if not bare.startswith("anthropic.") or "as-it-was" in own:
        return own
    return own | traits("anthropic-messages", bare.removeprefix("anthropic."))
