"""`agent-conformance serve`: a fake on a port, its script, and what it prints."""

import re
import signal
import subprocess
import sys
import weakref
from pathlib import Path

import httpx2
import pytest

from agent_conformance.commands.main import main
from agent_conformance.commands.serve.command import ServeOptions, serve
from agent_conformance.commands.shared import stopped_by_signals
from tests.docs.documents import ROOT, blocks_of, fitted
from tests.patience import PATIENCE

CHAT = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "a"}]}


def test_served_fake_answers_from_its_script_and_prints_refusals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "replies.yaml"
    script.write_text("- text: Hello.\n- calls: [{name: f, arguments: {}}]\n")
    answers: list[httpx2.Response] = []

    def post_requests() -> None:
        url = capsys.readouterr().out.split("base URL ")[1].strip()
        for body in ({**CHAT, "tools": []}, CHAT, CHAT):
            headers = {"authorization": "Bearer any"}
            answers.append(httpx2.post(f"{url}/chat/completions", json=body, headers=headers, trust_env=False))

    assert serve(ServeOptions(provider="openai", script=script), until=post_requests) == 0
    printed = capsys.readouterr().out
    assert [answer.status_code for answer in answers] == [400, 200, 200]
    assert answers[1].json()["choices"][0]["message"]["content"] == "Hello."
    assert answers[2].json()["choices"][0]["finish_reason"] == "tool_calls"
    assert "refused by openai/tools-empty at tools" in printed


def test_served_fake_refuses_a_conversation_beyond_its_window(capsys: pytest.CaptureFixture[str]) -> None:
    answers: list[httpx2.Response] = []

    def post_requests() -> None:
        url = capsys.readouterr().out.split("base URL ")[1].strip()
        for text in ("a" * 400, "a"):
            body = {**CHAT, "messages": [{"role": "user", "content": text}]}
            headers = {"authorization": "Bearer any"}
            answers.append(httpx2.post(f"{url}/chat/completions", json=body, headers=headers, trust_env=False))

    assert serve(ServeOptions(provider="openai", window=50), until=post_requests) == 0
    assert [answer.status_code for answer in answers] == [400, 200]
    assert answers[0].json()["error"]["code"] == "context_length_exceeded"


def test_served_fake_knows_the_model_behind_an_arn(capsys: pytest.CaptureFixture[str]) -> None:
    answers: list[httpx2.Response] = []
    arn = "arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Aapplication-inference-profile%2Fabc"
    talk = [{"role": role, "content": [{"text": "Hi."}]} for role in ("assistant", "user")]

    def post_request() -> None:
        url = capsys.readouterr().out.split("base URL ")[1].strip()
        headers, sent = {"authorization": "Bearer any"}, {"messages": talk}
        answers.append(httpx2.post(f"{url}/model/{arn}/converse", json=sent, headers=headers, trust_env=False))

    nova = ServeOptions(provider="bedrock", served_model="us.amazon.nova-pro-v1:0")
    assert (serve(ServeOptions(provider="bedrock"), until=post_request), serve(nova, until=post_request)) == (0, 0)
    assert [answer.status_code for answer in answers] == [200, 400]
    assert answers[1].json()["message"].startswith("A conversation must start with a user message.")


@pytest.mark.parametrize("window", ["0", "-1", "many"])
def test_window_that_is_not_a_positive_number_is_a_usage_error(window: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["serve", "--provider", "openai", f"--window={window}"])

    assert stopped.value.code == 2
    assert f"`{window}` is not a whole number from 1." in capsys.readouterr().err


def test_serving_prints_what_its_page_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = blocks_of(ROOT / "docs" / "serve.md")
    shown = {block.title or block.text.partition(" --")[0]: block.text for block in blocks}
    expected = shown["$ agent-conformance serve"].partition("\n")[2]
    script = tmp_path / "replies.yaml"
    script.write_text(shown["replies.yaml"])
    output: list[str] = []

    def post_requests() -> None:
        output.append(capsys.readouterr().out)
        url = output[0].split("base URL ")[1].strip()
        user = {"role": "user", "parts": [{"text": "How warm is it?"}]}
        call = {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Oslo"}}}]}
        for contents in ([user], [call, user]):
            httpx2.post(
                f"{url}/v1beta/models/gemini-2.5-flash:generateContent",
                json={"contents": contents},
                headers={"x-goog-api-key": "any"},
                trust_env=False,
            )

    assert serve(ServeOptions(provider="gemini", script=script), until=post_requests) == 0
    output.append(capsys.readouterr().out)
    assert fitted(re.sub(r":\d{4,}", ":8080", "".join(output))) == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--provider", "opnai"], "--provider: no provider `opnai`. Did you mean `openai`? Choose from openai, "),
        (["--provider", "openai", "--wire", "openai"], "--wire: no wire `openai`. Did you mean `openai-chat`?"),
    ],
)
def test_unknown_name_is_a_usage_error_that_suggests_the_nearest(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["serve", *arguments])

    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_wire_that_the_provider_does_not_speak_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--provider", "groq", "--wire", "gemini-generate"]) == 2
    assert "groq" in capsys.readouterr().err


INTERRUPTED = """\
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from agent_conformance.commands.main import main
sys.exit(main(sys.argv[1:]))
"""
"""The command, also where a shell has started the tests in the background: whatever it starts ignores SIGINT."""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_the_server_as_right(sent: signal.Signals) -> None:
    command = [sys.executable, "-c", INTERRUPTED, "serve", "--provider=openai"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert "base URL" in process.stdout.readline()
    process.send_signal(sent)
    rest, errors = process.communicate(timeout=PATIENCE)

    assert (process.returncode, rest.strip(), errors) == (0, "", "")


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_signal_amid_a_weak_references_callback_is_not_lost(sent: signal.Signals) -> None:
    ended = Ended()
    before = signal.signal(sent, signal.SIG_DFL)  # it may be ignored, as by what a shell starts in the background
    try:
        with stopped_by_signals() as wait:
            reference = weakref.ref(ended, lambda _: signal.raise_signal(sent))
            del ended
            wait()
    finally:
        signal.signal(sent, before)
    assert reference() is None


class Ended:
    pass
