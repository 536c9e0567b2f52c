"""What the runner makes of a command: the verdicts that docs/protocol.md promises."""

from pathlib import Path
from typing import Any

import pytest

from conformance.command import command_adapter
from tests.trying import ONE_CALL, verdicts

NODE = Path(__file__).parent.parent / "agents" / "node_agent.mjs"


def seen(adapter: Any, **options: Any) -> tuple[str, str]:
    """The outcome, and what was seen of the first finding."""
    (verdict,) = verdicts(adapter, ONE_CALL, **options)
    facts = dict(verdict.findings[0].facts) if verdict.findings else {}
    return verdict.outcome, facts.get("seen", verdict.reason)


@pytest.mark.parametrize("transport", ["process", "socket"])
def test_right_agent_passes(transport):
    adapter = command_adapter(f"node {NODE}")

    assert seen(adapter, transport=transport) == ("pass", "")
    adapter.launcher.end(adapter.launcher.take()[0], politely=True)


def test_process_that_dies_is_a_crash_with_its_last_words(command):
    lines = 'hello(); read(); read(); sys.exit("out of memory")'

    outcome, what = seen(command_adapter(command(lines)))

    assert outcome == "fail"
    assert "ProcessDied: the agent's process exited with 1; its standard error ends: out of memory" in what


def test_garbage_is_a_crash_that_names_the_side_at_fault(command):
    outcome, what = seen(command_adapter(command("hello(); read(); read(); print('Thinking...')")))

    assert outcome == "fail"
    assert "ProtocolBroken: the agent wrote 'Thinking...' on standard output" in what


def test_silence_is_a_hang_and_ends_the_process(command):
    adapter = command_adapter(command("hello(); read(); read(); time.sleep(600)"))
    process = adapter.launcher._idle

    outcome, what = seen(adapter, timeout=0.3)

    assert outcome == "fail"
    assert "did not return within 0.3 s of silence; it was cancelled" in what
    assert not process.alive
