"""Random float graphs of the layers that examples/dnnl takes, with some around them that it does not."""

import random
import struct


def constant(rng, name, dims, scale=1.0, least=-1.0):
    count = 1
    for d in dims:
        count *= d
    values = [rng.uniform(least, 1) * scale for _ in range(count)]
    text = ",".join(map(str, dims))
    return f'const %{name} : f32[{text}] = hex"{struct.pack(f"<{count}f", *values).hex()}"'


class Graph:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines, self.count = [], 0
        self.nhwc = self.rng.random() < 0.4
        channels, rows, columns = self.rng.choice((3, 8, 16)), self.rng.randrange(7, 14), self.rng.randrange(7, 14)
        self.batch = self.rng.choice((1, 1, 2))
        self.size = self.batch * channels * rows * columns
        self.shape = channels, rows, columns
        self.at = "x"
        self.lines.append(f"input %x : f32[{self.dims(self.shape)}]")

    def dims(self, shape):
        c, h, w = shape
        return f"{self.batch},{h},{w},{c}" if self.nhwc else f"{self.batch},{c},{h},{w}"

    def fresh(self):
        self.count += 1
        return f"v{self.count}"

    def constant(self, dims, scale=1.0, least=-1.0):
        name = self.fresh()
        self.lines.append(constant(self.rng, name, dims, scale, least))
        return "%" + name

    def node(self, op, operands, attributes=""):
        name = self.fresh()
        self.lines.append(f'%{name} = {op}({", ".join(operands)}) {{{attributes}}} @"{name}"')
        self.at = name

    def convolution(self, outputs=None, stride=None, activation=None):
        rng, (c, h, w) = self.rng, self.shape
        depthwise = outputs is None and rng.random() < 0.3
        groups = c if depthwise else rng.choice((1, 1, 2)) if c % 2 == 0 and outputs is None and not self.nhwc else 1
        o = outputs or c * rng.choice((1, 2)) if not depthwise else c * rng.choice((1, 2))
        k, stride = rng.choice((1, 3)), stride or rng.choice((1, 1, 2))
        dilation = 2 if k == 3 and stride == 1 and rng.random() < 0.2 else 1
        pad = dilation * (k // 2)
        after = o, (h + 2 * pad - dilation * (k - 1) - 1) // stride + 1, (w + 2 * pad - dilation * (k - 1) - 1) // stride + 1
        dims = [o, c // groups, k, k]
        layout = ""
        if self.nhwc:
            layout = ', data_layout="NHWC", filter_layout="' + ("IHWO" if depthwise else "OHWI") + '"'
            dims = [1, k, k, o] if depthwise else [o, k, k, c]
        if activation:
            layout += f', activation="{activation}"'
        operands = ["%" + self.at, self.constant(dims, 1.0 / (k * k * c // groups) ** 0.5)]
        if rng.random() < 0.6:
            operands.append(self.constant([o], 0.5))
        self.node("Conv.13", operands, f"kernel_shape=[{k}, {k}], pads=[{pad}, {pad}, {pad}, {pad}], strides=[{stride}, "
                  f"{stride}], dilations=[{dilation}, {dilation}], group={groups}{layout}")
        self.shape = after

    def norm(self):
        c = self.shape[0]
        self.node("BatchNormalization.15", ["%" + self.at, self.constant([c], 1, 0.5), self.constant([c]),
                                            self.constant([c], 0.3), self.constant([c], 1, 0.2)], "epsilon=0.001")

    def pool(self):
        _, h, w = self.shape
        k = self.rng.choice((2, 3))
        if min(h, w) < k:
            return
        ceil = self.rng.random() < 0.4
        op = self.rng.choice(("MaxPool.12", "AveragePool.11"))
        padded = op.startswith("A") and not ceil and self.rng.random() < 0.4
        pad = k // 2 if not ceil and k == 3 else 0
        rest = ", count_include_pad=1" if padded else ""
        rest += ', data_layout="NHWC"' if self.nhwc else ""
        self.node(op, ["%" + self.at], f"kernel_shape=[{k}, {k}], strides=[2, 2], pads=[{pad}, {pad}, {pad}, {pad}], "
                  f"ceil_mode={int(ceil)}{rest}")
        length = lambda n: ((n + 2 * pad - k + (1 if ceil else 0)) // 2) + 1
        self.shape = self.shape[0], length(h), length(w)

    def block(self):
        """A sum of two branches, in either order, with a Relu behind it or not."""
        before, c = self.at, self.shape[0]
        self.convolution(c, 1)
        if not self.nhwc and self.rng.random() < 0.7:
            self.norm()
        operands = ["%" + self.at, "%" + before]
        self.rng.shuffle(operands)
        self.node("Add.13", operands, 'activation="relu6"' if self.rng.random() < 0.2 else "")
        if self.rng.random() < 0.7:
            self.node("Relu.13", ["%" + self.at])

    def head(self):
        c, h, w = self.shape
        if self.rng.random() < 0.5:
            self.node("GlobalAveragePool.1", ["%" + self.at], 'data_layout="NHWC"' if self.nhwc else "")
            h = w = 1
        depth, units = c * h * w, self.rng.choice((5, 12))
        way = self.rng.randrange(3)
        if way == 0:
            self.node("byoc.FullyConnected.1", ["%" + self.at, self.constant([units, depth], depth ** -0.5),
                                                self.constant([units])], 'activation="relu"')
            return
        self.node("Flatten.13", ["%" + self.at], "axis=1")
        if way == 1:
            transposed = self.rng.randrange(2)
            dims = [units, depth] if transposed else [depth, units]
            self.node("Gemm.13", ["%" + self.at, self.constant(dims, depth ** -0.5), self.constant([units])],
                      f"transB={transposed}")
        else:
            self.node("MatMul.13", ["%" + self.at, self.constant([depth, units], depth ** -0.5)])
            operands = ["%" + self.at, self.constant([units])]
            self.rng.shuffle(operands)
            self.node("Add.13", operands)
        if self.rng.random() < 0.6:
            self.node("Relu.13", ["%" + self.at])


def random_graph(seed):
    """Graph text and the elements of its input."""
    g = Graph(seed)
    middle = None
    for _ in range(g.rng.randrange(3, 7)):
        step = g.rng.randrange(7)
        if step in (0, 1, 2):
            g.convolution(activation=g.rng.choice((None, None, "relu6", "relu_n1_to_1")))
            if not g.nhwc and step == 1 and "activation" not in g.lines[-1]:
                g.norm()
            if step != 0:
                g.node("Relu.13", ["%" + g.at])
        elif step == 3:
            g.pool()
        elif step == 4 and not g.nhwc:
            g.norm()
            if g.rng.random() < 0.5:
                g.node("Relu.13", ["%" + g.at])
        elif step == 5:
            g.node("Sigmoid.13", ["%" + g.at])
        else:
            g.block()
        if g.rng.random() < 0.3:
            middle = g.at
    g.head()
    outputs = {g.at, middle or g.at} - {"x"}
    lines = g.lines + [f"output %{name}" for name in sorted(outputs)]
    return f'graph "random" requant={"tflite" if g.nhwc else "onnx"} {{\n  ' + "\n  ".join(lines) + "\n}\n", g.size
