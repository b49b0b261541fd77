#!/usr/bin/env python3
"""Looks for operands that inline assembly changes while it still reads others.

An operand that is read and written ("+r") may share its register with an input of the same value, and compilers find
more equal values the more they inline. With several instructions it has to be marked as early: "+&r".

usage: inline_assembly.py [FILE]...   without a file: every kernel of the C backend
"""

import re
import sys
from pathlib import Path


def late_operands(text):
    """(line, constraint) of each in/out operand of several instructions with further inputs that is not early."""
    found = []
    for start in re.finditer(r"\b__asm__\b(?:\s+volatile)?\s*\(", text):
        statement = text[start.end():text.index(";", start.end())]
        if "\\n" not in statement or statement.count(":") < 2:
            continue  # one instruction reads all before it writes; without a second colon there is no input
        for operand in re.finditer(r'"\+(?!&)[A-Za-z]+"', statement):
            found.append((text.count("\n", 0, start.end() + operand.start()) + 1, operand[0]))
    return found


def main():
    kernels = Path(__file__).resolve().parents[2] / "backends/c/kernels"
    files = [Path(a) for a in sys.argv[1:]] or sorted(kernels.glob("*.[ch]"))
    problems = [f"{file}:{line}: {operand} in several instructions, expected \"+&\""
                for file in files for line, operand in late_operands(file.read_text())]
    print("\n".join(problems) or f"{len(files)} files")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
