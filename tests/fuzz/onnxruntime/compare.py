#!/usr/bin/env python3
"""Makes random models of one operator, asks ONNX Runtime (an npm package, installed into the build folder) what they
give, and has the evaluator, or generated code, give the same.

What ONNX Runtime does otherwise than ONNX's text or reference says is not made; the generators say so. Needs Node.js and
the Debian package python3-onnx. The same seed gives the same models.
"""

import argparse
import re
import subprocess
import sys
import zlib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "bench"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=50, help="models of each family (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--family", action="append", help="these alone")
    parser.add_argument("--compile", action="store_true", help="generated C instead of the evaluator")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    arguments = parser.parse_args()
    try:
        import onnx  # noqa: F401
    except ImportError:
        sys.exit("python3-onnx is not installed")
    from cases import Random, ask
    from host import install_onnxruntime
    from layers import FAMILIES
    unknown = set(arguments.family or ()) - set(FAMILIES)
    if unknown:
        sys.exit(f"no such family: {', '.join(sorted(unknown))}; there are {', '.join(FAMILIES)}")
    modules, why = install_onnxruntime(arguments.build)
    if modules is None:
        sys.exit(why)
    cases = {}
    for family in arguments.family or FAMILIES:
        for i in range(arguments.each):
            seed = [arguments.seed, zlib.crc32(family.encode()), i]
            cases[f"test_{family}_{i}"] = FAMILIES[family](Random(seed))
    folder = arguments.build / "fuzz" / "onnxruntime"
    refused = ask(cases, folder, modules)
    print(f"{len(cases)} models, {len(refused)} of which ONNX Runtime refuses")
    for family, count in Counter(re.sub(r"test_(.*)_\d+", r"\1", name) for name in refused).items():
        print(f"  {family}: {count}, as {next(e for n, e in refused.items() if n.startswith(f'test_{family}_'))[:200]}")
    runner = [arguments.build / "bin" / "conformance_c", "--cases", folder, *([] if arguments.compile else ["--evaluator"])]
    found = subprocess.run(runner, stdout=subprocess.PIPE, text=True, check=False).stdout.splitlines()
    for line in found:
        if ": passed" not in line:
            print(line)
    return 1 if any(map(differs, found)) else 0


def differs(line):
    """But for an integer that is a step away, where a sum of floats lies on an edge of rounding, and what is left of a
    sum of floats whose terms cancel."""
    if ": failed" not in line and ": refused" not in line:
        return False
    found = re.search(r"is (\S+), expected (\S+)$", line)
    if found is None:
        return True
    most = 1 if re.fullmatch(r"-?\d+", found[1]) else 1e-5
    return not abs(float(found[1]) - float(found[2])) <= most


if __name__ == "__main__":
    sys.exit(main())
