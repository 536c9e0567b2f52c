"""Files that a client uploads, lists, reads and deletes, as providers with such endpoints keep them.

What a model does with a file is not imitated: a request may name any.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import parse_qsl, unquote, urlsplit

from msgspec import Struct

from fake_providers.http import Request, Response, json_response
from fake_providers.ids import Ids
from fake_providers.values.bounded_store import BoundedStore

PATH = re.compile(r"(?!.*/(?:vector_stores|containers)/).*/files(?:/([^/]+)(/content)?)?")
"""Not those of a vector store or a container, whose paths end alike."""
ENDPOINTS = ("GET and POST /v1/files", "GET and DELETE /v1/files/{id}", "GET /v1/files/{id}/content")
MOST = 10_000
"""Files of one page at most."""
_BOUNDARY = re.compile(r'boundary="?([^";,]+)"?', re.IGNORECASE)
_NAME = re.compile(rb'(?<!file)name="([^"\r\n]*)"', re.IGNORECASE)
"""Not the `name=` within `filename=`."""
_FILENAME = re.compile(rb'filename="([^"\r\n]*)"', re.IGNORECASE)
_TYPE = re.compile(rb"^content-type:[ \t]*([^\r\n;]+)", re.IGNORECASE | re.MULTILINE)


class StoredFile(Struct, frozen=True):
    """`fields` are the other fields of the form, such as `purpose`."""

    id: str
    filename: str
    media_type: str
    content: bytes
    fields: Mapping[str, str]


class FilesOfProvider(Protocol):
    """What one provider says about files. Pure."""

    default_limit: int

    def new_id(self, ids: Ids) -> str: ...

    def wrong(self, fields: Mapping[str, str], *, has_file: bool) -> Response | None:
        """The refusal of an upload with these fields."""

    def described(self, file: StoredFile) -> Mapping[str, Any]: ...

    def page(self, shown: Sequence[StoredFile], *, has_more: bool) -> Mapping[str, Any]:
        """The body of a list."""

    def chosen(self, files: Sequence[StoredFile], query: Mapping[str, str]) -> Sequence[StoredFile]:
        """The files that the query asks for, from where it says, in the provider's order. `files`: oldest first."""

    def deleted(self, id: str) -> Mapping[str, Any]: ...

    def missing(self, id: str) -> Response: ...

    def content(self, file: StoredFile) -> Response: ...


class StoredFiles:
    """The files of one served fake: the newest, as of all that fakes store."""

    def __init__(self, provider: FilesOfProvider) -> None:
        self._provider = provider
        self._ids = Ids("files")
        self._stored: BoundedStore[StoredFile] = BoundedStore()

    def get(self, id: str) -> StoredFile | None:
        return self._stored.get(id)

    def add(self, filename: str, media_type: str, content: bytes, fields: Mapping[str, str]) -> StoredFile:
        """A file of the provider's own, or one that a client uploads."""
        file = StoredFile(self._provider.new_id(self._ids), filename, media_type, content, fields)
        self._stored.put(file.id, file, len(file.content))
        return file

    def answers(self, request: Request) -> bool:
        """Whether `answer` has an answer. Changes nothing."""
        return _operation_of(request) is not None

    def answer(self, request: Request) -> Response | None:
        """None for any other request."""
        operation = _operation_of(request)
        if operation is None:
            return None
        method, id, is_content = operation
        if not id:
            return self._upload(request) if method == "POST" else self._list(request)
        file = self._stored.get(id)
        if file is None:
            return self._provider.missing(id)
        if is_content:
            return self._provider.content(file)
        if method == "DELETE":
            self._stored.remove(id)
            return json_response(200, self._provider.deleted(id))
        return json_response(200, self._provider.described(file))

    def _upload(self, request: Request) -> Response:
        form = form_of(request)
        found = form.get("file")
        fields = {name: part.content.decode(errors="replace") for name, part in form.items() if name != "file"}
        refused = self._provider.wrong(fields, has_file=found is not None)
        if refused is not None or found is None:
            return refused or self._provider.missing("")
        file = self.add(found.filename, found.media_type, found.content, fields)
        return json_response(200, self._provider.described(file))

    def _list(self, request: Request) -> Response:
        query = dict(parse_qsl(urlsplit(request.path).query))
        files = self._provider.chosen(list(self._stored.values()), query)
        asked = query.get("limit", "")
        limit = min(max(int(asked), 1), MOST) if asked.isdecimal() and len(asked) < 9 else self._provider.default_limit
        return json_response(200, self._provider.page(files[:limit], has_more=len(files) > limit))


def _operation_of(request: Request) -> tuple[str, str, bool] | None:
    """The method, the id of the file or "", and whether its content is asked for."""
    found = PATH.fullmatch(unquote(urlsplit(request.path).path).rstrip("/"))
    if found is None:
        return None
    method, id, is_content = request.method.upper(), found[1] or "", bool(found[2])
    allowed = ("GET",) if is_content else ("GET", "DELETE") if id else ("GET", "POST")
    return (method, id, is_content) if method in allowed else None


class FormPart(Struct, frozen=True):
    filename: str
    media_type: str
    content: bytes


def form_of(request: Request) -> dict[str, FormPart]:
    """The fields of a multipart form, by their names; none of a body that is no such form."""
    boundary = _BOUNDARY.search(request.headers.get("content-type", ""))
    if boundary is None:
        return {}
    form: dict[str, FormPart] = {}
    parts = b"\r\n".join((b"", request.body)).split(b"\r\n--" + boundary[1].encode())
    for part in parts[1:]:
        head, blank, content = part.partition(b"\r\n\r\n")
        name = _NAME.search(head)
        if part.startswith(b"--") or not blank or name is None:
            continue
        filename, kind = _FILENAME.search(head), _TYPE.search(head)
        form[name[1].decode(errors="replace")] = FormPart(
            filename[1].decode(errors="replace") if filename else "upload",
            kind[1].decode(errors="replace").strip() if kind else "application/octet-stream",
            content,
        )
    return form
