#!/usr/bin/env python3
"""Runs a recipe of examples/cross-compile as its reader would and compares what its programs print with `byoc run`."""

import argparse
import math
import os
import re
import shutil
import struct
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from commands import run  # noqa: E402

NAMES = ("healthy", "imbalance", "bearing fault", "looseness")
NEEDS = {"shared-library": ("aarch64-linux-gnu-gcc", "qemu-aarch64"),
         "two-models": ("arm-none-eabi-gcc", "qemu-system-arm"),
         "external-flash": ("arm-none-eabi-gcc", "qemu-system-arm"),
         "riscv-picolibc": ("riscv64-unknown-elf-gcc", "qemu-system-riscv32"),
         "mixed-tree": ("arm-none-eabi-gcc", "qemu-system-arm")}


def answer(arguments, model, target, scratch):
    """What the model makes of the signal that every recipe makes: the class, and its probability in percent."""
    demo = arguments.source / "examples/demo"
    dims = re.search(r"input %.*: f32\[([0-9, ]+)\]", run(arguments.byoc, "inspect", demo / model)).group(1)
    size = math.prod(int(d) for d in dims.split(","))
    signal = scratch / "signal"
    signal.write_bytes(struct.pack(f"<{size}f", *[(i % 16 - 8) * 0.125 for i in range(size)]))
    run(arguments.byoc, "run", demo / model, "--target", target, "-q", "--no-profile", "--input", signal, "--output-dir",
        scratch)
    probability = struct.unpack("<4f", (scratch / "output_0.raw").read_bytes())
    best = max(range(4), key=lambda k: probability[k])
    return best, probability[best] * 100


def expect(found, expected):
    """Lines that start as expected, with a percentage that is at most one off: printf and firmware round alike, but not
    always the same float."""
    lines = found.split("\n")
    for name, percent in expected:
        line = next((l for l in lines if l.startswith(name)), None)
        match = line and re.search(r"(\d+) %", line)
        if not match or abs(int(match.group(1)) - percent) > 1:
            sys.exit(f"expected '{name}{percent:.0f} %', found:\n{found}")
        lines.remove(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--byoc", required=True, type=Path)
    parser.add_argument("recipe", choices=sorted(NEEDS))
    arguments = parser.parse_args()
    arguments.source, arguments.byoc = arguments.source.absolute(), arguments.byoc.absolute()
    for program in NEEDS[arguments.recipe]:
        if shutil.which(program) is None:
            print(f"{program} is not installed")
            return 77
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        printed = run("sh", arguments.source / "examples/cross-compile" / arguments.recipe / "build.sh", scratch / "out",
                      env={**os.environ, "BYOC": str(arguments.byoc)}, cwd=scratch).replace("\r", "")
        if arguments.recipe == "shared-library":
            expected = []
            for target, programs in (("host", 3), ("aarch64-linux-gnu", 2)):
                best, percent = answer(arguments, "vibration_int8.onnx", target, scratch)
                expected += [(f"{NAMES[best]}, ", percent)] * programs
            expect(printed, expected)
        elif arguments.recipe == "two-models":
            expected = []
            for name, model in (("coarse", "vibration_int8.onnx"), ("fine", "vibration_float.onnx")):
                best, percent = answer(arguments, model, "cortex-m4f", scratch)
                expected += [(f"{name}: class {best}, ", percent)] * 2
            expect(printed, expected)
        elif arguments.recipe == "riscv-picolibc":
            best, percent = answer(arguments, "vibration_int8.onnx", "riscv32imc", scratch)
            expect(printed, [(f"{NAMES[best]}, ", percent)])
        elif arguments.recipe == "mixed-tree":
            if [line for line in printed.split("\n") if "three" in line] != ["three quarters of 56: 42"] * 4:
                sys.exit(f"the forms of the tree do not all give 42:\n{printed}")
        else:
            best, percent = answer(arguments, "vibration_int8.onnx", "cortex-m4f", scratch)
            expect(printed, [(f"class {best}, ", percent)] * 2)
            for used, stated in re.findall(r"(\d+) bytes of (\d+) in external flash", printed):
                if used != stated or int(used) < 1000:
                    sys.exit(f"the header says {stated} bytes, the linker placed {used}")
        print(printed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
