"""One certificate instead of the machine's, so that clients are built 40 times faster.

A default client of an SDK loads all trusted certificates when it is built, which took most of a case's CPU time. Cases
use plain http on loopback and need none. The shipped one is self-signed and its key was deleted: no server can use it.
"""

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from agent_conformance.run.process.isolation import environment_with

FILE = Path(__file__).parent / "certificate.pem"

VARIABLES: Mapping[str, str] = {"SSL_CERT_FILE": str(FILE)}
"""What `one_certificate` sets, for child processes that get an environment of their own."""


@contextlib.contextmanager
def one_certificate() -> Iterator[None]:
    """Points OpenSSL, httpx and httpx2 at the shipped certificate; clients built inside trust no https server.

    The environment is the process's: do not use it while other threads need https.
    """
    with environment_with(VARIABLES):
        yield
