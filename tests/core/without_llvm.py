#!/usr/bin/env python3
"""Configures the core without LLVM, checks that no object of it uses LLVM, links its unit tests and runs them.

A source that both builds compile by the same command is not compiled twice: its object is the default build's."""

import argparse
import json
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from commands import run  # noqa: E402

CORE = ("base", "target", "model", "codegen", "program")


def output_of(command):
    words = command.split()
    return words[words.index("-o") + 1] if "-o" in words else None


def compilations(build):
    """The compile command of each object, the build folder written as BUILD."""
    entries = json.loads((build / "compile_commands.json").read_text())
    commands = [entry["command"].replace(str(build), "BUILD") for entry in entries]
    return {output_of(command): command for command in commands}


def cache_value(build, name):
    lines = (build / "CMakeCache.txt").read_text().splitlines()
    return next((line.split("=", 1)[1] for line in lines if line.startswith(f"{name}:")), "OFF")


def take_objects(build, default_build):
    """Copies the objects that the default build has by the same command; returns those of the core that it has not."""
    core, default = compilations(build), compilations(default_build)
    different = []
    for output, command in core.items():
        theirs = default_build / output
        if default.get(output) != command or not theirs.exists():
            different.append(output)
            continue
        (build / output).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(theirs, build / output)
    return different


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--build", required=True, type=Path, help="the build without LLVM")
    parser.add_argument("--default-build", required=True, type=Path, help="the build with everything")
    arguments = parser.parse_args()
    build, default_build = arguments.build.resolve(), arguments.default_build.resolve()
    shutil.rmtree(build, ignore_errors=True)
    # With -Werror or without, as there: the commands are to be the same.
    option = "CMAKE_COMPILE_WARNING_AS_ERROR"
    run("cmake", "--preset", "core", "-B", build, f"-D{option}={cache_value(default_build, option)}", cwd=arguments.source)
    different = take_objects(build, default_build)
    for command in run("ninja", "-C", build, "-t", "commands").splitlines():
        if " -c " not in command or output_of(command) in different:
            run("sh", "-c", command, cwd=build)
    for wing in CORE:
        folder = build / "sdk" / wing
        for archive in sorted(folder.rglob("*.a")):
            if "llvm" in run("nm", "-C", "--undefined-only", archive):
                sys.exit(f"{archive} refers to LLVM")
        for archive in sorted((default_build / "sdk" / wing).rglob("*.a")):
            if not (folder / archive.relative_to(default_build / "sdk" / wing)).exists():
                sys.exit(f"sdk/{wing}: {archive.name} is not built without LLVM")
    # The C backend's tests run a C compiler for minutes; that they link is enough here.
    output = run("ctest", "-R", "^unit", "-E", "^unit.backend_c", "-j", str(os.cpu_count()), "--output-on-failure",
                 "--no-tests=error", cwd=build)
    print(f"{len(different)} sources compiled for it alone")
    print("\n".join(output.splitlines()[-3:]))


if __name__ == "__main__":
    main()
