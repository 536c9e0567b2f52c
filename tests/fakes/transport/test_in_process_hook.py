"""What only the hook has: whom it answers, what it leaves alone, and how it comes and goes."""

import sys

import httpx
import httpx2
import pytest
import trio
from transport_doubles import CLIENTS, Answering, Client, Gate, Site

from fake_providers import Response
from fake_providers.http import json_response
from fake_providers.transport import InProcessHook, LoopbackServer, Mounts
from tests.patience import PATIENCE

OURS = Answering(json_response(200, "ours"))
THEIRS = Answering(json_response(200, "theirs"))
METHODS = [(module, kind) for module in (httpx, httpx2) for kind in ("HTTPTransport", "AsyncHTTPTransport")]


def methods() -> list[object]:
    names = {"HTTPTransport": "handle_request", "AsyncHTTPTransport": "handle_async_request"}
    return [getattr(module, kind).__dict__[names[kind]] for module, kind in METHODS]


def test_requests_elsewhere_are_not_intercepted(process: Site, client: Client) -> None:
    mounts = Mounts("other")
    with LoopbackServer(mounts) as server:
        other = client.send(f"{server.url}/{mounts.mount(THEIRS)}")
        ours = client.send(process.place(OURS))
        elsewhere = client.send(process.place(OURS).replace("127.0.0.1", "127.0.0.2"))

    assert (other.body, ours.body) == (b'"theirs"', b'"ours"')
    assert elsewhere.error.startswith("ConnectError")


def test_clients_built_before_the_hook_are_answered() -> None:
    mounts = Mounts()
    with httpx2.Client() as client, InProcessHook(mounts, "127.0.0.1", 9):
        assert client.get(f"http://127.0.0.1:9/{mounts.mount(OURS)}").json() == "ours"


def test_restore_puts_back_the_same_methods() -> None:
    before = methods()
    hook = InProcessHook(Mounts(), "127.0.0.1", 9)
    hook.install()
    hook.install()
    during = methods()
    hook.restore()
    hook.restore()

    assert not set(map(id, before)) & set(map(id, during))
    assert methods() == before


def test_late_import_is_found_by_the_next_install(monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = Mounts()
    url = f"http://127.0.0.1:9/{mounts.mount(OURS)}"
    monkeypatch.delitem(sys.modules, "httpx")
    with InProcessHook(mounts, "127.0.0.1", 9) as hook:
        too_early = CLIENTS["httpx"].send(url)
        monkeypatch.setitem(sys.modules, "httpx", httpx)
        hook.install()
        found = CLIENTS["httpx"].send(url)

    assert too_early.error.startswith("ConnectError")
    assert found.body == b'"ours"'


def test_half_imported_module_is_left_for_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", type(sys)("httpx"))
    with InProcessHook(Mounts(), "127.0.0.1", 9):
        assert not hasattr(sys.modules["httpx"], "HTTPTransport")


def test_two_names_of_one_module_are_patched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    before = methods()
    monkeypatch.setitem(sys.modules, "httpx", httpx2)
    with InProcessHook(Mounts(), "127.0.0.1", 9):
        assert methods()[0] is before[0]
        assert methods()[2] is not before[2]
    assert methods() == before


@pytest.mark.parametrize("outer_first", [True, False])
def test_two_hooks_come_and_go_in_any_order(outer_first: bool) -> None:
    mounts, others = Mounts("a"), Mounts("b")
    outer, inner = InProcessHook(mounts, "127.0.0.1", 9), InProcessHook(others, "127.0.0.1", 10)
    ours, theirs = f"http://127.0.0.1:9/{mounts.mount(OURS)}", f"http://127.0.0.1:10/{others.mount(THEIRS)}"
    before = methods()
    outer.install()
    inner.install()
    send = CLIENTS["httpx2"].send
    both = send(ours).body + send(theirs).body
    first, second = (outer, inner) if outer_first else (inner, outer)
    first.restore()
    left = [send(url).body for url in (ours, theirs)]
    second.restore()

    assert both == b'"ours""theirs"'
    assert left == ([b"", b'"theirs"'] if outer_first else [b'"ours"', b""])
    assert send(ours).error
    assert send(theirs).error
    # A method that was patched over cannot be taken out from below; it only passes on.
    for transport, method in zip(METHODS, before, strict=True):
        module, kind = transport
        setattr(getattr(module, kind), "handle_request" if kind == "HTTPTransport" else "handle_async_request", method)


@pytest.mark.parametrize("module", [httpx, httpx2])
def test_trio_is_answered_and_not_blocked(module: object, process: Site) -> None:
    gate = Gate(20)
    url = process.place_held(gate, *[b"x"] * 40)

    async def send() -> None:
        received = await Client(module, is_async=True).asend(url)
        assert received.chunks == (b"x",) * 40

    async def both() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(send)
            await trio.to_thread.run_sync(gate.reached[20].wait, PATIENCE)
            assert gate.endings == []
            gate.open()

    trio.run(both)
    assert gate.endings == [True]


def test_trio_read_timeout_and_delay(process: Site) -> None:
    async def send() -> list[str]:
        client = CLIENTS["httpx2-async"]
        held = await client.asend(process.place_held(Gate(0), b"x"), timeout=0.05)
        late = await client.asend(process.place(Response(200, (), (b"a",), delay=0.05)))
        return [held.error, late.body.decode()]

    assert trio.run(send) == ["ReadTimeout: timed out", "a"]


def test_long_stream_lets_other_tasks_run(process: Site) -> None:
    import asyncio

    turns = []

    async def count() -> None:
        while True:
            turns.append(1)
            await asyncio.sleep(0)

    async def both() -> None:
        counting = asyncio.create_task(count())
        await CLIENTS["httpx2-async"].asend(process.place(Response(200, (), (b"x",) * 160)))
        counting.cancel()

    asyncio.run(both())
    assert len(turns) >= 10


def test_custom_transport_that_calls_the_library_s_is_answered(process: Site) -> None:
    class Counting(httpx2.HTTPTransport):
        calls = 0

        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            Counting.calls += 1
            return super().handle_request(request)

    with httpx2.Client(transport=Counting()) as client:
        assert client.get(process.place(OURS)).json() == "ours"
    assert Counting.calls == 1
