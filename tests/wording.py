"""What every error and warning must be like, whoever reads it."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from hazboost import Batches, FPBoost, Surv, datasets, explain, metrics, plots, tune

LONGEST = 600
#: Words that scikit-learn's checks of estimators ask for.
ASKED_FOR = re.compile(
    r"\(n_samples=[^)]*\)|(sample|feature)\(s\) \(shape=.*?\) while a minimum of 1 is required|"
    r"Reshape your data.*|Complex data not supported"
)
#: Text of other libraries, and of Python itself, that says nothing to a user of this one.
FOREIGN = re.compile(
    r"Traceback|xgboost/|Check failed|dmlc|\.cc:|\.py\b|0x[0-9a-f]{4}|ufunc|could not be broadcast|<class|<function|"
    r"object is not|has no attribute|cannot convert|Cannot convert|could not convert|Could not convert|invalid literal|"
    r"unsupported operand|not supported between|truth value|setting an array element|argument must be a|"
    r"np\.(float|int|str|bool)|NAType|Expected 2D|ensure_|n_samples|sample\(s\)|feature\(s\)|dim \d|"
    r"Length of values|cannot reindex|out of bounds|object arrays|unexpected keyword|positional argument"
)


def public_arguments():
    """Names of all arguments of public functions and methods."""
    callables = [tune, datasets.load_dataset]
    for module in (explain, metrics, plots):
        callables += [one for _, one in inspect.getmembers(module, inspect.isfunction)]
    callables += [one.from_estimator for _, one in inspect.getmembers(plots, inspect.isclass)]
    for owner in (Batches, FPBoost, Surv):
        callables += [member for name, member in inspect.getmembers(owner, callable) if not name.startswith("_")]
    names = {name for one in [Batches, FPBoost, *callables] for name in inspect.signature(one).parameters}
    return names - {"self", "kwargs"}


ARGUMENTS = public_arguments()
NAMED = re.compile(r"(?<!\w)(" + "|".join(sorted(map(re.escape, ARGUMENTS), key=len, reverse=True)) + r")(?!\w)")


def faults(message):
    """What is wrong with the text of an error or warning."""
    found = []
    if len(message) > LONGEST:
        found.append(f"{len(message)} characters")
    if not message.rstrip().endswith("."):
        found.append("no full stop at the end")
    if foreign := FOREIGN.search(ASKED_FOR.sub("", message)):
        found.append(f"foreign words: {foreign[0]!r}")
    if not NAMED.search(message):
        found.append("no argument is named")
    if not is_on_page(message):
        found.append("not on the page of all messages")
    return found


#: Words that tell a user what to do, or what would be right.
ADVICE = re.compile(
    r"\b(call|check|choose|code|convert|drop|encode|evaluate|fit|give|install|leave|load|number|pass|put|record|remove|rename|"
    r"replace|rescale|select|set|sort|try|use|write|must|need|needs|is needed|known ones are)\b",
    re.IGNORECASE,
)
#: Words of programmers, and of those who optimise.
JARGON = re.compile(
    r"\b(ndarray|dtype|hessian|gradient|booster|DMatrix|XGBoost|n_samples|kwargs?|iterable|hashable|scalar|"
    r"callable|tuple|broadcast|ravel|reshape|axis)\b|shape \("
)


def faults_of_template(text, kind):
    """What is wrong with a message whose values are placeholders, as on the page of all messages.

    A wrong argument is named first. A warning is about a result, and names arguments where it says what to do; other
    errors, about packages and files, need not name any.
    """
    found = []
    about_arguments = kind in ("ValueError", "TypeError")
    if about_arguments and not (NAMED.match(text) or re.match(r"<argument>|Surv\.\w+", text)):
        found.append("does not begin with the argument")
    if kind.endswith("Warning") and not NAMED.search(text):
        found.append("names no argument")
    if not text.endswith("."):
        found.append("no full stop at the end")
    if not ADVICE.search(text):
        found.append("does not say what to do")
    if jargon := JARGON.search(ASKED_FOR.sub("", text)):
        found.append(f"jargon: {jargon[0]!r}")
    return found


def patterns_of_page():
    """Patterns of the beginnings of the messages on the page: any text for a placeholder, and other names for ``y``."""
    page = (Path(__file__).resolve().parents[1] / "docs" / "messages.md").read_text(encoding="utf-8")
    texts = re.findall(r"^\| [^|]* \| `+ ?(.*?) ?`+ \|$", page.replace("\\|", "|"), re.MULTILINE)
    # The words of scikit-learn, which checks the parameters, are not in the source.
    return [pattern_of(re.sub("^y", "<y>", text)) for text in [*texts, "The '<name>' parameter of FPBoost must be"]]


def pattern_of(text):
    """Pattern of a message up to the placeholder after its first thirty characters."""
    pattern, length = r"(batches: batch \d+: )?(eval_set: )?", 0
    for literal in re.split(r"<[^<>]*>", text):
        pattern += re.escape(literal).replace(r"\(s\)", r"(s|\(s\))?") + ".*"
        length += len(literal)
        if length > 30:
            break
    return re.compile(pattern, re.DOTALL)


ON_PAGE = patterns_of_page()


def is_on_page(message):
    """Whether docs/messages.md has the message."""
    return any(pattern.match(message) for pattern in ON_PAGE)


def template(message):
    """The first line of a message without the values in it, so that messages of one kind can be counted."""
    short = re.sub(r"'[^']*'", "'…'", message.split("\n", maxsplit=1)[0])
    return re.sub(r"\d[\d.,e+-]*\d|\d", "#", short)[:160]
