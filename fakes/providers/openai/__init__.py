"""OpenAI."""
