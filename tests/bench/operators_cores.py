"""Counts the instructions of single operators on simulated CPUs, of floats and of int8 as TensorFlow Lite and ONNX
round them. QEMU counts the step of one operator on random elements, between functions of one element: then its results may lie
where its operands were, as in networks. What counts is the element of the result, or of the input where there are more of those.
Beside each figure stands how often the least figure of its kind fits into it."""

import json
import random
import struct
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from math import prod
from pathlib import Path

FUNCTION = {"f32": "Neg.13", "i8": "Abs.13", "i16": "Abs.13"}  # before and behind the operator
FLAT, IMAGE, MAPS, ROWS, BATCHES = [4096], [1, 16, 16, 16], [1, 16, 16, 16], [32, 128], [4, 32, 32]
BYTES, SHORTS = "q(0.05, 3)", "q(0.0001, 0)"
WINDOW = "kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[1, 1]"


def each(ops, kind, shape=FLAT, operands=1):
    return [(kind, op, [shape] * operands, shape, "") for op in ops.split()]


# (kind, operator with its version, shapes of its inputs (text: a constant), shape of its result, attributes)
FLOATS = [
    *each("Abs.13 Neg.13 Relu.14 Floor.13 Ceil.13 Round.11 Sign.13 LeakyRelu.16 HardSigmoid.6 HardSwish.14 ThresholdedRelu.10", "simple"),
    *each("Add.14 Sub.14 Mul.14 Max.13 Min.13", "simple", operands=2),
    *each("Sqrt.13 Reciprocal.13 Softsign.1", "divides"), *each("Div.14", "divides", operands=2),
    *each("Exp.13 Log.13 Tanh.13 Sigmoid.13 Erf.13 Gelu.20 Elu.6 Celu.12 Selu.6 Softplus.1 Mish.18 Sin.7 Cos.7", "functions"),
    *each("Pow.15", "functions", operands=2),
    ("simple", "Add.14", [ROWS, "f32[128] = zeros"], ROWS, ""), ("simple", "Mul.14", [FLAT, "f32[] = [0.5]"], FLAT, ""),
    ("simple", "Where.16", ["bool[4096] = zeros", FLAT, FLAT], FLAT, ""),
    ("simple", "QuantizeLinear.13", [FLAT, "f32[] = [0.05]", "i8[] = [3]"], ("i8", FLAT), ""),
    ("rows", "Softmax.13", [ROWS], ROWS, "axis=-1"), ("rows", "Softmax.13", [ROWS], ROWS, "axis=0"),
    ("rows", "LogSoftmax.13", [ROWS], ROWS, "axis=-1"),
    ("rows", "LayerNormalization.17", [ROWS, "f32[128] = splat(1)", "f32[128] = zeros"], ROWS, "axis=-1"),
    ("rows", "InstanceNormalization.6", [IMAGE, "f32[16] = splat(1)", "f32[16] = zeros"], IMAGE, ""),
    ("products", "MatMul.13", [BATCHES, BATCHES], BATCHES, ""),
    ("pools", "AveragePool.19", [IMAGE], IMAGE, WINDOW), ("pools", "MaxPool.12", [IMAGE], IMAGE, WINDOW),
    ("reduces", "GlobalAveragePool.1", [IMAGE], [1, 16, 1, 1], ""),
    ("reduces", "ReduceMean.18", [IMAGE, "i64[2] = [2, 3]"], [1, 16, 1, 1], ""),
    ("reduces", "ReduceSum.13", [ROWS, "i64[1] = [1]"], [32, 1], ""), ("reduces", "ReduceMax.18", [IMAGE, "i64[1] = [1]"], [1, 1, 16, 16], ""),
    ("reduces", "ArgMax.13", [IMAGE], ("i64", [1, 1, 16, 16]), "axis=1"),
    ("moves", "Transpose.13", [IMAGE], IMAGE, "perm=[0, 2, 3, 1]"), ("moves", "DepthToSpace.13", [IMAGE], [1, 4, 32, 32], "blocksize=2"),
    ("moves", "Concat.13", [FLAT, FLAT], [8192], "axis=0"), ("moves", "Pad.13", [IMAGE, "i64[8] = [0, 0, 1, 1, 0, 0, 1, 1]"], [1, 16, 18, 18], ""),
    ("samples", "Resize.13", [IMAGE, "_", "f32[4] = [1, 1, 2, 2]"], [1, 16, 32, 32], 'mode="nearest"'),
    ("samples", "Resize.13", [IMAGE, "_", "f32[4] = [1, 1, 2, 2]"], [1, 16, 32, 32], 'mode="linear"'),
    ("samples", "GridSample.20", [IMAGE, [1, 16, 16, 2]], IMAGE, ""),
]
INTEGERS = [
    *each("Add.14 Sub.14 Mul.14 Div.14 Max.13 Min.13", "simple", operands=2),
    *((kind, op, shapes, ("bool", FLAT), "") for kind, op, shapes, _, _ in each("Less.13 Equal.13", "simple", operands=2)),
    *each("Relu.14 Abs.13 LeakyRelu.16 Sigmoid.13 Tanh.13 HardSwish.14 Elu.6", "simple"),
    ("simple", "byoc.Quantize.1", [("f32", FLAT)], FLAT, ""), ("simple", "byoc.Dequantize.1", [FLAT], ("f32", FLAT), ""),
    ("rows", "Softmax.13", [ROWS], ("i8 q(0.00390625, -128)", ROWS), "axis=-1, beta=1.0"),
    ("rows", "LogSoftmax.13", [ROWS], ("i8 q(0.0625, 127)", ROWS), "axis=-1"),
    ("rows", "byoc.L2Normalization.1", [ROWS], ("i8 q(0.0078125, 0)", ROWS), ""),
    ("pools", "AveragePool.19", [MAPS], MAPS, f'data_layout="NHWC", {WINDOW}'),
    ("pools", "MaxPool.12", [MAPS], MAPS, f'data_layout="NHWC", {WINDOW}'),
    ("reduces", "ReduceMean.18", [MAPS, "i64[2] = [1, 2]"], [1, 1, 1, 16], ""),
    ("reduces", "ArgMax.13", [MAPS], ("i64", [1, 16, 16, 1]), "axis=3"),
    ("moves", "Transpose.13", [MAPS], MAPS, "perm=[0, 3, 1, 2]"), ("moves", "Concat.13", [FLAT, FLAT], [8192], "axis=0"),
    ("moves", "DepthToSpace.13", [MAPS], [1, 4, 32, 32], "blocksize=2"),
]
SIXTEEN = [
    *each("Add.14 Mul.14", "simple", operands=2), *each("Relu.14 Abs.13 LeakyRelu.16 Sigmoid.13 Tanh.13", "simple"),
    ("rows", "Softmax.13", [ROWS], ("i16 q(0.000030517578125, 0)", ROWS), "axis=-1, beta=1.0"),
    ("pools", "MaxPool.12", [MAPS], MAPS, f'data_layout="NHWC", {WINDOW}'),
]
# What a table's values are, how they are quantised, whose rounding.
TABLES = [("f32", "", "tflite", FLOATS), ("i8", BYTES, "tflite", INTEGERS), ("i8", BYTES, "onnx", INTEGERS), ("i16", SHORTS, "tflite", SIXTEEN)]
BOUNDED = {"Sigmoid.13": {"i8": "q(0.00390625, -128)", "i16": "q(0.000030517578125, 0)"},
           "Tanh.13": {"i8": "q(0.0078125, 0)", "i16": "q(0.000030517578125, 0)"}}


def value(shape, dtype, quantisation):
    """The text of a type, and the shape."""
    if isinstance(shape, tuple):
        dtype, *given = shape[0].split(" ", 1)
        quantisation = given[0] if given else quantisation if dtype in ("i8", "i16") else ""
        shape = shape[1]
    return f"{dtype}{shape} {quantisation}", shape, dtype


def random_bytes(numbers, dtype, count):
    if dtype == "f32":
        return struct.pack(f"<{count}f", *(numbers.uniform(-2, 2) for _ in range(count)))
    return numbers.randbytes(count * {"i8": 1, "i16": 2}[dtype])


def write(folder, entry, dtype, quantisation, rounding):
    """The model, arguments that name its inputs, and the elements that count."""
    _, op, shapes, result, attributes = entry
    numbers, lines, operands, inputs, counts = random.Random(7), [], [], [], []
    for i, shape in enumerate(shapes):
        if shape == "_":
            operands.append("_")
            continue
        operands.append(f"%v{i}")
        if isinstance(shape, str):
            kind, _, data = shape.partition(" = ")
            lines.append(f"const %v{i} : {kind} = {data}")
            continue
        text, dims, kind = value(shape, dtype, quantisation)
        operands[-1] = f"%w{i}"
        lines += [f"input %v{i} : {text}", f"%w{i} : {text} = {FUNCTION[kind]}(%v{i}) {{}}"]
        path = Path(folder, f"{i}.raw")
        path.write_bytes(random_bytes(numbers, kind, prod(dims)))
        inputs += ["--input", str(path)]
        counts.append(prod(dims))
    bounded = BOUNDED.get(op, {}).get(dtype) if rounding == "tflite" else None
    text, dims, kind = value(result, dtype, bounded or quantisation)
    lines.append(f'%y : {text} = {op}({", ".join(operands)}) {{{attributes}}} @"operator"')
    lines += [f"%z : {text} = {FUNCTION[kind]}(%y) {{}}", "output %z"] if kind in FUNCTION else ["output %y"]
    model = Path(folder, "operator.byoc")
    model.write_text(f'graph "operator" requant={rounding} {{\n' + "\n".join(lines) + "\n}\n")
    return model, inputs, max(*counts, prod(dims))


def count(byoc, entry, table, core):
    """(instructions an element, kernel), or a line that says why there is none."""
    dtype, quantisation, rounding, _ = table
    with tempfile.TemporaryDirectory() as folder:
        model, inputs, elements = write(folder, entry, dtype, quantisation, rounding)
        stats = Path(folder, "stats.json")
        result = subprocess.run([str(byoc), "run", str(model), "--target", core, "--optimize", "speed", *inputs, "--stats", str(stats), "-q",
                                 "--no-optimise", "all"],
                                capture_output=True, text=True)
        if result.returncode != 0:
            return (result.stderr.strip().splitlines() or ["failed without a word"])[0]
        steps = [step for step in json.loads(stats.read_text())["steps"] if any("operator" in node for node in step["nodes"])]
        return sum(step["instructions"] for step in steps) / elements, " ".join(step["kernel"].removeprefix("byoc_") for step in steps)


def name_of(entry):
    _, op, shapes, _, attributes = entry
    name = op.rpartition(".")[0]
    first = shapes[0][1] if isinstance(shapes[0], tuple) else shapes[0]
    constant = " by a constant" if name in ("Add", "Mul") and isinstance(shapes[-1], str) else ""
    known = {"axis=-1": "", "axis=0": " of axis 0", "axis=1": " of axis 1", 'mode="nearest"': " nearest", 'mode="linear"': " linear"}
    return name + constant + known.get(attributes, "") + (f" {'x'.join(map(str, first))}" if not isinstance(first, str) else "")


def print_table(title, rows, least, cores):
    """Rows of a table of Markdown, the farthest from the least of its kind first."""
    def times(entry, found, core):
        return found[core][0] / least[core, entry[0]] if not isinstance(found[core], str) else 0

    print(f"\n{title}\n\n| operator | kind | " + " | ".join(f"{core} | to the least" for core in cores) + " | kernel |")
    print("|---|---|" + "---:|---:|" * len(cores) + "---|")
    for entry, found in sorted(rows, key=lambda row: -max(times(*row, core) for core in cores)):
        cells = []
        for core in cores:
            cells += ["-", "-"] if isinstance(found[core], str) else [f"{found[core][0]:.2f}", f"{times(entry, found, core):.1f}"]
        kernel = "" if isinstance(found[cores[-1]], str) else f"`{found[cores[-1]][1]}`"
        print(f"| {name_of(entry)} | {entry[0]} | " + " | ".join(cells) + f" | {kernel} |", flush=True)


def bench(byoc, cores, only=None, workers=1):
    """Prints the tables; returns the figures as records."""
    records = []
    with ThreadPoolExecutor(workers) as pool:
        for table in TABLES:
            entries = [e for e in table[3] if not only or e[1].rpartition(".")[0] in only]
            jobs = [(entry, {core: pool.submit(count, byoc, entry, table, core) for core in cores}) for entry in entries]
            rows = [(entry, {core: job.result() for core, job in found.items()}) for entry, found in jobs]
            least = {}
            for entry, found in rows:
                for core, one in found.items():
                    if not isinstance(one, str):
                        least[core, entry[0]] = min(one[0], least.get((core, entry[0]), one[0]))
            if rows:
                print_table(f"Instructions an element, {table[0]}" + (f", rounding of {table[2]}" if table[1] else ""), rows, least, cores)
            records += [{"operator": name_of(entry), "type": table[0], "rounding": table[2], "cpu": core, "per_element": one[0], "kernel": one[1]}
                        for entry, found in rows for core, one in found.items() if not isinstance(one, str)]
    return records
