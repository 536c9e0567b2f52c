"""What both OpenAI wires share: error messages, rules per item, parameters, schema errors, provider errors."""
