"""Scripts of `serve`: what they say, and what is said of a wrong one, with its line."""

import json
import re
from pathlib import Path

import pytest

from agent_conformance.commands.serve.command import ServeOptions, serve
from agent_conformance.commands.serve.script import read_script
from fake_providers import Call, Reply, Request, StreamTiming, When
from fake_providers.serving.reply_sources import MatchedReplies
from fake_providers.serving.scripted_fake import ScriptedFake
from tests.fakes.small_client import SmallClient

CONDITIONS = """\
- when: {user: warm, has_tool_result: false}
  reply: {calls: [{name: weather, arguments: {city: Oslo}}]}
- when: {result_of: weather, result: '/[0-9]+ degrees/'}
  reply:
    - text: 7 degrees.
    - text: Still 7 degrees.
- when: {user: /^hi/i, turn: 1}
  times: 2
  reply: {text: Hello., times: 2}
- default: {text: I do not know.}
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "replies.yaml"
    path.write_text(text)
    return path


def test_list_of_replies_is_in_order(tmp_path: Path) -> None:
    script = read_script(written(tmp_path, "- text: Hello.\n  times: 2\n- calls: [{name: f, arguments: {}}]\n"))

    assert script.new_replies() == (Reply(text="Hello."), Reply(text="Hello."), Reply(calls=(Call("f", {}),)))


def test_reply_has_a_timing_of_its_own(tmp_path: Path) -> None:
    path = written(
        tmp_path, "- text: a\n  timing: {ttft: 1, tokens_per_second: 20, jitter: 0.5, stall: 5, stall_after: 9}\n"
    )
    timing = StreamTiming(ttft=1, tokens_per_second=20, jitter=0.5, stall=5, stall_after=9)

    assert read_script(path).new_replies() == (Reply(text="a", timing=timing),)


@pytest.mark.parametrize(
    ("timing", "message"),
    [
        ("{jitter: 2}", "`jitter` is 2; expected a number from 0 to 1."),
        ("{tokens_per_second: 0}", "`tokens_per_second` is 0; expected a number from 0.1."),
        ("{jiter: 1}", "`jiter` is no field of `timing`. Did you mean `jitter`?"),
        ("{ttft: soon}", "`ttft`"),
    ],
)
def test_wrong_timing_is_named_with_its_line(tmp_path: Path, timing: str, message: str) -> None:
    path = written(tmp_path, f"- text: a\n- text: b\n  timing: {timing}\n")

    with pytest.raises(ValueError, match=re.escape(f"{path}:3: ") + ".*" + re.escape(message)):
        read_script(path)


def test_conditions_are_those_of_the_fakes(tmp_path: Path) -> None:
    path = written(tmp_path, CONDITIONS)

    assert read_script(path).matched == (
        When(
            user="warm",
            has_tool_result=False,
            reply=(Reply(calls=(Call("weather", {"city": "Oslo"}),)),),
            place=f"{path}:1",
        ),
        When(
            result_of="weather",
            result="/[0-9]+ degrees/",
            reply=(Reply(text="7 degrees."), Reply(text="Still 7 degrees.")),
            place=f"{path}:3",
        ),
        When(user="/^hi/i", turn=1, times=2, reply=(Reply(text="Hello."), Reply(text="Hello.")), place=f"{path}:7"),
        When(reply=(Reply(text="I do not know."),), place=f"{path}:10"),
    )


def test_conditions_of_a_script_choose_the_reply(tmp_path: Path) -> None:
    replies = read_script(written(tmp_path, CONDITIONS)).new_replies()
    client = SmallClient(ScriptedFake("openai", replies), tools=("weather",))

    assert client.ask("Hi.").text == "Hello."
    assert client.ask("How warm is it?").calls == ("weather",)
    assert client.answer_call("7 degrees").text == "7 degrees."
    assert client.ask("And tomorrow?").text == "I do not know."


def test_each_fake_has_a_script_from_its_beginning(tmp_path: Path) -> None:
    script = read_script(written(tmp_path, "- when: {user: a}\n  reply: [{text: '1'}, {text: '2'}]\n"))

    for _ in range(2):
        client = SmallClient(ScriptedFake("openai", script.new_replies()))
        assert [client.ask("a").text for _ in range(2)] == ["1", "2"]
    assert isinstance(script.new_replies(), MatchedReplies)


BAD = {
    "field-of-reply": ("- text: Hello.\n- txt: Hello.\n", "2: `txt` is no field of a reply of the model. Did you mean"),
    "field-of-when": (
        "- when:\n    usr: a\n  reply: {text: b}\n",
        "2: `usr` is no field of `when`. Did you mean `user`? Allowed: `user`, `system`, `model`, ",
    ),
    "field-of-entry": (
        "- when: {user: a}\n  replys: {text: b}\n",
        "2: `replys` is no field of a reply with conditions. Did you mean `reply`?",
    ),
    "field-of-listed": (
        "- default:\n    - text: a\n    - text: b\n      finnish: stop\n",
        "4: `finnish` is no field of a reply of the model. Did you mean `finish`?",
    ),
    "no-reply": ("- when: {user: a}\n", "1: a reply with conditions has no `reply`, which it needs."),
    "type": ("- when: {turn: two}\n  reply: {text: b}\n", "1: `turn` is the text `two`; expected a whole number."),
    "turn": ("- when: {turn: 0}\n  reply: {text: b}\n", "1: `turn` is 0; it is at least 1."),
    "no-condition": ("- when: {}\n  reply: {text: b}\n", "1: `when` has no condition. Write `default:`"),
    "mixed": (
        "- when: {user: a}\n  reply: {text: b}\n- text: c\n",
        "3: this reply has no conditions, and others have. Give it `when:`, or `default:`.",
    ),
    "same": (
        "- when: {user: a}\n  reply: {text: b}\n- when: {user: a}\n  reply: {text: c}\n",
        "3: {path}:1 has the same conditions. Put the replies into one list: they are sent in order within",
    ),
    "wider": (
        "- when: {user: a}\n  reply: {text: b}\n- when: {user: a, turn: 2}\n  reply: {text: c}\n",
        "3: {path}:1 matches every request that this matches. Add a condition to {path}:1, such as `has_tool_result`",
    ),
    "two-defaults": ("- default: {text: a}\n- default: {text: b}\n", "2: {path}:1 is the default already."),
    "regex": ("- when: {user: /(/}\n  reply: {text: a}\n", "1: '/(/' is no regular expression: missing )"),
    "for-cases": (
        "- text: a\n- default_: b\n  text: c\n- text: d\n  until: answered\n",
        "5: `until` does nothing in a script of `serve`: give a list of replies, or the condition `has_tool_result`.",
    ),
    "too-many": (
        "- text: a\n- text: b\n  times: 1000000000\n",
        "2: with `times`, there are more than 10,000",
    ),
    "says-nothing": ("- chunks: []\n", '1: this reply says nothing. Write `text: ""` for an empty one.'),
    "mapping": ("text: Hello.\n", "1: a script is a list: of replies, each as in a scenario's `model`, or"),
    "not-yaml": ("- text: [\n", "1: this is not YAML"),
    "inexpressible": (
        "- text: a\n- text: b\n  finish: malformed\n",
        "2: openai-chat or openai-responses cannot express this reply (finish-malformed). Leave it out",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_mistake_is_reported_with_its_line(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, message = BAD[name]
    path = written(tmp_path, text)

    assert serve(ServeOptions(provider="openai", script=path)) == 2
    assert f"{path}:{message.replace('{path}', str(path))}" in capsys.readouterr().err


def test_script_that_is_not_there_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert serve(ServeOptions(provider="openai", script=tmp_path / "none.yaml")) == 2
    assert "none.yaml" in capsys.readouterr().err


UNSENT = "- text: Hello.\n- calls: [{name: f, arguments: {}, id: null}]\n"


def test_reply_that_the_provider_never_sends_is_named_with_its_line_and_the_switch(tmp_path: Path) -> None:
    path = written(tmp_path, UNSENT)

    with pytest.raises(ValueError, match=re.escape(f"{path}:2: ")) as raised:
        read_script(path).check_for([("openai", "openai-chat")])

    said = str(raised.value)
    assert "OpenAI" in said
    assert "(https://" in said
    assert "What would come: " in said
    assert said.endswith("`--any-reply` sends it all the same.")


def test_reply_that_one_of_the_served_providers_sends_is_served(tmp_path: Path) -> None:
    script = read_script(written(tmp_path, UNSENT))

    script.check_for([("openai", "openai-chat"), ("ollama", "ollama-chat")])
    script.check_for([("openai", "openai-chat")], any_reply=True)


def test_reply_to_a_request_that_excludes_it_is_a_400_with_its_line_and_both_switches(tmp_path: Path) -> None:
    path = written(tmp_path, "- calls: [{name: f, arguments: {}}, {name: f, arguments: {}}]\n")
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    body = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hi"}], "tools": [tool]}
    said = {}
    for strict in (True, False):
        fake = ScriptedFake("openai", read_script(path).new_replies(), wire="openai-chat", strict_replies=strict)
        response = fake.handle(
            Request(
                "POST",
                "/v1/chat/completions",
                {"authorization": "Bearer any", "content-type": "application/json"},
                json.dumps({**body, "parallel_tool_calls": False}).encode(),
            )
        )
        said[strict] = (response.status, b"".join(response.chunks).decode())

    assert said[False][0] == 200
    assert said[True][0] == 400
    assert f"{path}:1: with `parallel_tool_calls: false`" in said[True][1]
    for part in ("What would come: The first call", "strict_replies=False", "--any-reply"):
        assert part in said[True][1]
