"""A key from the environment that an agent reveals is in no verdict, printed or kept."""

import os
from collections.abc import Iterator
from typing import Any

import pytest

from agent_conformance.baseline.case_report import facts_of
from agent_conformance.transcripts.finding import Consequence, Finding, Verdict, subject_of
from agent_conformance.transcripts.redaction import Key, keys_of, without_keys
from tests.agents.plain import PlainAgent
from tests.trying import ONE_CALL, verdicts

KEY = "sk-live-abcdefghijklmnop0123456789"


@pytest.fixture(autouse=True)
def key_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


class Crashes(PlainAgent):
    wires = ("openai-chat",)

    def send(self, message: str) -> Any:
        raise ValueError(f"no such key: {os.environ['OPENAI_API_KEY']}")


class CrashesAtTheCut(PlainAgent):
    """Its message is cut in the middle of the key."""

    wires = ("openai-chat",)

    def send(self, message: str) -> Any:
        raise ValueError("x" * 275 + " " + os.environ["OPENAI_API_KEY"])


class Replies(PlainAgent):
    wires = ("openai-chat",)

    def send(self, message: str) -> Any:
        super().send(message)
        return f"My key is {os.environ['OPENAI_API_KEY']}."


class CannotStart(PlainAgent):
    wires = ("openai-chat",)

    def __init__(self, setup: Any) -> None:
        raise RuntimeError(f"no account for {os.environ['OPENAI_API_KEY']}")


def texts(verdict: Verdict) -> Iterator[str]:
    yield from (verdict.reason, verdict.narrative)
    for finding in verdict.findings:
        yield from (value for _, value in facts_of(finding))
        yield from map(str, finding.consequences)


@pytest.mark.parametrize("adapter", [Crashes, CrashesAtTheCut, Replies, CannotStart])
def test_key_that_an_agent_reveals_is_replaced_by_its_name(adapter: Any) -> None:
    for verdict in verdicts(adapter, ONE_CALL):
        found = list(texts(verdict))

        assert any("$OPENAI_API_KEY" in text for text in found)
        assert not any(KEY[:12] in text for text in found)


def test_keys_are_recognised_by_the_end_of_their_names() -> None:
    secret = "0123456789abcdef"
    names = ("OPENAI_API_KEY", "GITHUB_TOKEN", "client_secret", "DB_PASSWORD", "KEY", "MONKEY", "TOKENIZERS", "HOME")

    found = keys_of(dict.fromkeys(names, secret))

    assert {key.name for key in found} == {"OPENAI_API_KEY", "GITHUB_TOKEN", "client_secret", "DB_PASSWORD", "KEY"}


def test_placeholder_is_not_a_key() -> None:
    assert keys_of({"OPENAI_API_KEY": "test"}) == ()


def test_key_that_begins_like_another_is_hidden_completely() -> None:
    keys = keys_of({"A_KEY": KEY, "B_KEY": f"{KEY}-more"})
    verdict = Verdict("a", "error", reason=f"{KEY}-more")

    assert without_keys(verdict, keys).reason == "$B_KEY"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"the key {KEY}.", "the key $OPENAI_API_KEY."),
        (f"the key {KEY[:20]}", "the key $OPENAI_API_KEY"),
        (f"... {KEY[-20:]} (900 characters)", "... $OPENAI_API_KEY (900 characters)"),
        (f"the key {KEY[:8]}", f"the key {KEY[:8]}"),
        ("no key", "no key"),
    ],
)
def test_rest_of_a_key_in_a_truncated_text_is_hidden(text: str, shown: str) -> None:
    assert Key("OPENAI_API_KEY", KEY).hidden(text) == shown


def test_finding_keeps_its_identity() -> None:
    also = Consequence(subject_of("reply"), KEY)
    finding = Finding(subject_of("answers"), "must", got=KEY, consequences=(also,))

    hidden = without_keys(Verdict("a", "fail", (finding,)), keys_of({"MY_KEY": KEY})).findings[0]

    assert (hidden.id, hidden.level, hidden.code) == ("answers", "must", "answers")
    assert (facts_of(hidden), *map(str, hidden.consequences)) == ((("got", "$MY_KEY"),), "reply: $MY_KEY")


def test_finding_that_only_the_key_itself_leads_to_is_kept() -> None:
    (verdict,) = verdicts(Replies, ONE_CALL + "    expect: {reply: {lacks: [sk-live]}}\n")

    assert verdict.outcome == "fail"
    assert "reply" in {finding.code for finding in verdict.findings}
    assert KEY not in "\n".join(texts(verdict))


AZURE = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1/K1SZFPTOtr+KBHBeksoGMGw=="


class Asks(PlainAgent):
    """Its request has what the environment has."""

    wires = ("openai-chat",)

    def begin(self, message: str) -> None:
        super().begin(f"{message} {os.environ['OPENAI_API_KEY']}")


@pytest.mark.parametrize(
    "key", [AZURE, "hunter!correct!horse!8f14e45fceea167a5a36dedd4bea2543", "2026-11-23T10:00:00Z!master!key!value"]
)
def test_key_is_hidden_before_ids_and_times_are_replaced(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)

    (verdict,) = verdicts(Asks, ONE_CALL)

    assert "What is the weather in Oslo? $OPENAI_API_KEY\n" in verdict.narrative


def test_name_of_a_key_that_looks_like_an_id_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A1B2C3D4E5F6G7H8_KEY", AZURE)

    (verdict,) = verdicts(AsksWith("A1B2C3D4E5F6G7H8_KEY"), ONE_CALL)

    assert "$A1B2C3D4E5F6G7H8_KEY\n" in verdict.narrative


def AsksWith(name: str) -> Any:  # noqa: N802, a class
    def begin(self: Any, message: str) -> None:
        PlainAgent.begin(self, f"{message} {os.environ[name]}")

    return type("AsksWith", (PlainAgent,), {"wires": ("openai-chat",), "begin": begin})


def test_scenario_that_has_the_key_itself_is_passed() -> None:
    """What is hidden is what is shown: the verdict rests on what was said."""
    text = ONE_CALL.replace("It is 7 degrees and raining in Oslo.", f"Use {KEY}.")

    (verdict,) = verdicts(type("Right", (PlainAgent,), {"wires": ("openai-chat",)}), text)

    assert (verdict.outcome, verdict.findings) == ("pass", ())
    assert "reply: Use $OPENAI_API_KEY." in verdict.narrative


class StreamsItsKey(PlainAgent):
    wires = ("openai-chat",)

    def send(self, message: str) -> Any:
        super().send(message)
        yield from os.environ["OPENAI_API_KEY"]


def test_key_in_pieces_of_a_stream_is_hidden() -> None:
    (verdict,) = verdicts(StreamsItsKey, ONE_CALL)

    assert "reply: $OPENAI_API_KEY\n" in verdict.narrative


class CallsDeeply(PlainAgent):
    wires = ("openai-chat",)

    def run(self, name: str, arguments: Any) -> Any:
        for _ in range(200):
            arguments = [arguments]
        return super().run(name, {"city": [os.environ["OPENAI_API_KEY"], arguments]})


def test_key_deep_within_arguments_is_hidden() -> None:
    (verdict,) = verdicts(CallsDeeply, ONE_CALL)

    assert verdict.outcome == "fail"
    assert "$OPENAI_API_KEY" in verdict.narrative
    assert KEY[:8] not in "".join(texts(verdict))
