"""Bugs of readers of streams: one changed method each of an agent that reads events itself."""

from collections.abc import Iterator
from typing import Any

import httpx2

from tests.wrong_agents.raw_stream import Broken, RawStream
from tests.wrong_agents.wrong import wrong


@wrong("vercel/ai/issues/20203", ("streaming/empty-lists-of-calls", "1.reply"))
class TakesAnEmptyListForCalls(RawStream):
    def take(self, chunk: dict[str, Any]) -> Iterator[str]:
        for choice in chunk.get("choices") or ():
            if choice["delta"].get("tool_calls") is not None and choice["delta"].get("content"):
                choice["delta"]["content"] += "\n"
        yield from super().take(chunk)


@wrong("endolith/open-interpreter/pull/291", ("streaming/cut-in-the-answer", "stream-is-reply"))
class AddsARetryToTheFirstAttempt(RawStream):
    def attempts(self) -> Iterator[str]:
        try:
            yield from self.read()
        except (Broken, httpx2.TransportError):
            yield from self.read()


@wrong("NousResearch/hermes-agent/issues/113135", ("faults/lost-connection[closed]", "accepted:openai/content-null"))
class StoresAnEmptyStep(RawStream):
    def read(self) -> Iterator[str]:
        try:
            yield from super().read()
        except (Broken, httpx2.TransportError):
            self.messages.append({"role": "assistant", "content": None})
            raise


@wrong("graniet/llm/pull/90", ("streaming/noise[single-bytes]", "answers"))
class DecodesEachPiece(RawStream):
    def events(self, response: httpx2.Response) -> Iterator[str]:
        for piece in response.iter_bytes():
            for line in piece.decode().splitlines():
                if line.startswith("data:"):
                    yield line.removeprefix("data:").strip()


@wrong("BerriAI/litellm/issues/36553", ("streaming/chunk-without-choices", "answers"))
class TakesTheFirstChoice(RawStream):
    def take(self, chunk: dict[str, Any]) -> Iterator[str]:
        if "error" not in chunk:
            chunk["choices"][0]
        yield from super().take(chunk)


@wrong("apache/maka/issues/1976", ("parallel/all-answered", "paired"))
class AddsAllPiecesToTheLastCall(RawStream):
    def is_new(self, piece: dict[str, Any]) -> bool:
        return not self.calls


class EndsByItsReason(RawStream):
    """Right: calls run where the finish reason says so, and an answer without a reason is asked for again."""

    def take(self, chunk: dict[str, Any]) -> Iterator[str]:
        reason = self.finish
        yield from super().take(chunk)
        self.finish = self.kept(reason, [choice.get("finish_reason") for choice in chunk.get("choices") or ()])

    def kept(self, before: str, now: list[str | None]) -> str:
        return next((reason for reason in now if reason), before)


@wrong("tensorzero/tensorzero/issues/2078", ("streaming/null-after-the-finish", "paired"))
class KeepsTheLastReason(EndsByItsReason):
    def kept(self, before: str, now: list[str | None]) -> str:
        return now[-1] or "" if now else before


@wrong("vybestack/llxprt-code/issues/2555", ("streaming/text-in-order[line-breaks]", "1.reply"))
class DropsBlankPieces(RawStream):
    def take(self, chunk: dict[str, Any]) -> Iterator[str]:
        for choice in chunk.get("choices") or ():
            if not (choice["delta"].get("content") or "").strip():
                choice["delta"]["content"] = None
        yield from super().take(chunk)
