"""Times single operators on this machine, one thread: byoc as it chooses by itself, and ONNX Runtime. A model has several copies of
the operator, of which one element each leaves it, so that the calls of both engines count for little. Each copy reads an Add of
its own, or engines would join them; what a model of these alone takes is taken off. Where byoc computes Add and operator in
one pass, its time is what the operator adds to the pass. Processor time, the least of several turns."""

import os
import sys
from pathlib import Path

import host

sys.path.append(str(host.ROOT / "tests/networks"))
import numpy as np  # noqa: E402
from onnx_forms import Model  # noqa: E402
from seeded import Numbers  # noqa: E402

COPIES = 8
IMAGE, ROWS, SQUARE, FLAT = (1, 32, 56, 56), (64, 1000), (196, 196), (100352,)
OPSET, IR = 20, 9

# (operator, shape of its first input, further inputs: shapes of constants, or arrays; attributes)
OPERATORS = [(op, FLAT, (), {}) for op in (
    "Abs Ceil Celu Cos Elu Erf Exp Floor Gelu HardSigmoid HardSwish LeakyRelu Log Mish Neg Reciprocal Relu Round Selu Sigmoid Sign Sin "
    "Softplus Softsign Sqrt Tanh ThresholdedRelu").split()]
OPERATORS += [(op, FLAT, (FLAT,), {}) for op in "Add Div Max Min Mul Pow Sub".split()]
OPERATORS += [
    ("Softmax", ROWS, (), {"axis": -1}), ("Softmax", ROWS, (), {"axis": 0}), ("LogSoftmax", ROWS, (), {"axis": -1}),
    ("LayerNormalization", SQUARE, ((196,), (196,)), {"axis": -1}), ("InstanceNormalization", IMAGE, ((32,), (32,)), {}),
    ("MatMul", (12, 64, 64), ((12, 64, 64),), {}), ("MatMul", SQUARE, (SQUARE,), {}),
    ("AveragePool", IMAGE, (), {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
    ("MaxPool", IMAGE, (), {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
    ("GlobalAveragePool", IMAGE, (), {}), ("Transpose", IMAGE, (), {"perm": [0, 2, 3, 1]}),
    ("Transpose", (1, 98, 4, 64), (), {"perm": [0, 2, 1, 3]}), ("DepthToSpace", IMAGE, (), {"blocksize": 2}),
    ("ReduceMean", IMAGE, (np.array([2, 3]),), {}), ("ReduceMean", ROWS, (np.array([1]),), {}), ("ReduceSum", FLAT, (np.array([0]),), {}),
    ("ReduceMax", IMAGE, (np.array([1]),), {}), ("ArgMax", IMAGE, (), {"axis": 1}),
    ("QuantizeLinear", FLAT, (np.float32(0.05), np.int8(3)), {}),
]


def name_of(op, shape, attributes):
    rest = "".join(f" {k}={v}" for k, v in attributes.items() if k not in ("pads",))
    return f"{op} {'x'.join(map(str, shape))}{rest}"


def write(path, op, shape, more, attributes):
    """The model; `op` None: nothing but the Adds."""
    g, numbers = Model("operator"), Numbers(77)
    operands = ["x"]
    for i, constant in enumerate(more):
        if isinstance(constant, tuple):
            constant = (numbers.uniform(*constant) + 0.5).astype(np.float32)
        operands.append(g.constant(f"c{i}", constant))
    first, end, flat = (g.constant(n, np.array(v, np.int64)) for n, v in (("first", [0]), ("end", [1]), ("flat", [-1])))
    parts = []
    for i in range(COPIES):
        own = g.node("Add", ["x", g.constant(f"a{i}", np.float32(i / 8))], f"x{i}")
        y = own if op is None else g.node(op, [own, *operands[1:]], f"y{i}", **attributes)
        if op in ("ArgMax", "QuantizeLinear"):
            y = g.node("Cast", [g.node("Slice", [g.node("Reshape", [y, flat], f"r{i}"), first, end], f"s{i}")], f"f{i}", to=1)
        else:
            y = g.node("Slice", [g.node("Reshape", [y, flat], f"r{i}"), first, end], f"s{i}")
        parts.append(y)
    g.node("Concat", parts, "y", axis=0)
    g.write(path, {"x": (shape, np.float32)}, {"y": ((COPIES,), np.float32)}, OPSET, IR)


def engines(byoc, node, model, folder, part):
    values = host.make_input(byoc, model, folder / "input")
    told = host.manifest_of(folder / "input")["inputs"][0]
    runs = {"byoc": host.build_byoc(byoc, model, values, folder / "byoc", part)}
    if node is not None:
        words = ["node", host.HERE / "host_onnxruntime.js", model, values, folder / "ort.raw", part, "float32", ",".join(map(str, told["dims"]))]
        runs["ONNX Runtime"] = lambda: float(host.quiet(
            *words, env={**os.environ, "NODE_PATH": str(node / "node_modules"), "BYOC_CPU_TIME": "1"}))
    return runs


def measure(byoc, node, build, entry, turns, part):
    """{engine: microseconds of all copies}"""
    op, shape, more, attributes = entry
    folder = build / "bench/operators" / name_of(op or "nothing", shape, attributes).replace(" ", "_").replace("/", "_")
    folder.mkdir(parents=True, exist_ok=True)
    model = folder / "model.onnx"
    write(model, op, shape, more, attributes)
    runs = engines(byoc, node, model, folder, part)
    times = {engine: [] for engine in runs}
    for _ in range(turns):
        for engine, run in runs.items():
            times[engine].append(run())
    return {engine: min(t) / 1e3 for engine, t in times.items()}


def bench(byoc, build, only=None, turns=5, part="0.04"):
    """Prints the table, the slowest beside ONNX Runtime first; returns the figures as records."""
    host.CPU_TIME = True
    node, reason = host.install_onnxruntime(build)
    if node is None:
        print(f"without ONNX Runtime: {reason}")
    empty, records = {}, []
    for entry in OPERATORS:
        op, shape, _, attributes = entry
        if only and op not in only:
            continue
        try:
            if shape not in empty:
                empty[shape] = measure(byoc, node, build, (None, shape, (), {}), turns, part)
            times = measure(byoc, node, build, entry, turns, part)
        except RuntimeError as error:
            print(f"{name_of(op, shape, attributes)}: {error}")
            continue
        own = {engine: max(t - empty[shape][engine], 0.01) / COPIES for engine, t in times.items()}
        elements = int(np.prod(shape))
        records.append({"operator": name_of(op, shape, attributes), "elements": elements, "us": own})
    ratio = lambda r: r["us"].get("ONNX Runtime", 0) / r["us"]["byoc"]  # noqa: E731
    print(f"\n{'operator'.ljust(52)}{'byoc us'.rjust(10)}{'ORT us'.rjust(10)}{'ORT/byoc'.rjust(10)}{'ns/element'.rjust(12)}")
    for r in sorted(records, key=ratio):
        print(r["operator"].ljust(52) + f"{r['us']['byoc']:10.1f}{r['us'].get('ONNX Runtime', float('nan')):10.1f}{ratio(r):10.2f}"
              f"{1000 * r['us']['byoc'] / r['elements']:12.3f}", flush=True)
    return records
