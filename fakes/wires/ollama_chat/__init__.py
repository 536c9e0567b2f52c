"""Ollama's chat."""
