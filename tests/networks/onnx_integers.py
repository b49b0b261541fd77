"""Quantised layers as ONNX defines them: integers stand for reals, the real result is quantised, halves to even.
Products are scaled exactly, as docs/decisions/onnx-requantisation.md says; element-wise operators are float32."""

import numpy as np

import real


def quantised(value, x):
    """`x` in steps of `value`, not yet rounded."""
    return np.clip(np.rint(x) + value.zero, -128, 127).astype(np.int8)


def reals(value, x):
    return (x.astype(np.float32) - np.float32(value.zero)) * value.scale


def product(layer, x):
    x_value, y_value = layer.inputs[0], layer.output
    scales = (x_value.scale * layer.scales("weights")).astype(np.float32) / y_value.scale
    sums = real.products(layer, x.astype(np.float64) - x_value.zero, layer.integers("weights")) + layer.integers("bias")
    y = sums * scales.astype(np.float64)
    if layer.options["activation"] != "none":
        y = np.maximum(y, 0)
    if layer.options["activation"] == "relu6":
        y = np.minimum(y, float(np.float32(6) / y_value.scale))
    return quantised(y_value, y)


def add(layer, a, b):
    y = reals(layer.inputs[0], a) + reals(layer.inputs[1], b)
    return quantised(layer.output, real.activate(layer, y) / layer.output.scale)


def mean(layer, x):
    y = reals(layer.inputs[0], x).sum(axis=(0, 1), keepdims=True, dtype=np.float64).astype(np.float32)
    count = np.float32(x.shape[0] * x.shape[1])
    return quantised(layer.output, y / count / layer.output.scale)


def of_reals(layer, x):
    y = real.LAYERS[layer.kind](layer, reals(layer.inputs[0], x).astype(np.float64)).astype(np.float32)
    return quantised(layer.output, y / layer.output.scale)


LAYERS = real.MOVES | {kind: product for kind in real.PRODUCTS} | {
    "add": add, "average_pool": mean, "mean": mean, "softmax": of_reals, "sigmoid": of_reals, "lstm": of_reals,
}
