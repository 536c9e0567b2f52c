"""Places in the reference agent are found by name, in its source as it is."""

import inspect
from importlib import import_module
from pathlib import Path

import pytest

from agent_conformance.agents.reference import history_repair
from agent_conformance.explain import PACKAGE, place_of
from agent_conformance.explain.texts import expectation_texts, law_texts, rule_texts
from tests.tables import rows

ROOT = Path(__file__).parent.parent.parent
TEXTS = [*law_texts().values(), *rule_texts().values(), *expectation_texts().values()]
SYMBOLS = sorted({symbol for text in TEXTS for symbol in text.reference})
LONGEST = 80
"""Lines of a definition: whoever reads an explanation has to find the place in it."""


@rows("symbol", SYMBOLS)
def test_every_place_is_the_definition_of_its_name(symbol: str) -> None:
    place = place_of(symbol)
    module, _, name = symbol.partition(":")
    found = import_module(f"{PACKAGE}.{module}")
    lines = (ROOT / "conformance" / place.file).read_text(encoding="utf-8").splitlines()[place.first - 1 : place.last]

    assert "\n".join(lines) == place.code
    assert 0 < len(lines) <= LONGEST
    for part in name.split("."):
        found = getattr(found, part)
    assert name.rpartition(".")[2] in place.code


def test_lines_are_those_that_python_knows() -> None:
    place = place_of("history_repair:place_results")
    lines, first = inspect.getsourcelines(history_repair.place_results)

    assert (place.first, place.last) == (first, first + len(lines) - 1)
    assert place.file == "agent_conformance/agents/reference/history_repair.py"
    assert str(place) == f"{place.file}:{place.first}-{place.last}"
    assert place.says == "Move every result right after the message with its call, and drop results without a call."


def test_decorator_belongs_to_a_place() -> None:
    assert place_of("provider:ProviderError.too_long").code.lstrip().startswith("@property")


@pytest.mark.parametrize(
    ("symbol", "problem"),
    [
        ("no_module:x", "no_module:x: the reference agent has no module no_module"),
        ("loop:Turn.fly", "loop:Turn.fly: loop.py of the reference agent defines no Turn.fly"),
        ("loop:fly", "loop:fly: loop.py of the reference agent defines no fly"),
    ],
)
def test_name_that_is_gone_is_an_error(symbol: str, problem: str) -> None:
    with pytest.raises(LookupError, match=f"^{problem}$"):
        place_of(symbol)
