"""The agent of a case: its set-up, its tools, its user, and the thread on which it lives."""
