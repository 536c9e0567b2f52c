"""DeepSeek."""
