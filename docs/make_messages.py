"""Writes docs/messages.md, the page of all errors and warnings, from the source: ``make messages``.

Every ``raise SomeError(...)`` and every call of `warn_caller` is found in the syntax tree. What is known only when the
program runs becomes a placeholder such as <value>; constants and texts that are chosen in the same function are filled
in. Nothing of the library is imported.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "hazboost"
PAGE = ROOT / "docs" / "messages.md"

#: What the user was doing, by module, or function of a module where it serves several ends; the longest match counts.
SECTIONS = {
    "Outcome y": ["data.observations", "data.pairs", "data.reading", "data.surv"],
    "Features X": ["data.categories", "data.features", "data.frames", "data.names", "estimator.FPBoost._read_sample"],
    "Batches": ["data.batches", "estimator.FPBoost._check_external"],
    "Rows, weights and groups": ["data.alignment", "data.reading.as_groups", "data.reading._check_weight"],
    "Parameters": [
        ".__getattr__",
        "estimator",
        "data.constraints",
        "engines.cuda",
        "training.constraints",
        "utils.random_states",
        "utils.threads",
    ],
    "Training": ["estimator.FPBoost._read_eval_set", "data.folds", "data.sample", "engines.collective", "training"],
    "Prediction": ["prediction", "utils.arrays"],
    "Explanations": ["explain", "engines.cuda._with_single_scores"],
    "Model files": ["files", "onnx", "engines.structure", "estimator.load", "utils.files"],
    "Dask": ["dask"],
    "Tuning": ["tuning"],
    "Metrics": ["metrics"],
    "Data sets": ["datasets"],
    "Plots": ["plots"],
    "Report": ["report"],
    "Calculator": ["calculator"],
    "Command line": ["cli"],
}
#: Messages for developers, which no user of the public functions can meet, and reasons that are part of others.
INTERNAL = (
    "boosting.tracing",
    "calculator.forest",
    "data.batches.features.FeatureBatches.__getitem__",
    "engines.checking",
    "engines.collective.communicator",
    "engines.local",
    "engines.merging",
    "engines.packing",
    "engines.storage",
    "engines.ubjson",
    "files.archive",
    "files.consistency",
    "files.contents",
    "files.document",
    "files.entries",
    "files.manifest",
    "files.plain",
    "files.records",
    "files.values",
    "hazards",
    "report.flags",
)

#: Placeholders for expressions, by their source; before a colon the module or function in which they stand for this. A
#: text that begins with = is no placeholder.
WORDS = {
    "cli:clash[0]": "name",
    "cli:error.args[-1]": "reason",
    "cli:column.index[infinite[0]]": "number",
    "cli:column.index[missing[0]]": "number",
    "cli:column.index[rows[0]]": "number",
    "cli:column.index[wrong[0]]": "number",
    "cli:column.name": "name",
    "cli:column": "name",
    "cli:last": "number",
    "cli:model.n_features_in_": "n",
    "cli:name": "name",
    "cli:row": "number",
    "cli:there": "names",
    "cli:table.index[missing[0]]": "number",
    "cli:text": "value",
    "cli:unnamed[0]": "name",
    "cli:used": "options",
    "cli:what": "value",
    "data.alignment:other": "argument",
    "report:suffix": "=",
    "data.alignment:prefix": "=",
    "data.batches.reading:expected": "columns",
    "data.batches.reading:found": "columns",
    "data.batches:expected": "n",
    "data.batches:found": "n",
    "data.batches:name": "name",
    "data.categories:name": "name",
    "data.features:name": "name",
    "data.features:tuple(shape)": "shape",
    "data.features:what": "sample or feature",
    "data.folds:parts": "n",
    "data.frames:and_more(repeated[:5], len(repeated))": "names",
    "data.observations._choose:and_more([str(one) for one in names[:5]], len(names))": "names",
    "data.observations._choose:what": "fields or columns",
    "data.observations:name": "=y",
    "data.observations:what": "time",
    "data.pairs:argument": "=y",
    "data.reading:listed": "codes",
    "data.reading:name": "=y",
    "data.reading:prefix": "=",
    "data.surv:name": "=y",
    "datasets:found": "checksum",
    "datasets:name": "value",
    "engines.cuda:count": "n",
    "explain.accumulated:got": "value",
    "explain.accumulated:high": "value",
    "explain.accumulated:low": "value",
    "explain.accumulated:of": "value",
    "explain.dependence:argument": "=features",
    "files.store:document.LARGEST": "=16777216",
    "files.store:LARGEST": "=1073741824",
    "files.store:writer(found)": "version",
    "files.store:own_version()": "version",
    "files.store:size": "n",
    "engines.collective:who": "function",
    "estimator.load:computed": "name",
    "estimator:name": "family",
    "metrics.checks.as_risk:name": "=risk",
    "metrics.checks.check_probabilities:name": "argument",
    "metrics.checks:name": "=y",
    "metrics.weights:what": "times",
    "training.advice:bounds": "=",
    "training.advice:entry": "=",
    "training.advice:events": "n",
    "training.advice:found": "what was found",
    "training.advice:jump": "probability",
    "training.advice:times": "n",
    "training.constraints:weight.name": "value",
    "plots:MOST": "=12",
    "plots.at_risk:high": "time",
    "plots.at_risk:low": "time",
    "plots.at_risk:outside[0]": "time",
    "plots:labels.size": "n",
    "plots:subjects": "n",
    "tuning:name": "value",
    "data.surv:to": "value",
    "data.surv:unit": "value",
    "DISTRIBUTIONS.get(package, package)": "package",
    "LARGEST": "=3.4e+38",
    "REMEDIES.get(kind, '')": "=",
    "X.columns[i]": "name",
    "X.shape[0]": "n",
    "X.shape[1]": "n",
    "absent": "numbers",
    "begin[other]": "time",
    "called": "feature",
    "codes[-1]": "number",
    "count": "value",
    "counted": "counts",
    "csv": "file",
    "cv": "value",
    "data.X.shape[0]": "n",
    "direction": "value",
    "empty": "time",
    "end": "time",
    "end[one]": "time",
    "error": "reason",
    "estimator.n_features_in_": "n",
    "file.name": "file",
    "folds": "n",
    "fraction": "value",
    "given": "value",
    "grid": "time",
    "kind": "type",
    "known": "known ones",
    "labels[row]": "label",
    "listed": "names",
    "longest": "time",
    "lowest": "probability",
    "min_child_weight": "value",
    "missing": "n",
    "more": "=",
    "n_causes": "number",
    "n_times": "number of times",
    "name": "argument",
    "named": "values and rows",
    "names": "name",
    "names[one]": "id",
    "noun": "label",
    "now": "categorical or numeric",
    "one": "number",
    "other": "number",
    "panels": "n",
    "parameter": "value",
    "patience": "value",
    "rise": "difference",
    "rounds": "n",
    "rows": "n",
    "path.name": "file",
    "rule": "finite or non-negative",
    "self.device": "value",
    "self.end": "time",
    "self.tree_method": "value",
    "sha256": "checksum",
    "shown": "type",
    "strange": "n",
    "study_name": "value",
    "subject[one]": "id",
    "test.lower.max()": "time",
    "times[unknown].max()": "time",
    "total": "n",
    "values": "value",
    "wanted": "numeric",
    "was": "numeric or categorical",
    "weight.max()": "weight",
    "who": "=FPBoost",
    "width": "n",
}
#: The same for calls, by the name of the function or method.
CALLS = {
    "_list": "categories",
    "_rows": "rows ... are",
    "_start": "labels",
    "and_more": "values and rows",
    "describe": "value",
    "event_quantile": "time",
    "examples": "values and rows",
    "flatnonzero": "number",
    "join": "names",
    "len": "n",
    "max": "n",
    "min": "n",
    "name_times": "times",
    "nanmax": "n",
    "shape": "shape",
    "split": "library",
    "str": "folder",
    "sum": "n",
}
#: Arguments of helpers that are the beginning, or all, of a message: the message is shown for each call of the helper.
PASSED_ON = ("message", "requirement", "rule")
INTRO = """# Errors and warnings

Every message of hazboost, by what you were doing. Search this page for the first words of yours. Words in angle
brackets, such as `<value>`, stand for your own values; rows are counted from 0.

- An **error** stops the call, and changes nothing: an estimator that was fitted before is as it was. Almost all are a
  `ValueError`; others are named in the first column.
- A **warning** lets the call go on. Its result is what the message says, and may not be what you want.

Messages about the outcome begin with the name of the argument, `y` below; it may also be `y_train`, `y_test`,
`eval_set: y` or the method of `Surv` that you called. Parameters of `FPBoost` outside of their range are refused by
scikit-learn: ``The 'n_estimators' parameter of FPBoost must be an int in the range [1, inf) or a str among {'auto'}.
Got 0 instead.``

This page is made from the source by `make messages`, and a test compares the two.
"""


@dataclass(frozen=True)
class Message:
    """An error or a warning.

    Attributes
    ----------
    kind : str
        Class of the error or warning.
    text : str
        The message, with placeholders in angle brackets.
    place : str
        Module and function.
    """

    kind: str
    text: str
    place: str

    @property
    def section(self) -> str:
        """What the user was doing; empty if this is no message for users."""
        return section_of(self.place)

    @property
    def is_warning(self) -> bool:
        """Whether the call goes on."""
        return self.kind.endswith("Warning")


def section_of(place: str) -> str:
    """Heading of the longest entry in `SECTIONS` that the place begins with."""
    entries = [(entry, heading) for heading, listed in SECTIONS.items() for entry in listed]
    fitting = [pair for pair in entries if f"{place}.".startswith(f"{pair[0]}.")]
    return max(fitting, key=lambda pair: len(pair[0]))[1] if fitting else ""


# From the syntax tree to text


@dataclass(frozen=True)
class Scope:
    """A place of the source, module and function, and what names stand for there."""

    place: str
    names: Mapping[str, ast.expr]
    functions: Mapping[str, ast.FunctionDef]

    def with_names(self, names: Mapping[str, ast.expr]) -> Scope:
        """The same with further names."""
        return replace(self, names={**self.names, **names})

    def inside(self, name: str, names: Mapping[str, ast.expr]) -> Scope:
        """The same in a function or class, with its names."""
        return replace(self, place=f"{self.place}.{name}", names={**self.names, **names})


def text_of(node: ast.expr, scope: Scope) -> str | None:
    """The text that an expression makes, with placeholders; None if it is no text."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(part_of(part, scope) for part in parts)
        case ast.IfExp(body=body, orelse=other):
            return one_of(text_of(body, scope), text_of(other, scope))
        case ast.Name(id=name) if name in scope.names:
            return text_of(scope.names[name], scope.with_names({name: ast.Constant(value=None)}))
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in scope.functions and name not in CALLS:
            return returned_text(scope.functions[name], arguments, scope)
    return None


def one_of(first: str | None, second: str | None) -> str | None:
    """One of two texts; the first that is not empty where they would make a long placeholder."""
    if first is None or second is None:
        return None
    short = first and second and "<" not in first + second
    return f"<{first} or {second}>" if short else first or second


def returned_text(function: ast.FunctionDef, arguments: list[ast.expr], scope: Scope) -> str | None:
    """The text that a helper returns for its arguments, if all that it returns is one text."""
    returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value]
    names = dict(zip([one.arg for one in function.args.args], arguments, strict=False))
    return text_of(returned[0], scope.with_names({**local_texts(function), **names})) if len(returned) == 1 else None


def part_of(part: ast.expr, scope: Scope) -> str:
    """A part of an f-string: text, or an expression in braces."""
    if not isinstance(part, ast.FormattedValue):
        return text_of(part, scope) or ""
    value = part.value
    text = text_of(value, scope)
    if text is not None:
        return text
    number = scope.names.get(value.id) if isinstance(value, ast.Name) else None
    if isinstance(number, ast.Constant) and isinstance(number.value, int | float):
        return f"{number.value:g}"
    word = word_for(value, scope.place)
    return word.removeprefix("=") if word.startswith("=") else f"<{word}>"


def word_for(node: ast.expr, place: str) -> str:
    """What an expression stands for at some place, in a word or two."""
    match node:
        case _ if (known := known_word(ast.unparse(node), place)) is not None:
            word = known
        case ast.Attribute(attr="__name__") | ast.Attribute(attr="dtype"):
            word = "type"
        case ast.Attribute(attr=word) | ast.Name(id=word):
            word = WORDS.get(word, word)
        case ast.Subscript(value=value):
            word = word_for(value, place)
        case ast.BinOp(left=ast.Constant(value="s")):
            word = "=(s)"
        case ast.BinOp():
            word = "n"
        case ast.Call(func=ast.Attribute(attr=word)) | ast.Call(func=ast.Name(id=word)):
            word = CALLS.get(word, word)
        case _:
            word = "value"
    return word.strip("_").replace("_", " ")


def known_word(source: str, place: str) -> str | None:
    """The entry of `WORDS` for the function, its class, its module, its folder, or everywhere."""
    parts = place.split(".")
    keys = [f"{'.'.join(parts[:length])}:{source}" for length in range(len(parts), 0, -1)]
    return next((WORDS[key] for key in [*keys, source] if key in WORDS), None)


def local_texts(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Names and their values in a function; of several values the last."""
    return {
        node.targets[0].id: node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
    }


# Finding messages


@dataclass(frozen=True)
class Site:
    """Where an error is raised, a warning is given or a function is called."""

    scope: Scope
    function: ast.FunctionDef | None
    node: ast.Raise | ast.Call


def sites() -> Iterator[Site]:
    """All raises and calls of the source, module by module."""
    trees = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        module = ".".join(part for part in parts if part != "__init__")
        trees[module] = ast.parse(path.read_text(encoding="utf-8"))
    constants = {module: constants_of(tree) for module, tree in trees.items()}
    for module, tree in trees.items():
        functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        known = {**imported_constants(tree, constants), **constants[module]}
        yield from sites_in(tree, Scope(module, known, functions), None)


def imported_constants(tree: ast.Module, constants: Mapping[str, Mapping[str, ast.expr]]) -> dict[str, ast.expr]:
    """Constants that a module imports from others of the library."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("hazboost."):
            there = constants.get(node.module.removeprefix("hazboost."), {})
            found.update({alias.name: there[alias.name] for alias in node.names if alias.name in there})
    return found


def constants_of(tree: ast.Module) -> dict[str, ast.expr]:
    """Constants of a module, by name."""
    found: dict[str, ast.expr] = {}
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found[name] = value
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                found |= {
                    name.id: value for name, value in zip(names, values, strict=True) if isinstance(name, ast.Name)
                }
    return found


def sites_in(tree: ast.AST, scope: Scope, function: ast.FunctionDef | None) -> Iterator[Site]:
    """Raises and calls below a node; functions inside of others count as parts of them."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Raise | ast.Call):
            yield Site(scope, function, node)
        if isinstance(node, ast.FunctionDef) and function is None:
            yield from sites_in(node, scope.inside(node.name, local_texts(node)), node)
        elif isinstance(node, ast.ClassDef) and function is None:
            yield from sites_in(node, scope.inside(node.name, {}), None)
        else:
            yield from sites_in(node, scope, function)


def find_messages() -> list[Message]:
    """All messages, in the order of the source; one that is given at several places once."""
    everywhere = list(sites())
    found: dict[tuple[str, str, str], Message] = {}
    for site in everywhere:
        for message in messages_at(site, everywhere):
            found.setdefault((message.section, message.kind, message.text), message)
    return [message for message in found.values() if not message.place.startswith(INTERNAL)]


def messages_at(site: Site, everywhere: list[Site]) -> Iterator[Message]:
    """The message given at a place; of a helper that is told what to say, one for each call of it."""
    kind, given = kind_and_text(site)
    if kind is None or given is None:
        return
    parameters = [] if site.function is None else [one.arg for one in site.function.args.args]
    if not set(PASSED_ON) & set(parameters) & names_in(given):
        yield Message(kind, read(given, site), site.scope.place)
        return
    for call, arguments in calls_of(site.function.name if site.function else "", everywhere):
        texts = {name: text_of(one, call.scope) for name, one in zip(parameters, arguments, strict=False)}
        said = {name: ast.Constant(value=text) for name, text in texts.items() if text is not None}
        yield Message(kind, read(given, replace(site, scope=site.scope.with_names(said))), call.scope.place)


def read(given: ast.expr, site: Site) -> str:
    """A message as one line; an error where it cannot be found, so that none is left out."""
    text = text_of(given, site.scope)
    if text is None:
        where = f"{site.scope.place}, line {given.lineno}"
        raise ValueError(f"{where}: the text of this message cannot be read; write it where it is raised.")
    return " ".join(text.split())


def kind_and_text(site: Site) -> tuple[str | None, ast.expr | None]:
    """Class of the error or warning given at a place, and the expression of its message."""
    node = site.node
    if isinstance(node, ast.Call):
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        return (ast.unparse(node.args[1]), node.args[0]) if called == "warn_caller" else (None, None)
    error = node.exc
    if isinstance(error, ast.Name) and error.id in site.scope.names:
        error = site.scope.names[error.id]
    if isinstance(error, ast.Call) and isinstance(error.func, ast.Name) and error.func.id.endswith("Error"):
        return error.func.id, error.args[0] if error.args else None
    return None, None


def calls_of(name: str, everywhere: list[Site]) -> Iterator[tuple[Site, list[ast.expr]]]:
    """Calls of a function, anywhere, with their arguments."""
    for site in everywhere:
        if isinstance(site.node, ast.Call) and isinstance(site.node.func, ast.Name) and site.node.func.id == name:
            yield site, site.node.args


def names_in(node: ast.expr) -> set[str]:
    """Names in an expression."""
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


# The page


def make_page() -> str:
    """The page in Markdown."""
    by_section = defaultdict(list)
    for message in find_messages():
        by_section[message.section].append(message)
    headings = [heading for heading in SECTIONS if heading in by_section]
    contents = [f"- [{heading}](#{anchor(heading)}) ({len(by_section[heading])})" for heading in headings]
    parts = [INTRO, "\n".join(contents) + "\n"]
    parts += [f"## {heading}\n\n{table(by_section[heading])}" for heading in headings]
    return "\n".join(parts)


def anchor(heading: str) -> str:
    """Where GitHub puts a heading."""
    return heading.lower().replace(",", "").replace(" ", "-")


def table(messages: list[Message]) -> str:
    """Errors, then warnings, each with its message."""
    ordered = sorted(messages, key=lambda message: message.is_warning)
    lines = ["| kind | message |", "|---|---|"]
    lines += [f"| {label(message)} | {as_code(message.text)} |" for message in ordered]
    return "\n".join(lines) + "\n"


def label(message: Message) -> str:
    """Kind of the message; the class only where it is not the usual one."""
    word = "**warning**" if message.is_warning else "error"
    return word if message.kind in ("ValueError", "UserWarning") else f"{word}, `{message.kind}`"


def as_code(text: str) -> str:
    """Text as it appears on the screen; bars would end the cell of a table, and backticks the code."""
    fence = "``" if "`" in text else "`"
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}".replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(make_page(), encoding="utf-8")
