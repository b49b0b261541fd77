"""A network as a list of layers, of which every framework's form is written and whose arithmetic every reference does.

Layers are calibrated while they are added: each is computed in real numbers on a few inputs, and its output's scale and
zero point are what covers nearly all of that. Weights are integers with scales; the float forms have the products.

A value's data have the shape (height, width, channels), (steps, features) or (features), always of one sample.
"""

from dataclasses import dataclass, field

import numpy as np

import real
from seeded import Numbers

CALIBRATION_INPUTS = 3
# What is left outside of the calibrated range, on either side: it saturates.
OUTLIERS = 0.002


def rounded(value, bits=8):
    """float32 with few bits, so that the last ones of a calibration decide nothing."""
    mantissa, exponent = np.frexp(value)
    return np.ldexp(np.rint(mantissa * 2**bits), exponent - bits).astype(np.float32)


@dataclass
class Value:
    name: str
    shape: tuple
    scale: np.float32
    zero: int


@dataclass
class Layer:
    kind: str
    inputs: list
    output: Value
    parameters: dict = field(default_factory=dict)  # name: (integers, scales along the first or the last axis)
    channel_axis: int = 0  # of the weights
    options: dict = field(default_factory=dict)
    bits: int = 8  # of the weights

    @property
    def name(self):
        return self.output.name

    def integers(self, name):
        return self.parameters[name][0]

    def scales(self, name):
        return self.parameters[name][1]

    def reals(self, name):
        """float32, as the float models have them."""
        integers, scales = self.parameters[name]
        shape = [1] * integers.ndim
        if scales.size > 1:
            shape[self.channel_axis if integers.ndim > 1 else 0] = scales.size
        return (integers.astype(np.float64) * scales.astype(np.float64).reshape(shape)).astype(np.float32)


class Network:
    def __init__(self, name, seed, vectors=("uniform", "ramp", "zero", "extremes", "bell")):
        self.name = name
        self.numbers = Numbers(seed)
        self.vectors = vectors
        self.inputs, self.outputs, self.layers = [], [], []
        self.states = []  # (what is read, what is written for the next run), of the same shape and quantisation
        self.samples = {}  # real data of each value, of every calibration input
        self.is_1d = False
        self.lowest, self.dtype = -128, np.int8  # of the integers
        self.macs = 0

    # What everything below is made of.

    def add(self, kind, inputs, shape, name, *, like=None, quantisation=None, low=None, **rest):
        """The output of a new layer, calibrated; or quantised as another value is, or as is said."""
        output = Value(name, tuple(shape), np.float32(1), 0)
        layer = Layer(kind, list(inputs), output, **rest)
        self.layers.append(layer)
        reals = [real.TFLITE_LAYERS[kind](layer, *(self.samples[i.name][k] for i in inputs))
                 for k in range(CALIBRATION_INPUTS)]
        self.samples[name] = reals
        if like is not None:
            quantisation = (like.scale, like.zero)
        output.scale, output.zero = quantisation or self.calibrated(reals, low)
        return output

    def calibrated(self, reals, low=None):
        ordered = np.sort(np.concatenate([r.ravel() for r in reals]))
        cut = int(len(ordered) * OUTLIERS)
        bottom, top = min(ordered[cut], 0), max(ordered[-1 - cut], 1e-3)
        if low is not None:
            bottom = low
        scale = rounded((top - bottom) / 255)
        return scale, int(np.clip(np.rint(-128 - bottom / scale), -128, 127))

    def channel_scales(self, channels, fan_in, gain, per_channel=True):
        count = channels if per_channel else 1
        spread = 0.6 + 0.8 * self.numbers.uniform(count)
        # Now and then a channel whose weights are small, as training leaves them.
        spread = np.where(self.numbers.uniform(count) < 0.06, spread / 16, spread) if per_channel else spread
        return rounded(gain / (42 * fan_in**0.5) * spread, bits=20)

    def bias(self, count, x, w_scales, size=0.3):
        """int32 whose steps are those of the products; zero for every eighth."""
        scales = (x.scale * w_scales).astype(np.float32)
        real_values = self.numbers.bell(count) * size * (self.numbers.uniform(count) > 0.125)
        return np.rint(real_values / scales).astype(np.int32), scales

    def fresh(self, kind):
        return f"{kind}_{len(self.layers)}"

    # Layers.

    def input(self, *shape, name="input"):
        samples = [self.numbers.bell(*shape) for _ in range(CALIBRATION_INPUTS)]
        value = Value(name, shape, *self.calibrated(samples))
        self.samples[name] = samples
        self.inputs.append(value)
        return value

    def output(self, *values):
        self.outputs += values

    def product(self, kind, x, shape, weights, fan_in, *, activation="none", per_channel=True, channel_axis=0, like=None,
                quantisation=None, **options):
        channels = shape[-1]
        scales = self.channel_scales(channels, fan_in, 2**0.5 if activation != "none" else 1, per_channel)
        bias, bias_scales = self.bias(channels, x, scales)
        self.macs += int(np.prod(shape)) * fan_in
        return self.add(kind, [x], shape, self.fresh(kind), like=like, quantisation=quantisation,
                        low=None if activation == "none" else 0, channel_axis=channel_axis,
                        parameters={"weights": (weights, scales), "bias": (bias, bias_scales)},
                        options={"activation": activation, **options})

    def conv(self, x, channels, kernel, stride=1, padding="same", **options):
        height, width = kernel
        depth = x.shape[2]
        pads = tuple(real.padding(n, k, stride, padding) for n, k in zip(x.shape, kernel))
        shape = [(n + sum(p) - k) // stride + 1 for n, k, p in zip(x.shape, kernel, pads)]
        weights = self.numbers.weights(channels, height, width, depth)
        return self.product("conv", x, (*shape, channels), weights, height * width * depth, kernel=kernel, stride=stride,
                            pads=pads, padding=padding, **options)

    def depthwise(self, x, kernel, stride=1, padding="same", dilation=1, **options):
        height, width = kernel
        reach = [(k - 1) * dilation + 1 for k in kernel]
        pads = tuple(real.padding(n, k, stride, padding) for n, k in zip(x.shape, reach))
        shape = [(n + sum(p) - k) // stride + 1 for n, k, p in zip(x.shape, reach, pads)]
        weights = self.numbers.weights(height, width, x.shape[2])
        return self.product("depthwise", x, (*shape, x.shape[2]), weights, height * width, channel_axis=2, kernel=kernel,
                            stride=stride, pads=pads, padding=padding, dilation=dilation, **options)

    def transposed_conv(self, x, channels, kernel, stride, padding, **options):
        height, width, depth = x.shape
        shape = [n * stride if padding == "same" else (n - 1) * stride + k for n, k in zip((height, width), kernel)]
        total = [(n - 1) * stride + k - out for n, k, out in zip((height, width), kernel, shape)]
        pads = tuple((t // 2, t - t // 2) for t in total)
        weights = self.numbers.weights(channels, *kernel, depth)
        fan_in = max(kernel[0] * kernel[1] * depth // stride**2, 1)
        return self.product("transposed_conv", x, (*shape, channels), weights, fan_in, kernel=kernel, stride=stride,
                            pads=pads, padding=padding, **options)

    def dense(self, x, units, **options):
        weights = self.numbers.weights(units, x.shape[0])
        return self.product("dense", x, (units,), weights, x.shape[0], **options)

    def add_values(self, a, b, activation="none"):
        return self.add("add", [a, b], a.shape, self.fresh("add"), low=0 if activation == "relu" else None,
                        options={"activation": activation})

    def average_pool(self, x):
        """Of the whole image, in the input's steps."""
        return self.add("average_pool", [x], (1, 1, x.shape[2]), self.fresh("average_pool"), like=x)

    def mean(self, x):
        """Of the whole image, in steps of its own."""
        return self.add("mean", [x], (1, 1, x.shape[2]), self.fresh("mean"))

    def max_pool(self, x):
        height, width, channels = x.shape
        return self.add("max_pool", [x], (height // 2, width // 2, channels), self.fresh("max_pool"), like=x)

    def concat(self, values, axis):
        shape = list(values[0].shape)
        shape[axis] = sum(v.shape[axis] for v in values)
        return self.add("concat", values, shape, self.fresh("concat"), like=values[0], options={"axis": axis})

    def flatten(self, x):
        return self.add("flatten", [x], (int(np.prod(x.shape)),), self.fresh("flatten"), like=x)

    def last(self, x, count=None):
        """The last elements of the first axis: `count` of them, or one without the axis."""
        shape = x.shape[1:] if count is None else (count, *x.shape[1:])
        return self.add("last", [x], shape, self.fresh("last"), like=x, options={"count": count})

    def softmax(self, x):
        return self.add("softmax", [x], x.shape, self.fresh("softmax"), quantisation=(np.float32(1 / 256), -128))

    def sigmoid(self, x):
        return self.add("sigmoid", [x], x.shape, self.fresh("sigmoid"), quantisation=(np.float32(1 / 256), -128))

    def tanh(self, x):
        return self.add("tanh", [x], x.shape, self.fresh("tanh"), quantisation=(np.float32(1 / 128), 0))

    def join(self, values, axis):
        """As concat(), in steps that suit all of them."""
        shape = list(values[0].shape)
        shape[axis] = sum(v.shape[axis] for v in values)
        return self.add("join", values, shape, self.fresh("join"), options={"axis": axis})

    def resize(self, x, height, width):
        """Interpolated between the corners of pixels."""
        return self.add("resize", [x], (height, width, x.shape[2]), self.fresh("resize"), like=x)

    def lstm(self, x, units):
        """Gates in the order input, forget, cell, output along the first axis of the weights."""
        depth = x.shape[1]
        hidden = (rounded(0.7 / 128), 0)
        w_scales, r_scales = (rounded(gain / 42 / n**0.5, bits=20).reshape(1) for gain, n in ((2, depth), (1.5, units)))
        bias, bias_scales = self.bias(4 * units, x, w_scales)
        self.macs += x.shape[0] * 4 * units * (depth + units)
        parameters = {"weights": (self.numbers.weights(4 * units, depth), w_scales),
                      "recurrent": (self.numbers.weights(4 * units, units), r_scales), "bias": (bias, bias_scales)}
        return self.add("lstm", [x], (x.shape[0], units), self.fresh("lstm"), quantisation=hidden, parameters=parameters,
                        options={"units": units, "cell_power": -11})

    def remember(self, x, count):
        """x with the `count` rows before it; those are kept from one run to the next, in the steps of x."""
        name = f"state_{len(self.states)}"
        state = Value(name, (count, *x.shape[1:]), x.scale, x.zero)
        self.samples[name] = [np.repeat(s[:1], count, axis=0) for s in self.samples[x.name]]
        joined = self.concat([state, x], 0)
        self.states.append((state, self.last(joined, count)))
        return joined

    # Inputs to run it on.

    def vector(self, kind, value, numbers):
        """Integers for an input; the float forms take what they stand for."""
        count = int(np.prod(value.shape))
        at = np.arange(count)
        integers = {
            "uniform": lambda: numbers.uniform(count) * 256 + self.lowest,
            "ramp": lambda: at * 255 // max(count - 1, 1) + self.lowest,
            "zero": lambda: np.full(count, value.zero),
            "extremes": lambda: np.where(numbers.uniform(count) < 0.5, self.lowest, self.lowest + 255),
            "bell": lambda: value.zero + numbers.bell(count) / value.scale,
        }[kind]()
        return np.clip(np.floor(integers), self.lowest, self.lowest + 255).astype(self.dtype).reshape(value.shape)


def reals_of(value, integers):
    return ((integers.astype(np.float32) - np.float32(value.zero)) * value.scale).astype(np.float32)
