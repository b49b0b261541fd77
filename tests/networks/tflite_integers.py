"""Quantised layers as the reference kernels of TensorFlow Lite define them, in integers: written from the definitions of
gemmlowp's fixed point (https://github.com/google/gemmlowp, fixedpoint/fixedpoint.h) and of the kernels' roundings."""

import math

import numpy as np

import real


def factor(value):
    """(q, shift): value = q * 2^(shift - 31) with q the nearest of 32 bits, halves away from zero."""
    mantissa, shift = math.frexp(value)
    q = math.floor(mantissa * 2**31 + 0.5)
    if q == 2**31:
        q, shift = q // 2, shift + 1
    return (0, 0) if shift < -31 else (q, shift)


def round_up(x, bits):
    """x / 2^bits, halves up."""
    return x if bits == 0 else (x + (1 << (bits - 1))) >> bits


def round_away(x, bits):
    """x / 2^bits, halves away from zero."""
    return np.where(x < 0, -round_up(-x, bits), round_up(x, bits)) if isinstance(x, np.ndarray) else (
        -round_up(-x, bits) if x < 0 else round_up(x, bits))


def requantise(x, by):
    """int64 in the range of int32 (scalars too), by a factor: two roundings."""
    q, shift = by
    shifted = np.asarray(x, dtype=np.int64) << max(shift, 0)
    assert np.all(np.abs(shifted) < 2**31)  # undefined otherwise
    return round_away(round_up(shifted * q, 31), max(-shift, 0))


def clamp(value, y, activation="none"):
    def step(bound):
        return value.zero + math.floor(float(np.float32(bound) / value.scale) + 0.5)

    low = step(0) if activation != "none" else -128
    high = step(6) if activation == "relu6" else 127
    return np.clip(y + value.zero, max(low, -128), min(high, 127)).astype(np.int8)


def product(layer, x):
    x_value, y_value = layer.inputs[0], layer.output
    sums = real.products(layer, x.astype(np.float64) - x_value.zero, layer.integers("weights")).astype(np.int64)
    sums += layer.integers("bias")
    scales = np.broadcast_to(layer.scales("weights"), sums.shape[-1:])
    factors = [factor(float(x_value.scale) * float(s) / float(y_value.scale)) for s in scales]
    y = np.stack([requantise(sums[..., c], by) for c, by in enumerate(factors)], axis=-1)
    return clamp(y_value, y, layer.options["activation"])


def add(layer, a, b):
    scales = [float(v.scale) for v in layer.inputs]
    widest = 2 * max(scales)
    total = sum(requantise((x.astype(np.int64) - v.zero) << 20, factor(s / widest))
                for x, v, s in zip((a, b), layer.inputs, scales))
    y = requantise(total, factor(widest / (2**20 * float(layer.output.scale))))
    return clamp(layer.output, y, layer.options["activation"])


def average_pool(layer, x):
    total, count = x.astype(np.int64).sum(axis=(0, 1), keepdims=True), x.shape[0] * x.shape[1]
    away = np.where(total > 0, total + count // 2, total - count // 2)
    return (np.sign(away) * (np.abs(away) // count)).astype(np.int8)


def mean(layer, x):
    count = x.shape[0] * x.shape[1]
    q, shift = factor(float(layer.inputs[0].scale) / float(layer.output.scale))
    bits = min(int(math.log2(count)), 32, 31 + shift)
    total = x.astype(np.int64).sum(axis=(0, 1), keepdims=True) - layer.inputs[0].zero * count
    return clamp(layer.output, requantise(total, ((q << bits) // count, shift - bits)))


# Fixed point of 32 bits, as Python integers: a raw number and how many of its bits are before the point.

LARGEST = 2**31 - 1


def saturated(raw):
    return max(min(raw, LARGEST), -LARGEST - 1)


def fixed(value, bits):
    return saturated(math.floor(abs(value) * 2.0**(31 - bits) + 0.5) * (1 if value >= 0 else -1))


def times(a, b):
    """Raw products; the integer bits add up."""
    return saturated(round_up(a * b, 31))


def rescaled(raw, old, new):
    return round_away(raw, new - old) if new >= old else saturated(raw << (old - new))


def exp_near_zero(a):
    """Of [-1/4, 0), no integer bits: a polynomial around -1/8."""
    centre, x = fixed(math.exp(-0.125), 0), a + fixed(0.125, 0)
    x2 = times(x, x)
    x3, x4 = times(x2, x), times(x2, x2)
    tail = round_away(times(round_away(x4, 2) + x3, fixed(1 / 3, 0)) + x2, 1)
    return centre + times(centre, x + tail)


def exp_of_negative(raw, bits):
    if raw == 0:
        return LARGEST
    quarter = 1 << (29 - bits)
    count = (-raw - 1) // quarter
    y = exp_near_zero(rescaled(raw + count * quarter, bits, 0))
    for e in range(bits + 2):
        if count >> e & 1:
            y = times(y, fixed(math.exp(-0.25 * 2**e), 0))
    return y


def reciprocal_of_one_plus(a):
    """1 / (1 + a), no integer bits: Newton's method for 2 / (1 + a) with 2 of them, halved."""
    half = round_away(a + LARGEST, 1)
    x = fixed(48 / 17, 2) + times(half, fixed(-32 / 17, 2))
    for _ in range(3):
        x = x + rescaled(times(x, (1 << 29) - times(half, x)), 4, 2)
    return rescaled(x, 1, 0)


def logistic(layer, x):
    value = layer.inputs[0]
    q, shift = by = factor(float(value.scale) * 2**27)
    radius = math.floor(15 * 2.0**(27 - shift))

    def of(element):
        d = int(element) - value.zero
        if abs(d) >= radius:
            return -128 if d < 0 else 127
        raw = int(requantise(d, by))
        above = reciprocal_of_one_plus(exp_of_negative(-abs(raw), 4)) if raw else 1 << 30
        return max(min(round_away(above if raw >= 0 else LARGEST - above, 23) - 128, 127), -128)

    table = np.array([of(i) for i in range(-128, 128)], dtype=np.int8)
    return table[x.astype(np.int64) + 128]


def softmax(layer, x):
    by = factor(min(float(layer.inputs[0].scale) * 2**26, float(LARGEST)))
    least = -math.floor(31 * 2.0**(26 - by[1]))
    differences = [int(v) - int(x.max()) for v in x]
    powers = [exp_of_negative(int(requantise(d, by)), 5) if d >= least else None for d in differences]
    total, bits = sum(rescaled(p, 0, 12) for p in powers if p is not None), 12
    while total < 2**31:
        total, bits = total * 2, bits - 1
    reciprocal = reciprocal_of_one_plus(total - 2**31)
    y = [0 if p is None else round_away(times(reciprocal, p), bits + 23) for p in powers]
    return np.array([min(v, 255) - 128 for v in y], dtype=np.int8)


# The table of 16-bit kernels: 65536 / (1 + exp(-i / 24)), and one more in some places. Position 255 is never passed.
RAISED = {4, 8, 12, 14, 15, 16, 17, 19, 20, 21, 22, 25, 27, 28, 29, 30, 31, 33, 34, 35, 37, 39, 40, 41, 43, 44, 45, 46, 49,
          50, 54, 62, 63, 64, 66, 82, 86, 93, 100, 103, 112, 116, 135, 255}
SIGMOID = np.array([math.floor(65536 / (1 + math.exp(-i / 24)) + 0.5) + (i in RAISED) for i in range(257)],
                   dtype=np.int64)


def table_sigmoid(x):
    """sigmoid(x / (3 * 4096)) in 1 / 32768."""
    i = np.minimum(np.abs(x) // 512, 255)
    y = np.where(np.abs(x) // 512 >= 255, 0x7FFF << 10, SIGMOID[i] * 512 + np.abs(x) % 512 * (SIGMOID[i + 1] - SIGMOID[i]))
    return np.where(x >= 0, (y + 512) >> 10, (2**25 - y + 511) >> 10)


def table_tanh(x):
    """tanh(x / (3 * 4096)) in 1 / 32768."""
    i = np.minimum(np.abs(x) // 256, 255)
    y = np.where(np.abs(x) // 256 >= 255, 0xFFFF << 8, SIGMOID[i] * 256 + np.abs(x) % 256 * (SIGMOID[i + 1] - SIGMOID[i]))
    y -= 2**23
    return np.where(x >= 0, (y + 128) >> 8, (-y + 127) >> 8)


def clamp16(x):
    return np.clip(x, -32768, 32767)


def lstm(layer, x):
    """Gates of 16 bits in 1 / 4096; the cell's scale is a power of two."""
    units, power = layer.options["units"], layer.options["cell_power"]
    x_value, y_value = layer.inputs[0], layer.output
    of_x, of_hidden = (factor(float(v.scale * layer.scales(n)[0]) * 4096)
                       for v, n in ((x_value, "weights"), (y_value, "recurrent")))
    weights, recurrent, bias = (layer.integers(n).astype(np.int64) for n in ("weights", "recurrent", "bias"))
    hidden, cell, rows = np.full(units, y_value.zero), np.zeros(units, dtype=np.int64), []
    for row in x.astype(np.int64) - x_value.zero:
        gates = clamp16(clamp16(requantise(weights @ row + bias, of_x)) +
                        clamp16(requantise(recurrent @ (hidden - y_value.zero), of_hidden))).reshape(4, units) * 3
        enter, forget, leave = (table_sigmoid(gates[k]) for k in (0, 1, 3))
        kept = clamp16(requantise(forget * cell, factor(2.0**-15)))
        cell = clamp16(kept + clamp16(requantise(enter * table_tanh(gates[2]), factor(2.0**(-30 - power)))))
        at = cell * 3 << (12 + power) if power >= -12 else round_up(cell * 3, -12 - power)
        product = requantise(table_tanh(at) * leave, factor(2.0**-30 / float(y_value.scale)))
        hidden = np.clip(product + y_value.zero, -128, 127)
        rows.append(hidden)
    return np.array(rows).astype(np.int8)


LAYERS = real.MOVES | {kind: product for kind in real.PRODUCTS} | {
    "add": add, "average_pool": average_pool, "mean": mean, "softmax": softmax, "sigmoid": logistic, "lstm": lstm,
}
