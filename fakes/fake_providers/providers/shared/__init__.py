"""What the rules of several providers share: parsing a request that nothing has checked yet."""
