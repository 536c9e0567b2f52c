"""Ways to attach an agent: loading its adapter, starting its program, keeping it in processes of its own."""
