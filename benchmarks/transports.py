"""What one model call costs on each transport, as ratios: hook over MockTransport, loopback over the hook.

    python benchmarks/transports.py [--calls 100] [--rounds 21]

CPU time of the whole process, client and server together; medians over shuffled rounds, after warming up. The handler
does nothing, so that the transports are all there is to see. Targets: the hook at most 1.5 times a MockTransport;
loopback at most 2.1 times the hook with an SDK.
"""

import argparse
import asyncio
import contextlib
import json
import random
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import openai

from agent_conformance.run.process import one_certificate
from fake_providers import Request, Response
from fake_providers.http import json_response
from fake_providers.transport import InProcessHook, LoopbackServer, Mounts

MESSAGES: list[Any] = [{"role": "user", "content": "What is the weather in Paris? " * 30}]
BODY = {"model": "gpt-5.2", "messages": MESSAGES}
CHOICE = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "It rains. " * 30}}
REPLY = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-5.2", "choices": [CHOICE]}
CHUNKS = 500
EVENT = {
    "id": "chatcmpl-1",
    "object": "chat.completion.chunk",
    "created": 1,
    "model": "gpt-5.2",
    "choices": [{"index": 0, "delta": {"content": "word "}, "finish_reason": None}],
}
EVENTS = (*[f"data: {json.dumps(EVENT)}\n\n".encode()] * CHUNKS, b"data: [DONE]\n\n")
STREAMED = f"httpx2, {CHUNKS} chunks"

Run = Callable[[int], None]
"""Makes so many calls."""


class Canned:
    """Answers everything with the same completion; a request that asks for a stream with a stream."""

    plain = json_response(200, REPLY)
    stream = Response(200, (("content-type", "text/event-stream"),), EVENTS)

    def handle(self, request: Request) -> Response:
        return self.stream if b'"stream":true' in request.body else self.plain


def mock(request: httpx2.Request) -> httpx2.Response:
    return httpx2.Response(200, headers={"content-type": "application/json"}, content=Canned.plain.body)


def make_runs(url: str, mocked: bool) -> dict[str, Run]:
    """Every client against `url`: the SDK and plain httpx2, synchronous and not."""
    transport = httpx2.MockTransport(mock) if mocked else None
    loop = asyncio.new_event_loop()
    client = httpx2.Client(transport=transport)
    aclient = httpx2.AsyncClient(transport=transport)
    sdk = openai.OpenAI(api_key="k", base_url=url, http_client=client)
    asdk = openai.AsyncOpenAI(api_key="k", base_url=url, http_client=aclient)
    path = f"{url}/chat/completions"

    def plain(calls: int) -> None:
        for _ in range(calls):
            assert client.post(path, json=BODY).status_code == 200

    def plain_async(calls: int) -> None:
        async def run() -> None:
            for _ in range(calls):
                assert (await aclient.post(path, json=BODY)).status_code == 200

        loop.run_until_complete(run())

    def with_sdk(calls: int) -> None:
        for _ in range(calls):
            assert sdk.chat.completions.create(model="gpt-5.2", messages=MESSAGES).choices

    def with_sdk_async(calls: int) -> None:
        async def run() -> None:
            for _ in range(calls):
                assert (await asdk.chat.completions.create(model="gpt-5.2", messages=MESSAGES)).choices

        loop.run_until_complete(run())

    def streamed(calls: int) -> None:
        for _ in range(calls):
            with client.stream("POST", path, json={**BODY, "stream": True}) as response:
                assert sum(1 for _ in response.iter_raw()) >= 1

    runs = {
        "httpx2": plain,
        "httpx2 async": plain_async,
        "openai": with_sdk,
        "openai async": with_sdk_async,
        STREAMED: streamed,
    }
    return {name: run for name, run in runs.items() if not (mocked and run is streamed)}


@contextlib.contextmanager
def switched(hook: InProcessHook | None) -> Iterator[None]:
    if hook is None:
        yield
    else:
        with hook:
            yield


def measure(run: Run, calls: int) -> float:
    """Microseconds of CPU a call."""
    before = time.process_time()
    run(calls)
    return (time.process_time() - before) / calls * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=100, help="calls of one measurement")
    parser.add_argument("--rounds", type=int, default=21)
    options = parser.parse_args()
    mounts = Mounts()
    with one_certificate(), LoopbackServer(mounts) as server:
        url = f"{server.url}/{mounts.mount(Canned())}/v1"
        hook = InProcessHook(mounts, server.host, server.port)
        ways: dict[str, tuple[InProcessHook | None, dict[str, Run]]] = {
            "mock": (None, make_runs(url, mocked=True)),
            "process": (hook, make_runs(url, mocked=False)),
            "loopback": (None, make_runs(url, mocked=False)),
        }
        print_table(take_times(ways, options.calls, options.rounds))


def take_times(ways: Any, calls: int, rounds: int) -> dict[tuple[str, str], list[float]]:
    """Microseconds a call, by way and client, one for each round."""
    pairs = [(way, client) for way, (_, runs) in ways.items() for client in runs]
    times: dict[tuple[str, str], list[float]] = {pair: [] for pair in pairs}
    order = random.Random(1)
    for number in range(rounds + 2):
        order.shuffle(pairs)
        for way, client in pairs:
            hook, runs = ways[way]
            with switched(hook):
                taken = measure(runs[client], max(1, calls // 20) if client == STREAMED else calls)
            # The first two rounds warm up connections, caches and branches.
            if number >= 2:
                times[way, client].append(taken)
    return times


def print_table(times: dict[tuple[str, str], list[float]]) -> None:
    middle = {pair: statistics.median(found) for pair, found in times.items()}
    print(
        f"{'µs CPU a call':20}{'mock':>10}{'process':>10}{'loopback':>10}{'process/mock':>15}{'loopback/process':>18}"
    )
    for client in dict.fromkeys(client for _, client in middle):
        mock_time = middle.get(("mock", client))
        process, loopback = middle["process", client], middle["loopback", client]
        first = f"{mock_time:10.0f}" if mock_time else f"{'':10}"
        ratio = f"{process / mock_time:15.2f}" if mock_time else f"{'':15}"
        print(f"{client:20}{first}{process:10.0f}{loopback:10.0f}{ratio}{loopback / process:18.2f}")


if __name__ == "__main__":
    main()
