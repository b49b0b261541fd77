#!/usr/bin/env python3
"""Writes manual pages from what --help and --help-all say.

usage: command_line.py BYOC OUT
OUT/man/byoc.1.gz and byoc-COMMAND.1.gz.
"""

import gzip
import pathlib
import re
import subprocess
import sys


def run(*command):
    return subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, text=True, check=True).stdout


def all_help(byoc, *arguments):
    text = run(byoc, *arguments, "--help")
    return run(byoc, *arguments, "--help-all") if "  --help-all " in text else text


def commands_of(text):
    """{name: what it does}, of every group of commands: those of the program, and "Subcommands" of a command."""
    groups = re.split(r"\n(?=[A-Z][\w -]+:\n)", text)
    listed = [group for group in groups if not group.startswith(("Options:", "Positionals:", "Example"))]
    return dict(re.findall(r"^  ([a-z][a-z-]*) {2,}(.*)$", "\n".join(listed), re.M))


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
    commands = commands_of(run(byoc, "--help"))
    write_manual(byoc, out / "man", "byoc", "compile neural networks into libraries for microcontrollers and hosts", [])
    for name, what in commands.items():
        write_manual(byoc, out / "man", f"byoc-{name}", what, [name])
        for part, does in commands_of(run(byoc, name, "--help")).items():
            write_manual(byoc, out / "man", f"byoc-{name}-{part}", does, [name, part])


if __name__ == "__main__":
    main()
