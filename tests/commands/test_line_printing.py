"""Lines are printed at once while a server is calm, and together while it is busy; never in another order."""

import asyncio
import threading

import pytest

from agent_conformance.commands.shared import served
from agent_conformance.commands.shared.served import MOST, LinePrinter
from agent_conformance.transcripts.redaction import SECRETS


@pytest.fixture
def lines() -> LinePrinter:
    printer = LinePrinter()
    printer.gathers = True
    return printer


def test_first_line_is_printed_at_once_and_the_next_soon(
    lines: LinePrinter, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    printed: list[str] = []
    is_flushed = asyncio.Event()
    flush = LinePrinter.flush
    monkeypatch.setattr(LinePrinter, "flush", lambda printer: (flush(printer), is_flushed.set()))
    monkeypatch.setattr(served, "SECONDS", 1.0)

    async def run() -> None:
        for text in ("one", "two", "three"):
            lines.print(text, may_wait=True)
            printed.append(capsys.readouterr().out)
        await is_flushed.wait()
        printed.append(capsys.readouterr().out)
        lines._written -= 2
        lines.print("four", may_wait=True)
        printed.append(capsys.readouterr().out)

    asyncio.run(run())
    assert printed == ["one\n", "", "", "two\nthree\n", "four\n"]


def test_line_that_may_not_wait_takes_those_before_along(
    lines: LinePrinter, capsys: pytest.CaptureFixture[str]
) -> None:
    async def run() -> None:
        lines.print("one", may_wait=True)
        lines.print("two", may_wait=True)
        lines.print("three", may_wait=False)

    asyncio.run(run())
    assert capsys.readouterr().out == "one\ntwo\nthree\n"


def test_lines_that_wait_are_bounded(lines: LinePrinter, capsys: pytest.CaptureFixture[str]) -> None:
    async def run() -> None:
        for _ in range(MOST + 2):
            lines.print("x", may_wait=True)

    asyncio.run(run())
    assert capsys.readouterr().out == "x\n" * (MOST + 2)


def test_flush_prints_what_waits(lines: LinePrinter, capsys: pytest.CaptureFixture[str]) -> None:
    async def run() -> None:
        lines.print("one", may_wait=True)
        lines.print("two", may_wait=True)

    asyncio.run(run())
    assert capsys.readouterr().out == "one\n"
    lines.flush()
    assert capsys.readouterr().out == "two\n"


def test_thread_without_a_loop_prints_at_once(lines: LinePrinter, capsys: pytest.CaptureFixture[str]) -> None:
    def print_two() -> None:
        lines.print("one", may_wait=True)
        lines.print("two", may_wait=True)

    thread = threading.Thread(target=print_two)
    thread.start()
    thread.join()

    assert capsys.readouterr().out == "one\ntwo\n"


def test_nothing_waits_unless_lines_are_gathered(capsys: pytest.CaptureFixture[str]) -> None:
    lines = LinePrinter()

    async def run() -> None:
        lines.print("one", may_wait=True)
        lines.print("two", may_wait=True)

    asyncio.run(run())
    assert capsys.readouterr().out == "one\ntwo\n"


def test_secret_is_not_printed(lines: LinePrinter, capsys: pytest.CaptureFixture[str]) -> None:
    SECRETS.learn("KEY", "sk-proj-abcdefgh0123456789")

    lines.print("path?key=sk-proj-abcdefgh0123456789", may_wait=False)

    assert capsys.readouterr().out == "path?key=$KEY\n"
