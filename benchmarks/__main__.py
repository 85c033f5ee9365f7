"""The command line of all studies: ``python -m benchmarks STUDY [options]``."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from importlib import import_module

#: Name -> what it measures. Each study has a module ``command`` with ``main(arguments)``.
STUDIES = {
    "paper": "the experiments of the FPBoost paper: every model, eight data sets, thirty seeds",
    "accuracy": "models at their defaults on the time-fixed data sets of SurvSet",
    "kinds": "delayed entry, interval censoring, competing risks, changing covariates and recurrent events",
    "speed": "seconds and memory of fits and predictions, beside other packages and the version before",
    "learning": "errors of predicted survival curves from a thousand rows to a million",
    "ablation": "what each step of the automatic fit is worth, on the data of two other studies",
    "seeds": "how far predictions of FPBoost depend on its random seed",
    "truth": "predicted survival curves against the true ones of simulated subjects",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a study. SIGTERM ends the worker processes as Ctrl-C does."""
    options = parse(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        import_module(f"benchmarks.studies.{options.study}.command").main(options.options)
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted. The same command continues from here.\n")
        sys.exit(130)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The study, and its options, which its own command parses."""
    listed = "\n".join(f"  {name:10} {what}" for name, what in STUDIES.items())
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=f"Run a study.\n\nstudies:\n{listed}",
        epilog="python -m benchmarks STUDY --help lists the options of a study.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("study", choices=STUDIES, metavar="study")
    parser.add_argument("options", nargs=argparse.REMAINDER, help="of the study")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
