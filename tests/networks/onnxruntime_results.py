#!/usr/bin/env python3
"""What ONNX Runtime computes, as differences to what is computed here, which are few. To write them anew, with Node.js:

    npm install --ignore-scripts --prefix FOLDER onnxruntime-node
    onnxruntime_results.py FOLDER

onnxruntime/<model>.xz is the SHA-256 of the model, then a byte for every element of every layer of every vector.
Integers: the difference modulo 256. Floats: the difference in steps of 2^-20 of the layer's largest, so that what is
restored is within 5e-7 of what ONNX Runtime computed."""

import hashlib
import json
import lzma
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent / "onnxruntime"
ASK = FOLDER.parents[1] / "fuzz" / "onnxruntime" / "ask.js"
STEP = 2.0**-20


def step_of(data):
    return STEP * max(float(np.abs(data).max()), 1e-30)


def difference(found, computed):
    if found.dtype == np.int8:
        return found.view(np.uint8) - computed.view(np.uint8)
    steps = np.rint((found.astype(np.float64) - computed) / step_of(computed))
    assert np.abs(steps).max() <= 127, f"ONNX Runtime is off by {np.abs(steps).max()} steps"
    return steps.astype(np.int8).view(np.uint8)


def restored(computed, bytes_):
    if computed.dtype == np.int8:
        return (computed.view(np.uint8) + bytes_).view(np.int8)
    return (computed + bytes_.view(np.int8) * step_of(computed)).astype(np.float32)


def digest(model):
    return hashlib.sha256(model.read_bytes()).digest()


def results(network, model, computed):
    """ONNX Runtime's {name: data} for each vector, from what is computed here; inputs are among them."""
    kept = lzma.decompress((FOLDER / f"{model.name}.xz").read_bytes())
    if kept[:32] != digest(model):
        sys.exit(f"{model.name} is not what ONNX Runtime was asked about: run {Path(__file__).name}")
    at, out = 32, []
    for data in computed:
        data = dict(data)
        for layer in network.layers:
            count = data[layer.name].size
            piece = np.frombuffer(kept, np.uint8, count, at).reshape(data[layer.name].shape)
            data[layer.name] = restored(data[layer.name], piece)
            at += count
        out.append(data)
    assert at == len(kept)
    return out


def ask(network, form, computed, modules, folder):
    """Runs the model with every layer's output as an output."""
    import onnx_forms
    inputs, outputs = onnx_forms.Writer(network, form).write(folder / "probed.onnx", probed=True)
    values = {v.name: v for v in [*network.inputs, *(s for s, _ in network.states)]}
    jobs = []
    for k, data in enumerate(computed):
        own = folder / str(k)
        own.mkdir()
        for name in inputs:
            Path(own, name).write_bytes(onnx_forms.arranged(data[name]).tobytes())
        jobs.append({
            "model": str(folder / "probed.onnx"), "folder": str(own),
            "inputs": [{"name": name, "type": str(data[name].dtype), "dims": onnx_forms.dims(network, values[name]),
                        "file": str(own / name)} for name in inputs]})
    Path(folder, "jobs.json").write_text(json.dumps(jobs))
    subprocess.run(["node", ASK, folder / "jobs.json"], check=True,
                   env={**os.environ, "NODE_PATH": f"{modules}/node_modules"})
    out = []
    for k, data in enumerate(computed):
        answer = json.loads(Path(folder, str(k), "answer.json").read_text())
        if "error" in answer:
            sys.exit(answer["error"])
        found = {}
        for layer in network.layers:
            raw = np.frombuffer(Path(folder, str(k), f"output_{outputs.index(layer.name)}.raw").read_bytes(),
                                data[layer.name].dtype)
            shape = data[layer.name].shape
            if len(shape) == 3:  # channels first
                raw = raw.reshape(shape[2], *shape[:2]).transpose(1, 2, 0)
            found[layer.name] = np.ascontiguousarray(raw.reshape(shape))
        out.append(found)
    return out


def write(network, model, form, computed, modules):
    with tempfile.TemporaryDirectory() as folder:
        found = ask(network, form, computed, modules, Path(folder))
    pieces = [difference(f[layer.name], c[layer.name]) for f, c in zip(found, computed) for layer in network.layers]
    data = digest(model) + b"".join(p.tobytes() for p in pieces)
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{model.name}.xz").write_bytes(lzma.compress(data, preset=9))
    differing = sum(int(np.count_nonzero(p)) for p in pieces)
    print(f"{model.name}: {differing} of {sum(p.size for p in pieces)} elements differ")


def main():
    import make
    import onnx_forms
    from zoo import NETWORKS
    with tempfile.TemporaryDirectory() as folder:
        for build in NETWORKS:
            network = build()
            for form in ("float", "int8_qdq", "int8_qop"):
                path = Path(folder, f"{network.name}_{form}.onnx")
                short = form.removeprefix("int8_")
                onnx_forms.Writer(network, short).write(path)
                write(network, path, short, make.run_onnx(network, form == "float"), sys.argv[1])


if __name__ == "__main__":
    main()
