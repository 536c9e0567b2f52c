"""What the rules of several providers share: reading a request that nothing has checked yet."""
