"""Groq."""
