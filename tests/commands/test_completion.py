"""shtab makes the completion of bash, zsh and fish from the parser of the commands."""

import shutil
import subprocess

import pytest
import shtab

from agent_conformance.commands.main import NAMES, parser_of


@pytest.fixture(scope="module")
def parser():
    return parser_of()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_has_every_command_and_its_options(parser, shell):
    script = shtab.complete(parser, shell=shell)

    for name in NAMES:
        assert name in script
    for option in ("minimise", "to", "json", "transcripts"):
        assert option in script


def test_bash_offers_what_begins_as_typed(parser):
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    ask = """
COMP_WORDS=(agent-conformance "$@"); COMP_CWORD=$#; COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
$(complete -p agent-conformance | sed 's/.* -F \\([^ ]*\\).*/\\1/')
printf '%s\\n' "${COMPREPLY[@]}"
"""

    def offered(*words):
        script = shtab.complete(parser, shell="bash") + ask
        done = subprocess.run([bash, "-c", script, "bash", *words], capture_output=True, text=True, check=True)
        return done.stdout.split()

    assert offered("doc") == ["doctor"]
    assert "--json" in offered("compare", "--j")
