#!/usr/bin/env python3
"""Draws docs/images/demo.svg, the picture of `./dev demo` in README.md, from what the demo prints on a terminal: its answers
and what they cost. Without --write it runs the demo and fails if it prints something else than the picture shows."""

import argparse
import html
import os
import pty
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "images" / "demo.svg"
# The demo goes on with a firmware, whose export takes another time in every run.
LAST_HEADING = "From the model to a firmware"

CELL, LINE, SIZE, MARGIN = 7.8, 17, 13, 14
PAPER, TEXT = "#0d1117", "#e6edf3"
COLOURS = {"2": "#9198a1", "31": "#ff7b72", "32": "#3fb950", "36": "#39c5cf"}
ESCAPE = re.compile("\033\\[([0-9;]*)m")


@dataclass
class Piece:
    column: int
    text: str
    code: str  # of the escape sequence before it; empty for plain text


def printed_on_terminal(*command):
    """What a program prints on a terminal, colours included."""
    ours, its = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    program = subprocess.Popen(command, stdout=its, stderr=its, stdin=subprocess.DEVNULL, env=environment)
    os.close(its)
    data = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # how Linux says that the other side is closed
            break
        if not part:
            break
        data += part
    os.close(ours)
    text = data.decode().replace("\r\n", "\n")
    if program.wait() != 0:
        sys.exit(f"{' '.join(map(str, command))}: ended with {program.returncode}\n{text}")
    return text


def shown_lines(text):
    lines = text.split("\n")
    ends = [i for i, line in enumerate(lines) if LAST_HEADING in line]
    if not ends:
        sys.exit(f"examples/demo/demo.py: found no heading '{LAST_HEADING}', expected the end of the picture there")
    return "\n".join(lines[:ends[0]]).strip("\n").split("\n")


def pieces(line):
    found, column, code, start = [], 0, "", 0
    for match in [*ESCAPE.finditer(line), None]:
        part = line[start:match.start() if match else len(line)]
        # Several blanks in a row are only an offset.
        for word in re.finditer(r"\S+(?: \S+)*", part):
            found.append(Piece(column + word.start(), word.group(), code))
        column += len(part)
        if match:
            code, start = match.group(1).removeprefix("0"), match.end()
    return found


def svg(lines):
    drawn = [pieces(line) for line in lines]
    columns = max(piece.column + len(piece.text) for line in drawn for piece in line)
    width, height = round(columns * CELL + 2 * MARGIN), len(lines) * LINE + 2 * MARGIN
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
           f'font-family="ui-monospace, \'DejaVu Sans Mono\', Menlo, Consolas, monospace" font-size="{SIZE}" fill="{TEXT}">',
           "<title>What ./dev demo prints: answers on two simulated microcontrollers, and what they cost.</title>",
           f'<rect width="{width}" height="{height}" rx="8" fill="{PAPER}"/>']
    for row, line in enumerate(drawn):
        for piece in line:
            look = ' font-weight="700"' if piece.code == "1" else ""
            look += f' fill="{COLOURS[piece.code]}"' if piece.code in COLOURS else ""
            out.append(f'<text x="{MARGIN + piece.column * CELL:.1f}" y="{MARGIN + row * LINE + SIZE}" '
                       f'textLength="{len(piece.text) * CELL:.1f}" lengthAdjust="spacingAndGlyphs"{look}>'
                       f"{html.escape(piece.text, quote=False)}</text>")
    return "\n".join([*out, "</svg>"]) + "\n"


def check(picture, drawn):
    if not picture.exists() or picture.read_text() != drawn:
        sys.exit(f"{picture.name}: the demo prints something else than the picture shows; run "
                 "tests/docs/demo_picture.py --byoc build/bin/byoc --write")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--byoc", required=True, type=Path)
    parser.add_argument("--write", action="store_true", help="draw the picture anew")
    arguments = parser.parse_args()
    demo = ROOT / "examples" / "demo" / "demo.py"
    drawn = svg(shown_lines(printed_on_terminal(sys.executable, demo, "--byoc", arguments.byoc.absolute())))
    if arguments.write:
        PICTURE.write_text(drawn)
    else:
        check(PICTURE, drawn)
    return 0


if __name__ == "__main__":
    sys.exit(main())
