import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from table import Table

import agent_conformance.run.process

CERTIFICATE = Path(agent_conformance.run.process.__file__).with_name("certificate.pem")


@pytest.fixture(scope="module", autouse=True)
def _one_certificate() -> Iterator[None]:
    """Clients would otherwise load all certificates of the machine, which takes longer than all these requests."""
    before = os.environ.get("SSL_CERT_FILE")
    os.environ["SSL_CERT_FILE"] = str(CERTIFICATE)
    yield
    if before is None:
        del os.environ["SSL_CERT_FILE"]
    else:
        os.environ["SSL_CERT_FILE"] = before


@pytest.fixture(scope="module", params=["process", "socket"])
def table(request: pytest.FixtureRequest) -> Iterator[Table]:
    with Table(request.param).served() as served:
        yield served
