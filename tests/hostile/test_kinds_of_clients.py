"""No client makes a fake hang, fail or refuse others: each kind abuses one server, on which a right client is served.

The server is that of `agent-conformance serve`, or that of the socket transport.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fake_providers import ScriptedFake
from fake_providers.transport import LoopbackServer, Mounts
from tests.hostile.clients import KINDS, Kind, Target
from tests.hostile.runs import ROOT
from tests.patience import PATIENCE
from tests.tables import rows

pytestmark = pytest.mark.weekly
SERVE = "from agent_conformance.commands.main import main; raise SystemExit(main(['serve', '--provider', 'openai']))"
MEGABYTES = 600
"""Of a server after all of them, two bodies of sixty megabytes among them."""


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Target, "subprocess.Popen[str]"]]:
    log = tmp_path_factory.mktemp("serve") / "errors.txt"
    with log.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", SERVE], cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True
        )
        assert process.stdout is not None
        port = re.search(r":(\d+)/v1", process.stdout.readline())
        assert port is not None
        drain = subprocess.Popen(["cat"], stdin=process.stdout, stdout=subprocess.DEVNULL)
        yield Target(int(port[1]), ""), process
        process.terminate()
        process.wait(PATIENCE)
        drain.wait(PATIENCE)
        process.stdout.close()
    assert log.read_text() == ""


@pytest.fixture(scope="module")
def transport() -> Iterator[Target]:
    mounts, errors = Mounts(), []
    with LoopbackServer(mounts, lambda path, error: errors.append(error)) as server:
        yield Target(server.port, f"/{mounts.mount(ScriptedFake('openai'))}")
    assert errors == []


@rows("kind", KINDS.values(), ids=list(KINDS))
def test_server_of_the_command_holds(kind: Kind, command: tuple[Target, "subprocess.Popen[str]"]) -> None:
    target, process = command
    kind(target)

    assert process.poll() is None
    assert target.is_served()


@rows("kind", KINDS.values(), ids=list(KINDS))
def test_server_of_the_socket_transport_holds(kind: Kind, transport: Target) -> None:
    kind(transport)

    assert transport.is_served()


def test_command_has_no_thread_and_no_file_left_of_them(command: tuple[Target, "subprocess.Popen[str]"]) -> None:
    target, process = command
    assert target.is_served()
    proc = Path("/proc", str(process.pid))
    resident = int(re.findall(r"VmRSS:\s+(\d+)", proc.joinpath("status").read_text())[0]) / 1024

    assert len(list(proc.joinpath("task").iterdir())) < 20
    assert len(list(proc.joinpath("fd").iterdir())) < 50
    assert resident < MEGABYTES
