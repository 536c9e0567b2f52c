"""What scripted replies share on every wire: their calls, pieces, timing, faults and limits."""
