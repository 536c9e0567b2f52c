"""What goes through a stream of ours is printable line by line, in however many pieces it comes."""

import io
import subprocess
import sys

import pytest

from agent_conformance.transcripts.printing import (
    PrintableStream,
    keep_threads_printable,
    make_streams_printable,
    write_command,
)
from agent_conformance.transcripts.redaction import SECRETS


@pytest.fixture
def below() -> io.StringIO:
    return io.StringIO()


def test_line_is_written_without_controls_and_commands(below: io.StringIO) -> None:
    print("a\x1b[2J\u202e\n::error::b\n  ::add-mask::c\n##[error]d", file=PrintableStream(below))

    assert below.getvalue() == "a\\x1b[2J\\u202e\n\\x3a:error::b\n  \\x3a:add-mask::c\n\\x23#[error]d\n"


def test_plain_text_is_written_as_it_is(below: io.StringIO) -> None:
    print("Grüße, 東京\tstd::vector<int>: {'a': 1}", file=PrintableStream(below))

    assert below.getvalue() == "Grüße, 東京\tstd::vector<int>: {'a': 1}\n"


def test_command_and_secret_in_pieces_are_none(below: io.StringIO) -> None:
    SECRETS.learn("MY_KEY", "sk-live-abcdefghijklmnop0123456789")
    stream = PrintableStream(below)
    for piece in ("::", "error::x", "\n", "sk-live-abcdefghij", "klmnop0123456789"):
        stream.write(piece)
    stream.flush()

    assert below.getvalue() == "\\x3a:error::x\n$MY_KEY"


def test_beginning_of_a_line_waits_for_its_end_or_a_flush(below: io.StringIO) -> None:
    stream = PrintableStream(below)
    print("one", end="", file=stream)
    before = below.getvalue()
    print("", end="", flush=True, file=stream)

    assert (before, below.getvalue()) == ("", "one")


def test_own_command_is_written_as_it_is_and_in_order(below: io.StringIO) -> None:
    stream = PrintableStream(below)
    print("one", end="", file=stream)
    write_command("\r\x1b[K::notice::two\n", stream)

    assert below.getvalue() == "one\r\x1b[K::notice::two\n"


def test_streams_are_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    before = sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__

    undo = make_streams_printable()
    during = sys.stdout
    undo()

    assert isinstance(during, PrintableStream)
    assert (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__) == before


def test_what_threads_print_is_printable_through_one_stream_for_the_whole_run(
    monkeypatch: pytest.MonkeyPatch, below: io.StringIO
) -> None:
    seen = []
    for _ in range(2):  # pytest puts its own back after each phase
        monkeypatch.setattr(sys, "stdout", below)
        keep_threads_printable()
        seen.append(sys.stdout)
    print("::error::x")

    assert seen[0] is seen[1]
    assert below.getvalue() == "\\x3a:error::x\n"


def test_what_is_left_for_the_end_of_the_process_is_printable() -> None:
    code = """
import atexit, sys
from agent_conformance.transcripts.printing import make_streams_printable
atexit.register(lambda: print("::error::late", end="", file=sys.__stderr__))
make_streams_printable()
atexit.register(lambda: print("::error::first"))
print("begun", end="")
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert run.stdout == "begun::error::first\n"
    assert run.stderr == "\\x3a:error::late"
