"""The table of what each vendor's SDK does with each named fault, read from the text file in this folder, and how it is
measured."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from vendor_clients import CLIENTS, ReadReply

from fake_providers import Call, Fault, Reply, ScriptedFake
from fake_providers.faults import FAULTS
from fake_providers.provider_facts import own_provider
from fake_providers.replies.transport_faults import features_of
from fake_providers.transport import InProcessHook, LoopbackServer, Mounts
from fake_providers.wire_facts import can_express

FILE = Path(__file__).with_name("what_sdks_make_of_faults.txt")
MODES = ("plain", "stream")
REPLY = Reply(text="Grüße, 世界: all is well here today.", calls=(Call("weather", {"city": "Zürich"}),))
WHOLE: ReadReply = ("Grüße, 世界: all is well here today.", [("weather", {"city": "Zürich"})])


class Cell(NamedTuple):
    fault: str
    wire: str
    mode: str


def cells() -> list[Cell]:
    """Every fault that the wire can express in that mode."""
    return [
        Cell(name, wire, mode)
        for name, fault in FAULTS.items()
        for wire in CLIENTS
        for mode in MODES
        if all(can_express(feature, wire=wire, mode=mode) for feature in features_of(fault))
    ]


def expected() -> dict[Cell, str]:
    found = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            fault, wire, *outcomes = line.split()
            found |= {
                Cell(fault, wire, mode): outcome
                for mode, outcome in zip(MODES, outcomes, strict=True)
                if outcome != "-"
            }
    return found


class Table:
    """A server; if `transport` is `process`, the in-process hook too."""

    def __init__(self, transport: str) -> None:
        self._mounts = Mounts()
        self.errors: list[BaseException] = []
        self._server = LoopbackServer(self._mounts, lambda path, error: self.errors.append(error))
        self._hook = InProcessHook(self._mounts, self._server.host, self._server.port)
        self._transport = transport

    @contextlib.contextmanager
    def served(self) -> Iterator["Table"]:
        with self._server, self._hook if self._transport == "process" else contextlib.nullcontext():
            yield self

    def outcome(self, cell: Cell) -> str:
        return self.measure(FAULTS[cell.fault], wire=cell.wire, mode=cell.mode)

    def measure(self, fault: Fault, *, wire: str, mode: str) -> str:
        """`reply`, `part` of it, `nothing`, or the exception that the SDK raises."""
        fake = ScriptedFake(own_provider(wire), [REPLY], wire=wire, faults={1: fault})
        token = self._mounts.mount(fake)
        url = f"{self._server.url}/{token}{fake.wire.base_path}"
        patience = 0.1 if fault.connection == "silent" else 20.0
        try:
            outcome = CLIENTS[wire](url, stream=mode == "stream", patience=patience)
        except Exception as error:
            return f"{type(error).__module__.partition('.')[0]}.{type(error).__name__}"
        finally:
            self._server.catch_up()  # a client that waits briefly may have left
            self._mounts.unmount(token)
        assert len(fake.requests) == 1
        return outcome_name(outcome)


def outcome_name(outcome: ReadReply) -> str:
    text, calls = outcome
    if outcome == WHOLE:
        return "reply"
    return "nothing" if not text and not calls else "part"


def harmless(name: str) -> bool:
    fault: Fault = FAULTS[name]
    return not fault.is_harmful
