#!/usr/bin/env python3
"""Counts comments that begin with "What", "Of", "Those" or "The same": fragments that cannot be read without the
declaration below them. ALLOWED has the number of each folder; it may only fall.

usage: comments.py [ROOT]
"""

import re
import sys
from pathlib import Path

import source_tree

# Kernels with inline assembly. A folder that is not named has none.
ALLOWED = {"backends/c": 19}

SUFFIXES = source_tree.CPP | {".inc", ".in"}
TOKENS = re.compile(r'R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"'
                    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'|(?P<comment>//[^\n]*|/\*.*?\*/)", re.DOTALL)
OPENING = re.compile(r"/[/*][/*!<]*\s*(?:\*\s)?\s*(What|Of|Those|The same)\b")


def blocks(text):
    """(line, text) of every comment. Lines of // under each other are one comment."""
    end = None  # of the // comment before
    for token in TOKENS.finditer(text):
        comment = token["comment"]
        if comment is None:
            continue
        is_line = comment.startswith("//")
        if not (is_line and end is not None and re.fullmatch(r"\n[ \t]*", text[end:token.start()])):
            yield text.count("\n", 0, token.start()) + 1, comment
        end = token.end() if is_line else None


def openings(text):
    """(line, opening) of each comment that begins in one of these ways."""
    return [(line, found[1]) for line, comment in blocks(text) if (found := OPENING.match(comment))]


def folder_of(path):
    return "include" if path.parts[0] == "include" else "/".join(path.parts[:2])


def check(root, allowed):
    """What is wrong, a line each."""
    found = {}
    for top in ("backends", "include", "sdk"):
        for path in source_tree.files(root / top, SUFFIXES):
            file = Path(top) / path
            places = openings((root / file).read_text(encoding="utf-8"))
            found.setdefault(folder_of(file), []).extend(f"{file}:{line}: a comment begins with \"{opening}\""
                                                         for line, opening in places)
    problems = []
    for folder in sorted(found.keys() | allowed.keys()):
        places, most = found.get(folder, []), allowed.get(folder, 0)
        if len(places) > most:
            problems += [*places, f"{folder}: {len(places)} such comments, expected at most {most}: begin with the "
                                  "subject, or with a noun phrase that names the thing"]
        elif len(places) < most:
            problems.append(f"{folder}: {len(places)} such comments, fewer than ALLOWED says ({most}): lower it")
    return problems


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    problems = check(root, ALLOWED)
    print("\n".join(problems) or f"{sum(ALLOWED.values())} comments begin with What, Of, Those or The same")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
