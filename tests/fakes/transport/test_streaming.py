"""Chunks are sent one by one, and the listener is called for each and at the end."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from transport_doubles import BRIEF, CLIENTS, Client, Gate, Site

from fake_providers import Response
from fake_providers.http import json_response
from tests.patience import PATIENCE

SYNC = [CLIENTS["httpx2"], CLIENTS["httpx"]]
ASYNC = [CLIENTS["httpx2-async"], CLIENTS["httpx-async"]]


@pytest.mark.parametrize("client", SYNC)
def test_first_chunk_arrives_before_the_second_is_sent(client: Client, site: Site) -> None:
    gate = Gate(1)
    other = site.place(json_response(200, {}))
    with client.module.stream("POST", site.place_held(gate, b"a", b"b", b"c"), trust_env=False) as response:
        chunks = response.iter_raw()
        first = next(chunks)
        # Another request from start to end: by now the transport would have sent anything that it sends by mistake.
        assert client.send(other).status == 200
        endings_while_held = list(gate.endings)
        gate.open()
        rest = list(chunks)

    assert first == b"a"
    assert endings_while_held == []
    assert rest == [b"b", b"c"]
    assert gate.endings == [True]


@pytest.mark.parametrize("client", ASYNC)
def test_held_chunk_does_not_block_the_client_s_loop(client: Client, site: Site) -> None:
    gate = Gate(0, 1)

    async def open_the_gate() -> None:
        await asyncio.to_thread(gate.reached[0].wait, PATIENCE)
        assert (await client.asend(site.place(json_response(200, {})))).status == 200
        assert gate.endings == []
        gate.open()

    async def both() -> bytes:
        received, _ = await asyncio.gather(client.asend(site.place_held(gate, b"a", b"b")), open_the_gate())
        return received.body

    assert asyncio.run(both()) == b"ab"
    assert gate.endings == [True]


@pytest.mark.parametrize("client", SYNC)
def test_early_close_is_noticed_while_a_chunk_is_held(client: Client, site: Site) -> None:
    gate = Gate(1)
    with client.module.stream("POST", site.place_held(gate, b"a", b"b"), trust_env=False) as response:
        assert next(response.iter_raw()) == b"a"

    assert gate.ended.wait(PATIENCE)
    assert gate.endings == [False]


@pytest.mark.parametrize("client", ASYNC)
def test_cancelled_async_client_is_noticed_while_a_chunk_is_held(client: Client, site: Site) -> None:
    gate = Gate(1)

    async def leave() -> None:
        task = asyncio.create_task(client.asend(site.place_held(gate, b"a", b"b")))
        await asyncio.to_thread(gate.reached[1].wait, PATIENCE)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(leave())

    assert gate.ended.wait(PATIENCE)
    assert gate.endings == [False]


def test_early_close_of_a_free_stream_stops_the_producer(process: Site) -> None:
    gate = Gate()
    client = CLIENTS["httpx2"]
    with client.module.stream("POST", process.place_held(gate, b"a", b"b"), trust_env=False) as response:
        next(response.iter_raw())

    assert gate.endings == [False]


def test_early_close_at_the_last_chunk_is_no_loss(process: Site) -> None:
    gate = Gate()
    client = CLIENTS["httpx2"]
    with client.module.stream("POST", process.place_held(gate, b"a", b"b"), trust_env=False) as response:
        chunks = response.iter_raw()
        assert [next(chunks), next(chunks)] == [b"a", b"b"]

    assert gate.endings == [True]


def test_listener_is_called_before_the_client_can_see_the_end(site: Site, client: Client) -> None:
    for response in (json_response(200, {}), Response(200, (), (b"a", b"b"))):
        for _ in range(20):
            gate = Gate()
            followed = Response(response.status, response.headers, response.chunks, listener=gate)
            client.send(site.place(followed))

            assert gate.endings == [True]


def test_read_timeout_holds_for_a_held_chunk(site: Site, client: Client) -> None:
    for seconds in BRIEF:
        gate = Gate(1)
        received = client.send(site.place_held(gate, b"a", b"b"), timeout=seconds)
        if received.chunks:
            break

    assert received.chunks == (b"a",)
    assert received.error.startswith("ReadTimeout")
    assert gate.ended.wait(PATIENCE)
    assert gate.endings == [False]


def test_read_timeout_holds_for_a_delay(site: Site, client: Client) -> None:
    received = client.send(site.place(Response(200, (), (b"a",), delay=PATIENCE)), timeout=0.05)

    assert received.status == 0
    assert received.error.startswith("ReadTimeout")


def test_delay_comes_before_the_response(site: Site, client: Client) -> None:
    url = site.place(Response(200, (), (b"a",), delay=0.1))
    before = time.monotonic()
    received = client.send(url)

    assert received.body == b"a"
    assert time.monotonic() - before >= 0.1


def test_many_held_responses_do_not_wait_for_each_other(site: Site) -> None:
    gates = [Gate(0) for _ in range(40)]
    urls = [site.place_held(gate, b"%d" % number) for number, gate in enumerate(gates)]
    with ThreadPoolExecutor(len(urls)) as pool:
        context = [pool.submit(CLIENTS["httpx2"].send, url) for url in urls]
        for gate in reversed(gates):
            assert gate.reached[0].wait(PATIENCE)
        for gate in reversed(gates):
            gate.open()
        bodies = [answer.result().body for answer in context]

    assert bodies == [b"%d" % number for number in range(40)]


def test_waiting_threads_end_with_the_wait(process: Site) -> None:
    gate = Gate(0)
    asyncio.run(CLIENTS["httpx2-async"].asend(process.place_held(gate, b"a"), timeout=0.05))
    waiting = [thread for thread in threading.enumerate() if thread.name == "fakes-hold"]
    for thread in waiting:
        thread.join(PATIENCE)

    assert not any(thread.is_alive() for thread in waiting)
