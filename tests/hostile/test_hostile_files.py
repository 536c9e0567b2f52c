"""A scenario from a stranger is data: each kind is refused in a second, with a line and what to do. The rest runs."""

import ast
import os
import re
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_conformance.scenario.loading import ScenarioFile, load_file, load_folder
from fake_providers.values.patterns import found
from tests.agents.plain import PlainAgent
from tests.hostile.runs import ROOT, SCENARIO
from tests.trying import verdicts

RIGHT = SCENARIO.format(tool="get_weather", reply="It is 7 degrees.")
SECONDS = 6.0
"""One on an idle machine."""
BODY = "conversation:\n  - user: Hello.\n    model:\n      - text: Hi.\n"
HEAD = "description: a greeting is answered\nprofile: core\n"
TOOL = "  - {{name: t{n}, description: It helps., parameters: {{}}, returns: ok}}\n"
CALL = "conversation:\n  - user: Hello.\n    model:\n      - text: Hi.\n    expect: {reply: {matches: '%s'}}\n"

KINDS = {
    "a megabyte": "a: " + "x" * 1_000_000,
    "a megabyte of lists": "[" * 1_000_000,
    "nested mappings": "".join(f"{' ' * n}a:\n" for n in range(300)),
    "aliases that multiply": "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(600)),
    "nothing repeated": HEAD + BODY.replace("Hi.", "{repeat: '', times: " + "9" * 200 + "}"),
    "text repeated": HEAD + BODY.replace("Hi.", "{repeat: x, times: 1000000000}"),
    "file that is a repetition": "{repeat: x, times: 3}",
    "repetition as a key's value in rows": HEAD.replace("a greeting", "$d")
    + BODY
    + "examples:\n"
    + "".join(f"  r{n}: {{d: {{repeat: x, times: 2000000}}}}\n" for n in range(20)),
    "long word in a wrong place": HEAD
    + BODY
    + "profil: {repeat: x, times: 2000000}\nexamples:\n"
    + "".join(f"  r{n}: {{a: 1}}\n" for n in range(20)),
    "unknown keys": HEAD + BODY + "".join(f"key{n}: 1\n" for n in range(9_000)),
    "many tools": HEAD + "tools:\n" + "".join(TOOL.format(n=n) for n in range(3_000)) + BODY,
    "wrong items": HEAD + "history: [" + "7, " * 60_000 + "7]\n" + BODY,
    "many rows": HEAD + BODY + "examples:\n" + "".join(f"  r{n}: {{a: 1}}\n" for n in range(9_000)),
    "delay": HEAD + "tools:\n" + TOOL.format(n=1).replace("returns: ok", "returns: ok, delay: 1e300") + BODY,
    "negative delay": HEAD + "tools:\n" + TOOL.format(n=1).replace("returns: ok", "returns: ok, delay: -1") + BODY,
    "status": HEAD + BODY.replace("text: Hi.", f"fault: {{status: {'9' * 50}}}"),
    "retry-after": HEAD + BODY.replace("text: Hi.", "fault: {status: 429, retry_after: 1e300}"),
    "pattern of a schema": HEAD
    + "tools:\n"
    + TOOL.format(n=1).replace("parameters: {}", "parameters: {a: {type: string, pattern: '('}}")
    + BODY,
    "broken regex": HEAD + CALL % "(",
    "number of digits": HEAD + BODY + "limits: {requests: " + "9" * 5_000 + "}",
    "no utf-8": "description: \udcff",
    "control characters": "description: \x00\x01",
    "empty": "",
    "only comments": "# nothing\n",
    "two documents": f"{RIGHT}\n---\n{RIGHT}",
    "tag": HEAD.replace("a greeting", "!!python/object/apply:os.system [ls]") + BODY,
    "merge": HEAD + "<<: {a: 1}\n" + BODY,
    "key that is a list": "? [a]\n: b\n",
    "alias of itself": "a: &a [*a]\n",
    "name that climbs": HEAD + BODY + "formerly: [../../etc/passwd]\n",
}


@pytest.mark.parametrize("kind", KINDS)
def test_file_is_refused_in_time_with_a_place(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "area" / "this.yaml"
    path.parent.mkdir()
    path.write_bytes(KINDS[kind].encode(errors="surrogateescape"))
    begun = time.process_time()

    loaded = load_file(path, root=tmp_path)

    assert time.process_time() - begun < SECONDS
    assert not isinstance(loaded, ScenarioFile)
    assert 0 < len(loaded) <= 100
    for problem in loaded:
        assert problem.line >= 1
        assert len(str(problem)) < 1_000
        assert "\n" not in str(problem)


ADDRESSES = {
    "$schema": '{"$schema": "URL", type: object, properties: {}}',
    "$ref": '{type: object, properties: {a: {$ref: "URL"}}}',
    "$dynamicRef": '{type: object, properties: {a: {$dynamicRef: "URL"}}}',
    "a file": '{type: object, properties: {a: {$ref: "file:///etc/passwd"}}}',
}


@pytest.mark.parametrize("field", ["parameters", "output_schema"])
@pytest.mark.parametrize("kind", ADDRESSES)
def test_address_in_a_schema_is_not_fetched(kind: str, field: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        schema = ADDRESSES[kind].replace("URL", f"http://127.0.0.1:{server.getsockname()[1]}/x")
        tools = "tools:\n" + TOOL.format(n=1).replace("parameters: {}", f"parameters: {schema}")
        path = tmp_path / "area" / "this.yaml"
        path.parent.mkdir()
        path.write_text(HEAD + (tools if field == "parameters" else f"output_schema: {schema}\n") + BODY)

        loaded = load_file(path, root=tmp_path)

        with pytest.raises(BlockingIOError):
            server.accept()
    assert not isinstance(loaded, ScenarioFile)
    assert any("no JSON Schema" in problem.message for problem in loaded)


def test_one_module_makes_all_validators() -> None:
    """Each of these functions fetches what a schema refers to, in Rust, where no guard sees it."""
    fetching = {
        "validator_for",
        "validate",
        "is_valid",
        "evaluate",
        "each_error",
        "iter_errors",
        "bundle",
        "dereference",
    }
    found = set()
    for path in [*ROOT.joinpath("fakes").rglob("*.py"), *ROOT.joinpath("conformance").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and node.attr in fetching:
                owner = ast.unparse(node.value)
                if owner in ("jsonschema_rs", "meta", "jsonschema_rs.meta"):
                    found.add(f"{path.relative_to(ROOT)}: {owner}.{node.attr}")
    assert found == {
        # its own schema refers to itself alone
        "conformance/agent_conformance/agents/reference/agent.py: jsonschema_rs.validator_for",
        "fakes/fake_providers/values/json_texts.py: jsonschema_rs.validator_for",
        # of a schema without its `$schema`
        "fakes/fake_providers/wires/anthropic_messages/rules/schemas.py: meta.is_valid",
    }


def test_regex_that_explodes_is_an_error_of_its_scenario(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fake_providers.values.patterns.MATCH_SECONDS", 0.2)
    text = CALL.replace("Hi.", "a" * 40 + "b") % "(a|aa)+$"
    [verdict] = verdicts(PlainAgent, f"wires: [openai-chat]\n{text}")

    assert verdict.outcome == "error"
    assert "`matches`: the regular expression '(a|aa)+$' takes more than 0.2 s to match" in verdict.reason


@pytest.mark.parametrize(
    ("pattern", "text", "is_found"),
    [
        (r"\A\d+ degrees?\Z", "7 degrees", True),
        (r"(?i)RAIN(?! man)", "no rain man", False),
        (r"(?P<a>x)(?P=a)", "axxb", True),
        (re.compile("^b", re.MULTILINE), "a\nb", True),
        (re.compile(r"\w", re.ASCII), "\u00e9", False),
    ],
)
def test_pattern_matches_as_in_python(pattern: str, text: str, is_found: bool) -> None:
    assert found(pattern, text) is is_found
    assert (re.search(pattern, text) is not None) is is_found


STRANGE: dict[str, Callable[[Path], object]] = {
    **({"pipe": os.mkfifo} if hasattr(os, "mkfifo") else {}),  # Windows has none
    "device": lambda path: path.symlink_to("/dev/zero"),
    "circle": lambda path: path.symlink_to(path.name),
    "nowhere": lambda path: path.symlink_to("nowhere.yaml"),
    "folder": Path.mkdir,
    "gigabytes": lambda path: (path.touch(), os.truncate(path, 10**10)),
}


@pytest.mark.parametrize("kind", STRANGE)
def test_what_is_no_file_is_not_read(kind: str, tmp_path: Path) -> None:
    (tmp_path / "area").mkdir()
    (tmp_path / "area" / "right.yaml").write_text(RIGHT)
    STRANGE[kind](tmp_path / "area" / "strange.yaml")

    files, [problem] = load_folder(tmp_path)

    assert [file.id for file in files] == ["area/right"]
    assert problem.file.endswith("strange.yaml")
    assert problem.message.startswith("the file cannot be read: ")


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "area").mkdir()
    (tmp_path / "area" / "right.yaml").write_text(RIGHT)
    (tmp_path / "area" / "again").symlink_to(tmp_path)

    files, _ = load_folder(tmp_path)

    assert [file.id for file in files] == ["area/right"]
