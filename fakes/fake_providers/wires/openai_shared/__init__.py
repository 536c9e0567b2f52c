"""What both OpenAI wires share: request bodies, errors and their messages, rules per item, parameters, schemas,
events."""
