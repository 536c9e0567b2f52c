"""Ends the threads of agents that would wait for ever."""

import threading

OVER = threading.Event()
"""Set at the end of each test of this folder, so that waiting threads end too."""
