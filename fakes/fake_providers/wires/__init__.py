"""The wires, one folder each: request, response, stream, errors, rules."""
