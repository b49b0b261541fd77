#!/usr/bin/env python3
"""Compiles one C file that includes every kernel header that the C backend's lowerings name, as generated code may
include any of them together. Generated code has them all in one folder, so no two kernel files may share a name."""

import re
import subprocess
import sys
from pathlib import Path

backend = Path(__file__).resolve().parents[2] / "backends/c"
headers = {name for path in backend.rglob("*.cpp") for name in re.findall(r'"(byoc_\w+\.h)"', path.read_text())}
source = "".join(f'#include "{name}"\n' for name in sorted(headers))
files = sorted((backend / "kernels").rglob("*.[ch]"))
if len({file.name for file in files}) < len(files):
    sys.exit("two kernel files have one name")
folders = [f"-I{folder}" for folder in sorted({file.parent for file in files})]
if len(headers) < 50:
    sys.exit(f"only {len(headers)} headers are named")
for compiler in ("gcc", "clang-19", "arm-none-eabi-gcc"):
    for standard in ("c99", "c17"):
        command = [compiler, f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-fsyntax-only",
                   *folders, "-x", "c", "-"]
        result = subprocess.run(command, input=source, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if result.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{result.stdout}")
print(f"{len(headers)} headers")
