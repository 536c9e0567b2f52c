import os
import ssl

import httpx2
import pytest

from agent_conformance.run.process import FILE, one_certificate


def test_clients_trust_one_certificate_during_a_case_and_those_of_the_machine_after_it() -> None:
    def trusted() -> int:
        return ssl.create_default_context(cafile=os.environ.get("SSL_CERT_FILE")).cert_store_stats()["x509"]

    before = trusted()
    with one_certificate():
        inside = trusted()
        httpx2.Client().close()

    assert inside == 1
    assert trusted() == before


def test_certificate_holds_for_decades_and_has_no_key() -> None:
    context = ssl.create_default_context(cafile=str(FILE))
    (certificate,) = context.get_ca_certs()

    assert ssl.cert_time_to_seconds(certificate["notAfter"]) > ssl.cert_time_to_seconds("Jan  1 00:00:00 2100 GMT")
    assert certificate["issuer"] == certificate["subject"]
    assert "PRIVATE KEY" not in FILE.read_text()


@pytest.mark.parametrize("before", [None, "/etc/mine.pem"])
def test_environment_is_as_before(before: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    if before is not None:
        monkeypatch.setenv("SSL_CERT_FILE", before)
    with pytest.raises(ZeroDivisionError), one_certificate():
        raise ZeroDivisionError

    assert os.environ.get("SSL_CERT_FILE") == before
