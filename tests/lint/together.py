#!/usr/bin/env python3
"""Sources that are compiled several at a time (byoc_library(... TOGETHER n)) give different names to what is in their
anonymous namespaces: two of one name clash, or worse, overload each other, once their sources come into one share.

Prints one line for each name, "file: what is wrong", and exits with 1 if there was any.
"""

import argparse
import re
import sys
from pathlib import Path

TOGETHER = re.compile(r"byoc_library\([^)]*\bTOGETHER\b")
NAMESPACE = re.compile(r"^namespace ?([\w:]*) \{$")
TYPE = re.compile(r"^(?:enum class|enum|struct|class|union) (\w+)")
# A function, a variable or the first of several; an alias may be declared twice.
OTHER = re.compile(r"^(?!using |typedef |static_assert|template |namespace )[\w:<>,\s*&.()\[\]]*?[\s*&](\w+)\s*(?:[(\[={;]|,)")


def names_in(text):
    """(namespace, name) of each declaration in an anonymous namespace; bodies are indented, declarations are not."""
    inside = []
    for line in text.splitlines():
        opening = NAMESPACE.match(line)
        if opening:
            inside.append(opening[1])
        elif line.startswith("}  // namespace"):
            inside.pop()
        elif "" in inside and line and line[0] not in " }#/)":
            found = TYPE.match(line) or OTHER.match(line)
            if found:
                yield "::".join(filter(None, inside)), found[1]


def clashes(root):
    out = []
    for cmake in sorted(Path(root).glob("[bs]*/**/CMakeLists.txt")):
        if not TOGETHER.search(cmake.read_text()):
            continue
        first = {}
        for source in sorted(cmake.parent.rglob("*.cpp")):
            for key in sorted(set(names_in(source.read_text()))):
                other = first.setdefault(key, source)
                if other != source:
                    out.append(f"{source.relative_to(root)}: {key[0]} has another '{key[1]}' in "
                               f"{other.relative_to(root)}, and they are compiled together")
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", default=Path(__file__).resolve().parents[2], type=Path)
    found = clashes(parser.parse_args().root)
    print("\n".join(found) if found else "together: no names clash")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
