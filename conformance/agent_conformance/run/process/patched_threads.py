"""Whether an agent has replaced threads or sockets for the whole process, as gevent and eventlet do. Knows no agent.

The suite runs an agent on a thread of its own, and waits for it. A greenlet in its place shares the one thread of the
process with the suite, and a verdict would be one on that.
"""

import _thread
import socket
import threading

PATCHED = (
    "the agent patches threads or sockets for the whole process, as gevent and eventlet do, and the suite's own with"
    " them: run it in a process of its own, with --agent-isolate, or write `isolated = True` in its adapter"
)

_native_id = _thread.get_native_id
_start = threading._start_new_thread  # type: ignore[attr-defined]
_thread_class = threading.Thread
_socket = socket.socket


def threads_are_patched() -> bool:
    """Whether a new thread is none, or a new socket is not of Python's class.

    Debuggers and tracers replace what starts a thread, and threads stay what they are.
    """
    if not (isinstance(socket.socket, type) and issubclass(socket.socket, _socket)):
        return True
    if threading._start_new_thread is _start and threading.Thread is _thread_class:  # type: ignore[attr-defined]
        return False
    seen: list[int] = []
    try:
        thread = threading.Thread(target=lambda: seen.append(_native_id()), daemon=True)
        thread.start()
        thread.join(1.0)
    except Exception:
        return True
    return seen in ([], [_native_id()])
