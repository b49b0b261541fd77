#!/usr/bin/env python3
"""The layout of every struct of the plug-in ABI, and of what programs find in exported libraries (byoc/rt), on a 64-bit and
a 32-bit machine, against tests/abi/layout/ and tests/abi/layout/rt/.

A line there is "struct member offset size"; the struct itself has the member "-" and the offset 0. A released layout may
only be appended to: new members at the end of a struct, new structs. --update
writes the files of this minor anew, for a change that was meant. Also compiles every header by itself, as C11, C17, C++11 and
C++20, those of byoc/rt as freestanding C99 too, with each compiler.
"""

import argparse
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

# Data model: compiler, objcopy. Both are little-endian.
MODELS = {
    "lp64": (["gcc", "-std=c11"], "objcopy"),
    "ilp32": (["arm-none-eabi-gcc", "-std=c11", "-mcpu=cortex-m4"], "arm-none-eabi-objcopy"),
}
COMPILERS = [
    ["gcc", "-x", "c", "-std=c11"], ["gcc", "-x", "c", "-std=c17"], ["g++", "-x", "c++", "-std=c++20"],
    ["clang-19", "-x", "c", "-std=c11"], ["clang-19", "-x", "c", "-std=c17"], ["clang-19", "-x", "c++", "-std=c++11"],
    ["arm-none-eabi-gcc", "-x", "c", "-std=c11"],
]
C99 = [[name, "-x", "c", "-std=c99", "-ffreestanding"] for name in ("gcc", "clang-19", "arm-none-eabi-gcc")]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wundef", "-Werror"]
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
TYPEDEF = re.compile(r"(?:typedef )?struct (byoc_\w+) \{(.*?)\n\}", re.DOTALL)
# The name in "T name", "T* name", "T* const* name", or of a function pointer "R (*name)(".
FUNCTION = re.compile(r"\(\*(\w+)\)\s*\(")
MEMBER = re.compile(r"(\w+)$")


def headers(include, part="abi"):
    return sorted((include / "byoc" / part).rglob("*.h"))


def parse_structs(include, part="abi"):
    """{struct: [member]} of all headers, in the order of declaration."""
    structs = {}
    for header in headers(include, part):
        for name, body in TYPEDEF.findall(COMMENT.sub("", header.read_text())):
            members = []
            for declaration in body.split(";"):
                declaration = " ".join(declaration.split())
                if not declaration:
                    continue
                match = FUNCTION.search(declaration) or MEMBER.search(declaration)
                members.append(match.group(1))
            structs[name] = members
    return structs


def measure(include, structs, compiler, objcopy, part="abi"):
    """Lines of the layout, as the compiler sees it: a table in a section of its own is read out of the object."""
    entries, names = [], []
    for name, members in structs.items():
        entries.append(f"0, sizeof(struct {name})")
        names.append((name, "-"))
        for member in members:
            entries.append(f"offsetof(struct {name}, {member}), sizeof(((struct {name} *)0)->{member})")
            names.append((name, member))
    source = "#include <stddef.h>\n"
    source += "".join(f'#include "{header.relative_to(include)}"\n' for header in headers(include, part))
    source += '__attribute__((section(".layout"), used)) const uint32_t layout[] = {' + ",\n".join(entries) + "};\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "layout.c")
        path.write_text(source)
        subprocess.run([*compiler, "-I", str(include), "-c", path, "-o", f"{folder}/layout.o"], check=True)
        subprocess.run([objcopy, "-O", "binary", "--only-section=.layout", "--set-section-flags", ".layout=alloc",
                        f"{folder}/layout.o", f"{folder}/layout.bin"], check=True)
        numbers = struct.unpack(f"<{2 * len(names)}I", Path(folder, "layout.bin").read_bytes())
    return [f"{name} {member} {numbers[2 * i]} {numbers[2 * i + 1]}" for i, (name, member) in enumerate(names)]


def appended_only(released, current):
    """What of a released layout is no longer true."""
    now = set(current)
    sizes = {line.split()[0]: int(line.split()[3]) for line in current if line.split()[1] == "-"}
    gone = []
    for line in released:
        name, member, _, size = line.split()
        if member == "-" and sizes.get(name, 0) < int(size) or member != "-" and line not in now:
            gone.append(line)
    return gone


def check_layout(include, folder, version, update, part="abi"):
    failures = 0
    structs = parse_structs(include, part)
    if not structs or any(not members for members in structs.values()):
        sys.exit(f"the headers in {include} could not be parsed: {structs}")
    for model, (compiler, objcopy) in MODELS.items():
        if shutil.which(compiler[0]) is None:
            sys.exit(f"{compiler[0]} is not installed")
        current = measure(include, structs, compiler, objcopy, part)
        path = folder / f"{version}.{model}.txt"
        if update:
            path.write_text("\n".join(current) + "\n")
        expected = path.read_text().splitlines() if path.exists() else []
        for line in sorted(set(current) ^ set(expected)):
            print(f"{model}: {'new' if line in current else 'no longer true'}: {line}")
            failures += 1
        for older in sorted(folder.glob(f"*.{model}.txt")):
            for line in appended_only(older.read_text().splitlines(), current):
                print(f"{model}: a released layout ({older.stem}) was changed: {line}")
                failures += 1
    return failures


def check_headers(include):
    failures = 0
    with_compilers = [(h, COMPILERS) for h in headers(include)] + [(h, COMPILERS + C99) for h in headers(include, "rt")]
    for header, compilers in with_compilers:
        for compiler in compilers:
            # Included, so that a missing include guard is an error: twice.
            text = f'#include "{header.relative_to(include)}"\n' * 2
            result = subprocess.run([*compiler, *WARNINGS, "-I", str(include), "-fsyntax-only", "-"], input=text, text=True,
                                    capture_output=True)
            if result.returncode != 0:
                print(f"{header.name} with {' '.join(compiler)}:\n{result.stderr}")
                failures += 1
    return failures


def abi_version(include):
    text = (include / "byoc" / "abi" / "base.h").read_text()
    return ".".join(re.search(rf"#define BYOC_ABI_{part} (\d+)u", text).group(1) for part in ("MAJOR", "MINOR"))


def table_version(include):
    text = (include / "byoc" / "rt" / "steps.h").read_text()
    return re.search(r"#define BYOC_STEP_TABLE_VERSION (\d+)u", text).group(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--include", type=Path, default=Path(__file__).resolve().parents[2] / "include")
    parser.add_argument("--layouts", type=Path, default=Path(__file__).resolve().parent / "layout")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--layout-only", action="store_true")
    arguments = parser.parse_args()
    failures = check_layout(arguments.include, arguments.layouts, abi_version(arguments.include), arguments.update)
    failures += check_layout(arguments.include, arguments.layouts / "rt", table_version(arguments.include),
                             arguments.update, "rt")
    if not arguments.layout_only:
        failures += check_headers(arguments.include)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
