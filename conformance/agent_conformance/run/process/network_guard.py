"""Keeps a case on this machine: refuses sockets to other hosts, and records them.

A guard rail and not a sandbox: it sees the sockets of this interpreter. Connections made in C (uvloop, by IP address)
and those of child processes are not seen.
"""

import contextlib
import errno
import ipaddress
import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from agent_conformance.transcripts.redaction import SECRETS
from agent_conformance.transcripts.secret_names import secrets_in

Host = tuple[str, int | None]
"""A host name or address, and the port where it is known."""

BANNED = "agent-conformance lets a case talk to its fake provider only, not to"


class NetworkGuard:
    """The interpreter's one audit hook for sockets, active while at least one `watch` is open.

    An audit hook, because SDKs already hold references to `socket.socket` and `create_connection`, and because
    asyncio triggers it as well. Python cannot remove one, so it is installed once, at the first `watch`. It also notes
    the keys that an agent puts into the environment, which may be gone at the end of its case.
    """

    _lock = threading.Lock()
    _installed = False
    _watches: tuple[list[Host], ...] = ()

    @classmethod
    @contextlib.contextmanager
    def watch(cls, refused: list[Host] | None = None) -> Iterator[list[Host]]:
        """Refuses foreign hosts in all threads; the list has each of them once, in order.

        The client sees a `socket.gaierror` for a name and an `OSError` (network unreachable) for an address. Rely on
        the list: SDKs hide the exception. Of nested watches the innermost records, into `refused` if that is given.
        """
        refused = [] if refused is None else refused
        with cls._lock:
            if not cls._installed:
                sys.addaudithook(cls._audit)
                cls._installed = True
            cls._watches = (*cls._watches, refused)
        try:
            yield refused
        finally:
            with cls._lock:
                cls._watches = tuple(watch for watch in cls._watches if watch is not refused)

    @classmethod
    def note(cls, host: Host) -> None:
        """Record what another process has refused, in the innermost watch."""
        for refused in cls._watches[-1:]:
            if host not in refused:
                refused.append(host)

    @classmethod
    def _audit(cls, event: str, arguments: tuple[Any, ...]) -> None:
        # Called for every event of the interpreter: nothing may come before this line.
        watches = cls._watches
        if not watches or (find := _FINDERS.get(event)) is None:
            return
        host = find(arguments)
        if host is None or is_local(host[0]):
            return
        if host not in watches[-1]:
            watches[-1].append(host)
        raise _refusal(event, host)


def is_local(host: str) -> bool:
    """Loopback, by name or by address, or no particular host."""
    name = host.rstrip(".").lower()
    if name in ("", "localhost") or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return bool(mapped.is_loopback or mapped.is_unspecified)


def _refusal(event: str, host: Host) -> OSError:
    text = f"{BANNED} {host[0]}" + ("" if host[1] is None else f":{host[1]}")
    if event in _NAMES:
        return socket.gaierror(socket.EAI_FAIL, text)
    return OSError(errno.ENETUNREACH, text)


def _host_of_lookup(arguments: tuple[Any, ...]) -> Host | None:
    """From `getaddrinfo(host, port, ...)` or `gethostbyname(host)`; a host of None is this machine."""
    host, port = (*arguments, None)[:2]
    return None if host is None else (_text(host), _number(port))


def _host_of_address(arguments: tuple[Any, ...]) -> Host | None:
    """From `connect`, `sendto` or `sendmsg` of a socket with an address; other families have no hosts."""
    sock, address = arguments[:2]
    if getattr(sock, "family", None) not in (socket.AF_INET, socket.AF_INET6) or not isinstance(address, tuple):
        return None
    return (_text(address[0]), _number(address[1]))


def _note_variable(arguments: tuple[Any, ...]) -> None:
    name, value = (os.fsdecode(part) for part in arguments[:2])
    SECRETS.learn_all(secrets_in(name, value))


def _text(host: Any) -> str:
    return host.decode(errors="replace") if isinstance(host, bytes | bytearray) else str(host)


def _number(port: Any) -> int | None:
    """A port may come as a number, its digits or a service's name."""
    with contextlib.suppress(ValueError, TypeError):
        return int(port)
    with contextlib.suppress(OSError, TypeError, UnicodeDecodeError):
        return socket.getservbyname(_text(port))
    return None


_NAMES = frozenset({"socket.getaddrinfo", "socket.gethostbyname"})
_FINDERS: dict[str, Callable[[tuple[Any, ...]], Host | None]] = {
    "socket.getaddrinfo": _host_of_lookup,
    "socket.gethostbyname": _host_of_lookup,
    "socket.connect": _host_of_address,
    "socket.sendto": _host_of_address,
    "socket.sendmsg": _host_of_address,
    "os.putenv": _note_variable,
}
