#!/usr/bin/env python3
"""Runs clang-tidy 19 with the checks of .clang-tidy, on the sources changed since main, or on all with --all."""

import argparse
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def git(*arguments):
    # Under sudo the tree belongs to somebody else; git would refuse to look at it.
    result = subprocess.run(["git", "-c", f"safe.directory={ROOT}", *arguments], cwd=ROOT, capture_output=True, text=True)
    return result.stdout.split() if result.returncode == 0 else None


def changed_files():
    """Paths changed against the branch point from main and in the working tree; None where git cannot say."""
    base = git("merge-base", "HEAD", "main")
    tracked = git("diff", "--name-only", base[0] if base else "HEAD")
    untracked = git("ls-files", "--others", "--exclude-standard")
    if tracked is None or untracked is None:
        return None
    return {(ROOT / name).resolve() for name in tracked + untracked}


def taken_apart(database, root=ROOT):
    """The database with an entry for each source that is compiled together with others, as if it were alone."""
    out = []
    for entry in database:
        unit = Path(entry["file"])
        sources = re.findall(r'^#include "(.*\.cpp)"$', unit.read_text(), re.MULTILINE) if unit.is_file() else []
        if not sources:
            out.append(entry)
        for name in sources:
            source = str(root / name)
            out.append({**entry, "file": source, "command": entry["command"].replace(entry["file"], source)})
    return out


def sources(database, changed):
    """The compiled .cpp files of ours; with `changed`, those that changed or whose own header did."""
    entries = {Path(entry["directory"], entry["file"]).resolve() for entry in database}
    ours = sorted(path for path in entries if path.is_relative_to(ROOT) and not path.is_relative_to(ROOT / "build"))
    if changed is None:
        return ours
    return [path for path in ours if path in changed or path.with_suffix(".hpp") in changed]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--build", default=ROOT / "build", type=Path)
    arguments = parser.parse_args()
    database = taken_apart(json.loads((arguments.build / "compile_commands.json").read_text()))
    folder = arguments.build / "tidy"
    folder.mkdir(exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(database))
    files = sources(database, None if arguments.all else changed_files())
    print(f"clang-tidy: {len(files)} files")

    # The tree may be built by GCC, whose warnings and precompiled headers clang does not know.
    foreign = ["--extra-arg=-Wno-unknown-warning-option", "--extra-arg=-Wno-ignored-gch"]

    def tidy(path):
        return subprocess.run(["clang-tidy-19", "--quiet", "-p", str(folder), *foreign, str(path)],
                              capture_output=True, text=True)

    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, result in zip(files, pool.map(tidy, files)):
            if result.returncode != 0:
                failed += 1
                print(result.stdout or result.stderr, end="")
    print(f"clang-tidy: {failed} of {len(files)} files with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
