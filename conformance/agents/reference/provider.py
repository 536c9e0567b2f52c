"""One exchange with the provider, and what its failures mean. Knows HTTP; knows no turns and never runs a tool."""

import json
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import httpx2
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from conformance.adapter.types import AgentError, Setup
from conformance.agents.reference.finishes import Answer
from conformance.agents.reference.wires.wire import Reader, Refused, Request, Wire

ATTEMPTS = 4
PATIENCE = 20.0
"""Seconds: who asks for a longer wait is not asked again."""
TIMEOUT = 120.0
UNUSED = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For plain http, where a client would make one of its own all the same, and load certificates into it."""
AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
SPENT = "insufficient_quota"
"""OpenAI's code for a 429 that no waiting helps against."""
TOO_LONG = (
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
)


class ProviderError(AgentError):
    """The provider refused, failed or broke off. `again` says that asking once more may help."""

    def __init__(self, message: str, *, status: int = 0, again: bool = False, wait: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.again = again and (wait is None or wait <= PATIENCE)
        self.wait = wait

    @property
    def too_long(self) -> bool:
        """Whether the request did not fit the model's window: it has to shrink before it is sent again."""
        return self.status in (400, 413, 422) and any(words in str(self).lower() for words in TOO_LONG)


class Provider:
    """A client for one base URL and one wire.

    `every_piece` is given the bytes of each stream, `every_event` its events, and `ended` makes the answer at its end.
    """

    def __init__(
        self,
        setup: Setup,
        wire: Wire,
        transport: httpx2.AsyncBaseTransport | None = None,
        *,
        every_piece: Callable[[AsyncIterator[bytes]], AsyncIterator[bytes]] = lambda pieces: pieces,
        every_event: Callable[[AsyncIterator[str]], AsyncIterator[str]] = lambda events: events,
        ended: Callable[[Reader], Answer] = lambda reader: reader.answer(),
    ) -> None:
        self._wire = wire
        self._every_piece = every_piece
        self._every_event = every_event
        self._ended = ended
        self._key = setup.api_key
        self._base = setup.base_url.rstrip("/")
        secure = self._base.startswith("https:")
        verify = secure or UNUSED
        self._client = httpx2.AsyncClient(verify=verify, trust_env=secure, timeout=TIMEOUT, transport=transport)

    async def close(self) -> None:
        await self._client.aclose()

    async def ask(self, request: Request) -> AsyncIterator[str | Answer]:
        """Pieces of text as they come, then the whole answer. Raises `ProviderError`."""
        try:
            async with self._client.stream(
                "POST",
                self._base + request.path,
                headers={"content-type": "application/json", **self._wire.headers(self._key)},
                content=json.dumps(request.body, ensure_ascii=False).encode(errors="replace"),
            ) as response:
                if response.status_code != 200:
                    raise failure(response.status_code, response.headers, await response.aread())
                if not request.stream:
                    yield self._wire.decode(json.loads(await response.aread()))
                    return
                reader = self._wire.reader()
                pieces = self._every_piece(response.aiter_bytes())
                async for data in self._every_event(self._wire.frames(pieces)):
                    if text := reader.feed(data):
                        yield text
                yield self._ended(reader)
        except httpx2.HTTPError as error:
            raise ProviderError(f"the connection failed: {error or type(error).__name__}", again=True) from error
        except Refused as error:
            raise ProviderError(str(error), status=error.status, again=error.status in AGAIN) from error
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise ProviderError(f"the answer cannot be read: {error!r}", again=True) from error


def failure(status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """A response other than 200 as an error: its sentence, and whether and when to ask again."""
    try:
        content: Any = json.loads(body)
    except ValueError:
        content = None
    if isinstance(content, list) and content:
        content = content[0]
    error = content.get("error", content) if isinstance(content, dict) else None
    sentence = error.get("message") if isinstance(error, dict) else error
    spent = isinstance(error, dict) and error.get("code") == SPENT
    again = status in AGAIN and headers.get("x-should-retry") != "false" and not spent
    text = str(sentence or body[:300].decode(errors="replace") or "no reason given")
    return ProviderError(
        f"the provider answered {status}: {text}", status=status, again=again, wait=_wait(headers, error)
    )


def _wait(headers: Mapping[str, str], error: Any) -> float | None:
    """Seconds to wait, from `retry-after-ms`, `retry-after`, or Gemini's `RetryInfo`."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return float(headers[name]) * unit
        except (KeyError, ValueError):
            continue
    details = error.get("details") if isinstance(error, dict) else None
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and delay.endswith("s"):
            return float(delay[:-1])
    return None


def pause(error: ProviderError, attempt: int) -> float:
    """Seconds before the next attempt: as many as the provider asks for, else few."""
    return error.wait if error.wait is not None else 0.05 * 2.0**attempt


def retrying(seconds: Callable[[ProviderError, int], float] = pause) -> AsyncRetrying:
    """Few attempts with pauses of so many seconds between them. The request alone is repeated."""

    def wait(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        return seconds(error, state.attempt_number) if isinstance(error, ProviderError) else 0.0

    return AsyncRetrying(
        retry=retry_if_exception(lambda error: isinstance(error, ProviderError) and error.again),
        wait=wait,
        stop=stop_after_attempt(ATTEMPTS),
        reraise=True,
    )
