"""llama.cpp."""
