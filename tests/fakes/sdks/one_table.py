"""The table's cells, what the vendor's SDK makes of each, and what the file beside expects of faults."""

from pathlib import Path
from typing import Any, NamedTuple

from six_sdks import ELSEWHERE, SDKS, RenderedReply, Sdk

from fake_providers import Call, Fault, Reply, ScriptedFake
from fake_providers.faults import FAULTS
from fake_providers.replies.transport_faults import features_of
from fake_providers.transport import InProcessHook, LoopbackServer, Mounts
from fake_providers.wire_facts import can_express

FILE = Path(__file__).with_name("what_sdks_raise.txt")
OSLO, ROME, BERN = (Call("weather", {"city": city}) for city in ("Oslo", "Rome", "Bern"))
REPLIES = {
    "text": Reply(text="It is 7 °C in Zürich."),
    "one call": Reply(calls=(OSLO,)),
    "three calls": Reply(calls=(OSLO, ROME, BERN)),
    "empty": Reply(),
    "refusal": Reply(text="I cannot help with that.", finish="refusal"),
    "length": Reply(text="It is", finish="length"),
}
STATUSES = {str(status): Fault(status=status) for status in (400, 401, 403, 404, 413, 422)}
EVENTS = {
    "error-event-500": Fault(error_event="500"),
    "error-event-529": Fault(error_event="529"),
    "cut-at-half": Fault(cut_after=2),
}
ALL_FAULTS: dict[str, Fault] = {**STATUSES, **FAULTS, **EVENTS}
"""Statuses that a client has itself to blame for, the named faults of `fake_providers.faults`, and errors in
mid-stream.
"""
SPOILT = Reply(text="Grüße, 世界: all is well here today.", calls=(Call("weather", {"city": "Zürich"}),))
MODES = ("plain", "stream")
KINDS = ("sync", "async")


class Cell(NamedTuple):
    what: str
    sdk: str
    mode: str
    kind: str


def sdk_of(cell: Cell) -> str:
    return cell.sdk


def reply_cells() -> list[Cell]:
    """Ollama has no word for a refusal."""
    return [
        Cell(what, sdk, mode, kind)
        for what in REPLIES
        for sdk in SDKS
        for mode in MODES
        for kind in KINDS
        if not (what == "refusal" and sdk == "ollama")
    ]


def fault_cells() -> list[Cell]:
    """Each fault that the wire can express in that mode."""
    return [
        Cell(what, sdk, mode, kind)
        for what, fault in ALL_FAULTS.items()
        for sdk in SDKS
        for mode in MODES
        for kind in KINDS
        if all(can_express(feature, wire=SDKS[sdk].wire, mode=mode) for feature in features_of(fault))
    ]


EVERYWHERE: dict[str, Sdk] = {**SDKS, **ELSEWHERE}


class Served:
    """A server and the in-process hook; sends it requests through an SDK."""

    def __init__(self) -> None:
        self.mounts = Mounts()
        self.errors: list[BaseException] = []
        self.server = LoopbackServer(self.mounts, lambda path, error: self.errors.append(error))
        self.hook = InProcessHook(self.mounts, self.server.host, self.server.port)

    def reply_to(self, cell: Cell) -> RenderedReply:
        return self._request(
            cell, ScriptedFake(EVERYWHERE[cell.sdk].provider, [REPLIES[cell.what]], wire=EVERYWHERE[cell.sdk].wire)
        )

    def outcome(self, cell: Cell) -> str:
        """The exception with its class and fields, or how much of the reply came: `reply`, `part` or `nothing`."""
        fault, sdk = ALL_FAULTS[cell.what], EVERYWHERE[cell.sdk]
        fake = ScriptedFake(sdk.provider, [SPOILT], wire=sdk.wire, faults={1: fault})
        try:
            reply = self._request(cell, fake, patience=0.1 if fault.connection == "silent" else 20.0)
        except Exception as error:
            return described(error)
        finally:
            assert len(fake.requests) == 1
            assert fake.violations == []
        if (reply.text, reply.calls) == (SPOILT.text, (("weather", {"city": "Zürich"}),)):
            return "reply"
        return "part" if reply.text or reply.calls else "nothing"

    def _request(self, cell: Cell, fake: ScriptedFake, patience: float = 20.0) -> RenderedReply:
        token = self.mounts.mount(fake)
        try:
            return EVERYWHERE[cell.sdk].ask(
                f"{self.server.url}/{token}",
                stream=cell.mode == "stream",
                is_async=cell.kind == "async",
                patience=patience,
            )
        finally:
            self.server.catch_up()  # a client that waits briefly may have left
            self.mounts.unmount(token)


FIELDS = ("status_code", "code", "type", "status")


def described(error: Exception) -> str:
    """Such as `openai.RateLimitError(status_code=429,code=rate_limit_exceeded,type=tokens)`."""
    found: dict[str, Any] = {name: getattr(error, name, None) for name in FIELDS}
    fields = ",".join(
        f"{name}={value}" for name, value in found.items() if isinstance(value, (int, str)) and value != ""
    )
    name = f"{type(error).__module__.partition('.')[0]}.{type(error).__name__}"
    return f"{name}({fields})".replace(" ", "_") if fields else name


def expected() -> dict[tuple[str, str], tuple[str, str]]:
    """By fault and SDK: what becomes of a plain answer and of a stream. Sync and async agree."""
    lines = [line.split() for line in FILE.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    return {(what, sdk): (plain, stream) for what, sdk, plain, stream in lines}
