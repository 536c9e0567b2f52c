"""Files of OpenAI and Anthropic as their SDKs upload, list, read and delete them."""

import anthropic
import httpx2
import openai
import pytest

from fake_providers import Request, ScriptedFake
from fake_providers.serving.loopback import serve
from fake_providers.stored_files import form_of
from fake_providers.values.bounded_store import MOST

BINARY = bytes(range(256)) + b"\r\n--\r\n\n\r"


@pytest.mark.parametrize("wire", [None, "openai-chat", "openai-responses"])
def test_openai_keeps_files(wire: str | None) -> None:
    with serve("openai", wire=wire) as fake, openai.OpenAI(api_key="k", base_url=fake.base_url) as client:
        first = client.files.create(file=("a.jsonl", BINARY), purpose="batch")
        second = client.files.create(file=("b.pdf", b"%PDF", "application/pdf"), purpose="user_data")

        assert (first.filename, first.bytes, first.purpose, first.status) == ("a.jsonl", 264, "batch", "processed")
        assert first.id != second.id
        assert client.files.retrieve(second.id) == second
        assert client.files.content(first.id).content == BINARY
        assert [file.id for file in client.files.list()] == [second.id, first.id]
        assert [file.id for file in client.files.list(order="asc", limit=1)] == [first.id, second.id]
        assert [file.id for file in client.files.list(purpose="batch")] == [first.id]
        assert client.files.delete(first.id).deleted
        assert [file.id for file in client.files.list()] == [second.id]
        with pytest.raises(openai.NotFoundError, match=f"No such File object: {first.id}"):
            client.files.retrieve(first.id)
        with pytest.raises(openai.BadRequestError, match="Not allowed to download files of purpose: user_data"):
            client.files.content(second.id)
        with pytest.raises(openai.BadRequestError, match="Invalid value: 'search'"):
            client.files.create(file=("a.jsonl", b"{}"), purpose="search")  # type: ignore[arg-type]
    assert fake.requests == []


def test_anthropic_keeps_files() -> None:
    with serve("anthropic") as fake, anthropic.Anthropic(api_key="k", base_url=fake.base_url) as client:
        first = client.files.upload(file=("a.bin", BINARY, "application/octet-stream"))
        second = client.files.upload(file=("b.pdf", b"%PDF", "application/pdf"))

        assert (first.filename, first.size_bytes, first.downloadable) == ("a.bin", 264, False)
        assert client.files.retrieve_metadata(second.id).mime_type == "application/pdf"
        assert [file.id for file in client.files.list(limit=1)] == [second.id, first.id], "page by page"
        with pytest.raises(anthropic.BadRequestError, match="not downloadable") as refused:
            client.files.download(second.id)
        assert refused.value.error_code == "file_not_downloadable"
        assert client.files.delete(second.id).type == "file_deleted"
        with pytest.raises(anthropic.NotFoundError, match=f"File not found: {second.id}"):
            client.files.retrieve_metadata(second.id)
    assert fake.requests == []


def test_a_client_without_a_key_is_refused() -> None:
    for provider in ("openai", "anthropic"):
        response = ScriptedFake(provider).handle(Request("GET", "/v1/files", {}, b""))

        assert response.status == 401, provider


@pytest.mark.parametrize(
    ("method", "path"),
    [("PUT", "/v1/files"), ("POST", "/v1/files/file-1"), ("POST", "/v1/vector_stores/vs_1/files"), ("GET", "/v1/file")],
)
def test_other_requests_get_a_404_that_says_what_is_built(method: str, path: str) -> None:
    response = ScriptedFake("openai").handle(Request(method, path, {"authorization": "Bearer k"}, b""))

    assert response.status == 404
    assert b"GET and POST /v1/files" in response.body


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "multipart/form-data"),
        (b"{}", "application/json"),
        (b"--b\r\n\r\n--b--", "multipart/form-data; boundary=b"),
        (
            b'--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n--b--',
            "multipart/form-data; boundary=b",
        ),
        (b"--" * 100_000, 'multipart/form-data; boundary="-"'),
    ],
)
def test_an_upload_without_a_file_is_refused(body: bytes, kind: str) -> None:
    headers = {"authorization": "Bearer k", "x-api-key": "k", "content-type": kind}
    for provider in ("openai", "anthropic"):
        assert ScriptedFake(provider).handle(Request("POST", "/v1/files", headers, body)).status == 400, provider


def test_a_form_of_httpx_is_read() -> None:
    sent = httpx2.Request("POST", "http://a", data={"purpose": "batch"}, files={"file": ('a"b.txt', BINARY, "text/x")})
    form = form_of(Request("POST", "/", dict(sent.headers), sent.read()))

    assert form["purpose"].content == b"batch"
    assert (form["file"].media_type, form["file"].content) == ("text/x", BINARY)


def test_files_that_are_kept_are_bounded() -> None:
    fake = ScriptedFake("openai")
    headers = {"authorization": "Bearer k", "content-type": "multipart/form-data; boundary=b"}
    form = (
        b'--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
        b'--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\na\r\n--b--'
    )
    for _ in range(MOST + 10):
        assert fake.handle(Request("POST", "/v1/files", headers, form)).status == 200
    listed = fake.handle(Request("GET", "/v1/files", headers, b"")).body

    assert listed.count(b'"filename"') == MOST
