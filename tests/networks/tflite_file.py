"""Writes a TensorFlow Lite model: JSON that flatc turns into the flatbuffer."""

import json
import struct
import subprocess
import tempfile
from pathlib import Path

SCHEMA = Path(__file__).resolve().parents[2] / "sdk" / "model" / "import" / "tflite" / "schema.fbs"


class Subgraph:
    def __init__(self, file, name):
        self.file, self.name = file, name
        self.tensors, self.operators, self.inputs, self.outputs = [], [], [], []

    def tensor(self, name, kind, shape, data=None, scales=None, zeros=None, axis=0, **rest):
        """The index of a new tensor; `data` makes it a constant."""
        tensor = {"shape": list(shape), "type": kind, "name": name, "buffer": self.file.buffer(data), **rest}
        if scales is not None:
            tensor["quantization"] = {"scale": [float(s) for s in scales], "zero_point": [int(z) for z in zeros],
                                      "quantized_dimension": axis}
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def constant(self, name, data):
        """Of int32 numbers in a row."""
        return self.tensor(name, "INT32", (len(data),), struct.pack(f"<{len(data)}i", *data))

    def operator(self, code, inputs, outputs, options=None, version=1, custom=None, **values):
        """`custom`: the name of a CUSTOM operator and its options, bytes."""
        name, custom_options = custom or (None, b"")
        entry = {"opcode_index": self.file.code(code, version, name), "inputs": inputs, "outputs": outputs}
        if custom_options:
            entry["custom_options"] = list(custom_options)
        if options:
            entry |= {"builtin_options_type": options, "builtin_options": values}
        self.operators.append(entry)


class File:
    def __init__(self):
        self.buffers, self.codes, self.subgraphs, self.metadata = [{}], [], [], []

    def buffer(self, data):
        """Number 0 is the empty one of what has no data; `data` are bytes or an array."""
        if data is None:
            return 0
        self.buffers.append({"data": list(data if isinstance(data, bytes) else data.tobytes())})
        return len(self.buffers) - 1

    def code(self, name, version, custom=None):
        entry = {"builtin_code": name, "version": version} | ({"custom_code": custom} if custom else {})
        if entry not in self.codes:
            self.codes.append(entry)
        return self.codes.index(entry)

    def describe(self, name, data):
        """An entry of the model's metadata."""
        self.metadata.append({"name": name, "buffer": self.buffer(data)})

    def subgraph(self, name):
        self.subgraphs.append(Subgraph(self, name))
        return self.subgraphs[-1]

    def write(self, path):
        graphs = [{"name": g.name, "tensors": g.tensors, "inputs": g.inputs, "outputs": g.outputs, "operators": g.operators}
                  for g in self.subgraphs]
        model = {"version": 3, "operator_codes": self.codes, "subgraphs": graphs, "buffers": self.buffers,
                 "metadata": self.metadata}
        with tempfile.TemporaryDirectory() as folder:
            text = Path(folder, path.stem + ".json")
            text.write_text(json.dumps(model))
            subprocess.run(["flatc", "--binary", "-o", folder, SCHEMA, text], check=True, stdout=subprocess.DEVNULL)
            path.write_bytes(next(p for p in Path(folder).iterdir() if p.suffix != ".json").read_bytes())
