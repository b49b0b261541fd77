#!/usr/bin/env python3
"""The default toolchain of every simulated CPU is the one whose code needs fewer instructions, or is within one percent of
it: the geometric mean over int8 networks. QEMU counts them, so that the figures are the same on any machine.

    toolchains.py BYOC MODELS NETWORK,NETWORK... [CPU...]
"""

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TOOLCHAINS = ("clang", "gnu")


def instructions(byoc, models, name, cpu, toolchain):
    with tempfile.TemporaryDirectory() as folder:
        stats = Path(folder, "stats.json")
        subprocess.run([byoc, "run", str(models / f"{name}.tflite"), "--target", cpu, "--toolchain", toolchain,
                        "--input", str(models / "golden" / name / "input_0.raw"), "--stats", str(stats), "--no-profile",
                        "--quiet"], check=True)
        return json.loads(stats.read_text())["instructions"]


def main():
    byoc, models, names, *cpus = sys.argv[1:]
    models, names = Path(models), names.split(",")
    wrong = []
    for cpu in cpus:
        mean = {toolchain: math.prod(instructions(byoc, models, name, cpu, toolchain) for name in names) ** (1 / len(names))
                for toolchain in TOOLCHAINS}
        default = json.loads((ROOT / "toolchains" / f"{cpu}.json").read_text())["default_toolchain"]
        ratio = mean[default] / min(mean.values())
        print(f"{cpu}: {default} is the default and needs {ratio:.3f} times the instructions of the better one")
        if ratio > 1.01:
            wrong.append(cpu)
    if wrong:
        print(f"another toolchain is better on {', '.join(wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
