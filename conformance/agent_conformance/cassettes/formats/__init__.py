"""The formats of cassettes, one module each: an entry of the file in, a recorded exchange out."""
