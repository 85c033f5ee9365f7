"""Scripts for completion by bash, zsh and fish, written from what the command can be followed by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Option:
    """An option: how it is written, what it is, and what its value may be."""

    names: list[str]
    about: str
    has_value: bool
    choices: list[str]
    is_file: bool


@dataclass(frozen=True)
class Place:
    """What may follow a subcommand, or the command itself, whose name is empty here.

    Attributes
    ----------
    name : str
        Words after the name of the command, such as ``plot survival``.
    commands : dict of str to str
        Subcommands, and what they do.
    options : list of Option
        Its options.
    words : list of str
        Words that it takes instead of files.
    files : bool
        Whether it takes files.
    """

    name: str
    commands: dict[str, str]
    options: list[Option]
    words: list[str]
    files: bool


BASH = """\
# Completion of hazboost by bash: source this file, or put it into ~/.local/share/bash-completion/completions/hazboost
_hazboost_files() {{
    local IFS=$'\\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$1"))
}}

_hazboost() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" place="" next i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        next="${{place:+$place }}${{COMP_WORDS[i]}}"
        case "$next" in
            {names}) place="$next" ;;
        esac
    done
    case "$place:$previous" in
{values}
    esac
    case "$place:$current" in
{words}
    esac
}}

complete -F _hazboost hazboost
"""
ZSH = """\
#compdef hazboost
# Completion of hazboost by zsh: put this file as _hazboost into a folder of $fpath, or source it after compinit
_hazboost() {{
    local place="" next
    local -a offered
    integer i
    for ((i = 2; i < CURRENT; i++)); do
        next="${{place:+$place }}${{words[i]}}"
        case "$next" in
            {names}) place="$next" ;;
        esac
    done
    case "$place:${{words[CURRENT-1]}}" in
{values}
    esac
    case "$place:${{words[CURRENT]}}" in
{words}
    esac
}}

if [ "$funcstack[1]" = "_hazboost" ]; then
    _hazboost "$@"
else
    compdef _hazboost hazboost
fi
"""
FISH = """\
# Completion of hazboost by fish: put this file as hazboost.fish into ~/.config/fish/completions
function __hazboost_at
    set -l place ''
    set -l given (commandline -opc)
    set -e given[1]
    for word in $given
        switch (string trim -- "$place $word")
            case {names}
                set place (string trim -- "$place $word")
        end
    end
    test "$place" = "$argv[1]"
end

complete -c hazboost -f
{lines}
"""


def write_bash(places: list[Place]) -> str:
    """The script for bash."""

    def offer(words: list[str]) -> str:
        return f'COMPREPLY=($(compgen -W "{" ".join(words)}" -- "$current"))'

    lines = []
    for place in places:
        options = [name for option in place.options for name in option.names]
        lines.append(f'        "{place.name}:-"*) {offer(options)} ;;')
        words = [*place.commands, *place.words]
        if words:
            lines.append(f'        "{place.name}:"*) {offer(words)} ;;')
        elif place.files:
            lines.append(f'        "{place.name}:"*) _hazboost_files "$current" ;;')
    values = _values(places, offer, '_hazboost_files "$current"')
    return BASH.format(names=_names(places), values=values, words="\n".join(lines))


def write_zsh(places: list[Place]) -> str:
    """The script for zsh."""

    def offer(words: list[str]) -> str:
        return f"compadd -- {' '.join(words)}"

    def describe(kind: str, described: dict[str, str]) -> str:
        listed = " ".join(_quote(f"{word}:{about}", "'\\''") for word, about in described.items())
        return f"offered=({listed}); _describe {kind} offered"

    lines = []
    for place in places:
        options = {name: option.about for option in place.options for name in option.names}
        lines.append(f'        "{place.name}:-"*) {describe("-o option", options)} ;;')
        if place.commands:
            lines.append(f'        "{place.name}:"*) {describe("command", place.commands)} ;;')
        elif place.words:
            lines.append(f'        "{place.name}:"*) {offer(place.words)} ;;')
        elif place.files:
            lines.append(f'        "{place.name}:"*) _files ;;')
    return ZSH.format(names=_names(places), values=_values(places, offer, "_files"), words="\n".join(lines))


def write_fish(places: list[Place]) -> str:
    """The script for fish."""
    lines = []
    for place in places:
        here = f"complete -c hazboost -n '__hazboost_at \"{place.name}\"'"
        lines += [f"{here} -a {word} -d {_quote(about)}" for word, about in place.commands.items()]
        lines += [f"{here} -a {_quote(' '.join(place.words))}"] if place.words else []
        lines += [f"{here} -F"] if place.files else []
        lines += [f"{here} {_fish_option(option)}" for option in place.options]
    names = " ".join(_quote(place.name) for place in places if place.name)
    return FISH.format(names=names, lines="\n".join(lines))


def _fish_option(option: Option) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
    kind = "" if not option.has_value else " -r -F" if option.is_file else " -x"
    choices = f" -a {_quote(' '.join(option.choices))}" if option.choices else ""
    return f"{names}{kind}{choices} -d {_quote(option.about)}"


def _names(places: list[Place]) -> str:
    """A pattern of bash and zsh that is true of all subcommands."""
    return "|".join(f'"{place.name}"' for place in places if place.name)


def _values(places: list[Place], offer: Callable[[list[str]], str], files: str) -> str:
    """What to do after options that have a value, in bash and zsh; nothing is offered for what only the user knows."""
    lines = []
    for place in places:
        for option in [one for one in place.options if one.has_value]:
            pattern = "|".join(f'"{place.name}:{name}"' for name in option.names)
            action = offer(option.choices) if option.choices else files if option.is_file else ""
            lines.append(f"        {pattern}) {action}{'; ' if action else ''}return ;;")
    return "\n".join(lines)


def _quote(text: str, quote: str = "\\'") -> str:
    """A text in single quotes; a backslash has a meaning between those of fish only, and helps nowhere."""
    return "'" + text.replace("\\", "").replace("'", quote) + "'"


#: What writes the script of each shell.
SHELLS: dict[str, Callable[[list[Place]], str]] = {"bash": write_bash, "zsh": write_zsh, "fish": write_fish}
