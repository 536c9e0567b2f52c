"""What both OpenAI wires share: wording, item rules, parameters, schema faults, provider errors."""
