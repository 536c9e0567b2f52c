"""Reasoning that only the provider that signed it can read. Knows no wire."""

from dataclasses import replace

from agent_conformance.agents.reference.history import Entry, History


def readable_reasoning(history: History, provider: str) -> History:
    """The history without what another provider has signed: this one refuses it. Texts, calls and results stay."""
    return tuple(entry if entry.provider in ("", provider) else _without_signatures(entry) for entry in history)


def _without_signatures(entry: Entry) -> Entry:
    calls = tuple(replace(call, signature=None) for call in entry.calls)
    return replace(entry, calls=calls, thoughts=(), signature=None, blocks=())
