"""Random layers through the LLVM backend against the evaluator, and in pairs of it and the C backend.

usage: layers_test.py BYOC TARGET [--cases N] [--seed S] [--real f32|f16|bf16] [--keep FOLDER]

Each case is a graph of several layers side by side, with outputs of their own: odd shapes, strides, dilations, groups,
pads of different widths, few and many channels, chains that are computed in one step. Everything of it that the LLVM
backend does not take is named at the end. Exit code 77: this machine cannot run TARGET.
"""

import argparse
import collections
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is not there")
    sys.exit(77)

TOLERANCE = {"f32": 2e-5, "f16": 1 / 256, "bf16": 1 / 32}  # of the largest result


def stored(values, real):
    """The bytes of floats as a type has them."""
    if real == "bf16":
        return (values.astype("<f4").view("<u4") >> 16).astype("<u2").tobytes()
    return values.astype({"f32": "<f4", "f16": "<f2"}[real]).tobytes()


def loaded(data, real):
    if real == "bf16":
        return (np.frombuffer(data, "<u2").astype("<u4") << 16).view("<f4").astype("f8")
    return np.frombuffer(data, {"f32": "<f4", "f16": "<f2"}[real]).astype("f8")


class Graph:
    """The text of a graph under construction, of random layers that each read an input of their own."""

    def __init__(self, rng, real="f32"):
        self.rng, self.real, self.lines, self.count = rng, real, [], 0

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def input(self, dims):
        name = self.name()
        self.lines.append(f"input {name} : {self.real}{list(dims)}")
        return name

    def constant(self, dims, low=-1.0, high=1.0):
        name = self.name()
        values = np.array([self.rng.uniform(low, high) for _ in range(int(np.prod(dims)))])
        self.lines.append(f'const {name} : {self.real}{list(dims)} = hex"{stored(values, self.real).hex()}"')
        return name

    def node(self, op, inputs, attributes=""):
        name = self.name()
        self.lines.append(f"{name} = {op}({', '.join(inputs)}) {{{attributes}}}")
        return name

    def output(self, name):
        self.lines.append(f"output {name}")

    def text(self):
        return 'graph "layers" requant=onnx {\n  ' + "\n  ".join(self.lines) + "\n}\n"


def write_graph(model, families, seed, real="f32"):
    """A layer of each family, each with an output of its own."""
    g = Graph(random.Random(seed), real)
    for family in families:
        g.output(family(g))
    model.write_text(g.text())


def convolution(g):
    """Conv of one or two spatial dims, and what follows it in one step."""
    r = g.rng
    rank = r.choice((1, 2, 2, 2))
    groups = r.choice((1, 1, 1, 2, 3, 5))
    depthwise = r.random() < 0.3
    c_in = r.choice((1, 2, 3, 5, 8, 17, 33))
    c_out = r.choice((1, 3, 4, 7, 16, 19, 40))
    if depthwise:
        groups = c_in = r.choice((3, 8, 21, 40))
        c_out = groups * r.choice((1, 1, 2))
    else:
        c_in, c_out = c_in * groups, c_out * groups
    kernel = [r.choice((1, 1, 2, 3, 3, 5)) for _ in range(rank)]
    strides = [r.choice((1, 1, 2, 3)) for _ in range(rank)]
    dilations = [r.choice((1, 1, 1, 2)) for _ in range(rank)]
    pads = [r.randrange(0, kernel[i % rank] + 1) for i in range(2 * rank)]
    size = [r.randrange((kernel[i] - 1) * dilations[i] + 1, 20) for i in range(rank)]
    pads = [min(p, (kernel[i % rank] - 1) * dilations[i % rank]) for i, p in enumerate(pads)]
    out = [(size[i] + pads[i] + pads[rank + i] - (kernel[i] - 1) * dilations[i] - 1) // strides[i] + 1 for i in range(rank)]
    batch = r.choice((1, 1, 2))
    x = g.input([batch, c_in, *size])
    w = g.constant([c_out, c_in // groups, *kernel])
    inputs = [x, w] + ([g.constant([c_out])] if r.random() < 0.6 else [])
    y = g.node("Conv.13", inputs, f"kernel_shape={kernel}, strides={strides}, dilations={dilations}, pads={pads}, group={groups}")
    if r.random() < 0.4:
        parameters = [g.constant([c_out]), g.constant([c_out]), g.constant([c_out]), g.constant([c_out], 0.5, 2)]
        y = g.node("BatchNormalization.15", [y, *parameters])
    shape = [batch, c_out, *out]
    if r.random() < 0.4:
        y = g.node("Add.13", r.sample([y, g.input(shape)], 2))
    return activation(g, y)


def pointwise(g):
    """Windows of one element, over images that are one row of pixels to the kernel, of several batches."""
    r = g.rng
    groups, batch, size = r.choice((1, 1, 5)), r.choice((1, 2, 3)), [r.randrange(1, 18) for _ in range(2)]
    c_in, c_out = groups * r.choice((1, 3, 16)), groups * r.choice((2, 8, 40))
    y = g.node("Conv.13", [g.input([batch, c_in, *size]), g.constant([c_out, c_in // groups, 1, 1]), g.constant([c_out])],
               f"kernel_shape=[1, 1], group={groups}")
    return activation(g, y)


def transposed_convolution(g):
    """ConvTranspose of one or two spatial dims, strides that filters overlap at and just meet, and what follows."""
    r = g.rng
    rank, groups = r.choice((1, 2, 2, 2)), r.choice((1, 1, 1, 2, 3))
    c_in, c_out = groups * r.choice((2, 3, 8, 17)), r.choice((1, 3, 5, 16, 19))
    strides = [r.choice((1, 2, 2, 3, 4)) for _ in range(rank)]
    dilations = [r.choice((1, 1, 1, 2, 3)) for _ in range(rank)]
    kernel = [r.choice((1, 2, 3, 4, 5)) for _ in range(rank)]
    if r.random() < 0.8:  # every output has a tap
        dilations = [1] * rank
        kernel = [max(k, s) for k, s in zip(kernel, strides)]
    size = [r.randrange(1, 9) for _ in range(rank)]
    more = [r.randrange(0, max(strides[i], dilations[i])) for i in range(rank)]
    whole = [(size[i] - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1 + more[i] for i in range(rank)]
    pads = [r.randrange(0, min(4, (whole[i % rank] + 1) // 2)) for i in range(2 * rank)]
    batch = r.choice((1, 1, 2))
    x = g.input([batch, c_in, *size])
    w = g.constant([c_in, c_out, *kernel])
    y = g.node("ConvTranspose.11", [x, w] + ([g.constant([groups * c_out])] if r.random() < 0.6 else []),
               f"kernel_shape={kernel}, strides={strides}, dilations={dilations}, pads={pads}, output_padding={more}, group={groups}")
    if r.random() < 0.4:
        parameters = [g.constant([groups * c_out]) for _ in range(3)]
        y = g.node("BatchNormalization.15", [y, *parameters, g.constant([groups * c_out], 0.5, 2)])
    if r.random() < 0.3:
        shape = [batch, groups * c_out, *(whole[i] - pads[i] - pads[rank + i] for i in range(rank))]
        y = g.node("Add.13", r.sample([y, g.input(shape)], 2))
    return activation(g, y)


def activation(g, y):
    kind = g.rng.choice(("none", "none", "Relu.13", "Clip.13"))
    if kind == "Relu.13":
        return g.node(kind, [y])
    if kind == "Clip.13":
        return g.node(kind, [y, g.constant([], -2, -1), g.constant([], 1, 2)])
    return y


def product(g):
    r = g.rng
    rows, depth, columns = r.choice((1, 1, 2, 7, 30)), r.choice((1, 3, 16, 50, 129)), r.choice((1, 5, 8, 31, 100))
    if r.random() < 0.5:
        x = g.input([*r.choice(((), (2,), (2, 3))), rows, depth])
        y = g.node("MatMul.13", [x, g.constant([depth, columns])])
    else:
        turned = r.choice((0, 1))
        x, w = g.input([rows, depth]), g.constant([columns, depth] if turned else [depth, columns])
        y = g.node("Gemm.13", [x, w] + ([g.constant(r.choice(([columns], [1, columns], [1])))] if r.random() < 0.7 else []),
                   f"transB={turned}")
    return activation(g, y)


def pool(g):
    r = g.rng
    shape = [r.choice((1, 2)), r.choice((1, 3, 8, 20)), r.randrange(4, 15), r.randrange(4, 40)]
    x = g.input(shape)
    if r.random() < 0.3:
        return g.node(r.choice(("GlobalAveragePool.1", "GlobalMaxPool.1")), [x])
    kernel = [r.choice((1, 2, 3)) for _ in range(2)]
    pads = [r.randrange(0, kernel[i % 2]) for i in range(4)]
    attributes = f"kernel_shape={kernel}, strides={[r.choice((1, 2)) for _ in range(2)]}, pads={pads}"
    if r.random() < 0.5:
        return g.node("MaxPool.12", [x], attributes)
    return g.node("AveragePool.11", [x], attributes + f", count_include_pad={r.choice((0, 1))}")


def elementwise(g):
    r = g.rng
    shape = [r.choice((1, 2, 3, 7, 17)) for _ in range(r.choice((1, 2, 3, 4)))]
    op = r.choice(("Add.13", "Sub.13", "Mul.13", "Div.13", "PRelu.16"))
    other = [d if r.random() < 0.6 else 1 for d in shape][r.randrange(len(shape)):]
    x = g.input(shape)
    y = g.constant(other, 0.5, 2) if r.random() < 0.5 or op == "Div.13" else g.input(other)
    z = g.node(op, [x, y])
    unary = r.choice(("Abs.13", "Neg.13", "Sigmoid.13", "Exp.13", "LeakyRelu.16", "HardSigmoid.6", "HardSwish.14", None))
    return activation(g, g.node(unary, [z]) if unary else z)


def movement(g):
    r = g.rng
    shape = [r.choice((1, 2, 3, 9, 20)) for _ in range(r.choice((2, 3, 4)))]
    if r.random() < 0.4:
        axis = r.randrange(len(shape))
        parts = [[*shape[:axis], r.choice((1, 4, 9)), *shape[axis + 1:]] for _ in range(r.choice((2, 3)))]
        return g.node("Concat.13", [g.input(p) if r.random() < 0.7 or i == 0 else g.constant(p) for i, p in enumerate(parts)],
                      f"axis={axis}")
    if r.random() < 0.5:
        return g.node(r.choice(("Softmax.13", "LogSoftmax.13")), [g.input(shape)], f"axis={r.randrange(-1, len(shape))}")
    return g.node("Transpose.13", [g.input(shape)], f"perm={r.sample(range(len(shape)), len(shape))}")


def chain(g):
    """A few layers behind each other, with a branch, so that the backend lays images out by itself."""
    r = g.rng
    c, h, w = r.choice((3, 8, 12)), r.randrange(5, 12), r.randrange(5, 12)
    x = g.input([1, c, h, w])
    first = activation(g, g.node("Conv.13", [x, g.constant([16, c, 3, 3]), g.constant([16])], "kernel_shape=[3, 3], pads=[1, 1, 1, 1]"))
    second = g.node("Conv.13", [first, g.constant([16, 1, 3, 3])], "kernel_shape=[3, 3], pads=[1, 1, 1, 1], group=16")
    third = g.node("Conv.13", [second, g.constant([16, 16, 1, 1])], "kernel_shape=[1, 1]")
    joined = g.node("Add.13", [third, first]) if r.random() < 0.5 else g.node("Concat.13", [third, first], "axis=1")
    if r.random() < 0.5:
        joined = g.node("Atan.7", [joined])  # nothing that the backend has
    pooled = g.node("MaxPool.12", [joined], "kernel_shape=[2, 2], strides=[2, 2]")
    return g.node("GlobalAveragePool.1", [pooled]) if r.random() < 0.5 else pooled


def many_channels(g):
    """3x3 windows over images that Winograd's algorithm is for: odd sizes, any padding, what follows in one step."""
    r = g.rng
    batch, c_in, c_out = r.choice((1, 1, 2)), r.choice((32, 33, 48)), r.choice((32, 41, 64))
    size, pads = [r.randrange(13, 22) for _ in range(2)], [r.randrange(0, 3) for _ in range(4)]
    x = g.input([batch, c_in, *size])
    y = g.node("Conv.13", [x, g.constant([c_out, c_in, 3, 3])] + ([g.constant([c_out])] if r.random() < 0.6 else []),
               f"kernel_shape=[3, 3], pads={pads}")
    if r.random() < 0.5:
        y = g.node("BatchNormalization.15", [y, *(g.constant([c_out]) for _ in range(3)), g.constant([c_out], 0.5, 2)])
    if r.random() < 0.5:
        out = [size[i] + pads[i] + pads[2 + i] - 2 for i in range(2)]
        y = g.node("Add.13", r.sample([y, g.input([batch, c_out, *out])], 2))
    return activation(g, y)


def function(g):
    """The functions of one real number, over the range in which they change and beyond it."""
    r = g.rng
    x = g.node("Mul.13", [g.input([r.choice((1, 3, 8, 19)), r.choice((1, 7, 40))]), g.constant([], *r.choice(((0.1, 1), (1, 8), (30, 120))))])
    op = r.choice(("Ceil.13", "Celu.12", "Cos.7", "Elu.6", "Erf.13", "Floor.13", "Gelu.20", "Gelu.20 tanh", "Log.13", "Mish.18", "Reciprocal.13", "Round.11", "Selu.6", "Sin.7", "Softplus.1",
                   "Softsign.1", "Tanh.13", "ThresholdedRelu.10"))
    if op in ("Log.13", "Reciprocal.13"):
        x = g.node("Add.13", [g.node("Abs.13", [x]), g.constant([], 0.1, 2)])
    if op == "Gelu.20 tanh":
        return g.node("Gelu.20", [x], 'approximate="tanh"')
    if op in ("Celu.12", "Elu.6", "ThresholdedRelu.10") and r.random() < 0.5:
        return g.node(op, [x], f"alpha={r.uniform(0.2, 2):.3f}")
    return g.node(op, [x])


def product_of_two(g):
    """MatMul of two inputs, whose batch dims broadcast, and Gemm of two."""
    r = g.rng
    rows, depth, columns = r.choice((1, 2, 7, 30)), r.choice((1, 3, 16, 50)), r.choice((1, 5, 8, 31, 100))
    if r.random() < 0.3:
        turned = r.choice((0, 1))
        y = g.node("Gemm.13", [g.input([rows, depth]), g.input([columns, depth] if turned else [depth, columns])], f"transB={turned}")
        return activation(g, y)
    batch = r.choice(((), (3,), (2, 3), (2, 1, 2)))
    left, right = ([d if r.random() < 0.7 else 1 for d in batch] for _ in range(2))
    right = g.constant([*right, depth, columns]) if batch and r.random() < 0.2 else g.input([*right, depth, columns])
    return activation(g, g.node("MatMul.13", [g.input([*left, rows, depth]), right]))


def normalisation(g):
    r = g.rng
    shape = [r.choice((1, 2, 5)), r.choice((1, 3, 9)), r.choice((1, 4, 31, 300))]
    if r.random() < 0.3:
        image = [r.choice((1, 2)), r.choice((1, 3, 8)), r.choice((1, 5, 9)), r.choice((3, 16, 40))]
        return g.node("InstanceNormalization.6", [g.input(image), g.constant([image[1]]), g.constant([image[1]])])
    op, axis = r.choice(("LayerNormalization.17", "RMSNormalization.23")), r.choice((-1, -1, 1))
    if op.startswith("RMS") and r.random() < 0.3:  # a scale that is not of the normalised dims alone
        inputs = [g.input(shape), g.constant(r.choice(([shape[0], 1, shape[-1]], [1, 1, 1], [shape[1], 1])))]
    else:
        inputs = [g.input(shape), g.constant(shape[axis:])]
    if op.startswith("Layer") and r.random() < 0.6:
        inputs.append(g.constant(shape[axis:]))
    return g.node(op, inputs, f"axis={axis}")


def recurrent(g):
    """RNN, GRU and LSTM with every attribute that the backend takes."""
    r = g.rng
    op, gates, functions = r.choice((("RNN.14", 1, ("Tanh",)), ("GRU.14", 3, ("Sigmoid", "Tanh")), ("LSTM.14", 4, ("Sigmoid", "Tanh", "Tanh"))))
    direction = r.choice(("forward", "reverse", "bidirectional"))
    directions, steps, batch = 2 if direction == "bidirectional" else 1, r.choice((1, 2, 6)), r.choice((1, 1, 3))
    width, hidden = r.choice((1, 3, 16, 40)), r.choice((1, 5, 8, 17, 33, 64))
    layout = r.choice((0, 0, 1))
    state = [batch, directions, hidden] if layout else [directions, batch, hidden]
    attributes = f'direction="{direction}", hidden_size={hidden}, layout={layout}'
    if r.random() < 0.3:
        attributes += f", clip={r.uniform(0.3, 2):.3f}"
    if r.random() < 0.3:
        names = ", ".join(f'"{n}"' for n in [r.choice(("Relu", "HardSigmoid", "Sigmoid", "Tanh")) for _ in functions * directions])
        attributes += f", activations=[{names}]"
    if gates > 1 and r.random() < 0.5:
        attributes += ", linear_before_reset=1" if gates == 3 else ", input_forget=1"
    scale = 1 / (1 + hidden) ** 0.5
    inputs = [g.input([batch, steps, width] if layout else [steps, batch, width]), g.constant([directions, gates * hidden, width], -0.5, 0.5),
              g.constant([directions, gates * hidden, hidden], -scale, scale)]
    more = [g.constant([directions, 2 * gates * hidden]) if r.random() < 0.6 else "_", "_"]
    more += [(g.input if r.random() < 0.6 else g.constant)(state) if r.random() < 0.5 else "_" for _ in range(2 if gates == 4 else 1)]
    if gates == 4:
        more.append(g.constant([directions, 3 * hidden]) if r.random() < 0.4 else "_")
    while more and more[-1] == "_":
        more.pop()
    names = [g.name() for _ in range(3 if gates == 4 else 2)]
    wanted = r.randrange(len(names))
    results = [n if i == wanted or r.random() < 0.5 else "_" for i, n in enumerate(names)]
    g.lines.append(f"{', '.join(results)} = {op}({', '.join(inputs + more)}) {{{attributes}}}")
    return names[wanted]


def reduction(g):
    """Sums and the like over dims that are neighbours, of odd sizes and of one element, and some that are not neighbours."""
    r = g.rng
    shape = [r.choice((1, 2, 3, 9, 20, 61)) for _ in range(r.choice((1, 2, 3, 4)))]
    first = r.randrange(len(shape))
    axes = list(range(first, r.randrange(first, len(shape)) + 1))
    if r.random() < 0.1:
        axes = r.sample(range(len(shape)), r.randrange(1, len(shape) + 1))
    op = r.choice(("ReduceL1.18", "ReduceL2.18", "ReduceLogSum.18", "ReduceLogSumExp.18", "ReduceMax.18", "ReduceMean.18", "ReduceMin.18", "ReduceProd.18",
                   "ReduceSum.13", "ReduceSumSquare.18"))
    name = g.name()
    data = b"".join(a.to_bytes(8, "little", signed=True) for a in axes)
    g.lines.append(f'const {name} : i64[{len(axes)}] = hex"{data.hex()}"')
    return g.node(op, [g.input(shape), name], f"keepdims={r.choice((0, 1))}")


def extreme(g):
    r = g.rng
    shape = [r.choice((1, 3, 17)) for _ in range(3)]
    other = [d if r.random() < 0.6 else 1 for d in shape]
    return g.node(r.choice(("Max.13", "Min.13")), [g.input(shape), g.input(other)])


def there_and_back(g):
    """QuantizeLinear and DequantizeLinear, of all elements and of each index of an axis."""
    r = g.rng
    shape = [r.choice((1, 2, 5, 17, 40)) for _ in range(r.choice((1, 2, 3)))]
    kind, low, high = r.choice((("i8", -128, 127), ("u8", 0, 255), ("i16", -32768, 32767), ("u16", 0, 65535)))
    axis = r.randrange(len(shape))
    each = r.random() < 0.5
    count, dims = (shape[axis], [shape[axis]]) if each else (1, [])
    step = 1.5 / (high - low)
    scale, zero = g.name(), g.name()
    scales = np.array([r.uniform(step / 2, 2 * step) for _ in range(count)], "<f4")
    zeros = np.array([r.randrange(low, high + 1) for _ in range(count)], f"<{kind[0]}{int(kind[1:]) // 8}")
    g.lines.append(f'const {scale} : f32{dims} = hex"{scales.tobytes().hex()}"')
    g.lines.append(f'const {zero} : {kind}{dims} = hex"{zeros.tobytes().hex()}"')
    q = g.node("QuantizeLinear.13", [g.input(shape), scale, zero], f"axis={axis}")
    return g.node("DequantizeLinear.13", [q, scale, zero], f"axis={axis}")


FAMILIES = (convolution, convolution, convolution, pointwise, product, product, pool, elementwise, elementwise, movement, chain, many_channels,
            transposed_convolution, transposed_convolution, function, function, function, function, product_of_two, product_of_two,
            normalisation, recurrent, recurrent, recurrent)
FLOAT_FAMILIES = (reduction, reduction, reduction, extreme, there_and_back, there_and_back)  # of f32 alone


def run(byoc, model, target, folder, *options, real="f32"):
    command = [byoc, "run", model, "--target", target, "--fill", "random:3", "--output-dir", folder, "-q", *options]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        return None, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    files = sorted(folder.glob("output_*.raw"), key=lambda f: int(f.stem.split("_")[1]))
    return [loaded(f.read_bytes(), real) for f in files], ""


def refusals(byoc, model, target, folder):
    """Which operators went to another backend, with the reason of this one."""
    report = folder / "report.json"
    subprocess.run([byoc, "export", model, "--target", target, "--prefer", "llvm,c", "-q", "-o", folder / "m.a", "--report", report],
                   check=True)
    return [n["op"] for n in json.loads(report.read_text())["nodes"] if n["codegen"] != "llvm"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("byoc")
    parser.add_argument("target")
    parser.add_argument("--cases", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--real", choices=TOLERANCE, default="f32")
    parser.add_argument("--keep")
    arguments = parser.parse_args()
    failures, elsewhere, layers = [], collections.Counter(), 0
    families = FAMILIES + (FLOAT_FAMILIES if arguments.real == "f32" else ())
    with tempfile.TemporaryDirectory() as temporary:
        for seed in range(arguments.seed, arguments.seed + arguments.cases):
            folder = Path(temporary) / str(seed)
            folder.mkdir()
            model = folder / "layers.byoc"
            write_graph(model, families, seed, arguments.real)
            expected, why = run(arguments.byoc, model, "host", folder / "evaluated", "--executor", "interpreted",
                                real=arguments.real)
            found, said = run(arguments.byoc, model, arguments.target, folder / "found", "--prefer", "llvm,c", real=arguments.real)
            if expected is None or found is None:
                failures.append(f"seed {seed}: {why}{said}")
            else:
                for family, e, f in zip(families, expected, found, strict=True):
                    layers += 1
                    allowed = TOLERANCE[arguments.real] * max(1.0, float(np.abs(e[np.isfinite(e)]).max(initial=0)))
                    with np.errstate(invalid="ignore"):
                        agree = e.shape == f.shape and np.all((np.abs(e - f) <= allowed) | (e == f) | (np.isnan(e) & np.isnan(f)))
                        off = np.nanmax(np.abs(e - f)) if e.shape == f.shape else "another size"
                    if not agree:
                        failures.append(f"seed {seed}: {family.__name__}: off by {off}, allowed {allowed}")
            elsewhere.update(refusals(arguments.byoc, model, arguments.target, folder))
            if failures and arguments.keep:
                (Path(arguments.keep) / f"layers_{seed}.byoc").write_bytes(model.read_bytes())
    print("\n".join(failures) if failures else f"{layers} layers of {arguments.real} on {arguments.target}, all agree")
    print("in the C backend:", ", ".join(f"{n} {op}" for op, n in sorted(elsewhere.items())) or "none")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
