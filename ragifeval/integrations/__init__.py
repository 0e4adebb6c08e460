"""The benchmark as a task of other harnesses. Their packages are imported in here alone."""
