"""Agents in Python in a process of their own, for `--agent-isolate`.

A process that has imported the agent, the fork server, forks the worker that serves one case at a time. Whatever an
agent does to a worker ends with it: the worker is killed with all its children, and the fork server forks another.

The messages are those of the protocol of `agent_conformance.attach.command`, and some of the suite's own for what only
Python can do. They are internal: `docs/isolation.md` lists them.
"""
