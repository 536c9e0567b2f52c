"""The HTTP interface of `serve` for test programs: requests seen, next replies, faults."""
