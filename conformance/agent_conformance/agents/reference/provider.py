"""One request to the provider, and what its errors mean."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

import httpx2

from agent_conformance.adapter.types import AgentError, Setup
from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.arguments import strict_json
from agent_conformance.agents.reference.call_pieces import JoinCalls
from agent_conformance.agents.reference.wires import ErrorResponse, HttpRequest, Reader, Wire

T = TypeVar("T")
ATTEMPTS = 4
MAX_WAIT = 20.0
"""Seconds: if the provider asks for a longer wait, the request is not retried."""
UNUSED = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For plain http. Without it the client would make a context of its own and load certificates."""
QUOTA_CODE = "insufficient_quota"
"""OpenAI's code for a 429 that no waiting helps against: the quota is used up."""
TOO_LONG_MESSAGES = (
    "context window",
    "context length",
    "available context size",
    "too many tokens",
    "token limit",
    "prompt is too long",
    "input is too long",
    "exceeds the maximum number of tokens",
    "input token count",
    "reduce the length",
    "exceeds max length",
    "maximum prompt length",
    "maximum allowed input length",
    "max tokens allowed",
    "messages is too long",
    "number of input tokens exceeds",
    "entity too large",
    "range of input length",
)
"""What providers, servers of open models and proxies in front of them say of a request that is too long."""


class ProviderError(AgentError):
    """The provider refused, failed or broke off. `retryable`: another attempt may help."""

    def __init__(self, message: str, *, status: int = 0, retryable: bool = False, wait: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retryable = retryable and (wait is None or wait <= MAX_WAIT)
        self.wait = wait

    @property
    def too_long(self) -> bool:
        """Whether the request did not fit the model's window: it must shrink before another attempt."""
        return self.status in (400, 413, 422) and any(phrase in str(self).lower() for phrase in TOO_LONG_MESSAGES)


def body_bytes(body: Mapping[str, Any]) -> bytes:
    """The body as JSON, with a question mark for each half of a character: strict parsers refuse its escape."""
    return json.dumps(body, ensure_ascii=False).encode(errors="replace")


class Provider:
    """A client for one base URL and one wire.

    `stream_bytes` gets the bytes of each stream, `stream_events` its events, `answer_at_end` its reader at the end,
    `join_calls` the pieces of its calls. `body_bytes` writes the body of each request. No part of a response may take
    longer than `patience`, in seconds.
    """

    def __init__(
        self,
        setup: Setup,
        wire: Wire,
        transport: httpx2.AsyncBaseTransport | None,
        *,
        stream_bytes: Callable[[AsyncIterator[bytes]], AsyncIterator[bytes]],
        stream_events: Callable[[AsyncIterator[str]], AsyncIterator[str]],
        answer_at_end: Callable[[Reader], Answer],
        join_calls: JoinCalls,
        body_bytes: Callable[[Mapping[str, Any]], bytes],
        patience: float,
    ) -> None:
        self._wire = wire
        self._every_piece = stream_bytes
        self._every_event = stream_events
        self._ended = answer_at_end
        self._body_bytes = body_bytes
        self._join_calls = join_calls
        self._key = setup.api_key
        self._base = setup.base_url.rstrip("/")
        secure = self._base.startswith("https:")
        verify = secure or UNUSED
        self._client = httpx2.AsyncClient(verify=verify, trust_env=secure, timeout=patience, transport=transport)

    async def close(self) -> None:
        await self._client.aclose()

    async def send(self, request: HttpRequest) -> AsyncIterator[str | Answer]:
        """Pieces of text as they come, then the complete answer. Raises `ProviderError`."""
        url, content = self._base + request.path, self._body_bytes(request.body)
        headers = {"content-type": "application/json", **self._wire.headers(self._key, url, content)}
        try:
            async with self._client.stream("POST", url, headers=headers, content=content) as response:
                if response.status_code != 200:
                    raise failure(response.status_code, response.headers, await response.aread())
                if not request.stream:
                    yield self._wire.decode(strict_json(await response.aread()))
                    return
                reader = self._wire.reader(self._join_calls)
                pieces = self._every_piece(response.aiter_bytes())
                async for data in self._every_event(self._wire.frames(pieces)):
                    if text := reader.feed(data):
                        yield text
                yield self._ended(reader)
        except httpx2.HTTPError as error:
            raise ProviderError(f"the connection failed: {error or type(error).__name__}", retryable=True) from error
        except ErrorResponse as error:
            raise ProviderError(str(error), status=error.status, retryable=passes(error.status)) from error
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise ProviderError(f"the answer cannot be read: {error!r}", retryable=True) from error


def passes(status: int) -> bool:
    """Whether what this status says may be over at the next attempt: a timeout, a rate limit, a failing server."""
    return status in (408, 429) or status >= 500


def failure(status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """A response other than 200 as an error: its message, and whether and when to retry."""
    try:
        content: Any = json.loads(body)
    except ValueError:
        content = None
    if isinstance(content, list) and content:
        content = content[0]
    error = content.get("error", content) if isinstance(content, dict) else None
    sentence = error.get("message") if isinstance(error, dict) else error
    out_of_quota = isinstance(error, dict) and error.get("code") == QUOTA_CODE
    retryable = passes(status) and headers.get("x-should-retry") != "false" and not out_of_quota
    text = str(sentence or body[:300].decode(errors="replace") or "no reason given")
    return ProviderError(
        f"the provider answered {status}: {text}", status=status, retryable=retryable, wait=_wait(headers, error)
    )


def _wait(headers: Mapping[str, str], error: Any) -> float | None:
    """Seconds to wait, from `retry-after-ms`, `retry-after`, or Gemini's `RetryInfo`."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with suppress(KeyError, ValueError):
            return float(headers[name]) * unit
    details = error.get("details") if isinstance(error, dict) else None
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        with suppress(ValueError):
            return float(str(delay).removesuffix("s"))
    return None


def retry_delay(error: ProviderError, attempt: int) -> float:
    """Seconds before the next attempt: as many as the provider asks for, else a few tenths."""
    return error.wait if error.wait is not None else 0.05 * 2.0**attempt


async def retrying(
    attempt: Callable[[int], AsyncIterator[T]],
    is_passing: Callable[[ProviderError], bool],
    seconds: Callable[[ProviderError, int], float],
) -> AsyncIterator[T]:
    """What an attempt gives, by its number from 1. After what may pass there are a few more, with delays between them.

    Only the request is repeated.
    """
    for number in range(1, ATTEMPTS + 1):
        try:
            async for piece in attempt(number):
                yield piece
            return
        except ProviderError as error:
            if number == ATTEMPTS or not is_passing(error):
                raise
            delay = seconds(error, number)
        await asyncio.sleep(delay)
