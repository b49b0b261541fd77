#!/usr/bin/env python3
"""Holds the pages of Start and How-to: their sentences are short, and their `console` blocks print what they show. With --built
it builds the site, and fails for links that lead nowhere or into the network. The sections are those of the site's nav."""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "docs"), str(ROOT / "packaging" / "site")]
import build  # noqa: E402
import markdown_page  # noqa: E402
import readme_test  # noqa: E402

MOST_WORDS = 14  # of a sentence, on average of a section
HELD = ("Start", "How-to")
SKIPPED = 77


def files_of(nav, section):
    """The files in the tree of a section's pages, without those that are made."""
    found = [ROOT / ("examples/README.md" if page == "examples/index.md" else f"docs/{page}") for _, page in nav[section]]
    return [path for path in found if path.exists()]


def average(texts):
    found = [words for text in texts for words in markdown_page.sentences(text)]
    return sum(map(len, found)) / len(found) if found else 0.0


def check_section(section, texts):
    words = average(texts.values())
    if section in HELD and words > MOST_WORDS:
        worst = max(texts, key=lambda name: average([texts[name]]))
        yield (f"{section}: found {words:.1f} words a sentence, expected at most {MOST_WORDS}; "
               f"{worst} has {average([texts[worst]]):.1f}")


def check_nav(nav, pages):
    for section, entries in nav.items():
        for title, page in entries:
            if page not in pages:
                yield f"packaging/site/mkdocs.yml: '{title}' of {section} is {page}, which does not exist"


def run_page(path, byoc):
    """Errors of a page's `console` blocks, and how many commands they have."""
    blocks = [block for block in markdown_page.code_blocks(path.read_text()) if block.language == "console"]
    with tempfile.TemporaryDirectory() as folder:
        found = list(readme_test.check_commands(blocks, readme_test.executor(folder, byoc.absolute(), ROOT)))
    name = path.relative_to(ROOT).as_posix()
    return [error.replace("README.md", name, 1) for error in found], sum(len(markdown_page.commands(block)) for block in blocks)


def build_site(byoc):
    if subprocess.run(["/usr/bin/python3", "-c", "import mkdocs, pymdownx"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        print("skipped: the packages mkdocs and mkdocs-material are not installed")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([sys.executable, ROOT / "packaging/site/build.py", "--byoc", byoc, "--out", folder], check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--byoc", type=Path, help="without it, commands are not run")
    parser.add_argument("--built", action="store_true")
    arguments = parser.parse_args()
    if arguments.built:
        return build_site(arguments.byoc)
    site, nav = build.staged()
    errors = list(check_nav(nav, {*site.pages, "command-line.md"}))
    for section in nav:
        texts = {path.relative_to(ROOT).as_posix(): path.read_text() for path in files_of(nav, section)}
        errors += check_section(section, texts)
        print(f"{section}: {len(texts)} pages, {average(texts.values()):.1f} words a sentence")
        for path in files_of(nav, section) if arguments.byoc and section in HELD else ():
            errors += run_page(path, arguments.byoc)[0]
    print(*errors, sep="\n", end="\n" if errors else "")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
