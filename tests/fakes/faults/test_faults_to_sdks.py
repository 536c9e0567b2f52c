"""Every named fault x wire x mode x transport against the vendor's own SDK: typed errors, or the unchanged reply."""

import pytest
from table import MODES, Cell, Table, cells, expected, harmless
from vendor_clients import CLIENTS

from fake_providers import Fault
from fake_providers.faults import FAULTS
from tests.tables import rows

EXPECTED = expected()


@pytest.mark.slow
@rows("cell", cells(), ids="-".join, group=lambda cell: cell.wire)
def test_sdk_does_what_the_table_says(table: Table, cell: Cell) -> None:
    assert table.outcome(cell) == EXPECTED[cell]
    assert table.errors == []


def test_table_has_every_possible_cell_and_no_other() -> None:
    assert set(EXPECTED) == set(cells())


def test_harmless_faults_change_nothing() -> None:
    quiet = {cell: outcome for cell, outcome in EXPECTED.items() if harmless(cell.fault)}

    assert len(quiet) > 20
    assert set(quiet.values()) == {"reply"}


def test_fault_instead_of_the_reply_gives_no_reply() -> None:
    """A page, an empty body, a status, a lost connection: nothing of the reply is sent, so no SDK can return any of
    it."""
    hidden = {outcome for cell, outcome in EXPECTED.items() if FAULTS[cell.fault].hides_reply}

    assert hidden.isdisjoint({"reply", "part"})


PLACES = (*range(0, 900, 45), -60, -12, -3, -2, -1)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("wire", CLIENTS)
def test_body_cut_at_any_byte_is_an_error_unless_it_was_complete(table: Table, wire: str, mode: str) -> None:
    """Complete: the last byte that the SDK waits for has arrived. A part of the reply is never returned as all of
    it."""
    made = {at: table.measure(Fault(cut_at=at), wire=wire, mode=mode) for at in PLACES}

    assert not {"part", "nothing"} & set(made.values()), made
    assert "." in made[0]
