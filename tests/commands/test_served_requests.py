"""What `serve` puts around its fake: what is printed, and what is remembered."""

import pytest

from agent_conformance.commands.shared.served import PrintingFake
from fake_providers import Request
from fake_providers.serving.journal import Journal
from fake_providers.serving.scripted_fake import ScriptedFake
from fake_providers.values.bounded_store import BoundedStore

BODY = b'{"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hi."}]}'
KEY = "sk-proj-abcdefgh0123456789"


def ask(fake: ScriptedFake, path: str = "/v1/chat/completions", body: bytes = BODY, **headers: str) -> int:
    known = {"authorization": f"Bearer {KEY}", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return PrintingFake(fake).handle(Request("POST", path, known, body)).status


def test_key_of_a_request_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    path = f"/v1beta/models/gemini-3-flash-preview:generateContent?key={KEY}"

    ask(ScriptedFake("gemini"), path, b'{"contents": 1}')
    ask(ScriptedFake("openai"), body=b'{"model": "%b", "messages": []}' % KEY.encode())
    printed = capsys.readouterr().out

    assert "?key=$key: 400" in printed
    assert "refused by" in printed
    assert KEY not in printed


def test_what_a_client_writes_is_printable(capsys: pytest.CaptureFixture[str]) -> None:
    ask(ScriptedFake("openai"), "/v1/\x1b[31mred\nline")

    assert capsys.readouterr().out.splitlines() == ["POST /v1/\\x1b[31mred\\nline: 404"]


def test_journal_forgets_the_oldest() -> None:
    fake = ScriptedFake("openai", journal=Journal(most=2))
    statuses = [ask(fake, body=BODY.replace(b"Hi.", str(n).encode())) for n in range(5)]

    assert statuses == [200] * 5
    assert [view.messages[0].text for view in fake.views] == ["3", "4"]
    assert len(fake.requests) == 2


def test_journal_forgets_what_is_too_large() -> None:
    fake = ScriptedFake("openai", journal=Journal(most_bytes=len(BODY) + 10))
    ask(fake)
    ask(fake, body=BODY.replace(b"Hi.", b"x" * 100))

    assert (fake.requests, fake.transcript) == ([], "no request")


def test_faults_count_requests_that_are_forgotten() -> None:
    from fake_providers import Fault

    fake = ScriptedFake("openai", faults={3: Fault(status=500)}, journal=Journal(most=1))

    assert [ask(fake) for _ in range(4)] == [200, 200, 500, 200]


def test_store_forgets_the_oldest_beyond_its_bounds() -> None:
    store: BoundedStore[str] = BoundedStore(most=2, most_bytes=10)
    store.put("a", "A", 4)
    store.put("b", "B", 4)
    store.put("c", "C", 1)
    store.put("too large", "D", 11)

    assert dict(store) == {"b": "B", "c": "C"}
    store.put("b", "E", 10)
    assert dict(store) == {"b": "E"}
