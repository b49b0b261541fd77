#!/usr/bin/env python3
"""Sources that are compiled as one unit (byoc_library() and the functions of tests/CMakeLists.txt do that) give
different names to what is in their anonymous namespaces: two of one name clash, or worse, overload each other. Aliases
of one name are of the same type.

Prints one line for each name, "file: what is wrong", and exits with 1 if there was any.
"""

import argparse
import re
import sys
from pathlib import Path

import source_tree

FUNCTIONS = {  # that join sources, by folder
    "backends": "byoc_library",
    "sdk": "byoc_(?:library|together)",
    "tests": "byoc_(?:unit_test|test_program|test_library)",
}
NAMESPACE = re.compile(r"^namespace ?([\w:]*) \{$")
TYPE = re.compile(r"^(?:enum class|enum|struct|class|union) (\w+)")
POINTER = re.compile(r"^[\w:<>,\s*&]*\(\*(\w+)\)?(?:\[\w*\]\))?\(")  # a pointer to a function, or an array of some
OTHER = re.compile(r"^(?!static_assert|template |namespace )[\w:<>,\s*&.()\[\]]*?[\s*&](\w+)\s*(?:[(\[={;]|,)")
ALIAS = re.compile(r"^(?:using|namespace) (\w+) = (.*)")


def names_in(text):
    """(namespace, name, type or None) of each declaration in an anonymous namespace, and of each alias in any. `type` is
    what an alias is of. Bodies are indented, declarations are not."""
    inside = []
    for line in text.splitlines():
        opening = NAMESPACE.match(line)
        if opening:
            inside.append(opening[1])
            continue
        if line.startswith("}  // namespace"):
            inside.pop()
            continue
        namespace = "::".join(filter(None, inside))
        alias = ALIAS.match(line)
        if alias and inside:
            yield namespace, alias[1], alias[2]
        elif "" in inside and line and line[0] not in " }#/)" and not line.startswith(("using ", "typedef ")):
            found = TYPE.match(line) or POINTER.match(line) or OTHER.match(line)
            if found:
                yield namespace, found[1], None


def together(root, folder, arguments):
    """The groups of sources that a call with these arguments compiles together. Sources that it does not name are those
    below its folder, but for folders with a CMakeLists.txt."""
    named = [Path(root, word) for word in arguments[""] if word.endswith(".cpp")]
    if named:
        return [named]
    inner = [path.parent for path in folder.glob("*/**/CMakeLists.txt")]
    sources = sorted(path for path in folder.rglob("*.cpp") if not any(path.is_relative_to(other) for other in inner))
    groups = []
    for pattern in arguments.get("FAST", []) + arguments.get("APART", []):
        groups.append([source for source in sources if re.search(pattern, str(source))])
        sources = [source for source in sources if source not in groups[-1]]
    return [*groups, sources]


def clashes_in(root, sources):
    out = []
    first = {}
    for source in sources:
        for namespace, name, alias in sorted(set(names_in(source.read_text())), key=str):
            other, type_of_other = first.setdefault((namespace, name), (source, alias))
            if other != source and (alias is None or alias != type_of_other):
                out.append(f"{source.relative_to(root)}: {namespace} has another '{name}' in {other.relative_to(root)}, and "
                           "they are compiled together")
    return out


def clashes(root):
    root = Path(root)
    out = []
    for folder, functions in FUNCTIONS.items():
        for cmake in sorted([*root.glob(f"{folder}/**/CMakeLists.txt"), *root.glob(f"{folder}/**/tests.cmake")]):
            for _, _, arguments in source_tree.cmake_calls(cmake.read_text(), functions):
                if "${ARGN}" in arguments[""]:
                    continue  # in a function, whose callers are looked at
                for sources in together(root, cmake.parent, arguments):
                    out += clashes_in(root, sources)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", default=Path(__file__).resolve().parents[2], type=Path)
    found = clashes(parser.parse_args().root)
    print("\n".join(found) if found else "together: no names clash")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
