"""Documents, samples, and what proves a data set."""
