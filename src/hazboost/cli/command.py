"""The command: its subcommands, and what becomes of errors."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import NoReturn, TextIO

from hazboost.cli import calculator, completion, describe, evaluate, explain, fit, plot, predict, report, tune
from hazboost.utils.versions import own_version

SUBCOMMANDS: dict[str, ModuleType] = {
    "fit": fit,
    "tune": tune,
    "predict": predict,
    "evaluate": evaluate,
    "describe": describe,
    "explain": explain,
    "plot": plot,
    "report": report,
    "calculator": calculator,
    "completion": completion,
}
#: With this variable in the environment errors are shown with all that Python knows of them.
DEBUG = "HAZBOOST_DEBUG"
#: Exit codes: something wrong with the input; something else. Stopped by a signal, it is 128 plus that of the signal.
WRONG_INPUT, OTHER = 2, 1
#: Ctrl-C, `kill`, and the end of the terminal, which Windows does not know.
STOPPING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Parser(ArgumentParser):
    """Says in one line what is wrong with the options."""

    def error(self, message: str) -> NoReturn:
        """Exit, and say why."""
        self.exit(WRONG_INPUT, f"{self.prog}: {message.rstrip('.')}; see {self.prog} --help.\n")


def make_parser() -> Parser:
    """The parser of all options."""
    parser = Parser(prog="hazboost", description="Survival analysis with gradient-boosted parametric hazards.")
    parser.add_argument("--version", action="version", version=f"hazboost {own_version()}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, module in SUBCOMMANDS.items():
        module.add_options(subparsers.add_parser(name, help=module.ABOUT, description=module.ABOUT, allow_abbrev=False))
    parser.set_defaults(parser=parser)  # which is what completion describes
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the name of the command; by default what the process was given.
    """
    options = make_parser().parse_args(arguments)
    name = f"hazboost {options.command}"
    with warnings.catch_warnings(), _interrupts() as interrupts:
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = _warner(name)
        try:
            SUBCOMMANDS[options.command].run(options)
            sys.stdout.flush()  # here, where a reader that is gone is noticed
        except BrokenPipeError:
            # Whoever reads the output has enough of it. Python would try again to write it at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return OTHER
        except KeyboardInterrupt:
            return _stopped(name, interrupts)
        except Exception as error:  # a traceback says nothing to whoever calls a command
            if interrupts:
                return _stopped(name, interrupts)
            if os.environ.get(DEBUG):
                raise
            sys.stderr.write(f"{name}: {_sentence(error)}\n")
            return WRONG_INPUT if isinstance(error, ValueError | TypeError) else OTHER
    return 0


def _stopped(name: str, interrupts: list[int]) -> int:
    """Say so, and return the exit code, that of shells."""
    sys.stderr.write(f"\n{name}: stopped\n")
    return 128 + (interrupts[0] if interrupts else signal.SIGINT)


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """Signals to stop so far: pandas makes another error of one that comes while it reads.

    All of them become an interruption, after which nothing is left of a file that is not complete.
    """
    noticed: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        noticed.append(number)
        raise KeyboardInterrupt

    own = threading.current_thread() is threading.main_thread()
    # Whoever runs in the background may have been told to ignore a signal.
    usual = (signal.default_int_handler, signal.SIG_DFL)
    before = {one: signal.getsignal(one) for one in STOPPING if own and signal.getsignal(one) in usual}
    for one in before:
        signal.signal(one, interrupt)
    try:
        yield noticed
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _sentence(error: Exception) -> str:
    """The message of an error in one line; one that nobody has foreseen is named."""
    text = " ".join(str(error).split())
    if isinstance(error, ValueError | TypeError):
        return text
    if isinstance(error, OSError):
        return f"{error.filename or 'a file'} could not be read or written ({error.strerror or text})."
    if isinstance(error, MemoryError):
        return "there is not enough memory."
    return f"{type(error).__name__}: {text}; set {DEBUG}=1 to see where, and report it."


def _warner(name: str) -> Callable[..., None]:
    """Shows warnings in one line, each once: blocks of rows may have the same."""
    shown = set()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        text = " ".join(str(message).split())
        if text not in shown:
            shown.add(text)
            sys.stderr.write(f"{name}: warning: {text}\n")

    return show
