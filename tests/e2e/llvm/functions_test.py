"""The functions of real numbers over all of float32: every exponent, both signs, the ends.

usage: functions_test.py BYOC TARGET [--prefer ORDER]

Errors are counted in units in the last place of the exact result; subnormal arguments and results may count as zero. Exit code 77: this
machine cannot run TARGET.
"""

import argparse
import math
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is not there")
    sys.exit(77)

LEAST_NORMAL = 2.0**-126
# operator: (the function in double, units)
FUNCTIONS = {
    "Ceil.13": (np.ceil, 0),
    "Cos.7": (np.cos, 2),
    "Elu.6": (lambda x: np.where(x < 0, np.expm1(x), x), 2),
    "Erf.13": (np.vectorize(math.erf, otypes=[float]), 2),
    "Exp.13": (np.exp, 2),
    "Floor.13": (np.floor, 0),
    "Log.13": (np.log, 2),
    "Round.11": (np.rint, 0),
    "Sigmoid.13": (lambda x: 1 / (1 + np.exp(-x)), 3),
    "Sin.7": (np.sin, 2),
    "Softplus.1": (lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))), 3),
    "Tanh.13": (np.tanh, 3),
}


def arguments():
    """Four floats of every exponent and sign, values where functions change, and the special ones."""
    rng = np.random.default_rng(1)
    bits = (np.arange(512, dtype=np.uint32)[:, None] << 23 | rng.integers(0, 1 << 23, (512, 4), dtype=np.uint32)).ravel()
    near = np.concatenate([rng.uniform(-low, low, 1500) for low in (0.1, 1, 10, 110)]).astype(np.float32)
    near = np.concatenate([near, np.arange(-40, 41, dtype=np.float32) / 2])
    special = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3.4028235e38, -3.4028235e38, 88.72283,
                        88.72284, -87.33654, -103.9], np.float32)
    return np.concatenate([bits.view(np.float32), near, special])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("byoc")
    parser.add_argument("target")
    parser.add_argument("--prefer", default="llvm,c")
    options = parser.parse_args()
    x, failures = arguments(), []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "input.raw").write_bytes(x.tobytes())
        for op, (function, units) in FUNCTIONS.items():
            model = folder / "function.byoc"
            model.write_text(f'graph "f" requant=onnx {{\n  input %x : f32[{x.size}]\n  %y = {op}(%x) {{}}\n  output %y\n}}\n')
            subprocess.run([options.byoc, "run", model, "--target", options.target, "--prefer", options.prefer, "--optimize",
                            "speed", "--input", folder / "input.raw", "--output-dir", folder, "-q"], check=True)
            found = np.frombuffer(next(folder.glob("output_0*.raw")).read_bytes(), np.float32)
            with np.errstate(all="ignore"):
                exact = function(x.astype(np.float64))
                nearest = exact.astype(np.float32)
                unit = np.exp2(np.floor(np.log2(np.maximum(np.abs(exact), LEAST_NORMAL))) - 23)
                off = np.abs(found.astype(np.float64) - exact) / unit
            is_small = np.minimum(np.abs(exact), np.abs(x)) < LEAST_NORMAL
            right = np.where(np.isnan(exact), np.isnan(found), (found == nearest) | (off <= units))
            if units == 0:
                right &= np.isnan(exact) | (np.signbit(found) == np.signbit(exact))
            if options.target == "cortex-m55":  # MVE takes subnormal arguments for zero
                right |= (np.abs(x) < LEAST_NORMAL) & (found == function(np.zeros(1))[0])
            right |= is_small & (np.abs(found) <= LEAST_NORMAL) & (np.abs(exact) <= 2 * LEAST_NORMAL)
            for i in np.flatnonzero(~right)[:3]:
                failures.append(f"{op} of {x[i]:.9g}: found {found[i]:.9g}, expected {nearest[i]:.9g}")
            known = off[~np.isnan(off) & ~np.isinf(exact) & ~is_small]
            print(f"{op}: {x.size} arguments on {options.target}, off by {known[np.isfinite(known)].max():.2f} units at most")
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
