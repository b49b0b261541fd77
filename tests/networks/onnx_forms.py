"""Writes a network as an ONNX model: float, QDQ (reals between DequantizeLinear and QuantizeLinear) or with QLinear
operators, those of ONNX and those of com.microsoft. What has no QLinear operator stays in QDQ form."""

import sys
from pathlib import Path

import numpy as np

import real
from few_bits import packed

sys.path.append(str(Path(__file__).resolve().parents[2] / "examples" / "demo"))
from onnx_file import TYPES, Graph, attribute, chunk, integer  # noqa: E402

MICROSOFT = "com.microsoft"
# com.microsoft's operator, of those that are called with (x, scale, zero point) for each input and (scale, zero point).
QLINEAR = {"add": "QLinearAdd", "average_pool": "QLinearGlobalAveragePool", "mean": "QLinearGlobalAveragePool",
           "sigmoid": "QLinearSigmoid"}
# Element types of few bits, and the opset and IR version that have them.
FEW_BITS = {4: 22, 2: 26}
FEW_BITS_VERSIONS = {4: (21, 10), 2: (25, 13)}
MOVED_AS_INTEGERS = ("max_pool", "flatten", "last")


def dims(network, value):
    if len(value.shape) == 3:
        height, width, channels = value.shape
        return (1, channels, height) if network.is_1d else (1, channels, height, width)
    return (value.shape[0], 1, value.shape[1]) if len(value.shape) == 2 else (1, *value.shape)


def arranged(data):
    """A value's data as ONNX has them in memory: channels first."""
    return np.ascontiguousarray(data.transpose(2, 0, 1) if data.ndim == 3 else data)


class Model(Graph):
    """A graph with operators of two domains and inputs and outputs of any type."""

    def node(self, op, inputs, output, domain="", **attributes):
        message = b"".join(chunk(1, name) for name in inputs) + chunk(2, output) + chunk(3, output) + chunk(4, op)
        message += b"".join(chunk(5, attribute(k, v)) for k, v in sorted(attributes.items()))
        self.nodes.append(message + chunk(7, domain))
        return output

    def few_bits(self, name, array, bits):
        """A constant whose elements have `bits` bits."""
        tensor = b"".join(integer(1, dim) for dim in array.shape) + integer(2, FEW_BITS[bits]) + chunk(8, name)
        self.constants.append(tensor + chunk(9, packed(array, bits).tobytes()))
        return name

    def write(self, path, inputs, outputs, opset=13, ir=7):
        """Of {name: (dims, element type)}."""
        def value(name, shape, dtype):
            sizes = b"".join(chunk(1, integer(1, size)) for size in shape)
            return chunk(1, name) + chunk(2, chunk(1, integer(1, TYPES[np.dtype(dtype)]) + chunk(2, sizes)))

        graph = b"".join(chunk(1, node) for node in self.nodes) + chunk(2, self.name)
        graph += b"".join(chunk(5, constant) for constant in self.constants)
        graph += b"".join(chunk(11, value(name, *rest)) for name, rest in inputs.items())
        graph += b"".join(chunk(12, value(name, *rest)) for name, rest in outputs.items())
        model = integer(1, ir) + chunk(7, graph) + chunk(8, integer(2, opset))
        path.write_bytes(model + chunk(8, chunk(1, MICROSOFT) + integer(2, 1)))


class Writer:
    def __init__(self, network, form):
        self.network, self.form = network, form
        self.graph = Model(network.name)
        self.count = 0

    # Names of tensors.

    def fresh(self):
        self.count += 1
        return f"between_{self.count}"

    def constant(self, data, bits=8):
        self.count += 1
        name = f"constant_{self.count}"
        return self.graph.constant(name, data) if bits == 8 else self.graph.few_bits(name, data, bits)

    def quantisation(self, value):
        return [self.constant(np.float32(value.scale)), self.constant(np.int8(value.zero))]

    def real(self, value):
        if self.form == "float":
            return value.name
        return self.graph.node("DequantizeLinear", [value.name, *self.quantisation(value)], self.fresh())

    def scales(self, layer, name):
        scales = layer.scales(name)
        return scales[0] if scales.size == 1 else scales

    def parameter(self, layer, name, arrange, axis=0):
        """A real one, however it is kept."""
        if self.form == "float":
            return self.constant(arrange(layer.reals(name)))
        scales = self.scales(layer, name)
        bits = layer.bits if name == "weights" else 8
        inputs = [self.constant(arrange(layer.integers(name)), bits), self.constant(scales)]
        return self.graph.node("DequantizeLinear", inputs, self.fresh(), **({"axis": axis} if scales.ndim else {}))

    def result(self, layer, op, inputs, **attributes):
        """Nodes from real inputs to the layer's output: the operator, its activation, quantisation."""
        activations = {"relu": ("Relu", []), "relu6": ("Clip", [0, 6])}
        activation = activations.get(layer.options.get("activation"))
        names = [self.fresh(), self.fresh()] if self.form != "float" else [self.fresh(), layer.name] if activation else [
            layer.name]
        out = self.graph.node(op, inputs, names[0], **attributes)
        if activation:
            bounds = [self.constant(np.float32(b)) for b in activation[1]]
            out = self.graph.node(activation[0], [out, *bounds], names[1])
        if self.form != "float":
            self.graph.node("QuantizeLinear", [out, *self.quantisation(layer.output)], layer.name)

    def qlinear(self, layer, op, inputs, **attributes):
        self.graph.node(op, inputs, layer.name, domain=MICROSOFT, **attributes)

    def quantised_inputs(self, layer):
        return [name for value in layer.inputs for name in (value.name, *self.quantisation(value))]

    def spatial(self, layer):
        options, count = layer.options, 1 if self.network.is_1d else 2
        pads = options["pads"][:count]
        return {"kernel_shape": options["kernel"][:count], "strides": [options["stride"]] * count,
                "pads": [before for before, _ in pads] + [after for _, after in pads]}

    # The whole.

    def write(self, path, probed=False):
        """`probed`: every layer's output is an output of the model."""
        for layer in self.network.layers:
            self.layer(layer)
        values = list(self.network.outputs) + [after for _, after in self.network.states]
        if probed:
            values += [layer.output for layer in self.network.layers if layer.output not in values]
        inputs = list(self.network.inputs) + [state for state, _ in self.network.states]
        dtype = np.float32 if self.form == "float" else np.int8
        versions = FEW_BITS_VERSIONS.get(min(layer.bits for layer in self.network.layers), ())
        self.graph.write(path, *({v.name: (dims(self.network, v), dtype) for v in some} for some in (inputs, values)),
                         *versions)
        return [v.name for v in inputs], [v.name for v in values]

    def layer(self, layer):
        is_qlinear = self.form == "qop"
        if is_qlinear and layer.kind in QLINEAR:
            self.check_activation(layer)
            self.qlinear(layer, QLINEAR[layer.kind], [*self.quantised_inputs(layer), *self.quantisation(layer.output)])
        elif is_qlinear and layer.kind in QUANTISED:
            QUANTISED[layer.kind](self, layer)
        elif is_qlinear and layer.kind in MOVED_AS_INTEGERS:
            op, more, attributes = PLAIN[layer.kind](self, layer)
            self.graph.node(op, [layer.inputs[0].name, *more], layer.name, **attributes)
        elif layer.kind in PLAIN:
            op, more, attributes = PLAIN[layer.kind](self, layer)
            self.result(layer, op, [*map(self.real, layer.inputs), *more], **attributes)
        else:
            REALS[layer.kind](self, layer)

    @staticmethod
    def check_activation(layer):
        """Saturation is the activation."""
        if layer.options.get("activation", "none") != "none":
            assert layer.output.zero == -128
        if layer.options.get("activation") == "relu6":
            assert np.rint(6 / layer.output.scale) >= 255


def conv_weights(layer):
    """From O H W I, or H W C, to O I H W; without the last for signals."""
    if layer.kind == "depthwise":
        return lambda w: w.transpose(2, 0, 1)[:, None]
    return lambda w: w.transpose(0, 3, 1, 2)


def conv(writer, layer):
    arrange, flat = conv_weights(layer), writer.network.is_1d
    weights = writer.parameter(layer, "weights", lambda w: arrange(w)[..., 0] if flat else arrange(w))
    group = layer.output.shape[2] if layer.kind == "depthwise" else 1
    inputs = [writer.real(layer.inputs[0]), weights, writer.parameter(layer, "bias", lambda b: b)]
    writer.result(layer, "Conv", inputs, group=group, **writer.spatial(layer))


def quantised_conv(writer, layer):
    writer.check_activation(layer)
    weights = conv_weights(layer)(layer.integers("weights"))
    if writer.network.is_1d:
        weights = weights[..., 0]
    scales = writer.scales(layer, "weights")
    inputs = [*writer.quantised_inputs(layer), writer.constant(weights), writer.constant(scales),
              writer.constant(np.zeros(scales.shape, np.int8)), *writer.quantisation(layer.output),
              writer.constant(layer.integers("bias"))]
    group = layer.output.shape[2] if layer.kind == "depthwise" else 1
    writer.graph.node("QLinearConv", inputs, layer.name, group=group, **writer.spatial(layer))


def transposed_conv(writer, layer):
    weights = writer.parameter(layer, "weights", lambda w: w.transpose(3, 0, 1, 2), axis=1)
    inputs = [writer.real(layer.inputs[0]), weights, writer.parameter(layer, "bias", lambda b: b)]
    writer.result(layer, "ConvTranspose", inputs, **writer.spatial(layer))


def dense(writer, layer):
    inputs = [writer.real(layer.inputs[0]), writer.parameter(layer, "weights", lambda w: w),
              writer.parameter(layer, "bias", lambda b: b)]
    writer.result(layer, "Gemm", inputs, transB=1)


def quantised_dense(writer, layer):
    writer.check_activation(layer)
    scales = writer.scales(layer, "weights")
    inputs = [*writer.quantised_inputs(layer), writer.constant(layer.integers("weights")), writer.constant(scales),
              writer.constant(np.zeros(scales.shape, np.int8)), writer.constant(layer.integers("bias")),
              *writer.quantisation(layer.output)]
    writer.qlinear(layer, "QGemm", inputs, transB=1)


def concat_axis(layer):
    return 1 if layer.options["axis"] == 2 else 2


def quantised_concat(writer, layer):
    inputs = [*writer.quantisation(layer.output), *writer.quantised_inputs(layer)]
    writer.qlinear(layer, "QLinearConcat", inputs, axis=concat_axis(layer))


def lstm(writer, layer):
    """ONNX has the gates in the order input, output, forget, cell."""
    units = layer.options["units"]

    def gates(data):
        return data.reshape(4, units, -1)[[0, 3, 1, 2]].reshape(1, 4 * units, -1)

    def biases(data):
        return np.concatenate([gates(data)[..., 0], np.zeros((1, 4 * units), data.dtype)], axis=1)

    y = writer.graph.node("LSTM", [writer.real(layer.inputs[0]), writer.parameter(layer, "weights", gates),
                                   writer.parameter(layer, "recurrent", gates), writer.parameter(layer, "bias", biases)],
                          writer.fresh(), hidden_size=units)
    writer.result(layer, "Squeeze", [y, writer.constant(np.array([1], np.int64))])


def last(writer, layer):
    size, count = layer.inputs[0].shape[0], layer.options["count"]
    if count is None:
        return "Gather", [writer.constant(np.int64(size - 1))], {"axis": 0}
    return "Slice", [writer.constant(np.array([v], np.int64)) for v in (size - count, size, 2)], {}


# (operator, inputs after the first, attributes)
PLAIN = {
    "max_pool": lambda writer, layer: ("MaxPool", [], {"kernel_shape": [2, 2], "strides": [2, 2]}),
    "concat": lambda writer, layer: ("Concat", [], {"axis": concat_axis(layer)}),
    "flatten": lambda writer, layer: ("Reshape", [writer.constant(np.array([1, -1], np.int64))], {}),
    "last": last,
    "add": lambda writer, layer: ("Add", [], {}),
    "average_pool": lambda writer, layer: ("GlobalAveragePool", [], {}),
    "mean": lambda writer, layer: ("ReduceMean", [], {"axes": [2, 3]}),
    "softmax": lambda writer, layer: ("Softmax", [], {"axis": -1}),
    "sigmoid": lambda writer, layer: ("Sigmoid", [], {}),
}
REALS = {"conv": conv, "depthwise": conv, "transposed_conv": transposed_conv, "dense": dense, "lstm": lstm}
QUANTISED = {"conv": quantised_conv, "depthwise": quantised_conv, "dense": quantised_dense, "concat": quantised_concat}
assert set(PLAIN) | set(REALS) == set(real.LAYERS)
