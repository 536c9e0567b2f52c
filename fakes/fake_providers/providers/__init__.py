"""The providers, one folder each: facts, rules and answers. Wires never import from here."""
