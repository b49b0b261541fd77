#!/usr/bin/env python3
"""Runs a model that byoc exported for this machine, from Python alone: ctypes and the C API of byoc/rt/runtime.h.

    byoc export vibration_int8.onnx --target host -o vibration.a
    python3 run_model.py libbyoc.so vibration.a signal.raw

Prints each output's values. Nothing has to be installed: arrays of ctypes are the tensors. numpy's work as well: an array's
address is x.ctypes.data, and its dtype and shape are those that describe() asks for.
"""

import ctypes
import sys
from ctypes import POINTER, Structure, byref, c_char_p, c_float, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64
from ctypes import c_void_p


class DataType(Structure):  # byoc_dl_data_type_t, laid out as DLPack's DLDataType
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class Device(Structure):
    _fields_ = [("type", c_int32), ("id", c_int32)]


class Tensor(Structure):  # byoc_dl_tensor_t, laid out as DLPack's DLTensor
    _fields_ = [("data", c_void_p), ("device", Device), ("ndim", c_int32), ("dtype", DataType),
                ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("byte_offset", c_uint64)]


class TensorInfo(Structure):  # byoc_tensor_info_t
    _fields_ = [("struct_size", c_uint32), ("ndim", c_int32), ("name", c_char_p), ("shape", POINTER(c_int64)),
                ("dtype", DataType), ("align", c_uint32), ("bytes", c_uint64), ("scale_count", c_uint32),
                ("axis", c_int32), ("scales", POINTER(c_float)), ("zero_points", POINTER(c_int64)),
                ("overwritten", c_uint32), ("reserved0", c_uint32)]


INPUT, OUTPUT = 0, 1
CPU = 1
# By code and bits: what an element is to Python.
ELEMENTS = {(0, 8): ctypes.c_int8, (0, 16): ctypes.c_int16, (0, 32): c_int32, (0, 64): c_int64, (1, 8): c_uint8,
            (1, 16): c_uint16, (1, 32): c_uint32, (1, 64): c_uint64, (2, 32): c_float, (2, 64): ctypes.c_double,
            (6, 8): ctypes.c_bool}


class Model:
    """An exported model; with `with`, closed at the end."""

    def __init__(self, library, path):
        self.api = ctypes.CDLL(str(library))
        self.api.byoc_model_last_error.restype = c_char_p
        self.api.byoc_model_manifest.restype = c_char_p
        for name in ("close", "manifest", "input_count", "output_count"):
            getattr(self.api, f"byoc_model_{name}").argtypes = [c_void_p]
        self.api.byoc_model_describe.argtypes = [c_void_p, c_uint32, c_uint32, POINTER(TensorInfo)]
        self.api.byoc_model_run.argtypes = [c_void_p, c_void_p, c_uint32, c_void_p, c_uint32]
        if self.api.byoc_runtime_version() < 1:
            raise RuntimeError("this libbyoc has no runtime")
        self.handle = c_void_p()
        self.check(self.api.byoc_model_open(str(path).encode(), None, byref(self.handle)))
        self.inputs = [self.describe(INPUT, i) for i in range(self.api.byoc_model_input_count(self.handle))]
        self.outputs = [self.describe(OUTPUT, i) for i in range(self.api.byoc_model_output_count(self.handle))]

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.api.byoc_model_last_error().decode())

    def describe(self, kind, index):
        info = TensorInfo(struct_size=ctypes.sizeof(TensorInfo))
        self.check(self.api.byoc_model_describe(self.handle, kind, index, byref(info)))
        return info

    def run(self, inputs):
        """One run: bytes of each input in, an array of ctypes for each output out. Nothing is copied in between."""
        given = [ctypes.create_string_buffer(data, len(data)) for data in inputs]
        taken = [(ELEMENTS[t.dtype.code, t.dtype.bits] * (t.bytes * 8 // t.dtype.bits))() for t in self.outputs]
        tensors_in, tensors_out = pointers(given, self.inputs), pointers(taken, self.outputs)
        self.check(self.api.byoc_model_run(self.handle, tensors_in, len(given), tensors_out, len(taken)))
        return taken

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.api.byoc_model_close(self.handle)


def pointers(buffers, infos):
    """Tensors in these buffers, as the model describes them."""
    tensors = [Tensor(ctypes.addressof(b), Device(CPU, 0), t.ndim, t.dtype, t.shape, None, 0)
               for b, t in zip(buffers, infos)]
    return (POINTER(Tensor) * len(tensors))(*[ctypes.pointer(t) for t in tensors])


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with Model(sys.argv[1], sys.argv[2]) as model:
        for what, infos in (("input", model.inputs), ("output", model.outputs)):
            for t in infos:
                print(f"{what} {t.name.decode()}: {[t.shape[i] for i in range(t.ndim)]}, {t.bytes} bytes")
        inputs = []
        for path in sys.argv[3:]:
            with open(path, "rb") as file:
                inputs.append(file.read())
        for t, values in zip(model.outputs, model.run(inputs)):
            print(f"{t.name.decode()} = {list(values)}")


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:
        sys.exit(str(error))
