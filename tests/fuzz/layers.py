#!/usr/bin/env python3
"""Random layers by the thousand: generated code for several CPUs against the evaluator, and the evaluator against what
tests/e2e/layers works out by itself.

The layers are those of the e2e.layers tests, family by family (conv_2d, pools, onnx_conv ...), int8, int16 and float as
their operators have them, in batches of one model each. One seed gives the same layers on every platform, so that all
of them are compared with each other too. A batch that differs is named with the variables that repeat it.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Name: the test's platform, and what of it is another.
PLATFORMS = {
    "evaluator": ("evaluator", {}),
    "host": ("host_clang", {}),
    "avx2": ("host_gcc", {"BYOC_SWEEP_TARGET": "x86-64-v3"}),
    "avx512": ("host_clang", {"BYOC_SWEEP_TARGET": "x86-64-v4"}),
    "neon": ("host_clang", {"BYOC_SWEEP_TARGET": "aarch64-linux-gnu"}),
    "portable": ("cortex_m0plus", {}),
    "dsp": ("cortex_m4f", {}),
    "dsp-gnu": ("cortex_m4f", {"BYOC_SWEEP_TOOLCHAIN": "gnu", "BYOC_SWEEP_OBJECTIVE": "balanced"}),
    "dsp-size": ("cortex_m4f", {"BYOC_SWEEP_OBJECTIVE": "size"}),
    # Constants take so long that kernels are taken which copy weights into RAM first.
    "dsp-slow": ("cortex_m4f", {"BYOC_SWEEP_TARGET": str(Path(__file__).resolve().parent / "slow_flash.json")}),
    "portable-size": ("cortex_m0plus", {"BYOC_SWEEP_OBJECTIVE": "size"}),
    "mve": ("cortex_m55", {}),
    "mve-gnu": ("cortex_m55", {"BYOC_SWEEP_TOOLCHAIN": "gnu"}),
    "m7": ("cortex_m4f", {"BYOC_SWEEP_TARGET": "cortex-m7"}),
    "m33": ("cortex_m4f", {"BYOC_SWEEP_TARGET": "cortex-m33"}),
    "riscv32": ("riscv32imc", {}),
    "llvm": ("host_clang", {"BYOC_SWEEP_BACKEND": "llvm", "BYOC_SWEEP_TARGET": "native"}),
    "llvm-sse2": ("host_clang", {"BYOC_SWEEP_BACKEND": "llvm"}),
    "llvm-avx2": ("host_clang", {"BYOC_SWEEP_BACKEND": "llvm", "BYOC_SWEEP_TARGET": "x86-64-v3"}),
    "llvm-mve": ("cortex_m55", {"BYOC_SWEEP_BACKEND": "llvm"}),
}
USUAL = ("evaluator", "portable", "dsp", "mve")


def families(binary):
    listed = subprocess.run([binary, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  agrees/(\w+)_evaluator\b", listed, re.MULTILINE)


def run_batch(binary, family, platform, seed, layers):
    """None if all agree, else what to do to see it, and the beginning of what was said."""
    test, variables = PLATFORMS[platform]
    variables = variables | {"BYOC_SWEEP_CASES": str(layers), "BYOC_SWEEP_SEED": str(seed)}
    command = [str(binary), f"--gtest_filter=All/Layers.agrees/{family}_{test}"]
    result = subprocess.run(command, capture_output=True, text=True, env=os.environ | variables)
    if result.returncode == 0 and "[  PASSED  ] 1 test." in result.stdout:
        return None
    setting = " ".join(f"{name}={value}" for name, value in variables.items())
    said = [line for line in result.stdout.splitlines() if not line.startswith(("[", "Note:", "Running"))]
    return f"{setting} {' '.join(command)}\n  " + "\n  ".join(said[:8] or result.stderr.splitlines()[:8])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=10000, help="of each family (default: %(default)s)")
    parser.add_argument("--family", action="append", help="only this one (may be repeated)")
    parser.add_argument("--platform", action="append", choices=PLATFORMS,
                        help=f"only this one (may be repeated; default: {', '.join(USUAL)})")
    parser.add_argument("--seed", type=int, default=1, help="of the first batch; the others follow")
    parser.add_argument("--batch", type=int, default=250, help="layers in one model (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--binary", type=Path, default=ROOT / "build" / "bin" / "e2e_layers")
    arguments = parser.parse_args()
    known = families(arguments.binary)
    if unknown := set(arguments.family or ()) - set(known):
        parser.error(f"unknown family {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    problems = 0
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for family in arguments.family or known:
            for platform in arguments.platform or USUAL:
                start = time.monotonic()
                batches = [(arguments.seed + at // arguments.batch, min(arguments.batch, arguments.layers - at))
                           for at in range(0, arguments.layers, arguments.batch)]
                found = [problem for problem in pool.map(
                    lambda batch: run_batch(arguments.binary, family, platform, *batch), batches) if problem]
                for problem in found:
                    print(problem)
                problems += len(found)
                print(f"{family:<30} {platform:<10} {arguments.layers:>7} layers, {len(found)} of {len(batches)} batches "
                      f"with a difference, {time.monotonic() - start:.0f} s", flush=True)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
