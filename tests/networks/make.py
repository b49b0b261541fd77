#!/usr/bin/env python3
"""Writes the networks of zoo.py and what they are to give into a folder, in the manner of ../shared/models:

    make.py FOLDER

<name>_int8.tflite, <name>_float.tflite, <name>_float.onnx, <name>_int8_qdq.onnx and <name>_int8_qop.onnx, of some the
first two alone; those of sequence.py as <name>_float.onnx, without results; of some <name>_uint8.tflite (uint8.py) and <name>_hybrid.tflite (hybrid.py); of some <name>_int4.tflite,
<name>_int2.tflite and the same as _qdq.onnx (few_bits.py); and golden/golden.json, which lists for each of them inputs,
outputs and every layer's output, in files beside it. Those of TFLite models are computed here (tflite_integers.py, real.py). Those of ONNX models are ONNX Runtime's: the folder onnxruntime has how its results differ
from what is computed here (onnxruntime_results.py writes them)."""

import json
import sys
from pathlib import Path

import numpy as np

import hybrid
import onnx_forms
import onnx_integers
import onnxruntime_results
import real
import sequence
import tflite_forms
import tflite_integers
import uint8
from few_bits import with_few_bits
from network import reals_of
from seeded import Numbers
from zoo import FEW_BITS, HYBRID_NETWORKS, NETWORKS, TFLITE_NETWORKS, UINT8_NETWORKS

FORMS = ("int8.tflite", "float.tflite", "float.onnx", "int8_qdq.onnx", "int8_qop.onnx")


def vectors(network):
    """Integers for each input, once for each kind of vector."""
    numbers = Numbers(1000)
    return [{value.name: network.vector(kind, value, numbers) for value in network.inputs} for kind in network.vectors]


def run(network, layers, is_float):
    """{name: data} of every value, for each vector in turn; what a run remembers is what the next one begins with."""
    first = {s.name: np.zeros(s.shape, np.float32) if is_float else np.full(s.shape, s.zero, np.int8)
             for s, _ in network.states}
    out = []
    for inputs in vectors(network):
        data = {i.name: reals_of(i, inputs[i.name]) if is_float else inputs[i.name] for i in network.inputs} | first
        for layer in network.layers:
            y = layers[layer.kind](layer, *(data[i.name].astype(np.float64) if is_float else data[i.name]
                                            for i in layer.inputs))
            data[layer.name] = y.astype(np.float32) if is_float else y
        first = {before.name: data[after.name] for before, after in network.states}
        out.append(data)
    return out


class Golden:
    """The folder golden, and the list of what is in it."""

    def __init__(self, folder):
        self.folder, self.models = folder, {}
        folder.mkdir(parents=True, exist_ok=True)

    def file(self, path, data):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return str(path.relative_to(self.folder))

    def add(self, stem, network, inputs, outputs, runs, arrange, tensors=None, **rest):
        dtype = str(runs[0][outputs[0].name].dtype)
        entry = {"macs": network.macs, "output": {"name": outputs[0].name, "dtype": dtype}, "vectors": [], "layers": []} | rest
        for k, data in enumerate(runs):
            vector = {}
            for which, values in (("input", inputs), ("output", outputs)):
                files = [self.file(f"{stem}/{which}_{k}{f'_{i}' if i else ''}.raw", arrange(data[v.name]).tobytes())
                         for i, v in enumerate(values)]
                vector |= {which: files[0], which + "s": files}
            entry["vectors"].append(vector)
        for layer in network.layers:
            inside = layer.output not in outputs and network.dtype == np.uint8
            of_layer = [(run[layer.name] ^ 128).view(np.int8) if inside else run[layer.name] for run in runs]
            data = b"".join(arrange(of_run).tobytes() for of_run in of_layer)
            number = {"tensor": tensors[layer.name]} if tensors else {}
            entry["layers"].append({"name": layer.name, "op": layer.kind, "moves": layer.kind in real.MOVES, **number,
                                    "dtype": str(of_layer[0].dtype), "count": len(runs),
                                    "file": self.file(f"{stem}/layers/{layer.name}.raw", data)})
        self.models[stem] = entry


def make_tflite(network, folder, golden, form):
    is_float = form.startswith("float")
    path = folder / f"{network.name}_{form}"
    tensors = tflite_forms.write(network, path, is_float)
    runs = run(network, real.LAYERS if is_float else tflite_integers.LAYERS, is_float)
    golden.add(path.stem, network, network.inputs, network.outputs, runs, np.ascontiguousarray, tensors,
               tflite=path.name, is_sequence=bool(network.states))


def make_uint8(network, folder, golden):
    """Layers between are computed with integers that are 128 less; inputs and outputs are uint8."""
    path = folder / f"{network.name}_uint8.tflite"
    tensors = tflite_forms.write(network, path, False)
    golden.add(path.stem, network, network.inputs, network.outputs, run(network, uint8.LAYERS, False),
               np.ascontiguousarray, tensors, tflite=path.name)


def make_hybrid(network, folder, golden):
    path = folder / f"{network.name}_hybrid.tflite"
    tensors = tflite_forms.write(network, path, True, True)
    golden.add(path.stem, network, network.inputs, network.outputs, run(network, hybrid.LAYERS, True),
               np.ascontiguousarray, tensors, tflite=path.name)


def run_onnx(network, is_float):
    return run(network, real.LAYERS if is_float else onnx_integers.LAYERS, is_float)


def make_few_bits(network, folder, golden, bits):
    make_tflite(network, folder, golden, f"int{bits}.tflite")
    path = folder / f"{network.name}_int{bits}_qdq.onnx"
    onnx_forms.Writer(network, "qdq").write(path)
    golden.add(path.stem, network, network.inputs, network.outputs, run_onnx(network, False), onnx_forms.arranged,
               onnx=path.name, channel_axis=1)


def make_onnx(network, folder, golden, form):
    path = folder / f"{network.name}_{form}"
    is_float = form.startswith("float")
    onnx_forms.Writer(network, path.stem.split("_")[-1]).write(path)
    computed = run_onnx(network, is_float)
    by_runtime = onnxruntime_results.results(network, path, computed)
    inputs = list(network.inputs) + [before for before, _ in network.states]
    outputs = list(network.outputs) + [after for _, after in network.states]
    rest = {"arrange": onnx_forms.arranged, "onnx": path.name, "channel_axis": 1}
    if is_float:
        golden.add(path.name, network, inputs, outputs, by_runtime, **rest)
    else:
        golden.add(path.stem, network, inputs, outputs, computed, **rest)
        golden.add(f"{path.stem}.onnxruntime", network, inputs, outputs, by_runtime, **rest)


def main():
    folder = Path(sys.argv[1])
    golden = Golden(folder / "golden")
    for build in NETWORKS:
        network = build()
        for form in FORMS:
            (make_tflite if form.endswith("tflite") else make_onnx)(network, folder, golden, form)
    for build in TFLITE_NETWORKS:
        network = build()
        for form in FORMS:
            if form.endswith("tflite"):
                make_tflite(network, folder, golden, form)
    for build in UINT8_NETWORKS:
        make_uint8(uint8.with_uint8(build()), folder, golden)
    for build in HYBRID_NETWORKS:
        make_hybrid(build(), folder, golden)
    for build, bits in FEW_BITS:
        make_few_bits(with_few_bits(build(), bits), folder, golden, bits)
    sequence.write(folder)
    text = json.dumps({"models": golden.models}, indent=1) + "\n"
    (folder / "golden/golden.json").write_text(text)


if __name__ == "__main__":
    main()
