"""Threads that share the steps of a model give the same bits as none, on random large layers and on whole models.

usage: threads_test.py BYOC [--cases N] [--seed S] [MODEL ...]

Also what `byoc run --threads` refuses. Exit code 77: numpy is not there.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from layers_test import activation, write_graph

COUNTS = (1, 2, 3)


def large_convolution(g):
    r = g.rng
    depthwise = r.random() < 0.3
    c_in, c_out, groups = r.choice((3, 8, 17, 40)), r.choice((16, 33, 70)), 1
    if depthwise:
        c_in = c_out = groups = r.choice((40, 65))
    kernel = r.choice((1, 3, 5)) if not depthwise else r.choice((3, 5))
    size = [r.randrange(25, 45) for _ in range(2)]
    pads = [r.randrange(0, kernel) for _ in range(4)]
    x = g.input([r.choice((1, 1, 3)), c_in, *size])
    y = g.node("Conv.11", [x, g.constant([c_out, c_in // groups, kernel, kernel]), g.constant([c_out])],
               f"kernel_shape=[{kernel}, {kernel}], pads={pads}, group={groups}, strides={[r.choice((1, 1, 2))] * 2}")
    return activation(g, y)


def large_product(g):
    r = g.rng
    rows, depth, columns = r.choice(((1, 700, 401), (1, 300, 1000), (9, 200, 150), (70, 64, 64), (300, 40, 33)))
    return activation(g, g.node("MatMul.13", [g.input([rows, depth]), g.constant([depth, columns])]))


def large_pool(g):
    x = g.input([g.rng.choice((1, 2)), g.rng.choice((1, 20, 33)), 41, 60])
    kind = g.rng.choice(("MaxPool.12", "AveragePool.11"))
    return g.node(kind, [x], "kernel_shape=[3, 3], strides=[1, 2], pads=[1, 0, 1, 1]")


def large_elementwise(g):
    shape = g.rng.choice(([40001], [3, 7, 50, 41], [33000, 3], [5, 9000]))
    other = [shape[-1]] if g.rng.random() < 0.5 else [1] * (len(shape) - 1) + [shape[-1]]
    return g.node("Sigmoid.13", [g.node("Mul.13", [g.input(shape), g.input(other)])])


def large_reduction(g):
    shape, axis = g.rng.choice((([401, 203], 1), ([401, 203], 0), ([5, 77, 301], 1)))
    axes = g.name()
    g.lines.append(f'const {axes} : i64[1] = hex"{axis.to_bytes(8, "little").hex()}"')
    return g.node(g.rng.choice(("ReduceSum.13", "ReduceMax.18", "ReduceLogSumExp.18")), [g.input(shape), axes])


def large_quantising(g):
    """Of all elements, or of each index of an axis, and back."""
    shape, count = g.rng.choice((([40003], 1), ([3, 70, 401], 70)))
    scale, zero = g.constant([count] if count > 1 else [], 0.01, 0.02), g.name()
    g.lines.append(f'const {zero} : i8{[count] if count > 1 else []} = hex"{"05" * count}"')
    q = g.node("QuantizeLinear.13", [g.input(shape), scale, zero], "axis=1")
    return g.node("DequantizeLinear.13", [q, scale, zero], "axis=1")


FAMILIES = ((large_convolution,) * 4 + (large_product,) * 2
            + (large_pool, large_elementwise, large_elementwise, large_reduction, large_reduction, large_quantising, large_quantising))


def run(byoc, model, folder, *options, fails=False):
    command = [byoc, "run", model, "--fill", "random:3", "--output-dir", folder, "-q", *options]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if (done.returncode != 0) != fails:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stderr if fails else [f.read_bytes() for f in sorted(folder.glob("output_*.raw"))]


def check(byoc, model, folder, *options):
    expected = run(byoc, model, folder / "none", *options)
    for count in COUNTS:
        found = run(byoc, model, folder / str(count), *options, "--threads", count)
        if found != expected:
            differ = [i for i, (e, f) in enumerate(zip(expected, found)) if e != f]
            sys.exit(f"{model}: outputs {differ} differ with {count} threads")


def check_refusals(byoc, model, folder):
    cases = [
        (("--compare",), "is not with --threads"),
        (("--remote", "localhost:1", "--token-file", __file__), "is not for runs on another machine"),
        (("--target", "cortex-m4f"), "threads are of runs on this machine"),
        (("--target", "aarch64-linux-gnu"), "threads are of runs on this machine"),
    ]
    for options, expected in cases:
        said = run(byoc, model, folder / "refused", *options, "--threads", 2, fails=True)
        if expected not in said:
            sys.exit(f"{options}: expected '{expected}', found: {said}")
    alone = folder / "alone.so"
    subprocess.run([byoc, "export", model, "--target", "native", "-q", "-o", alone], check=True)
    said = run(byoc, alone, folder / "refused", "--threads", 2, fails=True)
    if "the model has no step that threads could share" not in said:
        sys.exit(f"a model without: {said}")
    for threads in ("0", "1025"):
        said = run(byoc, model, folder / "refused", "--threads", threads, fails=True)
        if "--threads" not in said:
            sys.exit(f"{threads} threads: {said}")


def check_exported(byoc, model, folder):
    """A program's header has what it needs, and the library runs by itself, too."""
    expected = run(byoc, model, folder / "expected", "--target", "native")
    for name in ("m.so", "m.a", "m.tar"):
        subprocess.run([byoc, "export", model, "--target", "native", "--threads", "-q", "--force", "-o", folder / name],
                       check=True)
        for options in ((), ("--threads", 3)):
            if run(byoc, folder / name, folder / "exported", *options) != expected:
                sys.exit(f"{name}, {options}: outputs differ")
    header = (folder / "m.h").read_text()
    for part in ("typedef struct byoc_threads {", "const byoc_threads_t *threads;", "m_set_devices("):
        if part not in header:
            sys.exit(f"m.h has no '{part}'")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("byoc")
    parser.add_argument("models", nargs="*")
    parser.add_argument("--cases", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for seed in range(arguments.seed, arguments.seed + arguments.cases):
            folder = Path(temporary) / str(seed)
            folder.mkdir()
            model = folder / "m.byoc"
            write_graph(model, FAMILIES, seed)
            for options in (("--target", "native"), ("--target", "host")):
                check(arguments.byoc, model, folder, *options)
            if seed != arguments.seed:
                continue
            check(arguments.byoc, model, folder, "--target", "native", "--executor", "graph")
            check(arguments.byoc, model, folder, "--target", "native", "--executor", "vm")
            check_refusals(arguments.byoc, model, folder)
            check_exported(arguments.byoc, model, folder)
        for model in arguments.models:
            check(arguments.byoc, model, Path(temporary), "--target", "native")
    print(f"{arguments.cases} graphs and {len(arguments.models)} models, the same bits with {COUNTS} threads")


if __name__ == "__main__":
    main()
