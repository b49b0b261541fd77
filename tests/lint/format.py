#!/usr/bin/env python3
"""Checks that every C and C++ file is formatted as clang-format 19 does it; --fix formats them (./dev fmt)."""

import argparse
import re
import subprocess
import sys
from pathlib import Path

import source_tree

# The first line of clang-format's report on a place; the excerpt that follows is left out.
DIAGNOSTIC = re.compile(r"^([^:\n]+):\d+:\d+: error: code should be clang-formatted", re.MULTILINE)
ROOT = Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fix", action="store_true", help="rewrite the files")
    parser.add_argument("--root", default=ROOT, type=Path)
    parser.add_argument("files", nargs="*", help="only these; default: all")
    arguments = parser.parse_args()
    files = arguments.files or [str(path) for path in source_tree.files(arguments.root, source_tree.CPP)]
    mode = ["-i"] if arguments.fix else ["--dry-run", "--Werror"]
    unformatted, failed = [], False
    for start in range(0, len(files), 200):
        command = ["clang-format-19", "--style=file", *mode, *files[start:start + 200]]
        result = subprocess.run(command, cwd=arguments.root, stderr=subprocess.PIPE, text=True)
        named = [match.group(1) for match in DIAGNOSTIC.finditer(result.stderr)]
        unformatted += named
        if result.returncode != 0:
            failed = True
            if not named:
                print(result.stderr, end="")
    for name in sorted(set(unformatted)):
        print(f"{name}: not formatted; run ./dev fmt")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
