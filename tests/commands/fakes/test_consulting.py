"""The commands on the fakes: `rules`, `check-request`, `serve`."""

import json
import re
from pathlib import Path
from typing import Any

import httpx2
import pytest

import fakes
from conformance.commands.fakes.check_request import path_of
from conformance.commands.fakes.fix_suggestion import place_of, smallest_change
from conformance.commands.fakes.rules import all_rules, page
from conformance.commands.fakes.serve import replies_of, stand
from conformance.commands.main import main
from tests.docs.documents import ROOT, blocks_of

CHAT = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "a"}]}


def test_the_page_of_rules_is_up_to_date() -> None:
    written = Path(fakes.__file__).parent / "RULES.md"

    assert written.read_text(encoding="utf-8") == "\n".join(page(list(all_rules()))), (
        "write it anew: agent-conformance rules --markdown > fakes/RULES.md"
    )


def test_one_rule_is_told_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "openai/tools-empty"]) == 0

    told = capsys.readouterr().out
    assert "sure       " in told
    assert '"tools": []' in told


def test_a_rule_that_is_not_there_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "openai/nothing"]) == 1
    assert "no rule `openai/nothing`" in capsys.readouterr().err


def body_file(folder: Path, body: Any) -> str:
    file = folder / "body.json"
    file.write_text(body if isinstance(body, str) else json.dumps(body))
    return str(file)


def test_an_accepted_body_is_said_to_be_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-request", "--provider", "openai", body_file(tmp_path, CHAT)]) == 0
    assert capsys.readouterr().out == "openai: accepted\n"


def test_a_refused_body_is_told_with_place_words_and_mend(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-request", "--provider", "openai", body_file(tmp_path, {**CHAT, "tools": []})]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "openai: refused by openai/tools-empty",
        "  status  400",
        "  words   Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array"
        " instead.",
        "  at      tools",
        "  mend    remove tools",
    ]


@pytest.mark.parametrize(
    ("body", "first"),
    [
        ({"contents": [{"role": "user", "parts": [{"text": "a"}]}]}, "gemini: accepted"),
        ({"model": "claude-sonnet-4-6", "max_tokens": 1, "messages": CHAT["messages"]}, "anthropic: accepted"),
        (CHAT, "openai: accepted"),
    ],
)
def test_the_wire_is_told_from_the_body(
    body: Any, first: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check-request", body_file(tmp_path, body)])

    assert capsys.readouterr().out.splitlines()[0] == first


def test_of_a_providers_wires_the_one_is_asked_that_the_body_is_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = {"model": "gpt-5.4", "input": [{"role": "tool", "content": "a"}]}
    for words in ([], ["--provider", "openai"]):
        assert main(["check-request", *words, body_file(tmp_path, body)]) == 1
        assert capsys.readouterr().out.startswith("openai: refused by openai/responses-role-unknown\n")


def test_a_provider_with_paths_of_its_own_is_asked_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = {"contents": [{"parts": [{"text": "a"}]}]}

    assert main(["check-request", body_file(tmp_path, body)]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[:2] == ["gemini: accepted", "vertex: refused by vertex/role-missing"]
    assert path_of("vertex", "gemini-generate", body).startswith("/v1/projects/p/locations/global/publishers/google/")


def test_text_that_is_no_json_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-request", "--provider", "anthropic", body_file(tmp_path, "{")]) == 1
    assert "mend    write it as JSON" in capsys.readouterr().out


def test_unknown_words_of_a_call_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-request", "--provider", "opnai", "x.json"]) == 2
    assert main(["check-request", "/nowhere/body.json"]) == 2
    assert "no provider `opnai`" in capsys.readouterr().err


RULES = [(provider, rule) for provider, _, rule in all_rules() if isinstance(rule.breaking, dict) and rule.path]


def test_most_rules_are_mended_by_the_change_that_is_named() -> None:
    named = 0
    for provider, rule in RULES:
        text = json.dumps(rule.breaking).encode()
        violation = fakes.judge(provider, rule.path, text, rule.headers or {})
        assert violation is not None, rule.id
        named += smallest_change(provider, rule.path, text, violation).startswith(("remove", "set", "put"))

    assert named > 0.6 * len(RULES)


def mended(body: Any) -> str:
    text = json.dumps(body).encode()
    violation = fakes.judge("openai", "/v1/chat/completions", text, {})
    assert violation is not None
    return smallest_change("openai", "/v1/chat/completions", text, violation)


def test_several_faults_are_mended_one_after_the_other() -> None:
    unanswered = {"role": "tool", "tool_call_id": "call_1", "content": "7"}

    assert mended({**CHAT, "messages": [*CHAT["messages"], unanswered], "tools": []}) == (
        'remove tools; then set messages[1].role to "user"'
    )


def test_two_of_the_same_fault_take_two_changes() -> None:
    assert mended({**CHAT, "messages": [{"role": "a", "content": "b"}, {"role": "c", "content": "d"}]}) == (
        'set messages[0].role to "user"; then set messages[1].role to "user"'
    )


def test_what_no_change_mends_is_told_by_its_rule() -> None:
    faults = [{"role": "a", "content": "b"}] * 9

    assert mended({**CHAT, "messages": faults}) == "no change was found. a message has a role that there is not"


@pytest.mark.parametrize(
    ("at", "place"),
    [
        ("messages.[1].role", ("messages",)),
        ("messages[0].content", ("messages", 0, "content")),
        ("messages.0.content", ("messages", 0, "content")),
        ("nowhere", ()),
    ],
)
def test_places_are_found_however_the_provider_spells_them(at: str, place: tuple[object, ...]) -> None:
    assert place_of(CHAT, at) == place


def test_a_served_fake_answers_by_its_script_and_prints_refusals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "replies.yaml"
    script.write_text("- text: Hello.\n- calls: [{name: f, arguments: {}}]\n")
    answers: list[httpx2.Response] = []

    def ask() -> None:
        url = capsys.readouterr().out.split("base URL ")[1].strip()
        for body in ({**CHAT, "tools": []}, CHAT, CHAT):
            headers = {"authorization": "Bearer any"}
            answers.append(httpx2.post(f"{url}/chat/completions", json=body, headers=headers, trust_env=False))

    assert stand("openai", wire=None, port=0, script=script, until=ask) == 0
    told = capsys.readouterr().out
    assert [answer.status_code for answer in answers] == [400, 200, 200]
    assert answers[1].json()["choices"][0]["message"]["content"] == "Hello."
    assert answers[2].json()["choices"][0]["finish_reason"] == "tool_calls"
    assert "refused by openai/tools-empty at tools" in told


def test_serving_prints_what_the_page_about_fakes_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = blocks_of(ROOT / "docs" / "fakes.md")
    shown = {block.title or block.text.partition(" --")[0]: block.text for block in blocks}
    printed = shown["$ agent-conformance serve"].partition("\n")[2]
    script = tmp_path / "replies.yaml"
    script.write_text(shown["replies.yaml"])
    told: list[str] = []

    def ask() -> None:
        told.append(capsys.readouterr().out)
        url = told[0].split("base URL ")[1].strip()
        user = {"role": "user", "parts": [{"text": "How warm is it?"}]}
        call = {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Oslo"}}}]}
        for contents in ([user], [call, user]):
            httpx2.post(
                f"{url}/v1beta/models/gemini-2.5-flash:generateContent",
                json={"contents": contents},
                headers={"x-goog-api-key": "any"},
                trust_env=False,
            )

    assert stand("gemini", wire=None, port=0, script=script, until=ask) == 0
    told.append(capsys.readouterr().out)
    assert re.sub(r":\d{4,}", ":8080", "".join(told)) == printed


def test_a_script_that_is_wrong_is_said_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "replies.yaml"
    script.write_text("- text: Hello.\n- txt: Hello.\n")

    assert stand("openai", wire=None, port=0, script=script) == 2
    assert f"{script}:2: " in capsys.readouterr().err
    script.write_text("text: Hello.\n")
    with pytest.raises(ValueError, match="a script is a list"):
        replies_of(script)


def test_no_change_leaves_out_who_speaks_or_empties_an_entry() -> None:
    body = b'{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}]}'
    path = "/v1beta/models/gemini-2.5-flash:generateContent"
    violation = fakes.judge("gemini", path, body, {})

    assert violation is not None
    assert "{}" not in smallest_change("gemini", path, body, violation)

    pruned = b'{"model":"deepseek-chat","messages":[{"role":"tool","tool_call_id":"x","content":"y"}]}'
    violation = fakes.judge("deepseek", "/chat/completions", pruned, {})
    assert violation is not None
    assert smallest_change("deepseek", "/chat/completions", pruned, violation) == 'set messages[0].role to "user"'
