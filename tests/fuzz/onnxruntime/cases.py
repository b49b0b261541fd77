"""Models of one operator, and what ONNX Runtime makes of them, as folders in the form of ONNX's own cases."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

F32 = np.float32
WORDS = ("", "a", "ab", "b", "cat", "lynx")
OPSET = 23
OPSETS = {"com.microsoft": 1, "ai.onnx.ml": 3}
TYPES = {"bool": TensorProto.BOOL, "string": TensorProto.STRING}
RANGES = {"uint8": (0, 255), "int8": (-128, 127), "uint16": (0, 65535), "int16": (-32768, 32767)}


class Random:
    """Choices and arrays of one case."""

    def __init__(self, seed):
        self._rng = np.random.default_rng(seed)

    def integer(self, low, high):
        return int(self._rng.integers(low, high + 1))

    def pick(self, *choices):
        return choices[self.integer(0, len(choices) - 1)]

    def one_in(self, n):
        return self.integer(1, n) == 1

    def shape(self, rank=None, most=5):
        return tuple(self.integer(1, most) for _ in range(self.integer(1, 4) if rank is None else rank))

    def some(self, n):
        """A subset of range(n) that is not empty, in any order."""
        return [int(i) for i in self._rng.permutation(n)[:self.integer(1, n)]]

    def reals(self, shape=(), scale=2.0, dtype="float32"):
        return np.asarray(self._rng.standard_normal(shape) * scale).astype(dtype)

    def above(self, shape=(), low=0.01, high=0.2):
        return np.asarray(self._rng.uniform(low, high, shape)).astype(F32)

    def whole(self, shape, low, high, dtype="int64"):
        return np.asarray(self._rng.integers(low, high + 1, shape)).astype(dtype)

    def quantised(self, shape, dtype):
        return self.whole(shape, *RANGES[dtype], dtype)

    def words(self, shape):
        return np.asarray([self.pick(*WORDS) for _ in range(int(np.prod(shape)))], object).reshape(shape)

    def numbers(self, n):
        """Of an attribute: floats that float32 has."""
        return [float(v) for v in self.reals(n, 1.0)]


class Case:
    """One node. Operands that are None are left out; those at `constants` are initialisers. `outputs`: which are wanted."""

    def __init__(self, op, operands, attributes=None, domain="", constants=(), outputs=(0,), opset=OPSET):
        self.op, self.operands, self.attributes, self.domain = op, operands, attributes or {}, domain
        self.constants, self.outputs, self.opset = set(constants), outputs, opset

    def write(self, folder):
        """Leaves the model and its inputs there; what to ask."""
        data = folder / "test_data_set_0"
        data.mkdir(parents=True)
        names, inputs, initialisers, asked = [], [], [], []
        for i, operand in enumerate(self.operands):
            names.append("" if operand is None else f"x{i}")
            if operand is None:
                continue
            tensor = numpy_helper.from_array(operand, names[i])
            if i in self.constants:
                initialisers.append(tensor)
                continue
            path = data / f"input_{len(inputs)}.pb"
            path.write_bytes(tensor.SerializeToString())
            raw = path.with_suffix(".raw")
            texts = operand.dtype == object
            raw.write_bytes(json.dumps(operand.ravel().tolist()).encode() if texts else
                            np.ascontiguousarray(operand).tobytes())
            inputs.append(helper.make_tensor_value_info(names[i], tensor.data_type, operand.shape))
            asked.append({"name": names[i], "type": "string" if texts else str(operand.dtype),
                          "dims": list(operand.shape), "file": str(raw)})
        while names and not names[-1]:
            names.pop()
        outputs = [f"y{k}" if k in self.outputs else "" for k in range(max(self.outputs) + 1)]
        node = helper.make_node(self.op, names, outputs, domain=self.domain, **self.attributes)
        graph = helper.make_graph([node], "g", inputs, [onnx.ValueInfoProto(name=y) for y in outputs if y],
                                  initialisers)
        opsets = [helper.make_opsetid("", self.opset)]
        if self.domain:
            opsets.append(helper.make_opsetid(self.domain, OPSETS[self.domain]))
        model = helper.make_model(graph, opset_imports=opsets)
        model.ir_version = 10
        (folder / "model.onnx").write_bytes(model.SerializeToString())
        return {"model": str(folder / "model.onnx"), "folder": str(folder), "inputs": asked}


def keep_answer(folder):
    """Gives the model the outputs that ONNX Runtime found; why not."""
    found = json.loads((folder / "answer.json").read_text())
    if "error" in found:
        return found["error"]
    model = onnx.load(str(folder / "model.onnx"))
    del model.graph.output[:]
    for k, output in enumerate(found["outputs"]):
        tensor, raw = TensorProto(name=output["name"], dims=output["dims"]), (folder / f"output_{k}.raw").read_bytes()
        if output["type"] == "string":
            tensor.string_data.extend(text.encode() for text in json.loads(raw))
        else:
            tensor.raw_data = raw
        tensor.data_type = TYPES.get(output["type"]) or onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[np.dtype(output["type"])]
        (folder / "test_data_set_0" / f"output_{k}.pb").write_bytes(tensor.SerializeToString())
        model.graph.output.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, output["dims"]))
    onnx.save(model, str(folder / "model.onnx"))
    return None


def ask(cases, folder, modules):
    """Writes {name: Case} as folders below `folder`, those that ONNX Runtime runs; {name: why it does not}."""
    shutil.rmtree(folder, ignore_errors=True)
    jobs = [case.write(folder / name) for name, case in cases.items()]
    script, list_ = Path(__file__).with_name("ask.js"), folder / "jobs.json"
    environment = dict(os.environ, NODE_PATH=str(modules / "node_modules"))
    while jobs:
        list_.write_text(json.dumps(jobs))
        ended = subprocess.run(["node", script, list_], env=environment, stdout=subprocess.DEVNULL, check=False)
        jobs = [job for job in jobs if not Path(job["folder"], "answer.json").exists()]
        if jobs and ended.returncode == 0:
            raise RuntimeError("ONNX Runtime gave no answer to some models")
        if jobs:  # it died: of the one that it was asked last
            Path((folder / "at.txt").read_text(), "answer.json").write_text('{"error": "the runtime died"}')
            jobs = [job for job in jobs if not Path(job["folder"], "answer.json").exists()]
    refused = {}
    for name in cases:
        error = keep_answer(folder / name)
        if error is not None:
            refused[name] = error
            shutil.rmtree(folder / name)
    return refused
