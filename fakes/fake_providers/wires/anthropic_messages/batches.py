"""Anthropic's Message Batches: many requests in one, answered within a day.

Shapes: `MessageBatch`, `DeletedMessageBatch` and `MessageBatchIndividualResponse` of anthropic-sdk-python. Refusals,
and which of them come at once, are quoted from a public write-up of live requests of 2026-09-02; that of a long
`custom_id` also from anthropics/anthropic-sdk-python#984. What is wrong with `params` is told among the results.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from fake_providers.http import AS_ESCAPE, Request, Response, compact, json_response
from fake_providers.stored_batches import DAY, Batch, Line, Run, StoredBatches, body_of_response, written_time
from fake_providers.values.bounded_store import ends_of
from fake_providers.values.json_texts import read_json
from fake_providers.wires.anthropic_messages.errors import error_body

PATH: Final = re.compile(r"(.*/messages)/batches(?:/([^/]+)(/cancel|/results)?)?")
ENDPOINTS: Final = (
    "GET and POST /v1/messages/batches",
    "GET and DELETE /v1/messages/batches/{id}",
    "POST /v1/messages/batches/{id}/cancel",
    "GET /v1/messages/batches/{id}/results",
)
METHODS: Final[Mapping[str, tuple[str, ...]]] = {"": ("GET", "DELETE"), "/cancel": ("POST",), "/results": ("GET",)}
REQUESTS: Final = "requests"
HOST: Final = "host"
CUSTOM: Final = "custom_id"
CUSTOM_ID: Final = "^[a-zA-Z0-9_-]{1,64}$"
NO_STREAM: Final = '"stream=True" is not supported in the Message Batches API'


class MessageBatches(StoredBatches):
    def answers(self, request: Request) -> bool:
        return _operation_of(request) is not None

    def answer(self, request: Request, run: Run) -> Response:
        operation = _operation_of(request)
        assert operation is not None, "asked only of what it answers"
        method, messages, id, action = operation
        if not id:
            return self._create(request, messages) if method == "POST" else self._list(request, run)
        batch = self.looked_at(id, run)
        if batch is None:
            return self._refusal(404, f"Message Batch {id} not found.")
        if action == "/results":
            return self._results(batch)
        if method == "DELETE":
            return self._delete(batch)
        if action == "/cancel" and not batch.outcome and batch.cancelled is None:
            batch.cancelled = self.now()
        wait = () if batch.outcome else (("retry-after", "10"),)
        return json_response(200, _described(batch), wait)

    def _create(self, request: Request, messages: str) -> Response:
        try:
            body = read_json(request.body)
        except ValueError as error:
            return self._refusal(400, f"The request body is not valid JSON: {error}")
        wrong = _wrong(body)
        if wrong is not None:
            return self._refusal(400, wrong)
        lines = [self._line(one["custom_id"], one["params"], request, messages) for one in body["requests"]]
        id = self._ids.make("msgbatch_01", 22)
        batch = Batch(id, self.now(), lines, {"results_url": f"{_origin(request)}{messages}/batches/{id}/results"})
        self.put(batch, len(request.body))
        return json_response(200, _described(batch))

    def _line(self, id: str, params: dict[str, Any], request: Request, messages: str) -> Line:
        sent = Request("POST", messages, request.headers, compact(params).encode(errors=AS_ESCAPE))
        return Line(id, sent, self._refusal(400, NO_STREAM) if params.get("stream") is True else None)

    def _list(self, request: Request, run: Run) -> Response:
        found, has_more = self.page(dict(parse_qsl(urlsplit(request.path).query)), run, after="after_id")
        ends = ends_of([batch.id for batch in found])
        return json_response(200, {"data": [_described(batch) for batch in found], **ends, "has_more": has_more})

    def _results(self, batch: Batch) -> Response:
        if not batch.outcome:
            return self._refusal(404, f"Message Batch {batch.id} has no available results.")
        results = [{"custom_id": line.custom_id, "result": _result(batch, i)} for i, line in enumerate(batch.lines)]
        text = "".join(f"{compact(result)}\n" for result in results)
        return Response(200, (("content-type", "application/x-jsonl"),), (text.encode(errors=AS_ESCAPE),))

    def _delete(self, batch: Batch) -> Response:
        if not batch.outcome:
            message = "In progress batches cannot be deleted. Consider canceling the batch instead."
            return self._refusal(400, message)
        self._stored.remove(batch.id)
        return json_response(200, {"id": batch.id, "type": "message_batch_deleted"})

    def _refusal(self, status: int, message: str) -> Response:
        return json_response(status, error_body(status, message, self._ids.make("req_011C", 20)))


def _operation_of(request: Request) -> tuple[str, str, str, str] | None:
    """The method, the path of messages, the id of the batch or "", and what is done with it."""
    found = PATH.fullmatch(unquote(urlsplit(request.path).path).rstrip("/"))
    if found is None:
        return None
    method, id, action = request.method.upper(), found[2] or "", found[3] or ""
    return (method, found[1], id, action) if method in (METHODS[action] if id else ("GET", "POST")) else None


def _wrong(body: Any) -> str | None:
    """What is refused at once."""
    requests = body.get(REQUESTS) if isinstance(body, dict) else None
    if requests is None:
        return "requests: Field required"
    if not isinstance(requests, list):
        return "requests: Input should be a valid list"
    if not requests:
        return "requests: List should have at least 1 item after validation, not 0"
    for number, one in enumerate(requests):
        found = _wrong_line(one)
        if found is not None:
            return f"requests.{number}{found}"
    ids = Counter(one["custom_id"] for one in requests)
    twice = next((id for id, times in ids.items() if times > 1), None)
    if twice is None:
        return None
    return f"requests: custom_id's must be unique within a batch. Duplicate custom_id found: {twice}"


def _wrong_line(one: Any) -> str | None:
    if not isinstance(one, dict):
        return ": Input should be a valid dictionary"
    id = one.get(CUSTOM)
    if id is None:
        return ".custom_id: Field required"
    if not isinstance(id, str):
        return ".custom_id: Input should be a valid string"
    if len(id) > 64:
        return ".custom_id: String should have at most 64 characters"
    if not re.fullmatch(CUSTOM_ID, id):
        return f".custom_id: String should match pattern '{CUSTOM_ID}'"
    if "params" not in one:
        return ".params: Field required"
    return None if isinstance(one["params"], dict) else ".params: Input should be a valid dictionary"


def _origin(request: Request) -> str:
    """Where the client has sent its request."""
    host = request.headers.get(HOST) or "api.anthropic.com"
    return f"{'https' if host.endswith('anthropic.com') else 'http'}://{host}{request.prefix}"


def _result(batch: Batch, number: int) -> dict[str, Any]:
    if batch.outcome != "done":
        return {"type": "canceled" if batch.outcome == "cancelled" else "expired"}
    response = batch.responses[number]
    body = body_of_response(response)
    if response.status != 200 or not isinstance(body, dict) or "usage" not in body:
        failed = (
            body if response.status != 200 and isinstance(body, dict) else error_body(500, "Internal server error", "")
        )
        return {"type": "errored", "error": {**failed, "request_id": None}}
    usage = {**body["usage"], "service_tier": "batch"}
    return {"type": "succeeded", "message": {**body, "usage": usage}}


def _described(batch: Batch) -> dict[str, Any]:
    kinds = [_result(batch, number)["type"] for number in range(len(batch.lines))] if batch.outcome else []
    counts = {kind: kinds.count(kind) for kind in ("canceled", "errored", "expired", "succeeded")}
    status = "ended" if batch.outcome else "in_progress" if batch.cancelled is None else "canceling"
    return {
        "id": batch.id,
        "type": "message_batch",
        "processing_status": status,
        "request_counts": {"processing": 0 if batch.outcome else len(batch.lines), **counts},
        "ended_at": None if batch.ended is None else written_time(batch.ended),
        "created_at": written_time(batch.created),
        "expires_at": written_time(batch.created + DAY),
        "archived_at": None,
        "cancel_initiated_at": None if batch.cancelled is None else written_time(batch.cancelled),
        "results_url": batch.members["results_url"] if batch.outcome else None,
    }
