"""Networks over sequences, of floats with random weights, as ONNX models: recurrent layers and transformers in the sizes in
which they are used on small machines. Their results are the evaluator's; there are no files of them."""

import numpy as np

from onnx_forms import Model
from seeded import Numbers

OPSET, IR = 17, 8


class Sequence(Model):
    """A graph under construction, whose nodes name their results themselves."""

    def __init__(self, name, seed):
        super().__init__(name)
        self.numbers, self.count = Numbers(seed), 0

    def add(self, op, *inputs, **attributes):
        self.count += 1
        return self.node(op, inputs, f"{op}_{self.count}", **attributes)

    def reals(self, *shape, size=None):
        """Random weights; `size` is their standard deviation, by default one that keeps the size of sums."""
        self.count += 1
        size = shape[-2] ** -0.5 if size is None else size
        return self.constant(f"weights_{self.count}", (self.numbers.bell(*shape) * size).astype(np.float32))

    def fixed(self, values, dtype=np.float32):
        self.count += 1
        return self.constant(f"constant_{self.count}", np.array(values, dtype))

    def dense(self, x, depth, units):
        return self.add("Add", self.add("MatMul", x, self.reals(depth, units)), self.reals(units, size=0.1))

    def norm(self, x, width):
        ones = self.fixed(np.ones(width))
        return self.add("LayerNormalization", x, ones, self.reals(width, size=0.1), epsilon=1e-5)

    def gelu(self, x):
        inner = self.add("Erf", self.add("Div", x, self.fixed(2.0**0.5)))
        return self.add("Mul", self.add("Mul", x, self.add("Add", inner, self.fixed(1.0))), self.fixed(0.5))


def recurrent(name, op, steps=100, width=40, units=128, layers=2):
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[op]
    g = Sequence(name, 900 + gates)
    x, depth = "input", width
    for _ in range(layers):
        weights = [g.reals(1, gates * units, n, size=n**-0.5) for n in (depth, units)]
        rest = {"linear_before_reset": 1} if op == "GRU" else {}
        y = g.add(op, x, *weights, g.reals(1, 2 * gates * units, size=0.1), hidden_size=units, **rest)
        x, depth = g.add("Squeeze", y, g.fixed([1], np.int64)), units
    return g, [steps, 1, width], x, [steps, 1, units]


def transformer(name, tokens, width, heads, blocks):
    g = Sequence(name, 950 + heads)
    x = "input"
    split = g.fixed([1, tokens, heads, width // heads], np.int64)
    joined = g.fixed([1, tokens, width], np.int64)
    for _ in range(blocks):
        z = g.norm(x, width)
        query, key, value = (g.add("Reshape", g.dense(z, width, width), split) for _ in range(3))
        query, value = (g.add("Transpose", v, perm=[0, 2, 1, 3]) for v in (query, value))
        scores = g.add("MatMul", query, g.add("Transpose", key, perm=[0, 2, 3, 1]))
        shares = g.add("Softmax", g.add("Mul", scores, g.fixed((width / heads) ** -0.5)), axis=-1)
        seen = g.add("Transpose", g.add("MatMul", shares, value), perm=[0, 2, 1, 3])
        x = g.add("Add", x, g.dense(g.add("Reshape", seen, joined), width, width))
        x = g.add("Add", x, g.dense(g.gelu(g.dense(g.norm(x, width), width, 4 * width)), 4 * width, width))
    return g, [1, tokens, width], g.norm(x, width), [1, tokens, width]


NETWORKS = {
    "lstm_2": lambda name: recurrent(name, "LSTM"),
    "gru_2": lambda name: recurrent(name, "GRU"),
    "wake_lstm": lambda name: recurrent(name, "LSTM", 49, 40, 64, 1),
    "vit_tiny_2": lambda name: transformer(name, 196, 192, 3, 2),
    "minilm_2": lambda name: transformer(name, 128, 384, 12, 2),
    "kwt1_4": lambda name: transformer(name, 98, 64, 1, 4),
}


def write(folder):
    for name, build in NETWORKS.items():
        graph, shape, result, result_shape = build(name)
        graph.write(folder / f"{name}_float.onnx", {"input": (shape, np.float32)}, {result: (result_shape, np.float32)}, OPSET, IR)
