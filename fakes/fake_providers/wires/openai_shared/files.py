"""OpenAI's files. Shapes: `FileObject`, `FileDeleted` and `FileCreateParams` of openai-python."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fake_providers.http import Response, json_response
from fake_providers.ids import Ids
from fake_providers.stored_files import StoredFile
from fake_providers.values.bounded_store import ends_of, place_after
from fake_providers.wires.openai_shared.errors import error_body

CREATED: Final = 1763596800
"""2025-11-20, in every run."""
PURPOSES: Final = ("fine-tune", "assistants", "batch", "user_data", "vision", "evals")
NOT_GIVEN_BACK: Final = ("assistants", "user_data")
"""Purposes of which the API hands no content out."""


class OpenAIFiles:
    """The words for a file that is not there are those of danny-avila/LibreChat#2632, `No such File object`; those for
    a wrong upload are ours."""

    default_limit = 10_000

    def new_id(self, ids: Ids) -> str:
        return ids.make("file-", 22)

    def wrong(self, fields: Mapping[str, str], *, has_file: bool) -> Response | None:
        if not has_file:
            return json_response(400, error_body("'file' is a required property", param="file"))
        purpose = fields.get("purpose")
        if purpose is None:
            return json_response(400, error_body("'purpose' is a required property", param="purpose"))
        if purpose not in PURPOSES:
            listed = ", ".join(f"'{one}'" for one in PURPOSES)
            message = f"Invalid value: '{purpose}'. Supported values are: {listed}."
            return json_response(400, error_body(message, param="purpose"))
        return None

    def described(self, file: StoredFile) -> Mapping[str, Any]:
        return {
            "object": "file",
            "id": file.id,
            "purpose": file.fields["purpose"],
            "filename": file.filename,
            "bytes": len(file.content),
            "created_at": CREATED,
            "expires_at": None,
            "status": "processed",
            "status_details": None,
        }

    def page(self, shown: Sequence[StoredFile], *, has_more: bool) -> Mapping[str, Any]:
        ends = ends_of([file.id for file in shown])
        return {"object": "list", "data": [self.described(file) for file in shown], **ends, "has_more": has_more}

    def chosen(self, files: Sequence[StoredFile], query: Mapping[str, str]) -> Sequence[StoredFile]:
        """The newest first, unless the query says `order=asc`."""
        ordered = [*files] if query.get("order") == "asc" else [*reversed(files)]
        wanted = [file for file in ordered if query.get("purpose") in (None, file.fields["purpose"])]
        return wanted[place_after(query.get("after"), [file.id for file in wanted]) :]

    def deleted(self, id: str) -> Mapping[str, Any]:
        return {"object": "file", "deleted": True, "id": id}

    def missing(self, id: str) -> Response:
        return json_response(404, error_body(f"No such File object: {id}", param="id"))

    def content(self, file: StoredFile) -> Response:
        purpose = file.fields["purpose"]
        if purpose in NOT_GIVEN_BACK:
            return json_response(400, error_body(f"Not allowed to download files of purpose: {purpose}"))
        return Response(200, (("content-type", "application/octet-stream"),), (file.content,))
