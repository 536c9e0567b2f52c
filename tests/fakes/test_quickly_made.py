"""A dataclass that is quickly made is like any other frozen one."""

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace
from typing import Any

import pytest

from fake_providers.quickly_made import quickly_made


@quickly_made
@dataclass(frozen=True, slots=True)
class Quick:
    name: str
    size: int = 0
    note: object = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Plain:
    name: str
    size: int = 0
    note: object = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Larger(Quick):
    more: int = 1


def test_it_has_the_fields_of_a_plain_one() -> None:
    quick = Quick("a", 2, note="n")

    assert (quick.name, quick.size, quick.note) == ("a", 2, "n")
    assert repr(quick) == repr(Plain("a", 2)).replace("Plain", "Quick")
    assert (Quick("a"), hash(Quick("a"))) == (Quick(name="a", size=0), hash(Plain("a")))
    assert Quick("a") != Quick("b")
    assert str(inspect.signature(Quick)) == str(inspect.signature(Plain))
    assert replace(quick, size=3) == Quick("a", 3)
    assert copy.deepcopy(quick) == pickle.loads(pickle.dumps(quick)) == quick


def test_it_is_frozen() -> None:
    quick: Any = Quick("a")

    assert type(quick) is Quick
    with pytest.raises(FrozenInstanceError):
        quick.name = "b"
    with pytest.raises(FrozenInstanceError):
        del quick.name
    with pytest.raises((AttributeError, TypeError)):
        quick.other = 1


@pytest.mark.parametrize(("args", "options"), [((), {}), (("a", 1, "n"), {}), (("a",), {"other": 1})])
def test_wrong_arguments_are_refused(args: Any, options: Any) -> None:
    with pytest.raises(TypeError, match=r"Quick.__init__\(\)"):
        Quick(*args, **options)


def test_subclass_has_its_own_fields() -> None:
    larger = Larger("a", 2, 3, note="n")

    assert type(larger) is Larger
    assert (larger.name, larger.size, larger.more, larger.note) == ("a", 2, 3, "n")


def test_field_from_a_factory_is_refused() -> None:
    @dataclass(frozen=True, slots=True)
    class Listed:
        names: list[str] = field(default_factory=list)

    with pytest.raises(TypeError, match="Listed: quickly_made needs fields that are given"):
        quickly_made(Listed)
