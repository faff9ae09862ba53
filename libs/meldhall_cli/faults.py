"""What a command tells a person who asked for something that cannot be done."""


class CommandFault(Exception):
    """A command cannot go on; the message says what to change. Exit code 2."""
