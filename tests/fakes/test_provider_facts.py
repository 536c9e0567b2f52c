"""What the folder of each provider says of it, and that nothing else must be read to know it."""

import json
import re
import subprocess
import sys
from typing import get_type_hints

import pytest

from agent_conformance.run.case_session import MODEL_HOSTS
from fake_providers import PROVIDERS, WIRES, provider_wires
from fake_providers.models import default_model, families_of, traits
from fake_providers.provider_facts import FOLDERS, ProviderFacts, facts_by_provider, own_provider, providers_of

FACTS = tuple(facts_by_provider().values())
EACH = pytest.mark.parametrize("facts", FACTS, ids=[facts.name for facts in FACTS])


@EACH
def test_folder_is_named_after_its_provider(facts: ProviderFacts) -> None:
    assert facts.folder == re.sub("[.-]", "_", facts.name)
    assert facts.title


@EACH
def test_written_members_have_the_types_of_the_facts(facts: ProviderFacts) -> None:
    written = json.loads((FOLDERS / facts.folder / "facts.json").read_text())
    texts = {name for name, kind in get_type_hints(ProviderFacts).items() if kind is str}
    listed = [*written["wires"], *written.get("hosts", ())]

    assert all(isinstance(written[name], str) for name in texts & written.keys())
    assert all(isinstance(one, str) for one in listed)
    assert isinstance(written["rank"], int)


@EACH
def test_each_wire_is_built_and_joined_with_the_provider(facts: ProviderFacts) -> None:
    assert set(facts.models) <= set(facts.wires) <= set(WIRES)
    assert [wire.name for wire in provider_wires(facts.name)] == list(facts.wires)
    assert all(wire.providers == (facts.name,) for wire in provider_wires(facts.name))


@EACH
def test_newest_is_a_family_and_the_default_has_traits(facts: ProviderFacts) -> None:
    for wire, models in facts.models.items():
        assert models.newest in models.families
        assert default_model(wire, facts.name) == models.default
        assert families_of(wire, facts.name)(models.default) == traits(wire, models.default, facts.name)


@EACH
def test_its_hosts_serve_models(facts: ProviderFacts) -> None:
    assert all(MODEL_HOSTS.search(f"api.{host}") and MODEL_HOSTS.search(host) for host in facts.hosts)
    assert not any(MODEL_HOSTS.search(f"not{host}") for host in facts.hosts)


def test_ranks_order_the_providers_and_each_is_taken_once() -> None:
    ranks = [facts.rank for facts in FACTS]

    assert ranks == sorted(set(ranks))
    assert list(PROVIDERS) == [facts.name for facts in FACTS]


def test_first_provider_of_a_wire_is_its_own() -> None:
    owners = {wire: own_provider(wire) for wire in WIRES}

    assert owners == {
        "openai-chat": "openai",
        "openai-responses": "openai",
        "anthropic-messages": "anthropic",
        "gemini-generate": "gemini",
        "ollama-chat": "ollama",
        "bedrock-converse": "bedrock",
        "cohere-chat": "cohere",
    }
    assert providers_of("openai-responses")[:3] == ("openai", "bedrock", "ollama")


def test_provider_without_models_of_its_own_has_the_families_of_the_wires_own() -> None:
    assert families_of("openai-chat", "azure")("o3") == traits("openai-chat", "o3") != frozenset()


def test_a_run_on_one_provider_loads_no_other() -> None:
    program = (
        "import sys; from fake_providers.registry import wire_for; wire_for('groq', 'openai-chat');"
        "print(sorted({name.split('.')[2] for name in sys.modules if name.startswith('fake_providers.providers.')}))"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout

    assert printed.strip() == "['groq', 'shared']"
