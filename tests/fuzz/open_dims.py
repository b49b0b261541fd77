#!/usr/bin/env python3
"""Random graphs of which only a run knows the dims of inputs: compiled as far as they can be, against the evaluator.

usage: open_dims.py [--byoc BYOC] [--graphs N] [--seed S] [--keep FOLDER]

Each graph is one of fuzz_graphs with a symbol in the place of each dim of its inputs, and without types of what is
computed. It runs with the dims that it had. What differs is kept. Exit code 77: numpy is not there.
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is not there")
    sys.exit(77)

ROOT = Path(__file__).resolve().parents[2]
INPUT = re.compile(r'^  input (%\S+(?: "[^"]*")?) : (\w+)\[([0-9,]*)\](.*)$')
DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "i64": np.int64, "i32": np.int32, "i16": np.int16,
          "i8": np.int8, "u64": np.uint64, "u32": np.uint32, "u16": np.uint16, "u8": np.uint8, "bool": np.bool_}
TOLERANCE = {"f16": 2e-2, "f32": 2e-3, "f64": 1e-6}
INTEGERS_OFF = 0.02  # as a part of all: a rounded function on the other side


def opened(text):
    """The graph with open inputs, and {dtype, dims} of each; nothing where it has states or other types."""
    lines, symbols, inputs = [], [], []
    for line in text.split("\n"):
        found = INPUT.match(line)
        if found:
            name, dtype, dims, rest = found.groups()
            lengths = [int(d) for d in dims.split(",") if d]
            if dtype not in DTYPES:
                return None
            inputs.append((dtype, lengths))
            if lengths and "q(" not in rest:
                names = [f"S{len(symbols) + i}" for i in range(len(lengths))]
                symbols += names
                line = f"  input {name} : {dtype}[{','.join(names)}]{rest}"
        elif line.startswith("  %") and " = " in line:
            left, right = line.split(" = ", 1)
            line = re.sub(r" : \w+\[[0-9,]*\](?! q\()", " : ?", left) + " = " + right
        lines.append(line)
    body = "\n".join(lines)
    if not symbols or "\n  state " in body:
        return None
    return re.sub(r"(requant=\w+)", rf"\1 symbols=[{', '.join(symbols)}]", body, count=1), inputs


def values(random, dtype, dims):
    if dtype.startswith("f"):
        return (random.normal(size=dims) * 3).astype(DTYPES[dtype])
    return random.integers(0, 2 if dtype == "bool" else 5, size=dims).astype(DTYPES[dtype])


def difference(expected, found):
    """What is wrong with it; "" where it is near enough."""
    if expected.shape != found.shape or expected.dtype != found.dtype:
        return f"has {found.dtype}{list(found.shape)}, expected {expected.dtype}{list(expected.shape)}"
    if expected.size == 0:
        return ""
    if expected.dtype.kind != "f":
        off = int((expected != found).sum())
        return f"{off} of {expected.size} integers differ" if off > INTEGERS_OFF * expected.size else ""
    off = TOLERANCE[f"f{expected.dtype.itemsize * 8}"]
    with np.errstate(all="ignore"):
        near = np.isclose(expected.astype(np.float64), found.astype(np.float64), rtol=off, atol=off, equal_nan=True)
    return "" if near.all() else f"{int((~near).sum())} of {expected.size} elements differ"


class Bench:
    def __init__(self, byoc, folder):
        self.byoc, self.folder = byoc, folder
        self.open_steps = self.evaluated = 0

    def call(self, *words):
        return subprocess.run([self.byoc, *words], cwd=self.folder, capture_output=True, text=True, errors="replace",
                              check=False)

    def run(self, seed, body, inputs):
        """"" if all is well, "refused" where the evaluator cannot run it either, else what went wrong."""
        random = np.random.default_rng(seed)
        (self.folder / "g.byoc").write_text(body)
        words = []
        for i, (dtype, dims) in enumerate(inputs):
            np.save(self.folder / f"{i}.npy", values(random, dtype, dims))
            words += ["--input", f"{i}.npy"]
        words += ["-q", "--output-form", "npy", "--output-dir"]
        alone = self.call("run", "g.byoc", "--executor", "interpreted", *words, "a")
        if alone.returncode == 1 and "internal error" not in alone.stderr:
            return "refused"
        exported = self.call("export", "g.byoc", "--target", "host", "--executor", "vm", "--prefer", "c", "-q", "-o",
                             "g.so")
        code = self.call("inspect", "g.so", "--bytecode").stdout
        self.open_steps += code.count(": open_step ")
        self.evaluated += code.count(": evaluate ")
        ran = self.call("run", "g.so", *words, "b")
        for result in (alone, exported, ran):
            if result.returncode != 0:
                return f"exit code {result.returncode}: {result.stderr[:300]}"
        wrong = [(file.name, difference(np.load(file), np.load(self.folder / "b" / file.name)))
                 for file in sorted((self.folder / "a").glob("output_*.npy"))]
        return ", ".join(f"{name} {what}" for name, what in wrong if what)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--byoc", type=Path, default=ROOT / "build" / "bin" / "byoc")
    parser.add_argument("--graphs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=ROOT / "build" / "fuzz" / "open_dims")
    arguments = parser.parse_args()
    byoc = arguments.byoc.resolve()
    counts = {"agree": 0, "differ": 0, "refused": 0, "other": 0}
    open_steps = evaluated = 0
    for seed in range(arguments.seed, arguments.seed + arguments.graphs):
        text = subprocess.run([byoc.parent / "fuzz_graphs", "--print", "--seed", str(seed)], capture_output=True,
                              text=True, check=True).stdout
        graph = opened(text)
        if graph is None:
            counts["other"] += 1
            continue
        folder = arguments.keep.resolve() / str(seed)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        bench = Bench(byoc, folder)
        problem = bench.run(seed, *graph)
        open_steps += bench.open_steps
        evaluated += bench.evaluated
        counts["refused" if problem == "refused" else "differ" if problem else "agree"] += 1
        if problem and problem != "refused":
            print(f"{seed}: {problem}", flush=True)
        else:
            shutil.rmtree(folder)
    print(", ".join(f"{n} {what}" for what, n in counts.items()) +
          f"; {open_steps} nodes compiled with open dims, {evaluated} evaluated")
    return 1 if counts["differ"] or not counts["agree"] or not open_steps else 0


if __name__ == "__main__":
    sys.exit(main())
