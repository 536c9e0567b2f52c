"""What pytest's own options do with the crash of an agent: `--tb`, `--pdb`, `-n`, and keys in its traceback."""

import re
import sys

import pytest

AGENT = """
import os
import framy

class Adapter:
    wires = ("openai-chat",)

    def __init__(self, setup): ...

    def send(self, message):
        marker = "here in send"
        return self.loop(message)

    def loop(self, message):
        local = "here in loop"
        return framy.run(os.environ["SHOP_API_KEY"])
"""
FRAMEWORK = """
import json

def run(key):
    return first(key)

def first(key):
    return second(key)

def second(key):
    return third(key)

def third(key):
    inner = "here in third"
    return json.loads("no JSON, " + key) if key == "" else fail("no city for " + key)

def fail(text):
    return json.loads("{" + text)
"""
SCENARIO = "openai-chat+plain"

pytest_plugins = ["pytester"]


@pytest.fixture
def crash(project, monkeypatch):
    """A project whose agent crashes in a framework, judged by the real suite."""
    installed = project.path / "site-packages"
    installed.mkdir()
    installed.joinpath("framy.py").write_text(FRAMEWORK)
    project.path.joinpath("crashing.py").write_text(AGENT)
    monkeypatch.setenv("PYTHONPATH", str(installed))
    monkeypatch.setenv("SHOP_API_KEY", "sk-live-abcdefghijklmnop0123456789")

    def run(*args, stdin=None):
        plain = ("-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:respx", "-p", "no:syrupy")
        case = f"no-tools/native-call-without-text[no-tools-at-all]@{SCENARIO}"
        command = (sys.executable, "-m", "pytest", *plain, "--agent=crashing:Adapter", case, *args)
        options = {} if stdin is None else {"stdin": stdin}
        return project.pytester.run(*map(str, command), **options).stdout.str()

    return run


def frames(text):
    block = re.search(r"^  trace\n((?:    .*\n)+)", text, re.MULTILINE)
    return block[1].split("\n")[:-1] if block else []


PLACE = "framy.py:18, called from crashing.py:16"
BRIEF = [
    "    crashing.py:12 in send: return self.loop(message)",
    '    crashing.py:16 in loop: return framy.run(os.environ["SHOP_API_KEY"])',
    "    ... 2 more frames (--tb=long)",
    "    framy.py:11 in second: return third(key)",
    '    framy.py:15 in third: return json.loads("no JSON, " + key) if key == "" else fail("no city for " + key)',
    '    framy.py:18 in fail: return json.loads("{" + text)',
]


@pytest.mark.slow
def test_crash_shows_the_agents_frames_and_the_last_of_the_library(crash):
    text = crash()

    assert PLACE in text
    assert frames(text)[:6] == BRIEF
    assert frames(text)[-1].startswith("    JSONDecodeError: ")


@pytest.mark.slow
def test_tb_long_shows_all_frames_also_of_a_worker(crash):
    text = crash("--tb=long", "-n", "2")

    assert [line for line in frames(text) if "framy.py" in line][:2] == [
        "    framy.py:5 in run: return first(key)",
        "    framy.py:8 in first: return second(key)",
    ]
    assert "more frame" not in text


@pytest.mark.slow
def test_key_is_hidden_in_the_output(crash, project):
    text = crash("--tb=long", "--junitxml=junit.xml")

    assert "sk-live" not in text
    assert "sk-live" not in project.path.joinpath("junit.xml").read_text()


@pytest.mark.slow
def test_pdb_stops_where_the_agent_crashed(crash):
    text = crash("--pdb", stdin=b"p inner\nup\np 'text is', text\nq\n")

    assert "framy.py(18)fail()" in text
    assert "json/decoder.py" not in text.partition("entering PDB")[2].partition("(Pdb)")[0]


@pytest.mark.slow
def test_snapshot_of_a_crash_holds_when_its_line_moves(crash, project):
    pytest.importorskip("syrupy")
    crash("-p", "syrupy", "--snapshot-update")
    path = project.path / "crashing.py"
    path.write_text("# One more line.\n" + path.read_text())

    text = crash("-p", "syrupy")

    assert "crashing.py:17" in text
    assert "#snapshot" not in text
    assert "snapshot: differs" not in text
