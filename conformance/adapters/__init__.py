"""Ready-made adapters for well-known frameworks, each as it comes. An adapter needs the extra of its name."""
