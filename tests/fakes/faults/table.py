"""What the vendor's SDK makes of each named fault, as the file beside says. Asks it, and reads the table."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from vendor_clients import ASK, RenderedReply

from fakes import Call, Fault, Reply, ScriptedFake
from fakes.faults import FAULTS
from fakes.provider_facts import own_provider
from fakes.transport import InProcessHook, LoopbackServer, Mounts
from fakes.transport_faults import features_of
from fakes.wire_capabilities import can_express

FILE = Path(__file__).with_name("what_sdks_make_of_faults.txt")
MODES = ("plain", "stream")
REPLY = Reply(text="Grüße, 世界: all is well here today.", calls=(Call("weather", {"city": "Zürich"}),))
WHOLE: RenderedReply = ("Grüße, 世界: all is well here today.", [("weather", {"city": "Zürich"})])


class Cell(NamedTuple):
    fault: str
    wire: str
    mode: str


def cells() -> list[Cell]:
    """Each that the wire can say in that mode."""
    return [
        Cell(name, wire, mode)
        for name, fault in FAULTS.items()
        for wire in ASK
        for mode in MODES
        if all(can_express(feature, wire=wire, mode=mode) for feature in features_of(fault))
    ]


def expected() -> dict[Cell, str]:
    found = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            fault, wire, *outcomes = line.split()
            found |= {Cell(fault, wire, mode): told for mode, told in zip(MODES, outcomes, strict=True) if told != "-"}
    return found


class Table:
    """A server, and the hook in front of it where `transport` is `process`."""

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
        return self.made_of(FAULTS[cell.fault], wire=cell.wire, mode=cell.mode)

    def made_of(self, fault: Fault, *, wire: str, mode: str) -> str:
        """`reply`, `part` of it, `nothing`, or the exception that the SDK raises."""
        fake = ScriptedFake(own_provider(wire), [REPLY], wire=wire, faults={1: fault})
        token = self._mounts.mount(fake)
        url = f"{self._server.url}/{token}{fake.wire.base_path}"
        patience = 0.1 if fault.connection == "silent" else 20.0
        try:
            told = ASK[wire](url, stream=mode == "stream", patience=patience)
        except Exception as error:
            return f"{type(error).__module__.partition('.')[0]}.{type(error).__name__}"
        finally:
            self._mounts.unmount(token)
        assert len(fake.requests) == 1
        return named(told)


def named(told: RenderedReply) -> str:
    text, calls = told
    if told == WHOLE:
        return "reply"
    return "nothing" if not text and not calls else "part"


def harmless(name: str) -> bool:
    fault: Fault = FAULTS[name]
    return not fault.is_harmful
