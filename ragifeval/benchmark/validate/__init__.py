"""What proves a data set."""
