"""Memory and patience of `agent-conformance serve`: many requests on one server, then large ones.

    python benchmarks/serving.py [--requests 3000] [--megabytes 30]

Prints the resident memory of the server after every thousand requests, before and after a body of `--megabytes` that is
one long conversation, and how long others waited at most while that was judged.
"""

import argparse
import contextlib
import http.client
import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PATHS = {"openai": "/v1/chat/completions", "xai": "/v1/responses", "anthropic": "/v1/messages"}
HEADERS = {"authorization": "Bearer any", "x-api-key": "any", "anthropic-version": "2023-06-01"}


@contextlib.contextmanager
def served(provider: str) -> Iterator[tuple[int, int]]:
    """The process id and the port of a server."""
    command = [sys.executable, "-m", "agent_conformance.commands.main", "serve", "--provider", provider]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        found = re.search(r"127\.0\.0\.1:(\d+)", process.stdout.readline())
        assert found is not None
        threading.Thread(target=process.stdout.read, daemon=True).start()
        yield process.pid, int(found[1])
    finally:
        process.kill()
        process.wait()


def memory(pid: int) -> float:
    """Megabytes that are resident."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def post(connection: http.client.HTTPConnection, provider: str, body: bytes) -> int:
    connection.request("POST", PATHS[provider], body, {"content-type": "application/json", **HEADERS})
    response = connection.getresponse()
    response.read()
    return response.status


def body_of(provider: str, text: str, *, messages: int = 1) -> bytes:
    conversation = [{"role": "user", "content": text}] * messages
    model = "claude-sonnet-4-5" if provider == "anthropic" else "gpt-4.1"
    if provider == "xai":
        return json.dumps({"model": "grok-4", "input": conversation}).encode()
    limit = {"max_tokens": 9} if provider == "anthropic" else {}
    return json.dumps({"model": model, "messages": conversation, **limit}).encode()


def many(provider: str, pid: int, port: int, requests: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    for number in range(1, requests + 1):
        post(connection, provider, body_of(provider, f"{number} " * 200))
        if number % 1000 == 0 or number == requests:
            print(f"{provider:10} after {number:>5} requests {memory(pid):8.1f} MB", flush=True)


def large(provider: str, pid: int, port: int, megabytes: float) -> None:
    before = memory(pid)
    content = body_of(provider, "Hello.", messages=int(megabytes * 1e6 / 40))
    longest, answered, taken = 0.0, 0, 0.0
    done = threading.Event()

    def send() -> None:
        nonlocal taken
        begun = time.monotonic()
        with contextlib.suppress(OSError, http.client.HTTPException):
            post(http.client.HTTPConnection("127.0.0.1", port, timeout=600), provider, content)
        taken = time.monotonic() - begun
        done.set()

    threading.Thread(target=send, daemon=True).start()
    highest = before
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    while not done.is_set():
        begun = time.monotonic()
        post(connection, provider, body_of(provider, "Hi."))
        longest = max(longest, time.monotonic() - begun)
        answered += 1
        highest = max(highest, memory(pid))
        time.sleep(0.02)
    time.sleep(0.5)
    size = len(content) / 1e6
    print(f"{provider:10} {size:.1f} MB in {taken:.1f} s; meanwhile {answered} others, the slowest {longest:.2f} s")
    print(
        f"{provider:10} memory {before:.1f} MB before, {highest:.1f} MB meanwhile, {memory(pid):.1f} MB after",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=3000)
    parser.add_argument("--megabytes", type=float, default=30.0)
    parser.add_argument("--provider", nargs="*", default=list(PATHS), choices=list(PATHS))
    options = parser.parse_args()
    for provider in options.provider:
        with served(provider) as (pid, port):
            print(f"{provider:10} at the start       {memory(pid):8.1f} MB", flush=True)
            many(provider, pid, port, options.requests)
            for _ in range(2):
                large(provider, pid, port, options.megabytes)


if __name__ == "__main__":
    main()
