#!/usr/bin/env python3
"""Holds README.md: its length and its sentences, its figures against tests/bench/figures.json, and its commands,
which are run and print what it shows; and the links of all pages. Blocks that begin with ```console are run here, in a folder with the tree's examples.
Blocks that begin with ```sh change the machine: their files and ./dev commands are looked up here, and
tests/package/deb_test.py --chroot runs what they install."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / folder) for folder in ("bench", "docs", "lint")]
import charts  # noqa: E402
import markdown_page  # noqa: E402
import source_tree  # noqa: E402

MOST_LINES = 120
MOST_WORDS = 13  # of a sentence, on average
FIGURE = re.compile(r"(?<![\w.])\d[\d,.]*(?:M|k)(?!\w)|(?<![\w.])\d[\d,.]* ?(?:KiB|MiB|bytes|instructions|cycles)\b")


def check_length(text):
    lines = text.count("\n")
    if lines > MOST_LINES:
        yield f"README.md: found {lines} lines, expected at most {MOST_LINES}; move details to docs/"


def check_sentences(text):
    found = markdown_page.sentences(text)
    average = sum(map(len, found)) / len(found)
    if average > MOST_WORDS:
        longest = max(found, key=len)
        yield (f"README.md: found {average:.1f} words a sentence, expected at most {MOST_WORDS}; "
               f"shorten for example: {' '.join(longest)}")


def check_links(text, page):
    """Links to files, and to headings of pages; page is the text's path."""
    targets = re.findall(r"\]\(([^)]+)\)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text)
    for target in targets:
        file, _, heading = target.partition("#")
        if target.startswith("https://"):
            continue
        found = page.parent / file if file else page
        if not found.exists():
            yield f"{page}: links to {file}, which does not exist"
        elif heading and heading not in markdown_page.anchors(found.read_text()):
            yield f"{page}: links to {target}, but there is no such heading"


def check_all_links(source):
    for page in source_tree.files(source, {".md"}):
        yield from check_links((source / page).read_text(), source / page)


def check_figures(text):
    """Every figure of the prose is one of those on the charts."""
    known = {charts.label(panel, value) for panel in charts.panels() for row in panel.rows.values() for value in row
             if value is not None}
    for paragraph in markdown_page.prose(text):
        for figure in FIGURE.findall(paragraph):
            number = re.match(r"[\d,.]+[Mk]?", figure).group()
            if number not in known:
                yield f"README.md: found the figure {figure}, which figures.json and peers.json do not give; update it"


def check_plain_commands(blocks, source):
    usage = subprocess.run([str(source / "dev"), "--help"], capture_output=True, text=True, check=True).stdout
    known = set(re.findall(r"^  (\w+)", usage, re.MULTILINE))
    for block in blocks:
        for command in markdown_page.commands(block) if block.language == "sh" else ():
            named = re.search(r"\./dev (\w+)", command.text)
            if named and named.group(1) not in known:
                yield f"README.md: ./dev --help does not list '{named.group(1)}' of: {command.text}"


def differs(expected, printed):
    """The first line that differs, or None; a line "..." stands for any lines."""
    printed = iter(printed)
    skipping = False
    for wanted in expected:
        if wanted == "...":
            skipping = True
            continue
        found = next((line for line in printed if not skipping or line.rstrip() == wanted), None)
        if found is None or found.rstrip() != wanted:
            return f"expected '{wanted}', found '{found}'"
        skipping = False
    rest = next(printed, None)
    return f"expected the end, found '{rest}'" if rest is not None and not skipping else None


def check_commands(blocks, execute):
    """Runs the commands in their order; execute(text) gives an exit code and what was printed."""
    for block in blocks:
        for command in markdown_page.commands(block) if block.language == "console" else ():
            code, printed = execute(command.text)
            if code != 0:
                yield f"README.md: this command ends with {code}: {command.text}\n{printed}"
                return
            difference = differs(command.output, printed.splitlines())
            if difference:
                yield (f"README.md: this command prints something else: {command.text}\n  {difference}\n"
                       f"  all of it:\n{printed}")


def places(byoc, source):
    """The examples, the targets and the CMake package that go with a program: an installation's, or the tree's."""
    prefix = byoc.parent.parent
    if (prefix / "lib/cmake/byoc").is_dir():
        return prefix / "share/doc/byoc/examples", prefix / "share/byoc/toolchains", prefix / "lib/cmake/byoc"
    return source / "examples", source / "toolchains", source / "cmake"


def executor(folder, byoc, source):
    """Runs commands in a folder that has the examples."""
    examples, toolchains, package = places(byoc, source)
    Path(folder, "examples").symlink_to(examples)
    Path(folder, "toolchains").symlink_to(toolchains)
    environment = os.environ | {"PATH": f"{byoc.parent}:{os.environ['PATH']}", "byoc_DIR": str(package)}

    def execute(text):
        done = subprocess.run(["bash", "-c", text], cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout

    return execute


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--byoc", type=Path, help="without it, commands are not run")
    arguments = parser.parse_args()
    source = arguments.source.resolve()
    text = (source / "README.md").read_text()
    blocks = markdown_page.code_blocks(text)
    errors = [*check_length(text), *check_sentences(text), *check_all_links(source), *check_figures(text),
              *check_plain_commands(blocks, source)]
    if arguments.byoc:
        with tempfile.TemporaryDirectory() as folder:
            errors += check_commands(blocks, executor(folder, arguments.byoc.absolute(), source))
    for error in errors:
        print(error)
    found = markdown_page.sentences(text)
    print(f"{text.count(chr(10))} lines, {sum(map(len, found)) / len(found):.1f} words a sentence, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
