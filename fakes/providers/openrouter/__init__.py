"""OpenRouter."""
