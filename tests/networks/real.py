"""Layers in real numbers (float64): what calibration sees and what the float forms are to give."""

import numpy as np


def padding(size, kernel, stride, kind):
    """(before, after) as TensorFlow does it: the odd one goes after."""
    if kind == "valid":
        return 0, 0
    total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    return total // 2, total - total // 2


def taps(layer, x):
    """(row, column, the elements of x that this tap of the kernel meets at every output)."""
    stride, (height, width) = layer.options["stride"], layer.output.shape[:2]
    dilation = layer.options.get("dilation", 1)
    padded = np.pad(x, (*layer.options["pads"], (0, 0)))
    for row in range(layer.options["kernel"][0]):
        for column in range(layer.options["kernel"][1]):
            first, left = row * dilation, column * dilation
            part = padded[first:first + stride * height:stride, left:left + stride * width:stride]
            yield row, column, part[:height, :width]


def products(layer, x, weights):
    """The sums of a layer with weights, without the bias. Exact on integers: all sums are far below 2^53."""
    x, weights = x.astype(np.float64), weights.astype(np.float64)
    if layer.kind == "dense":
        return weights @ x
    sums = np.zeros(layer.output.shape)
    if layer.kind == "conv":
        for row, column, part in taps(layer, x):
            sums += part @ weights[:, row, column, :].T
    elif layer.kind == "depthwise":
        for row, column, part in taps(layer, x):
            sums += part * weights[row, column]
    else:
        stride, kernel = layer.options["stride"], layer.options["kernel"]
        (top, bottom), (left, right) = layer.options["pads"]
        height, width, channels = layer.output.shape
        whole = np.zeros((height + top + bottom, width + left + right, channels))
        for row in range(kernel[0]):
            for column in range(kernel[1]):
                spread = x @ weights[:, row, column, :].T
                whole[row:row + stride * x.shape[0]:stride, column:column + stride * x.shape[1]:stride] += spread
        sums = whole[top:top + height, left:left + width]
    return sums


def activate(layer, y):
    return {"none": lambda: y, "relu": lambda: np.maximum(y, 0), "relu6": lambda: np.clip(y, 0, 6)}[
        layer.options["activation"]]()


def product(layer, x):
    return activate(layer, products(layer, x, layer.reals("weights")) + layer.reals("bias"))


def softmax(layer, x):
    powers = np.exp(x - x.max())
    return powers / powers.sum()


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def max_pool(layer, x):
    height, width, channels = layer.output.shape
    return x[:2 * height, :2 * width].reshape(height, 2, width, 2, channels).max(axis=(1, 3))


def resize(layer, x):
    """Bilinear: a pixel of the output lies where its upper left corner does."""
    height, width, _ = layer.output.shape
    y, x_at = (np.arange(to, dtype=np.float32) * np.float32(np.float32(size) / np.float32(to))
               for to, size in ((height, x.shape[0]), (width, x.shape[1])))
    top, left = np.floor(y).astype(int), np.floor(x_at).astype(int)
    bottom, right = np.minimum(top + 1, x.shape[0] - 1), np.minimum(left + 1, x.shape[1] - 1)
    down, across = (y - top.astype(np.float32))[:, None, None], (x_at - left.astype(np.float32))[None, :, None]
    one = np.float32(1)
    return (x[top][:, left] * (one - down) * (one - across) + x[bottom][:, left] * down * (one - across) +
            x[top][:, right] * (one - down) * across + x[bottom][:, right] * down * across)


def last(layer, x):
    count = layer.options["count"]
    return x[-1] if count is None else x[-count:]


def lstm(layer, x):
    units = layer.options["units"]
    weights, recurrent, bias = (layer.reals(n).astype(np.float64) for n in ("weights", "recurrent", "bias"))
    hidden, cell, rows = np.zeros(units), np.zeros(units), []
    for row in x:
        gates = (weights @ row + recurrent @ hidden + bias).reshape(4, units)
        cell = sigmoid(gates[1]) * cell + sigmoid(gates[0]) * np.tanh(gates[2])
        hidden = sigmoid(gates[3]) * np.tanh(cell)
        rows.append(hidden)
    return np.array(rows)


# What moves elements only, integers and reals alike.
MOVES = {
    "max_pool": max_pool,
    "concat": lambda layer, *values: np.concatenate(values, axis=layer.options["axis"]),
    "flatten": lambda layer, x: x.reshape(-1),
    "last": last,
}
PRODUCTS = ("conv", "depthwise", "transposed_conv", "dense")

LAYERS = MOVES | {kind: product for kind in PRODUCTS} | {
    "add": lambda layer, a, b: activate(layer, a + b),
    "average_pool": lambda layer, x: x.mean(axis=(0, 1), keepdims=True),
    "mean": lambda layer, x: x.mean(axis=(0, 1), keepdims=True),
    "softmax": softmax,
    "sigmoid": lambda layer, x: sigmoid(x),
    "lstm": lstm,
}
# What networks of TensorFlow Lite alone have, too.
TFLITE_LAYERS = LAYERS | {"tanh": lambda layer, x: np.tanh(x), "join": MOVES["concat"], "resize": resize}
