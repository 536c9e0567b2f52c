"""The rules of the providers beside OpenAI: what is known to be refused. Everything else is accepted."""
