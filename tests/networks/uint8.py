"""Networks of uint8, as TensorFlow wrote them before there was int8: one scale for all weights of a layer, which have a
zero point, too. Written from the definitions of TensorFlow Lite's reference kernels, on uint8 as they are."""

import math

import numpy as np

import real
import tflite_integers
from tflite_integers import factor, requantise

PRODUCTS = ("conv", "depthwise", "transposed_conv", "dense")


def with_uint8(network):
    """The network itself. Activations move by 128; weights get one scale and a zero point that differs by layer."""
    for value in [*network.inputs, *(layer.output for layer in network.layers)]:
        value.zero += 128
    network.lowest, network.dtype = 0, np.uint8
    for number, layer in enumerate(network.layers):
        if layer.kind not in PRODUCTS:
            continue
        weights, scales = layer.parameters["weights"]
        largest = np.float32(scales.max())
        shape = [1] * weights.ndim
        shape[layer.channel_axis] = scales.size
        steps = np.rint(weights * (scales / largest).reshape(shape)).astype(np.int64)
        zero = (128, 141, 97, 1, 255)[number % 5]
        layer.options["weight_zero"] = zero
        bias, bias_scales = layer.parameters["bias"]
        step = np.float32(layer.inputs[0].scale * largest)
        layer.parameters = {"weights": (np.clip(steps + zero, 0, 255).astype(np.uint8), largest.reshape(1)),
                            "bias": (np.rint(bias * (bias_scales / step)).astype(np.int32), step.reshape(1))}
        layer.channel_axis = 0
    return network


def clamp(value, y, activation="none"):
    def step(bound):
        return value.zero + math.floor(float(np.float32(bound) / value.scale) + 0.5)

    low = step(0) if activation != "none" else 0
    high = step(6) if activation == "relu6" else 255
    return np.clip(y + value.zero, max(low, 0), min(high, 255)).astype(np.uint8)


def product(layer, x):
    """The product of the scales has 24 bits, as that of two floats."""
    x_value, y_value = layer.inputs[0], layer.output
    weights = layer.integers("weights").astype(np.float64) - layer.options["weight_zero"]
    sums = real.products(layer, x.astype(np.float64) - x_value.zero, weights).astype(np.int64) + layer.integers("bias")
    by = factor(float(np.float32(x_value.scale * layer.scales("weights")[0])) / float(y_value.scale))
    return clamp(y_value, requantise(sums, by), layer.options["activation"])


def add(layer, a, b):
    scales = [float(v.scale) for v in layer.inputs]
    widest = 2 * max(scales)
    total = sum(requantise((x.astype(np.int64) - v.zero) << 20, factor(s / widest))
                for x, v, s in zip((a, b), layer.inputs, scales))
    y = requantise(total, factor(widest / (2**20 * float(layer.output.scale))))
    return clamp(layer.output, y, layer.options["activation"])


def average_pool(layer, x):
    count = x.shape[0] * x.shape[1]
    return ((x.astype(np.int64).sum(axis=(0, 1), keepdims=True) + count // 2) // count).astype(np.uint8)


def mean(layer, x):
    count = x.shape[0] * x.shape[1]
    q, shift = factor(float(layer.inputs[0].scale) / float(layer.output.scale))
    bits = min(int(math.log2(count)), 32, 31 + shift)
    total = x.astype(np.int64).sum(axis=(0, 1), keepdims=True) - layer.inputs[0].zero * count
    return clamp(layer.output, requantise(total, ((q << bits) // count, shift - bits)))


def softmax(layer, x):
    """The kernel takes differences and adds the lowest integer of its type at last."""
    return (tflite_integers.softmax(layer, x.astype(np.int64)).astype(np.int64) + 128).astype(np.uint8)


def half_away(x):
    return np.trunc(x) + np.where(np.abs(x - np.trunc(x)) >= 0.5, np.sign(x), 0)


def tabulated(function):
    """Of 256 results in float32."""
    def of(layer, x):
        x_value, y_value = layer.inputs[0], layer.output
        reals = x_value.scale * (np.arange(256) - x_value.zero).astype(np.float32)
        steps = half_away(function(reals.astype(np.float64)).astype(np.float32) * (np.float32(1) / y_value.scale))
        return np.clip(steps + y_value.zero, 0, 255).astype(np.uint8)[x]
    return of


def join(layer, *values):
    """Each in the steps of the output; the factor and what is added are float32."""
    y_value, parts = layer.output, []
    for x, value in zip(values, layer.inputs):
        if (value.scale, value.zero) != (y_value.scale, y_value.zero):
            scale = np.float32(value.scale * (np.float32(1) / y_value.scale))
            x = half_away(x.astype(np.float32) * scale + np.float32(-value.zero) * scale) + y_value.zero
        parts.append(np.clip(x, 0, 255).astype(np.uint8))
    return np.concatenate(parts, axis=layer.options["axis"])


def resize(layer, x):
    """Interpolated in float32; halves go up."""
    return np.floor(real.resize(layer, x.astype(np.float32)) + np.float32(0.5)).astype(np.uint8)


LAYERS = real.MOVES | {kind: product for kind in PRODUCTS} | {
    "add": add, "average_pool": average_pool, "mean": mean, "softmax": softmax, "join": join, "resize": resize,
    "sigmoid": tabulated(real.sigmoid), "tanh": tabulated(np.tanh),
}
