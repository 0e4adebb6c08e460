"""The commands of `python -m ragifeval`: options in, text on stdout and an exit code out."""
