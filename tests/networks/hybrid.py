"""Networks whose weights are int8 and whose activations are float32: the kernels quantise the activations of each row or
image. Written from the definitions of TensorFlow Lite's reference kernels."""

import numpy as np

import real
from uint8 import half_away

f32 = np.float32


def symmetric(x):
    """(integers, scale, zero point)"""
    largest = max(-x.min(), x.max(), f32(0))
    if largest == 0:
        return np.zeros(x.shape), f32(1), 0
    return np.clip(half_away(f32(127) / largest * x), -127, 127), largest / f32(127), 0


def asymmetric(x):
    """The zero point comes from the end of the range that is nearer to 0."""
    low, high = float(min(x.min(), 0)), float(max(x.max(), 0))
    if low == high:
        return np.zeros(x.shape), f32(1), 0
    scale = (high - low) / 255
    from_low = 128 + abs(low / scale) < 127 + abs(high / scale)
    zero = int(np.clip(half_away(np.float64(-128 - low / scale if from_low else 127 - high / scale)), -128, 127))
    step = f32(scale)
    return np.clip(half_away(f32(zero) + x * (f32(1) / step)), -128, 127), step, zero


def product(layer, x):
    weights, scales = layer.parameters["weights"]
    of_rows = layer.kind == "dense"
    has_zero = layer.options.get("asymmetric", False) if of_rows else layer.kind == "depthwise" or scales.size > 1
    x, scale, zero = (asymmetric if has_zero else symmetric)(x.astype(f32))
    sums = real.products(layer, x - zero, weights).astype(f32)
    y = sums * (scale * scales) if of_rows or not has_zero else sums * scales * scale
    return real.activate(layer, (y + layer.reals("bias")).astype(f32))


LAYERS = real.TFLITE_LAYERS | {kind: product for kind in ("conv", "depthwise", "dense")}
