"""Writes a network as a TensorFlow Lite model, int8 or float."""

import numpy as np

from few_bits import packed
from tflite_file import File

TYPES = {np.dtype(np.float32): "FLOAT32", np.dtype(np.int8): "INT8", np.dtype(np.uint8): "UINT8", np.dtype(np.int16): "INT16",
         np.dtype(np.int32): "INT32"}
HYBRID = ("conv", "depthwise", "dense")  # kinds of layers that have such a form
ACTIVATIONS = {"none": "NONE", "relu": "RELU", "relu6": "RELU6"}


class Writer:
    """One form of a network; `indices` are the tensors of its values."""

    def __init__(self, network, is_float, is_hybrid=False):
        self.network, self.is_float, self.is_hybrid = network, is_float, is_hybrid
        self.file, self.indices = File(), {}
        self.main = self.file.subgraph("main")

    def value(self, value, graph=None, data=None):
        """A tensor for a value."""
        quantisation = {} if self.is_float else {"scales": [value.scale], "zeros": [value.zero]}
        kind = "FLOAT32" if self.is_float else TYPES[np.dtype(self.network.dtype)]
        return (graph or self.main).tensor(value.name, kind, (1, *value.shape), data, **quantisation)

    def parameter(self, layer, name, shape=None, axis=0, rows=slice(None), label=None):
        integers, scales = layer.parameters[name]
        label = f"{layer.name}/{label or name}"
        if self.is_float and not (self.is_hybrid and name == "weights" and layer.kind in HYBRID):
            data = layer.reals(name)[rows]
            return self.main.tensor(label, "FLOAT32", shape or data.shape, data)
        data = integers[rows]
        if name == "weights" and layer.bits < 8:
            return self.main.tensor(label, f"INT{layer.bits}", shape or data.shape, packed(data, layer.bits), scales,
                                    [0] * scales.size, axis)
        zero = layer.options.get("weight_zero", 0) if name == "weights" else 0
        return self.main.tensor(label, TYPES[data.dtype], shape or data.shape, data, scales, [zero] * scales.size, axis)

    def write(self, path):
        for value in self.network.inputs:
            self.indices[value.name] = self.value(value)
            self.main.inputs.append(self.indices[value.name])
        for number, (state, _) in enumerate(self.network.states):
            self.read_state(number, state)
        for layer in self.network.layers:
            output = self.value(layer.output)
            inputs = [self.indices[v.name] for v in layer.inputs]
            OPERATORS[layer.kind](self, layer, inputs, output)
            self.indices[layer.name] = output
        for number, (_, after) in enumerate(self.network.states):
            self.main.operator("ASSIGN_VARIABLE", [self.handle(self.main, number), self.indices[after.name]], [],
                               "AssignVariableOptions")
        self.main.outputs = [self.indices[v.name] for v in self.network.outputs]
        self.file.write(path)

    def handle(self, graph, number):
        out = graph.tensor(f"handle_{len(graph.tensors)}", "RESOURCE", ())
        graph.operator("VAR_HANDLE", [], [out], "VarHandleOptions", container="", shared_name=f"state_{number}")
        return out

    def read_state(self, number, state):
        """A variable that holds zeros at first."""
        first = self.file.subgraph(f"initialise_{state.name}")
        zeros = np.zeros(state.shape, np.float32) if self.is_float else np.full(state.shape, state.zero, np.int8)
        first.operator("ASSIGN_VARIABLE", [self.handle(first, number), self.value(state, first, zeros)], [],
                       "AssignVariableOptions")
        self.main.operator("CALL_ONCE", [], [], "CallOnceOptions", init_subgraph_index=len(self.file.subgraphs) - 1)
        self.indices[state.name] = self.value(state)
        self.main.operator("READ_VARIABLE", [self.handle(self.main, number)], [self.indices[state.name]],
                           "ReadVariableOptions")


def version(layer, of_int8):
    """Of an operator: a later one has weights of few bits."""
    return of_int8 if layer.bits == 8 else 7


def spatial(layer):
    options = layer.options
    return {"padding": options["padding"].upper(), "stride_w": options["stride"], "stride_h": options["stride"],
            "fused_activation_function": ACTIVATIONS[options["activation"]]}


def conv(w, layer, inputs, output):
    w.main.operator("CONV_2D", [*inputs, w.parameter(layer, "weights"), w.parameter(layer, "bias")], [output],
                    "Conv2DOptions", version(layer, 3), **spatial(layer))


def depthwise(w, layer, inputs, output):
    weights = w.parameter(layer, "weights", shape=(1, *layer.integers("weights").shape), axis=3)
    w.main.operator("DEPTHWISE_CONV_2D", [*inputs, weights, w.parameter(layer, "bias")], [output],
                    "DepthwiseConv2DOptions", version(layer, 3), depth_multiplier=1,
                    dilation_w_factor=layer.options["dilation"], dilation_h_factor=layer.options["dilation"],
                    **spatial(layer))


def transposed_conv(w, layer, inputs, output):
    shape = w.main.constant(f"{layer.name}/shape", (1, *layer.output.shape))
    w.main.operator("TRANSPOSE_CONV", [shape, w.parameter(layer, "weights"), *inputs, w.parameter(layer, "bias")], [output],
                    "TransposeConvOptions", 4, **spatial(layer))


def dense(w, layer, inputs, output):
    w.main.operator("FULLY_CONNECTED", [*inputs, w.parameter(layer, "weights"), w.parameter(layer, "bias")], [output],
                    "FullyConnectedOptions", version(layer, 4),
                    asymmetric_quantize_inputs=layer.options.get("asymmetric", False), fused_activation_function=ACTIVATIONS[layer.options["activation"]])


def add(w, layer, inputs, output):
    w.main.operator("ADD", inputs, [output], "AddOptions", 2,
                    fused_activation_function=ACTIVATIONS[layer.options["activation"]])


def pool(code, size):
    def write(w, layer, inputs, output):
        height, width = size or layer.inputs[0].shape[:2]
        w.main.operator(code, inputs, [output], "Pool2DOptions", 2, padding="VALID", stride_w=width, stride_h=height,
                        filter_width=width, filter_height=height)
    return write


def mean(w, layer, inputs, output):
    axes = w.main.constant(f"{layer.name}/axes", (1, 2))
    w.main.operator("MEAN", [*inputs, axes], [output], "ReducerOptions", 2, keep_dims=True)


def concat(w, layer, inputs, output):
    w.main.operator("CONCATENATION", inputs, [output], "ConcatenationOptions", 2, axis=1 + layer.options["axis"])


def resize(w, layer, inputs, output):
    size = w.main.constant(f"{layer.name}/size", layer.output.shape[:2])
    w.main.operator("RESIZE_BILINEAR", [*inputs, size], [output], "ResizeBilinearOptions", 2)


def flatten(w, layer, inputs, output):
    shape = w.main.constant(f"{layer.name}/shape", (1, *layer.output.shape))
    w.main.operator("RESHAPE", [*inputs, shape], [output], "ReshapeOptions", new_shape=[1, *layer.output.shape])


def last(w, layer, inputs, output):
    shape, count = layer.inputs[0].shape, layer.options["count"]
    rest = len(shape) - 1
    ends = {"begin": (0, shape[0] - (count or 1), *[0] * rest), "end": (1, *shape), "strides": [1] * (2 + rest)}
    constants = [w.main.constant(f"{layer.name}/{name}", values) for name, values in ends.items()]
    w.main.operator("STRIDED_SLICE", [*inputs, *constants], [output], "StridedSliceOptions", 2,
                    shrink_axis_mask=2 if count is None else 0)


def lstm(w, layer, inputs, output):
    """Inputs, recurrent weights and biases of the four gates; the two variables at places 18 and 19."""
    units, all_inputs = layer.options["units"], [-1] * 24
    all_inputs[0] = inputs[0]
    for gate, name in enumerate(("input", "forget", "cell", "output")):
        rows = slice(gate * units, (gate + 1) * units)
        for first, parameter in ((1, "weights"), (5, "recurrent"), (12, "bias")):
            all_inputs[first + gate] = w.parameter(layer, parameter, rows=rows, label=f"{name}_{parameter}")
    hidden, cell = ({}, {}) if w.is_float else (
        {"scales": [layer.output.scale], "zeros": [layer.output.zero]},
        {"scales": [2.0**layer.options["cell_power"]], "zeros": [0]})
    for place, name, kind, quantisation in ((18, "hidden", "INT8", hidden), (19, "cell", "INT16", cell)):
        all_inputs[place] = w.main.tensor(f"{layer.name}/{name}", "FLOAT32" if w.is_float else kind, (1, units),
                                          is_variable=True, **quantisation)
    w.main.operator("UNIDIRECTIONAL_SEQUENCE_LSTM", all_inputs, [output], "UnidirectionalSequenceLSTMOptions",
                    1 if w.is_float else 3, fused_activation_function="TANH")


OPERATORS = {
    "conv": conv, "depthwise": depthwise, "transposed_conv": transposed_conv, "dense": dense, "add": add,
    "average_pool": pool("AVERAGE_POOL_2D", None), "max_pool": pool("MAX_POOL_2D", (2, 2)), "mean": mean,
    "concat": concat, "flatten": flatten, "last": last, "lstm": lstm,
    "join": concat,
    "tanh": lambda w, layer, inputs, output: w.main.operator("TANH", inputs, [output], version=2),
    "resize": resize,
    "softmax": lambda w, layer, inputs, output: w.main.operator("SOFTMAX", inputs, [output], "SoftmaxOptions", 2, beta=1.0),
    "sigmoid": lambda w, layer, inputs, output: w.main.operator("LOGISTIC", inputs, [output], version=2),
}


def write(network, path, is_float, is_hybrid=False):
    """{name of a value: index of its tensor}"""
    writer = Writer(network, is_float, is_hybrid)
    writer.write(path)
    return writer.indices
