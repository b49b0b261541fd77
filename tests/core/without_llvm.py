#!/usr/bin/env python3
"""Builds the core without LLVM, checks that no object of it uses LLVM, and runs its unit tests."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

CORE = ("ir", "evaluate", "import", "prepare", "optimise", "partition", "module", "plan")


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            **options)
    if result.returncode != 0:
        print(result.stdout)
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return result.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--build", required=True, type=Path, help="the build without LLVM")
    parser.add_argument("--default-build", required=True, type=Path, help="the build with everything")
    arguments = parser.parse_args()
    # Same flags and sources as the default build: ccache hands most objects over if it does not hash the folder.
    environment = dict(os.environ, CCACHE_NOHASHDIR="1")
    run("cmake", "--preset", "core", "-B", arguments.build, cwd=arguments.source, env=environment)
    run("ninja", "-C", arguments.build, env=environment)
    for layer in CORE:
        folder = arguments.build / "sdk" / layer
        for archive in sorted(folder.rglob("*.a")):
            if "llvm" in run("nm", "-C", "--undefined-only", archive):
                sys.exit(f"{archive} refers to LLVM")
        for archive in sorted((arguments.default_build / "sdk" / layer).rglob("*.a")):
            if not (folder / archive.relative_to(arguments.default_build / "sdk" / layer)).exists():
                sys.exit(f"sdk/{layer}: {archive.name} is not built without LLVM")
    output = run("ctest", "-R", "^unit", "-j", str(os.cpu_count()), "--output-on-failure", "--no-tests=error",
                 cwd=arguments.build, env=environment)
    print("\n".join(output.splitlines()[-3:]))


if __name__ == "__main__":
    main()
