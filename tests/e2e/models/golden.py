"""Runs one model on one target with `byoc run` and compares outputs and every layer with the reference.

usage: golden.py BYOC MODELS_DIR MODEL TARGET TOOLCHAIN [--inputs 0,1,2] [--no-lift] [--lto]
                 [--optimize speed|size] [--prefer ID,ID]

MODEL is a key of golden/golden.json ("kws_int8"), or the stem of an .onnx file of ../shared/models ("kws_int8_qdq"), of
which only the outputs are known. Integers are to be equal; floats within 1e-5 of the largest reference value. All
inputs go through one instance, which is reset between them, but for models that remember. Exit code 77 means skipped: the
build has not written the networks, for which it needs numpy.

The shared resnet in QDQ and QLinear form is held to equality but for input 3, where sums of its second convolution lie
on rounding edges and 11 steps are allowed: docs/decisions/onnx-requantisation.md. With --no-lift (this and the options
behind it go on to byoc run) every input is equal.
"""

import argparse
import array
import json
import math
import pathlib
import subprocess
import sys
import tempfile

TYPECODES = {"int8": "b", "uint8": "B", "int16": "h", "int32": "i", "float32": "f"}
RESNET_TIES = {3: 11}


def values(data, dtype):
    out = array.array(TYPECODES[dtype])
    out.frombytes(data)
    return out


def compare(found, expected, dtype, steps=0):
    """None if they agree, else a description of the first difference."""
    if len(found) != len(expected):
        return f"{len(found)} elements, expected {len(expected)}"
    allowed = 1e-5 * max((abs(v) for v in expected), default=0) if dtype == "float32" else steps
    wrong = [i for i, (f, e) in enumerate(zip(found, expected)) if not abs(f - e) <= allowed]
    if wrong:
        i = wrong[0]
        return f"{len(wrong)} of {len(expected)} elements, first at {i}: found {found[i]}, expected {expected[i]}"
    return None


class Golden:
    """A model and what it is to give. `layers` are pairs of what golden.json says and the data of all vectors."""

    def __init__(self, models, name):
        folder = models / "golden"
        index = json.loads((folder / "golden.json").read_text())["models"]
        is_stem = name not in index
        entry = index[name.removesuffix(".onnx").removesuffix("_qdq").removesuffix("_qop") if is_stem else name]
        self.name, self.dtype = name, entry["output"]["dtype"]
        self.is_sequence, self.channel_axis = entry.get("is_sequence", False), entry.get("channel_axis", -1)
        self.inputs = [[folder / f for f in v.get("inputs", [v["input"]])] for v in entry["vectors"]]
        if is_stem:
            stem = name.removesuffix(".onnx")
            self.model, self.layers = models / f"{stem}.onnx", []
            self.outputs = [[models / f"golden_onnx/{stem}_output_{k}.raw"] for k in range(len(self.inputs))]
            return
        self.model = models / (entry.get("tflite") or entry["onnx"])
        self.outputs = [[folder / f for f in v.get("outputs", [v["output"]])] for v in entry["vectors"]]
        self.layers = [(layer, (folder / layer["file"]).read_bytes()) for layer in entry["layers"]]

    def allowed_steps(self, k, options):
        lifted_resnet = self.name.startswith("resnet_int8_q") and "--no-lift" not in options
        return RESNET_TIES.get(k, 0) if lifted_resnet else 0


def run(byoc, golden, target, toolchain, options, inputs, directory):
    """The folders of each input's outputs and tensors."""
    command = [byoc, "run", str(golden.model), "--target", target, "--toolchain", toolchain, "--output-dir",
               f"{directory}/out", "--dump-tensors", f"{directory}/dump", "--no-profile", "-q", *options]
    command += [word for k in inputs for file in golden.inputs[k] for word in ("--input", str(file))]
    command += [] if golden.is_sequence else ["--reset"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
    folders = [f"/run_{k}" for k in range(len(inputs))] if len(inputs) > 1 else [""]
    return [(pathlib.Path(f"{directory}/out{f}"), pathlib.Path(f"{directory}/dump{f}")) for f in folders]


def dumped_tensors(folder):
    """{name or number of a tensor: what index.json says of it}"""
    tensors = json.loads((folder / "index.json").read_text())["tensors"]
    return {key: t for t in tensors for key in (t["name"], t["source_index"])}


def computed(data, tensor, axis):
    """Without the channels that nobody computes because nothing reads them."""
    left_out = tensor.get("not_computed", ())
    if not left_out:
        return data
    channels, inner = tensor["dims"][axis], math.prod(tensor["dims"][axis:][1:])
    return array.array(data.typecode, (v for i, v in enumerate(data) if i // inner % channels not in left_out))


def check(golden, k, outputs, dumps, options):
    """(what, difference or None) for all that is compared."""
    steps = golden.allowed_steps(k, options)
    for i, expected in enumerate(golden.outputs[k]):
        found = (outputs / f"output_{i}.raw").read_bytes()
        yield f"input {k} output {i}", compare(values(found, golden.dtype), values(expected.read_bytes(), golden.dtype),
                                               golden.dtype, steps)
    tensors = dumped_tensors(dumps)
    for layer, data in golden.layers:
        key = layer.get("tensor", layer.get("name"))
        what = f"input {k} layer {key} {layer['op']}"
        if key not in tensors:
            # What only moves elements is often the same tensor as another. The LLVM backend adds what is there already in
            # the step of a convolution, whose own result is nowhere then.
            if not layer.get("moves") and not any("llvm" in option for option in options):
                yield what, "was not dumped"
            continue
        size = len(data) // layer["count"]
        both = ((dumps / tensors[key]["file"]).read_bytes(), data[k * size:(k + 1) * size])
        yield what, compare(*(computed(values(d, layer["dtype"]), tensors[key], golden.channel_axis) for d in both),
                            layer["dtype"])


def main():
    parser = argparse.ArgumentParser()
    for argument in ("byoc", "models", "name", "target", "toolchain"):
        parser.add_argument(argument)
    parser.add_argument("--inputs")
    for option in ("--no-lift", "--lto"):
        parser.add_argument(option, action="append_const", const=option, dest="options", default=[])
    for option in ("--optimize", "--prefer"):
        parser.add_argument(option)
    arguments = parser.parse_args()
    if arguments.optimize:
        arguments.options += ["--optimize", arguments.optimize]
    if arguments.prefer:
        arguments.options += ["--prefer", arguments.prefer]
    name, target, toolchain = arguments.name, arguments.target, arguments.toolchain
    models = pathlib.Path(arguments.models)
    if not (models / "golden/golden.json").exists():
        print(f"skipped: no golden/golden.json in {models}")
        sys.exit(77)
    golden = Golden(models, name)
    if golden.is_sequence and arguments.inputs:
        parser.error(f"{name} remembers: it takes all inputs in turn")
    inputs = [int(k) for k in arguments.inputs.split(",")] if arguments.inputs else range(len(golden.inputs))
    with tempfile.TemporaryDirectory() as directory:
        folders = run(arguments.byoc, golden, target, toolchain, arguments.options, inputs, directory)
        results = [r for k, f in zip(inputs, folders) for r in check(golden, k, *f, arguments.options)]
    failures = [f"{name} on {target} ({toolchain}): {what}: {why}" for what, why in results if why]
    print("\n".join(failures) if failures else f"{name} on {target} ({toolchain}): {len(results)} comparisons, all agree")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
