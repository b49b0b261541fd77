#!/usr/bin/env python3
"""Looks for operands that inline assembly changes while it still reads others.

An operand that is read and written ("+r") may share its register with an input of the same value, and compilers find
more equal values the more they inline. With several instructions and inputs it has to be marked as early: "+&r".

usage: inline_assembly.py [FILE]...   without a file: every kernel of the C backend
"""

import re
import sys
from pathlib import Path


OVERLAPS = {frozenset(pair) for pair in (("r", "l"), ("r", "h"), ("r", "Te"), ("l", "Te"))}


def sections(statement):
    """The text of outputs, inputs and clobbers: what is between the colons that are not in strings."""
    code = re.sub(r'"(?:[^"\\]|\\.)*"', lambda string: string[0].replace(":", " "), statement)
    found, start = [], 0
    for colon in re.finditer(":", code):
        found.append(statement[start:colon.start()])
        start = colon.end()
    return [*found, statement[start:]]


def late_operands(text):
    """(line, constraint) of each in/out operand of several instructions that is not early, though there is an input
    that may have its register."""
    found = []
    for start in re.finditer(r"\b__asm__\b(?:\s+volatile)?\s*\(", text):
        statement = text[start.end():text.index(";", start.end())]
        parts = sections(statement)
        if "\\n" not in parts[0] or len(parts) < 3:
            continue  # one instruction reads all before it writes; without inputs all registers differ
        inputs = set(re.findall(r'"([A-Za-z]+)"\s*\(', parts[2]))
        for operand in re.finditer(r'"\+(?!&)([A-Za-z]+)"', statement):
            if any(operand[1] == other or frozenset((operand[1], other)) in OVERLAPS for other in inputs):
                found.append((text.count("\n", 0, start.end() + operand.start()) + 1, operand[0]))
    return found


def main():
    kernels = Path(__file__).resolve().parents[2] / "backends/c/kernels"
    files = [Path(a) for a in sys.argv[1:]] or sorted(kernels.rglob("*.[ch]"))
    problems = [f"{file}:{line}: {operand} in several instructions, expected \"+&\""
                for file in files for line, operand in late_operands(file.read_text())]
    print("\n".join(problems) or f"{len(files)} files")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
