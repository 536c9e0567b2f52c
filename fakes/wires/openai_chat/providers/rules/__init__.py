"""The rules of the providers beside OpenAI, one module each."""
