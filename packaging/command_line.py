#!/usr/bin/env python3
"""Writes completions of byoc's command line for bash and zsh, and manual pages, from what --help and --help-all say.

usage: command_line.py BYOC OUT
OUT/bash/byoc, OUT/zsh/_byoc; OUT/man/byoc.1.gz and byoc-COMMAND.1.gz.
"""

import gzip
import pathlib
import re
import shlex
import subprocess
import sys

TEMPLATES = pathlib.Path(__file__).absolute().parent / "templates"


def run(*command):
    return subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, text=True, check=True).stdout


def all_help(byoc, *arguments):
    text = run(byoc, *arguments, "--help")
    return run(byoc, *arguments, "--help-all") if "  --help-all " in text else text


def options_of(text):
    """"  -o,--output TEXT REQUIRED ..." -> ["-o", "--output"], of every line of that kind."""
    found = []
    for line in re.findall(r"^  (-\S+)", text, re.M):
        found += [option for option in line.split(",") if re.fullmatch(r"--?[\w-]+", option)]
    return found


def commands_of(text):
    """{name: what it does}, of every group of commands: those of the program, and "Subcommands" of a command."""
    groups = re.split(r"\n(?=[A-Z][\w -]+:\n)", text)
    listed = [group for group in groups if not group.startswith(("Options:", "Positionals:", "Example"))]
    return dict(re.findall(r"^  ([a-z][a-z-]*) {2,}(.*)$", "\n".join(listed), re.M))


def fill(template, **fields):
    text = (TEMPLATES / template).read_text()
    return re.sub(r"@([A-Z_]+)@", lambda match: fields[match.group(1)], text)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def write_completions(byoc, out):
    top = run(byoc, "--help")
    commands = commands_of(top)
    options = {name: options_of(all_help(byoc, name)) for name in commands}
    targets = " ".join(sorted(re.findall(r"^(\S+)", run(byoc, "targets"), re.M)))
    forms = re.search(r"it takes: ([a-z, -]+)", run(byoc, "pack", "--help")).group(1).replace(",", "")
    write(out / "bash/byoc", fill(
        "byoc.bash.in", TOP=" ".join([*commands, *options_of(top)]), TARGETS=targets, FORMS=forms,
        CASES="\n".join(f"    {name}) options='{' '.join(words)}' ;;" for name, words in options.items())))
    write(out / "zsh/_byoc", fill(
        "byoc.zsh.in", TOP_OPTIONS=" ".join(options_of(top)), TARGETS=targets, FORMS=forms,
        COMMANDS="\n".join("  " + shlex.quote(f"{name}:{what}") for name, what in commands.items()),
        CASES="\n".join(f"    {name}) compadd -- {' '.join(words)} ;;" for name, words in options.items())))
    return commands


def write_manual(byoc, out, name, what, arguments):
    """Sections of man-pages(7) made of the help of one command."""
    lines = [r'.\" Written by packaging/command_line.py.',
             f'.TH {name.upper()} 1 "" "{run(byoc, "--version").strip()}" "User Commands"', ".SH NAME",
             rf"{name} \- {escape(what)}"]
    help_text = all_help(byoc, *arguments)
    usage = re.search(r"^Usage: (.*)$", help_text, re.M).group(1)
    lines += [".SH SYNOPSIS", escape(usage), ".SH DESCRIPTION", escape(help_text.split("\nUsage:")[0].strip().replace("\n", " "))]
    entry = re.compile(r"^  (\S.*?)(?: {2,}(.*))?$")
    literal = False
    for line in help_text.split(usage, 1)[1].splitlines():
        if re.fullmatch(r"[A-Z][A-Za-z, +-]+:", line):
            if literal:
                lines.append(".fi")
            literal = line in ("Example:", "Examples:")
            lines += [f".SH {line[:-1].upper()}", *([".nf"] if literal else [])]
        elif literal:
            lines.append(escape(line.strip()) if line.strip() else ".sp")
        elif line.startswith(" " * 10):
            lines.append(escape(line.strip()))
        elif match := entry.match(line):
            lines += [".TP", rf"\fB{escape(match.group(1))}\fR", escape(match.group(2) or "")]
        elif line.strip():
            lines += [".PP", escape(line.strip())]
    if literal:
        lines.append(".fi")
    out.mkdir(parents=True, exist_ok=True)
    with open(out / f"{name}.1.gz", "wb") as file:
        file.write(gzip.compress(("\n".join(l for l in lines if l) + "\n").encode(), mtime=0))


def escape(text):
    """For roff: backslashes, hyphens of options, and lines that start with what it takes for a request."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def main():
    byoc, out = (pathlib.Path(a).absolute() for a in sys.argv[1:3])
    commands = write_completions(byoc, out)
    write_manual(byoc, out / "man", "byoc", "compile neural networks into libraries for microcontrollers and hosts", [])
    for name, what in commands.items():
        write_manual(byoc, out / "man", f"byoc-{name}", what, [name])
        for part, does in commands_of(run(byoc, name, "--help")).items():
            write_manual(byoc, out / "man", f"byoc-{name}-{part}", does, [name, part])


if __name__ == "__main__":
    main()
