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

import growth_models as models

LIMIT = 2.4
PLUGIN = Path(__file__).resolve().parents[2] / "build" / "tests" / "abi" / "c_backend_plugin.so"
REPEATS = 3


@dataclass
class Row:
    what: str
    build: Callable[[int], bytes]
    sizes: tuple[int, ...]
    command: tuple[str, ...] = ("partition",)
    fails: bool = False  # the model is refused, in as little time
    target: str = "cortex-m4f"


EXPORT = ("export", "-o", "{folder}/m.a")
INTERPRETED = ("export", "-o", "{folder}/m.byocm", "--executor", "interpreted")
ROWS = (
    Row("partition of a chain", models.chain, (8000, 16000, 32000, 64000)),
    Row("Sum of many inputs", models.sum_of_many, (10000, 20000, 40000, 80000)),
    Row("Concat of many inputs", models.concat_of_many, (2500, 5000, 10000, 20000), EXPORT),
    Row("captures of an If", models.if_captures, (800, 1600, 3200, 6400)),
    Row("a function that is called often", models.functions_called, (1 << 13, 1 << 14, 1 << 15, 1 << 16)),
    Row("inputs with open dims", models.open_dims, (5000, 10000, 20000, 40000), fails=True),
    Row("open dims of an input", models.open_dims_of_one, (5000, 10000, 20000, 40000), fails=True),
    Row("export of Ifs", models.many_ifs, (200, 400, 800, 1600), EXPORT),
    Row("export of long-lived values", models.long_lived, (500, 1000, 2000, 4000), EXPORT),
    Row("regions of a plug-in", models.chain, (8000, 16000, 32000, 64000), ("partition", "--plugin", PLUGIN)),
    Row("inputs that may be reused", models.many_inputs, (500, 1000, 2000, 4000),
        ("export", "-o", "{folder}/m.a", "--reuse-inputs")),
    Row("Concat of many inputs, LLVM", models.concat_of_many, (2500, 5000, 10000, 20000), EXPORT, target="host"),
    Row("outputs of a Split", models.outputs_of_a_split, (2500, 5000, 10000, 20000), EXPORT),
    Row("outputs of a Split, LLVM", models.outputs_of_a_split, (1000, 2000, 4000, 8000), EXPORT, target="host"),
    Row("Sum of many inputs, exported", models.sum_of_many, (1000, 2000, 4000, 8000), EXPORT),
    Row("Sum of many inputs, LLVM", models.sum_of_many, (500, 1000, 2000, 4000), EXPORT, target="host"),
    Row("outputs", models.many_outputs, (500, 1000, 2000, 4000), EXPORT),
    Row("constants", models.many_constants, (1000, 2000, 4000, 8000), EXPORT),
    Row("constants, LLVM", models.many_constants, (500, 1000, 2000, 4000), EXPORT, target="host"),
    Row("nodes of one name", models.one_name, (1000, 2000, 4000, 8000), EXPORT),
    Row("inputs of one name", models.inputs_of_one_name, (5000, 10000, 20000, 40000)),
    Row("functions", models.functions_of_their_own, (8000, 16000, 32000, 64000)),
    Row("stated shapes", models.stated_shapes, (8000, 16000, 32000, 64000)),
    Row("elements of a sequence", models.sequence_of_many, (100, 200, 400, 800), EXPORT),
    Row("inputs of a Scan", models.scan_of_many, (100, 200, 400, 800), EXPORT),
    Row("values that a Loop carries", models.loop_of_many, (200, 400, 800, 1600), EXPORT),
    Row("trees", models.trees, (8000, 16000, 32000, 64000), EXPORT),
    Row("splits of a tree", models.one_tree, (8191, 16383, 32767, 65535), EXPORT),
    Row("support vectors", models.vectors, (8000, 16000, 32000, 64000), EXPORT),
    Row("labels", models.labels, (20000, 40000, 80000, 160000), EXPORT),
    Row("labels of text", models.texts, (20000, 40000, 80000, 160000), INTERPRETED),
    Row("categories", models.hot, (20000, 40000, 80000, 160000), EXPORT),
    Row("classes", models.classes, (8000, 16000, 32000, 64000), EXPORT),
    Row("n-grams", models.grams, (20000, 40000, 80000, 160000), EXPORT),
    Row("export of a chain", models.chain, (1000, 2000, 4000, 8000), EXPORT),
    Row("export of a chain, LLVM", models.chain, (500, 1000, 2000, 4000), EXPORT, target="host"),
    Row("bytecode of a chain", models.chain, (4000, 8000, 16000, 32000), INTERPRETED),
    Row("bytecode of Ifs", models.many_ifs, (1000, 2000, 4000, 8000), INTERPRETED),
    Row("bytecode with a library", models.chain, (500, 1000, 2000, 4000),
        ("export", "-o", "{folder}/v.so", "--executor", "vm"), target="host"),
    Row("graph.json", models.chain, (500, 1000, 2000, 4000), ("export", "-o", "{folder}/g.so", "--executor", "graph"),
        target="host"),
    Row("a run of bytecode", models.chain, (4000, 8000, 16000, 32000), ("run", "--executor", "interpreted"), target=""),
    Row("report of a chain", models.chain, (500, 1000, 2000, 4000), (*EXPORT, "--report", "{folder}/r.html")),
    Row("text of a chain", models.chain, (8000, 16000, 32000, 64000), ("inspect", "--prepared"), target=""),
    Row("values in an input's place", models.long_lived, (500, 1000, 2000, 4000),
        ("export", "-o", "{folder}/m.a", "--reuse-inputs")),
)


def seconds(byoc, row, path, folder):
    """Of all CPUs together, the least of some runs: others that work on this machine count little."""
    command = [byoc, row.command[0], path, *(("--target", row.target) if row.target else ()), *(() if row.command[0] == "inspect" else ("-q",)), *(str(part).format(folder=folder) for part in row.command[1:])]
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
