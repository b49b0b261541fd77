#!/usr/bin/env python3
"""Writes an int8 TensorFlow Lite model anew with weights of 4 bits, or 2, or with activations of 16:

    requantise_tflite.py FROM TO [BITS]

Convolutions and fully connected layers get INT4 or INT2 weights, packed, with scales that cover the same range; the
steps of their biases follow. With 16 every INT8 activation becomes INT16 without a zero point, over the same range, and
biases INT64."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from few_bits import packed
from tflite_file import SCHEMA

PRODUCTS = {3: "CONV_2D", 4: "DEPTHWISE_CONV_2D", 9: "FULLY_CONNECTED"}
VERSION = 7


def flatc(folder, *arguments):
    subprocess.run(["flatc", "-o", folder, *arguments], check=True, stdout=subprocess.DEVNULL)


def requantise(model, bits):
    most = 2 ** (bits - 1) - 1
    codes = model["operator_codes"]
    graph = model["subgraphs"][0]
    done = set()
    for operator in graph["operators"]:
        code = codes[operator.get("opcode_index", 0)]
        name = code.get("builtin_code") or PRODUCTS.get(code["deprecated_builtin_code"])
        if name not in PRODUCTS.values():
            continue
        x, w, bias = (graph["tensors"][i] for i in operator["inputs"][:3])
        scales = np.array(w["quantization"]["scale"], np.float32)
        if w["type"] != "INT8" or w["name"] in done:
            continue
        done.add(w["name"])
        code["version"] = VERSION
        integers = np.array(model["buffers"][w["buffer"]]["data"], np.uint8).view(np.int8)
        model["buffers"][w["buffer"]]["data"] = packed(np.rint(integers * (most / 127)).astype(np.int8), bits).tolist()
        larger = (scales * np.float32(127 / most)).astype(np.float32)
        w["type"] = f"INT{bits}"
        w["quantization"]["scale"] = larger.tolist()
        values = np.array(model["buffers"][bias["buffer"]]["data"], np.uint8).view(np.int32)
        model["buffers"][bias["buffer"]]["data"] = np.rint(values * (most / 127)).astype(np.int32).view(np.uint8).tolist()
        bias["quantization"]["scale"] = (np.float32(x["quantization"]["scale"][0]) * larger).tolist()


def scale_of(tensor):
    """The step of 16 bits that covers what the tensor's 8 do."""
    old, zero = tensor["quantization"]["scale"][0], tensor["quantization"].get("zero_point", [0])[0]
    return float(np.float32(old * max(128 + zero, 127 - zero) / 32767))


def widen(model):
    codes = model["operator_codes"]
    graph = model["subgraphs"][0]
    tensors = graph["tensors"]
    biases = {}
    for operator in graph["operators"]:
        code = codes[operator.get("opcode_index", 0)]
        name = code.get("builtin_code") or PRODUCTS.get(code["deprecated_builtin_code"])
        if name in PRODUCTS.values():
            code["version"] = VERSION
            x, w, bias = operator["inputs"][:3]
            biases[bias] = (tensors[x], tensors[w])
        if name == "SOFTMAX" or code["deprecated_builtin_code"] == 25:
            tensors[operator["outputs"][0]]["quantization"] = {"scale": [1 / 256], "zero_point": [-128]}
    for index, (x, w) in biases.items():
        bias = tensors[index]
        scales = np.array(w["quantization"]["scale"], np.float32) * np.float32(scale_of(x))
        values = np.array(model["buffers"][bias["buffer"]]["data"], np.uint8).view(np.int32)
        real = values * np.array(bias["quantization"]["scale"])
        model["buffers"][bias["buffer"]]["data"] = np.rint(real / scales).astype(np.int64).view(np.uint8).tolist()
        bias["type"] = "INT64"
        bias["quantization"]["scale"] = scales.tolist()
    for tensor in tensors:
        quantised = tensor["type"] == "INT8" and tensor.get("quantization", {}).get("scale")
        if not quantised or model["buffers"][tensor["buffer"]].get("data"):
            continue
        softmax = tensor["quantization"]["zero_point"] == [-128] and tensor["quantization"]["scale"] == [1 / 256]
        tensor["quantization"]["scale"] = [1 / 32768 if softmax else scale_of(tensor)]
        tensor["quantization"]["zero_point"] = [0]
        tensor["type"] = "INT16"


def main():
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        flatc(folder, "--json", "--raw-binary", "--strict-json", SCHEMA, "--", source)
        text = Path(folder, source.stem + ".json")
        model = json.loads(text.read_text())
        bits = int(sys.argv[3]) if len(sys.argv) > 3 else 4
        widen(model) if bits == 16 else requantise(model, bits)
        text.write_text(json.dumps(model))
        flatc(folder, "--binary", SCHEMA, text)
        target.write_bytes(next(p for p in Path(folder).iterdir() if p.suffix != ".json").read_bytes())


if __name__ == "__main__":
    main()
