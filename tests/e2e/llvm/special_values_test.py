"""Quantising bit for bit, and reductions of values that are special, against the evaluator.

usage: special_values_test.py BYOC TARGET [GRAPH ...]

Quantising gets halves, values beside halves, beyond the range, infinite and NaN, of all types, of all elements and of each index
of an axis; what sums and maxima get is in rows of which one element is special, and in sums of a million elements. Without GRAPH: all of them.
Exit code 77: numpy is not there.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is not there")
    sys.exit(77)

TYPES = {"i8": (-128, 127), "u8": (0, 255), "i16": (-32768, 32767), "u16": (0, 65535)}
REDUCTIONS = ("ReduceL1.18", "ReduceL2.18", "ReduceLogSum.18", "ReduceLogSumExp.18", "ReduceMax.18", "ReduceMean.18", "ReduceMin.18",
              "ReduceProd.18", "ReduceSum.13", "ReduceSumSquare.18")
SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 3e38, 1e-45)


class Graph:
    """One graph with its inputs' values, and outputs that are equal bit for bit, or within a bound of the largest number."""

    def __init__(self, requant):
        self.requant, self.lines, self.inputs, self.outputs = requant, [], [], []

    def input(self, values):
        name = f"%x{len(self.inputs)}"
        self.inputs.append(np.asarray(values, np.float32))
        self.lines.append(f"input {name} : f32{list(self.inputs[-1].shape)}")
        return name

    def constant(self, kind, values, dims):
        name = f"%c{len(self.lines)}"
        form = {"f32": "<f4", "i64": "<i8"}.get(kind) or f"<{kind[0]}{int(kind[1:]) // 8}"
        self.lines.append(f'const {name} : {kind}{list(dims)} = hex"{np.asarray(values, form).tobytes().hex()}"')
        return name

    def add(self, call, form, what, declared=""):
        name = f"%y{len(self.lines)}"
        self.lines.append(f"{name}{declared} = {call}")
        self.lines.append(f"output {name}")
        self.outputs.append((what, form))
        return name

    def write(self, path):
        path.write_text(f'graph "g" requant={self.requant} {{\n  ' + "\n  ".join(self.lines) + "\n}\n")


def hard_numbers(step, low, high, zero, count):
    """Halves of `step` in the range and at its ends, their neighbours, and special ones: `count` of them."""
    rng = np.random.default_rng(count)
    whole = np.concatenate([[low - 2, low - 1, low, high, high + 1, high + 2, zero, zero - 1, zero + 1], rng.integers(low, high + 1, count)])
    halves = ((whole - zero + 0.5) * step).astype(np.float32)
    all_of = np.concatenate([[*SPECIAL, -3e38, 1e9, -1e9], halves, np.nextafter(halves, np.float32(np.inf)),
                             np.nextafter(halves, np.float32(-np.inf))]).astype(np.float32)
    return rng.permutation(all_of)[:count]


def quantising(requant):
    g = Graph(requant)
    for kind, (low, high) in TYPES.items():
        for step, zero, count in ((0.25, 0 if low else 128, 1), (0.1, high, 203), (2.0**-126, low, 77), (0.037, (low + high) // 2, 64)):
            x = g.input(hard_numbers(np.float32(step), low, high, zero, count))
            s, z = g.constant("f32", [step], []), g.constant(kind, [zero], [])
            q = g.add(f"QuantizeLinear.13({x}, {s}, {z}) {{}}", kind, f"QuantizeLinear {kind} {step}")
            g.add(f"DequantizeLinear.13({q}, {s}, {z}) {{}}", "f32", f"DequantizeLinear {kind} {step}")
            own = g.add(f"byoc.Quantize.1({x}) {{}}", kind, f"byoc.Quantize {kind} {step}", f" : {kind}[{count}] q({step!r}, {zero})")
            g.add(f"byoc.Dequantize.1({own}) {{}}", "f32", f"byoc.Dequantize {kind} {step}")
        for shape, axis in (((3, 19, 5), 1), ((7, 33), 1), ((5, 6), 0)):
            channels = shape[axis]
            steps = np.float32(0.01) * (1 + np.arange(channels, dtype=np.float32))
            zeros = np.linspace(low, high, channels).astype(int)
            each = [hard_numbers(s, low, high, z, np.prod(shape) // channels) for s, z in zip(steps, zeros)]
            values = np.moveaxis(np.array(each).reshape(channels, *(shape[:axis] + shape[axis + 1 :])), 0, axis)
            x, s, z = g.input(values), g.constant("f32", steps, [channels]), g.constant(kind, zeros, [channels])
            q = g.add(f"QuantizeLinear.13({x}, {s}, {z}) {{axis={axis}}}", kind, f"QuantizeLinear {kind} axis {axis}")
            g.add(f"DequantizeLinear.13({q}, {s}, {z}) {{axis={axis}}}", "f32", f"DequantizeLinear {kind} axis {axis}")
    nothing, scale = g.input(np.zeros((0, 3))), g.constant("f32", [1.0], [])
    g.add(f"QuantizeLinear.13({nothing}, {scale}) {{}}", "u8", "QuantizeLinear of nothing")
    return g


def reductions():
    """Rows with one special element at every place of a vector and behind whole ones, along the last dim and along the first."""
    g, rng = Graph("onnx"), np.random.default_rng(5)
    for length in (1, 5, 37):
        ordinary = rng.uniform(0.5, 1.5, (length * len(SPECIAL) + 1, length)).astype(np.float32)
        for at in range(length):
            ordinary[at * len(SPECIAL) : (at + 1) * len(SPECIAL), at] = SPECIAL
        for axis, values in ((1, ordinary), (0, np.ascontiguousarray(ordinary.T))):
            x, axes = g.input(values), g.constant("i64", [axis], [1])
            for op in REDUCTIONS:
                g.add(f"{op}({x}, {axes}) {{keepdims=0}}", "about", f"{op} of {length} along {axis}")
    ends = g.input([[np.inf, -np.inf], [np.nan, np.inf], [-np.inf, -np.inf], [-0.0, 0.0]])
    none, all_of = g.constant("i64", [], [0]), g.constant("i64", [1], [1])
    for op in REDUCTIONS:
        g.add(f"{op}({ends}, {all_of}) {{}}", "about", f"{op} of infinities")
        g.add(f"{op}({ends}, {none}) {{noop_with_empty_axes=1}}", "about", f"{op} of no axes")
        g.add(f"{op}({ends}, {none}) {{}}", "about", f"{op} of all axes")
    # A plain sum of so many tenths, each of which is rounded the same way, is off by more than the bound in every lane.
    long, first, last = g.input(np.full((1, 1300003), 0.1)), g.constant("i64", [0], [1]), g.constant("i64", [-1], [1])
    tall = g.input(np.full((650003, 2), 0.1))
    for op in REDUCTIONS:
        if op != "ReduceProd.18":
            g.add(f"{op}({long}, {last}) {{}}", "about", f"{op} of a long row")
            g.add(f"{op}({tall}, {first}) {{}}", "about", f"{op} of long columns")
    other = np.roll(ordinary.ravel(), 3)
    for op in ("Max.13", "Min.13"):
        g.add(f"{op}({g.input(ordinary.ravel())}, {g.input(other)}) {{}}", "about", op)
    return g


def run(byoc, g, model, folder, *options):
    g.write(model)
    files = []
    for i, values in enumerate(g.inputs):
        files.append(model.parent / f"input{i}.raw")
        files[-1].write_bytes(values.tobytes())
    words = [byoc, "run", model, *[w for f in files for w in ("--input", f)], "--output-dir", folder, "-q", *options]
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return [f.read_bytes() for f in sorted(folder.glob("output_*.raw"), key=lambda f: int(f.stem.split("_")[1]))]


def difference(form, expected, found):
    """An index at which the results differ, or None."""
    if form != "about":
        size = 4 if form == "f32" else int(form[1:]) // 8
        e, f = (np.frombuffer(data, f"<u{size}") for data in (expected, found))
        same = e == f
    else:
        e, f = (np.frombuffer(data, np.float32).astype(float) for data in (expected, found))
        with np.errstate(all="ignore"):
            same = (e == f) | (np.isnan(e) & np.isnan(f)) | (np.abs(e - f) <= 2e-5 * np.maximum(1, np.abs(e)))
    wrong = np.flatnonzero(~same)
    return None if wrong.size == 0 else f"[{wrong[0]}]: found {f[wrong[0]]}, expected {e[wrong[0]]}"


GRAPHS = {"onnx": lambda: quantising("onnx"), "tflite": lambda: quantising("tflite"), "reductions": reductions}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("byoc")
    parser.add_argument("target")
    parser.add_argument("graphs", nargs="*", default=list(GRAPHS), metavar="GRAPH")
    options = parser.parse_args()
    failures, count = [], 0
    for name in options.graphs:
        g = GRAPHS[name]()
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            expected = run(options.byoc, g, folder / "m.byoc", folder / "evaluated", "--target", "host", "--executor", "interpreted")
            found = run(options.byoc, g, folder / "m.byoc", folder / "found", "--target", options.target, "--prefer", "llvm,c")
            for (what, form), e, f in zip(g.outputs, expected, found, strict=True):
                count += 1
                wrong = difference(form, e, f)
                if wrong is not None:
                    failures.append(f"{name}: {what} {wrong}")
    print("\n".join(failures) or f"{count} results on {options.target}, all agree")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
