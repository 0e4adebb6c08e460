"""Files -> the texts in them: what is named is found, and read by its kind."""
