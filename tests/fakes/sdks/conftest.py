"""One server for the whole table."""

import functools
import ssl
from collections.abc import Iterator

import pytest
from one_table import Served


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """Each client would load all trusted certificates, a thousand times, and nothing here uses TLS."""
    context = Served()
    with pytest.MonkeyPatch.context() as patched, context.server, context.hook:
        patched.setattr(ssl, "create_default_context", functools.cache(ssl.create_default_context))
        yield context
    assert context.errors == []
