"""What a scenario may say with `window` and `limits.idle_seconds`."""

import pytest

from agent_conformance.scenario.model import Window, WindowWords
from tests.trying import ONE_CALL, scenario

TRUNCATES = "wires: [ollama-chat]\nlimits: {context_tokens: 4096}\nwindow: {tokens: 4096, how: truncate}\n" + ONE_CALL
WORDS = "window: {tokens: 4096, words: {status: 413, body: too large}}\n" + ONE_CALL


def test_words_and_silence_are_read() -> None:
    [words], [silence] = (list(scenario(text).rows.values()) for text in (WORDS, TRUNCATES))

    assert words.window == Window(tokens=4096, words=WindowWords(status=413, body="too large"))
    assert silence.window == Window(tokens=4096, how="truncate")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (WORDS.replace("413", "429"), 4, "`status` is 429, which clients repeat"),
        (WORDS.replace("413", "200"), 4, "`status` is 200, which clients repeat or which refuses nothing."),
        (WORDS.replace("413, body: too large", "413"), 4, "`words` has no `body`, which it needs."),
        (TRUNCATES.replace("truncate}", "cut}"), 6, "Allowed: `truncate`"),
        (TRUNCATES.replace("truncate}", "truncate, words: {status: 400, body: x}}"), 6, "Keep one of the two."),
        (TRUNCATES.replace("limits: {context_tokens: 4096}\n", ""), 5, "Give it."),
        (TRUNCATES.replace("[ollama-chat]", "[openai-chat]"), 6, "Write `wires: [ollama-chat]`."),
        ("limits: {idle_seconds: 2}\n" + ONE_CALL, 4, "no reply falls silent"),
        ("limits: {idle_seconds: 0}\n" + ONE_CALL, 4, "expected seconds, more than 0"),
        ("summaries: [{text: Rain.}]\n" + ONE_CALL, 4, "nobody has a reason to sum up."),
        ("summaries: [{text: Rain., times: 2}]\n" + WORDS, 4, "`times` is for replies of the conversation."),
        ("summaries: [{}]\n" + WORDS, 4, "this reply says nothing."),
        ("summaries: [{fault: {connection: reset}}]\n" + WORDS, 4, "a summary fails with a `status`"),
    ],
)
def test_what_makes_no_sense_is_refused(text: str, line: int, message: str) -> None:
    with pytest.raises(AssertionError) as refused:
        scenario(text)

    assert message in str(refused.value)
    assert f"this.yaml:{line}: " in str(refused.value)
