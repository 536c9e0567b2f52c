"""Anthropic's files. Shapes: `FileMetadata`, `DeletedFile`, `FileListParams` and `FileNotDownloadableError` of
anthropic-sdk-python.

The words of the errors are ours; their types and codes are the SDK's.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fake_providers.http import Response, json_response
from fake_providers.ids import Ids
from fake_providers.stored_files import StoredFile
from fake_providers.wires.anthropic_messages.errors import error_body, new_request_id

CREATED: Final = "2026-02-17T00:00:00Z"
FIRST_PAGE: Final = "page_"


class AnthropicFiles:
    default_limit = 20

    def __init__(self) -> None:
        self._requests = Ids("requests about files")

    def new_id(self, ids: Ids) -> str:
        return ids.make("file_011C", 20)

    def wrong(self, fields: Mapping[str, str], *, has_file: bool) -> Response | None:
        return None if has_file else self._error(400, "file: Field required")

    def described(self, file: StoredFile) -> Mapping[str, Any]:
        return {
            "type": "file",
            "id": file.id,
            "filename": file.filename,
            "mime_type": file.media_type,
            "size_bytes": len(file.content),
            "created_at": CREATED,
            "downloadable": False,
        }

    def page(self, shown: Sequence[StoredFile], *, has_more: bool) -> Mapping[str, Any]:
        """Older SDKs go on by `has_more` and `last_id`, newer ones by `next_page`."""
        first, last = (shown[0].id, shown[-1].id) if shown else (None, None)
        return {
            "data": [self.described(file) for file in shown],
            "has_more": has_more,
            "first_id": first,
            "last_id": last,
            "next_page": f"{FIRST_PAGE}{last}" if has_more else None,
        }

    def chosen(self, files: Sequence[StoredFile], query: Mapping[str, str]) -> Sequence[StoredFile]:
        """The newest first."""
        ordered = [*reversed(files)]
        after = query.get("after_id") or query.get("page", "").removeprefix(FIRST_PAGE)
        place = next((index for index, file in enumerate(ordered) if file.id == after), -1)
        return ordered[place + 1 :]

    def deleted(self, id: str) -> Mapping[str, Any]:
        return {"id": id, "type": "file_deleted"}

    def missing(self, id: str) -> Response:
        return self._error(404, f"File not found: {id}")

    def content(self, file: StoredFile) -> Response:
        """Only files that a tool of the provider has made can be read back."""
        message = f"File '{file.id}' is not downloadable: only files that a tool has made are."
        return self._error(400, message, details={"error_code": "file_not_downloadable"})

    def _error(self, status: int, message: str, **members: Any) -> Response:
        body = error_body(status, message, new_request_id(self._requests))
        return json_response(status, {**body, "error": {**body["error"], **members}})
