"""OpenAI's batches: a file of requests, answered within a day into another file.

Shapes: `Batch`, `BatchError` and `BatchCreateParams` of openai-python, and a recorded line of an output by
mii/openai-api-rs. Refusals are those that public tests expect of the real API (ogx-ai/ogx). Where nothing is known the
words are ours: of an unknown batch or file, a window, and an id that comes twice. A request that is refused comes into
the file of errors, with a status and no `error` of its own (openai/openai-openapi#302).
"""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from msgspec.structs import replace

from fake_providers.http import AS_ESCAPE, Request, Response, compact, json_response
from fake_providers.ids import HEXADECIMAL
from fake_providers.stored_batches import DAY, Batch, Line, Run, StoredBatches, body_of_response, unix_time
from fake_providers.values.bounded_store import ends_of
from fake_providers.values.json_texts import read_json
from fake_providers.wires.openai_shared.errors import error_body
from fake_providers.wires.openai_shared.request_body import body_of

PATH: Final = re.compile(r"(?!.*/(?:messages|vector_stores)/).*/batches(?:/([^/]+)(/cancel)?)?")
"""Neither those of messages nor those of files in a vector store, whose paths end alike."""
ENDPOINTS: Final = ("GET and POST /v1/batches", "GET /v1/batches/{id}", "POST /v1/batches/{id}/cancel")
SERVED: Final = ("/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/v1/responses")
STREAMS: Final = {
    "/v1/chat/completions": "Chat Completions",
    "/v1/responses": "Responses",
    "/v1/completions": "Completions",
}
METADATA: Final = "metadata"
BATCH: Final = "batch_"
LINE: Final = "batch_req_"
MEMBERS: Final = ("custom_id", "method", "url", "body")
JSON_LINES: Final = "application/jsonl"


class OpenAIBatches(StoredBatches):
    def answers(self, request: Request) -> bool:
        return _operation_of(request) is not None

    def answer(self, request: Request, run: Run) -> Response:
        operation = _operation_of(request)
        assert operation is not None, "asked only of what it answers"
        method, id, is_cancel = operation
        if not id:
            return self._create(request) if method == "POST" else self._list(request, run)
        batch = self._finished(id, run)
        if batch is None:
            return json_response(404, error_body(f"No batch found with id '{id}'."))
        if is_cancel:
            return self._cancel(batch)
        return json_response(200, _described(batch, _status(batch)))

    def _create(self, request: Request) -> Response:
        body = body_of(request)
        body = body if isinstance(body, dict) else {}
        wrong = _wrong(body)
        if wrong is not None:
            return json_response(400, wrong)
        file = self._files.get(str(body["input_file_id"])) if self._files is not None else None
        if file is None:
            message = f"Invalid 'input_file_id': no file has the id '{body['input_file_id']}'."
            return json_response(400, error_body(message, param="input_file_id"))
        lines, errors = _lines_of(file.content, body["endpoint"], request)
        members = {
            "endpoint": body["endpoint"],
            "errors": {"object": "list", "data": errors} if errors else None,
            "input_file_id": file.id,
            "metadata": body.get(METADATA),
            "output_file_id": None,
            "error_file_id": None,
            "files_written": False,
        }
        batch = Batch(self._ids.make(BATCH, 32, HEXADECIMAL), self.now(), lines, members)
        self.put(batch, len(file.content))
        return json_response(200, _described(batch, "validating"))

    def _cancel(self, batch: Batch) -> Response:
        status = _status(batch)
        if status in ("completed", "failed", "expired"):
            return json_response(409, error_body(f"Cannot cancel a batch with status '{status}'."))
        if status != "cancelled" and batch.cancelled is None:
            batch.cancelled = self.now()
        return json_response(200, _described(batch, _status(batch)))

    def _list(self, request: Request, run: Run) -> Response:
        found, has_more = self.page(dict(parse_qsl(urlsplit(request.path).query)), run, after="after")
        shown = [self._finished(batch.id, run) or batch for batch in found]
        data = [_described(batch, _status(batch)) for batch in shown]
        ends = ends_of([batch.id for batch in found])
        return json_response(200, {"object": "list", "data": data, **ends, "has_more": has_more})

    def _finished(self, id: str, run: Run) -> Batch | None:
        """The batch as it is by now, with the files that it ends with."""
        batch = self._stored.get(id)
        if batch is not None and batch.members["errors"]:
            return batch  # it has failed, and none of its requests is sent
        batch = self.looked_at(id, run)
        if batch is None or not batch.outcome or self._files is None or batch.members["files_written"]:
            return batch
        batch.members["files_written"] = True
        written = [(line.custom_id, response) for line, response in zip(batch.lines, batch.responses, strict=False)]
        for member, is_error in (("output_file_id", False), ("error_file_id", True)):
            lines = [self._written(id, one) for id, one in written if (one.status >= 400) == is_error]
            if batch.outcome == "expired" and is_error:
                lines = [self._expired(line) for line in batch.lines]
            name = f"{batch.id}_{'error' if is_error else 'output'}.jsonl"
            fields = {"purpose": "batch_output"}
            text = "".join(f"{compact(line)}\n" for line in lines).encode(errors=AS_ESCAPE)
            batch.members[member] = self._files.add(name, JSON_LINES, text, fields).id if lines else None
        return batch

    def _written(self, custom_id: str, response: Response) -> dict[str, Any]:
        said = {
            "status_code": response.status,
            "request_id": self._ids.make("", 32, HEXADECIMAL),
            "body": body_of_response(response),
        }
        return {
            "id": self._ids.make(LINE, 32, HEXADECIMAL),
            "custom_id": custom_id,
            "response": said,
            "error": None,
        }

    def _expired(self, line: Line) -> dict[str, Any]:
        error = {
            "code": "batch_expired",
            "message": "This request could not be executed before the completion window expired.",
        }
        id = self._ids.make(LINE, 32, HEXADECIMAL)
        return {"id": id, "custom_id": line.custom_id, "response": None, "error": error}


def _operation_of(request: Request) -> tuple[str, str, bool] | None:
    """The method, the id of the batch or "", and whether it is cancelled."""
    found = PATH.fullmatch(unquote(urlsplit(request.path).path).rstrip("/"))
    if found is None:
        return None
    method, id, is_cancel = request.method.upper(), found[1] or "", bool(found[2])
    allowed = ("POST",) if is_cancel else ("GET",) if id else ("GET", "POST")
    return (method, id, is_cancel) if method in allowed else None


def _wrong(body: Mapping[str, Any]) -> Any:
    """The refusal of a batch that is refused at once."""
    for name in ("input_file_id", "endpoint", "completion_window"):
        if body.get(name) is None:
            message = f"Missing required parameter: '{name}'."
            return error_body(message, param=name, code="missing_required_parameter")
    endpoint, window = body["endpoint"], body["completion_window"]
    if endpoint not in SERVED:
        known = ", ".join(f"'{one}'" for one in SERVED[:-1])
        message = f"Invalid value: '{endpoint}'. Supported values are: {known}, and '{SERVED[-1]}'."
        return error_body(message, param="endpoint", code="invalid_value")
    if window != "24h":
        message = f"Invalid value: '{window}'. Value must be '24h'."
        return error_body(message, param="completion_window", code="invalid_value")
    return None


def _lines_of(content: bytes, endpoint: str, request: Request) -> tuple[list[Line], list[dict[str, Any]]]:
    """The requests of a file, and what is wrong with it: one error of each line."""
    lines: list[Line] = []
    errors: list[dict[str, Any]] = []
    for number, text in enumerate(content.splitlines(), 1):
        if not text.strip():
            continue
        try:
            one = read_json(text)
        except ValueError:
            one = None
        error = _wrong_line(one, endpoint, {line.custom_id for line in lines})
        if error is not None:
            code, message, param = error
            errors.append({"code": code, "line": number, "message": message, "param": param})
            continue
        body = compact(one["body"]).encode(errors=AS_ESCAPE)
        lines.append(Line(one["custom_id"], replace(request, method="POST", path=endpoint, body=body)))
    if not lines and not errors:
        errors.append({"code": "empty_file", "line": None, "message": "The input file is empty.", "param": None})
    return lines, errors


def _wrong_line(one: Any, endpoint: str, known: set[str]) -> tuple[str, str, str | None] | None:
    """Code, message and parameter of an error."""
    if not isinstance(one, dict):
        return "invalid_json_line", "This line is not parseable as valid JSON.", None
    missing = next((name for name in MEMBERS if one.get(name) is None), None)
    if missing is not None:
        return "missing_required_parameter", f"Missing required parameter: '{missing}'.", missing
    if not isinstance(one["custom_id"], str) or not isinstance(one["body"], dict):
        wrong = "body" if isinstance(one["custom_id"], str) else "custom_id"
        return "invalid_type", f"Invalid type for '{wrong}'.", wrong
    if one["custom_id"] in known:
        message = f"The custom_id '{one['custom_id']}' for this request is a duplicate of another request."
        return "duplicate_custom_id", message, "custom_id"
    if one["url"] != endpoint:
        return "invalid_url", "The URL provided for this request does not match the batch endpoint.", "url"
    if one["body"].get("stream") is True:
        message = f"{STREAMS[endpoint]}: Streaming is not supported in the Batch API."
        return "streaming_unsupported", message, "body.stream"
    return None


def _status(batch: Batch) -> str:
    if batch.members["errors"]:
        return "failed"
    if not batch.outcome:
        return "in_progress" if batch.cancelled is None else "cancelling"
    return "completed" if batch.outcome == "done" else batch.outcome


def _described(batch: Batch, status: str) -> dict[str, Any]:
    moments = {
        "in_progress": None if status in ("validating", "failed") else batch.created,
        "finalizing": batch.ended if status == "completed" else None,
        "completed": batch.ended if status == "completed" else None,
        "failed": batch.created if status == "failed" else None,
        "expired": batch.ended if status == "expired" else None,
        "cancelling": batch.cancelled,
        "cancelled": batch.ended if status == "cancelled" else None,
    }
    failed = sum(response.status >= 400 for response in batch.responses)
    counts = {"total": len(batch.lines), "completed": len(batch.responses) - failed, "failed": failed}
    running = status in ("validating", "failed")
    return {
        "id": batch.id,
        "object": "batch",
        "endpoint": batch.members["endpoint"],
        "errors": None if status == "validating" else batch.members["errors"],
        "input_file_id": batch.members["input_file_id"],
        "completion_window": "24h",
        "status": status,
        "output_file_id": batch.members["output_file_id"],
        "error_file_id": batch.members["error_file_id"],
        "created_at": unix_time(batch.created),
        "expires_at": unix_time(batch.created + DAY),
        **{f"{name}_at": None if moment is None else unix_time(moment) for name, moment in moments.items()},
        "request_counts": dict.fromkeys(counts, 0) if running else counts,
        "metadata": batch.members["metadata"],
    }
