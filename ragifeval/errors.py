"""The one exception that reaches the user as a line instead of a traceback."""


class UserError(Exception):
    """Something that the user can mend: a wrong option, config, data file or key.

    Its text is one line: what is wrong, where (file, line, key), what would be right. cli.py
    prints it and exits with 2.
    """
