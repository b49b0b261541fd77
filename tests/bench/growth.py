"""How time grows with a model: one kind of model a row, each size twice the one before it.

What is twice as large may take LIMIT times as long at most: n log n, with some room for noise.
"""

import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

sys.path.append(str(Path(__file__).resolve().parents[2] / "examples" / "demo"))
from onnx_file import FLOAT, chunk, integer  # noqa: E402

LIMIT = 2.3
TARGET = "cortex-m4f"
PLUGIN = Path(__file__).resolve().parents[2] / "build" / "tests" / "abi" / "c_backend_plugin.so"
BOOL = 9
GRAPH = 5  # of AttributeProto
REPEATS = 3


# ONNX, as far as these models need it.

def node(op, inputs, outputs, graphs=(), domain=""):
    message = b"".join(chunk(1, name) for name in inputs) + b"".join(chunk(2, name) for name in outputs) + chunk(4, op)
    message += b"".join(chunk(5, chunk(1, name) + chunk(6, graph) + integer(20, GRAPH)) for name, graph in graphs)
    return message + (chunk(7, domain) if domain else b"")


def value(name, dims=(), dtype=FLOAT):
    """A length, or the name of an open one, for each dim."""
    shape = b"".join(chunk(1, chunk(2, d) if isinstance(d, str) else integer(1, d)) for d in dims)
    return chunk(1, name) + chunk(2, chunk(1, integer(1, dtype) + chunk(2, shape)))


def graph(nodes, inputs, outputs):
    return (b"".join(chunk(1, n) for n in nodes) + chunk(2, "growth") + b"".join(chunk(11, v) for v in inputs) +
            b"".join(chunk(12, chunk(1, name)) for name in outputs))


def model(content, functions=()):
    """Opset 13; `functions` are in the domain "f"."""
    sets = chunk(8, integer(2, 13)) + chunk(8, chunk(1, "f") + integer(2, 1))
    return integer(1, 8) + chunk(7, content) + sets + b"".join(chunk(25, f) for f in functions)


def function(name, nodes):
    sets = chunk(9, integer(2, 13)) + chunk(9, chunk(1, "f") + integer(2, 1))
    return chunk(1, name) + chunk(4, "x") + chunk(5, "y") + b"".join(chunk(7, n) for n in nodes) + sets + chunk(10, "f")


# Graph text.

def text(lines):
    return ('graph "growth" requant=onnx {\n' + "\n".join(lines) + "\n}\n").encode()


# The models.

def chain(n):
    """One node behind the other."""
    lines = ["input %x : f32[4]"]
    lines += [f"%v{i} : f32[4] = {'Abs' if i % 2 else 'Neg'}.13({'%x' if i == 0 else f'%v{i - 1}'})" for i in range(n)]
    return text([*lines, f"output %v{n - 1}"])


def sum_of_many(n):
    return model(graph([node("Sum", [f"x{i}" for i in range(n)], ["y"])], [value(f"x{i}", [4]) for i in range(n)], ["y"]))


def if_captures(n):
    """An If whose branches read `n` values from around it."""
    names = [f"x{i}" for i in range(n)]
    branches = [(name, graph([node("Max", names, [name])], [], [name])) for name in ("then_branch", "else_branch")]
    return model(graph([node("If", ["c"], ["y"], branches)],
                       [value("c", dtype=BOOL), *(value(name, [4]) for name in names)], ["y"]))


def functions_called(n):
    """A function of eight nodes that is called until there are `n` nodes."""
    body = [node("Abs", ["x" if i == 0 else f"t{i - 1}"], ["y" if i == 7 else f"t{i}"]) for i in range(8)]
    calls = [node("f0", ["x" if i == 0 else f"c{i - 1}"], ["y" if i == n // 8 - 1 else f"c{i}"], domain="f")
             for i in range(n // 8)]
    return model(graph(calls, [value("x", [4])], ["y"]), [function("f0", body)])


def concat_of_many(n):
    """One input `n` times."""
    return text(["input %x : f32[4]", f"%y : f32[{4 * n}] = Concat.13({', '.join(['%x'] * n)}) {{axis=0}}", "output %y"])


def open_dims(n):
    """`n` inputs, each with an open dim of its own."""
    nodes = [node("Concat", [f"x{i}" for i in range(n)], ["y"])]
    return model(graph(nodes, [value(f"x{i}", [f"n{i}"]) for i in range(n)], ["y"]))


def open_dims_of_one(n):
    """One input with `n` open dims."""
    return model(graph([node("Abs", ["x"], ["y"])], [value("x", [f"n{i}" for i in range(n)])], ["y"]))


def many_ifs(n):
    lines = ["input %c : bool[]", "input %x : f32[4]"]
    for i in range(n):
        bodies = ", ".join(f'{name}=graph "" requant=onnx {{ input %a : f32[4] %b : f32[4] = {op}.13(%a) output %b }}'
                           for name, op in (("then_branch", "Abs"), ("else_branch", "Neg")))
        lines.append(f"%v{i} : f32[4] = If.13(%c, {'%x' if i == 0 else f'%v{i - 1}'}) {{{bodies}}}")
    return text([*lines, f"output %v{n - 1}"])


def long_lived(n):
    """`n` values of one input, which are added up once all of them are there."""
    lines = ["input %x : f32[4]"]
    lines += [f"%v{i} : f32[4] = {'Abs' if i % 2 else 'Neg'}.13(%x)" for i in range(n)]
    lines += [f"%s{i} : f32[4] = Add.13({'%x' if i == 0 else f'%s{i - 1}'}, %v{i})" for i in range(n)]
    return text([*lines, f"output %s{n - 1}"])


def many_inputs(n):
    """`n` inputs, which are added up."""
    lines = [f"input %x{i} : f32[4]" for i in range(n)]
    lines += [f"%s{i} : f32[4] = Add.13({'%x0' if i == 0 else f'%s{i - 1}'}, %x{i})" for i in range(n)]
    return text([*lines, f"output %s{n - 1}"])


@dataclass
class Row:
    what: str
    build: Callable[[int], bytes]
    sizes: tuple[int, ...]
    command: tuple[str, ...] = ("partition",)
    fails: bool = False  # the model is refused, in as little time


ROWS = (
    Row("partition of a chain", chain, (8000, 16000, 32000, 64000)),
    Row("Sum of many inputs", sum_of_many, (10000, 20000, 40000, 80000)),
    Row("Concat of many inputs", concat_of_many, (2500, 5000, 10000, 20000), ("export", "-o", "{folder}/m.a")),
    Row("captures of an If", if_captures, (800, 1600, 3200, 6400)),
    Row("a function that is called often", functions_called, (1 << 13, 1 << 14, 1 << 15, 1 << 16)),
    Row("inputs with open dims", open_dims, (5000, 10000, 20000, 40000), fails=True),
    Row("open dims of an input", open_dims_of_one, (5000, 10000, 20000, 40000), fails=True),
    Row("export of Ifs", many_ifs, (200, 400, 800, 1600), ("export", "-o", "{folder}/m.a")),
    Row("export of long-lived values", long_lived, (500, 1000, 2000, 4000), ("export", "-o", "{folder}/m.a")),
    Row("regions of a plug-in", chain, (8000, 16000, 32000, 64000), ("partition", "--plugin", PLUGIN)),
    Row("inputs that may be reused", many_inputs, (500, 1000, 2000, 4000),
        ("export", "-o", "{folder}/m.a", "--reuse-inputs")),
    Row("values in an input's place", long_lived, (500, 1000, 2000, 4000),
        ("export", "-o", "{folder}/m.a", "--reuse-inputs")),
)


def seconds(byoc, row, path, folder):
    """Of all CPUs together, the least of some runs: others that work on this machine count little."""
    command = [byoc, row.command[0], path, "--target", TARGET, "-q", *(str(part).format(folder=folder) for part in row.command[1:])]
    best = float("inf")
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                              env={**os.environ, "BYOC_CACHE": ""})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if (done.returncode != 0) != row.fails:
            raise SystemExit(f"{row.what}: exit code {done.returncode}\n{done.stderr[:2000].decode(errors='replace')}")
        best = min(best, took)
        if took > 5:
            break
    return best


def run(byoc, only=()):
    """Prints the table; True where every row holds. `only`: rows whose names contain one of these."""
    ok = True
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        for row in ROWS:
            if only and not any(word in row.what for word in only):
                continue
            before = None
            for size in row.sizes:
                path.write_bytes(row.build(size))
                took = seconds(byoc, row, path, folder)
                ratio = took / before if before else None
                bad = ratio is not None and ratio > LIMIT
                ok = ok and not bad
                print(f"{row.what:30} {size:8} {took:9.2f} s" + (f"  x {ratio:.2f}" if ratio else "") +
                      ("  too much" if bad else ""), flush=True)
                before = took
    return ok


if __name__ == "__main__":
    sys.exit(0 if run(Path(__file__).resolve().parents[2] / "build" / "bin" / "byoc", sys.argv[1:]) else 1)
