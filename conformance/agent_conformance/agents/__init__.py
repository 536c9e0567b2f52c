"""Agents that come with the suite: the reference agent and ready-made adapters."""
