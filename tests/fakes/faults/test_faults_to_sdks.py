"""Every named fault x wire x mode x transport against the vendor's own SDK: typed errors, or the reply as it was."""

import pytest
from table import MODES, Cell, Table, cells, expected, harmless
from vendor_clients import ASK

from fakes import Fault
from fakes.faults import FAULTS

EXPECTED = expected()


@pytest.mark.parametrize("cell", cells(), ids="-".join)
def test_the_sdk_makes_of_it_what_the_table_says(table: Table, cell: Cell) -> None:
    assert table.outcome(cell) == EXPECTED[cell]
    assert table.errors == []


def test_the_table_has_every_cell_that_can_be_said_and_no_other() -> None:
    assert set(EXPECTED) == set(cells())


def test_whatever_is_harmless_is_read_over() -> None:
    quiet = {cell: told for cell, told in EXPECTED.items() if harmless(cell.fault)}

    assert len(quiet) > 20
    assert set(quiet.values()) == {"reply"}


def test_a_fault_in_place_of_the_reply_never_gives_one() -> None:
    """A page, an empty body, a status, a lost connection: nothing of the reply is told, so no SDK has any of it."""
    hidden = {told for cell, told in EXPECTED.items() if FAULTS[cell.fault].hides_reply}

    assert hidden.isdisjoint({"reply", "part"})


PLACES = (*range(0, 900, 45), -60, -12, -3, -2, -1)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("wire", ASK)
def test_a_body_cut_at_any_byte_is_an_error_to_the_sdk_or_was_whole(table: Table, wire: str, mode: str) -> None:
    """Whole: the last byte of all that it waits for had come. Half a reply is never passed off as one."""
    made = {at: table.made_of(Fault(cut_at=at), wire=wire, mode=mode) for at in PLACES}

    assert not {"part", "nothing"} & set(made.values()), made
    assert "." in made[0]
