#!/usr/bin/env python3
"""Runs the commands of README.md and of the pages of Start and How-to with the release archive, which package.archive made, in a
root folder that has nothing else but the packages that docs/install.md names."""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/docs"), str(ROOT / "tests/package"), str(ROOT / "packaging/site")]
import build as site_builder  # noqa: E402
import pages_test  # noqa: E402
import small_root  # noqa: E402

SKIPPED = 77
SHELL = ("bash", "dash", "coreutils", "diffutils", "grep", "python3")  # what every machine has, and what runs the test


def named_packages(page):
    """The packages of the table below "An archive": what the archive's commands need besides."""
    section = page.split("\n## An archive\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")][2:]
    return sorted({name for row in rows for name in re.findall(r"`([a-z0-9+-]+)`", row.split("|")[3])})


def root_with_archive(folder, build, packages):
    """The root, and why there is none."""
    archives = sorted((build / "release").glob("byoc-*.tar.gz"))
    if not archives:
        return None, f"{build}/release has no archive; the test package.archive makes it"
    if not small_root.is_possible():
        return None, "needs root, unshare and mounts"
    try:
        root = small_root.Root(folder, small_root.closure(packages))
    except LookupError as error:
        return None, str(error)
    (root.folder / "opt/byoc").mkdir(parents=True)
    subprocess.run(["tar", "-xzf", archives[0], "-C", root.folder / "opt/byoc", "--strip-components=1"], check=True)
    return root, ""


def check_inside(byoc):
    """In the root: the commands of every page."""
    _, nav = site_builder.staged()
    pages = [ROOT / "README.md", *(path for section in pages_test.HELD for path in pages_test.files_of(nav, section))]
    errors = []
    for path in dict.fromkeys(pages):
        start = time.monotonic()
        found, number = pages_test.run_page(path, byoc)
        errors += found
        if number:
            print(f"{path.relative_to(ROOT)}: {number} commands, {time.monotonic() - start:.0f} s", flush=True)
    print(*errors, sep="\n", end="\n" if errors else "")
    return 1 if errors else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path)
    parser.add_argument("--inside", type=Path, metavar="BYOC", help="run the commands here, with this program")
    arguments = parser.parse_args()
    if arguments.inside:
        return check_inside(arguments.inside)
    packages = named_packages((ROOT / "docs/install.md").read_text())
    with tempfile.TemporaryDirectory() as folder:
        root, reason = root_with_archive(folder, arguments.build.resolve(), [*SHELL, *packages])
        if root is None:
            print(f"skipped: {reason}")
            return SKIPPED
        done = root.finish("python3", f"{small_root.MACHINE}{Path(__file__).resolve()}", "--inside", "/opt/byoc/bin/byoc")
        print(f"with the archive and {', '.join(packages)}:\n{done.stdout}{done.stderr}")
        return done.returncode


if __name__ == "__main__":
    sys.exit(main())
