"""The benchmark in the forms that others keep data in."""
