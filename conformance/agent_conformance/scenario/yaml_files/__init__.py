"""From the bytes of a YAML file to a document in which every value has its line."""
