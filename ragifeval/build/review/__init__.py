"""Review by a person: a table and a page, and the verdicts read back."""
