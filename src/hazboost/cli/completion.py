"""``hazboost completion``: a script by which a shell completes the command, its options and their values."""

from __future__ import annotations

import sys
from argparse import SUPPRESS, Action, ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Iterator

from hazboost.cli.shells import SHELLS, Option, Place

ABOUT = "print a script for completion by the shell"
#: What options and arguments that are names of files have as the name of their value, or as their own.
FILES = {"MODEL", "FIGURE", "TABLE", "FILE", "model", "data", "file"}


def add_options(parser: ArgumentParser) -> None:
    """For which shell."""
    parser.add_argument("shell", choices=list(SHELLS), help="the shell")


def run(options: Namespace) -> None:
    """Print the script."""
    sys.stdout.write(SHELLS[options.shell](list(places(options.parser))))


def places(parser: ArgumentParser, name: str = "") -> Iterator[Place]:
    """What may be written after the name of the command, and after that of each of its subcommands."""
    below = next((action for action in parser._actions if isinstance(action, _SubParsersAction)), None)
    abouts = {} if below is None else {str(one.dest): one.help or "" for one in below._choices_actions}
    arguments = [action for action in parser._actions if not action.option_strings and action is not below]
    yield Place(
        name,
        abouts,
        [_option(action) for action in parser._actions if action.option_strings],
        [str(choice) for action in arguments for choice in action.choices or ()],
        any(action.dest in FILES for action in arguments),
    )
    for word, one in {} if below is None else below.choices.items():
        yield from places(one, f"{name} {word}".strip())


def _option(action: Action) -> Option:
    about = "" if action.help in (None, SUPPRESS) else str(action.help)
    choices = [str(choice) for choice in action.choices or ()]
    return Option(list(action.option_strings), about, action.nargs != 0, choices, action.metavar in FILES)
