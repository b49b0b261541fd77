"""Writes an ONNX model: the few protobuf messages that a plain network needs, by hand.

Field numbers are those of onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
"""

import struct

import numpy as np

FLOAT, INT8, INT32, INT64 = 1, 3, 6, 7
TYPES = {np.dtype(np.float32): FLOAT, np.dtype(np.int8): INT8, np.dtype(np.int32): INT32, np.dtype(np.int64): INT64}


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def integer(field, value):
    return varint(field << 3) + varint(value)


def chunk(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def attribute(name, value):
    if isinstance(value, float):
        return chunk(1, name) + varint(2 << 3 | 5) + struct.pack("<f", value) + integer(20, 1)
    if isinstance(value, int):
        return chunk(1, name) + integer(3, value) + integer(20, 2)
    return chunk(1, name) + b"".join(integer(8, item) for item in value) + integer(20, 7)


def value_info(name, dims):
    shape = b"".join(chunk(1, integer(1, dim)) for dim in dims)
    return chunk(1, name) + chunk(2, chunk(1, integer(1, FLOAT) + chunk(2, shape)))


class Graph:
    """Collects nodes and constants in order; write() makes the file."""

    def __init__(self, name):
        self.name = name
        self.nodes = []
        self.constants = []

    def constant(self, name, array):
        array = np.asarray(array, order="C")
        tensor = b"".join(integer(1, dim) for dim in array.shape) + integer(2, TYPES[array.dtype]) + chunk(8, name)
        self.constants.append(tensor + chunk(9, array.tobytes()))
        return name

    def node(self, op, inputs, output, **attributes):
        message = b"".join(chunk(1, name) for name in inputs) + chunk(2, output) + chunk(3, output) + chunk(4, op)
        self.nodes.append(message + b"".join(chunk(5, attribute(k, v)) for k, v in sorted(attributes.items())))
        return output

    def write(self, path, inputs, outputs):
        """`inputs` and `outputs` are {name: dims} of float tensors. Opset 13."""
        graph = b"".join(chunk(1, node) for node in self.nodes) + chunk(2, self.name)
        graph += b"".join(chunk(5, constant) for constant in self.constants)
        graph += b"".join(chunk(11, value_info(*item)) for item in inputs.items())
        graph += b"".join(chunk(12, value_info(*item)) for item in outputs.items())
        model = integer(1, 7) + chunk(2, "byoc examples/demo/train.py") + chunk(7, graph) + chunk(8, integer(2, 13))
        path.write_bytes(model)
