"""Runs one model on one target with `byoc run` and compares outputs and every layer with the reference.

usage: golden.py BYOC MODELS_DIR MODEL TARGET TOOLCHAIN [--inputs 0,1,2] [--no-lift] [--lto]
                 [--optimize speed|size]

MODEL is a key of golden/golden.json ("kws_int8") for a .tflite file with layers, or the stem of an .onnx file
("kws_int8_qdq"), of which only the outputs are known. Integers are to be equal; floats within 1e-5 of the largest
reference value. Exit code 77 means skipped.

resnet in QDQ and QLinear form is held to equality but for input 3, where sums of its second convolution lie on rounding
edges and 11 steps are allowed: docs/decisions/onnx-requantisation.md. With --no-lift (this and the options behind it go on to byoc run) every input
is equal.
"""

import argparse
import array
import json
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
    found, expected = values(found, dtype), values(expected, dtype)
    if len(found) != len(expected):
        return f"{len(found)} elements, expected {len(expected)}"
    allowed = 1e-5 * max((abs(v) for v in expected), default=0) if dtype == "float32" else steps
    wrong = [i for i, (f, e) in enumerate(zip(found, expected)) if not abs(f - e) <= allowed]
    if wrong:
        i = wrong[0]
        return f"{len(wrong)} of {len(expected)} elements, first at {i}: found {found[i]}, expected {expected[i]}"
    return None


def allowed_steps(name, k, options):
    lifted_resnet = name.startswith("resnet_int8") and "--no-lift" not in options
    return RESNET_TIES.get(k, 0) if lifted_resnet else 0


def run(byoc, model, target, toolchain, options, input_file, directory):
    command = [byoc, "run", str(model), "--target", target, "--toolchain", toolchain, "--input", str(input_file),
               "--output-dir", f"{directory}/out", "--dump-tensors", f"{directory}/dump", "--no-profile", "-q", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")


def check_tflite(byoc, models, name, target, toolchain, options, inputs):
    golden = json.loads((models / "golden/golden.json").read_text())["models"][name]
    failures, compared = [], 0
    for k in inputs:
        vector = golden["vectors"][k]
        with tempfile.TemporaryDirectory() as directory:
            run(byoc, models / golden["tflite"], target, toolchain, options, models / "golden" / vector["input"],
                directory)
            expected = (models / "golden" / vector["output"]).read_bytes()
            found = pathlib.Path(directory, "out/output_0.raw").read_bytes()
            failures.append((f"input {k} output", compare(found, expected, golden["output"]["dtype"])))
            for layer in golden["layers"]:
                data = (models / "golden" / layer["file"]).read_bytes()
                size = len(data) // layer["count"]
                dumped = pathlib.Path(directory, f"dump/t{layer['tensor']}.raw")
                if not dumped.exists():
                    failures.append((f"input {k} layer t{layer['tensor']} {layer['op']}", "was not dumped"))
                    continue
                difference = compare(dumped.read_bytes(), data[k * size:(k + 1) * size], layer["dtype"])
                failures.append((f"input {k} layer t{layer['tensor']} {layer['op']}", difference))
                compared += 1
    print(f"{len(inputs)} inputs, {compared} layer outputs compared")
    return failures


def check_onnx(byoc, models, name, target, toolchain, options, inputs):
    base = name.removesuffix("_qdq").removesuffix("_qop")
    golden = json.loads((models / "golden/golden.json").read_text())["models"][base]
    failures = []
    for k in inputs:
        steps = allowed_steps(name, k, options)
        with tempfile.TemporaryDirectory() as directory:
            run(byoc, models / f"{name}.onnx", target, toolchain, options,
                models / "golden" / golden["vectors"][k]["input"], directory)
            expected = (models / f"golden_onnx/{name}_output_{k}.raw").read_bytes()
            found = pathlib.Path(directory, "out/output_0.raw").read_bytes()
            failures.append((f"input {k} output", compare(found, expected, golden["output"]["dtype"], steps)))
    return failures


def main():
    parser = argparse.ArgumentParser()
    for argument in ("byoc", "models", "name", "target", "toolchain"):
        parser.add_argument(argument)
    parser.add_argument("--inputs", default="0,1,2,3,4")
    for option in ("--no-lift", "--lto"):
        parser.add_argument(option, action="append_const", const=option, dest="options", default=[])
    parser.add_argument("--optimize")
    arguments = parser.parse_args()
    if arguments.optimize:
        arguments.options += ["--optimize", arguments.optimize]
    name, target, toolchain = arguments.name, arguments.target, arguments.toolchain
    models = pathlib.Path(arguments.models)
    if not (models / "golden/golden.json").exists():
        print(f"skipped: no reference models in {models}")
        sys.exit(77)
    inputs = [int(k) for k in arguments.inputs.split(",")]
    is_onnx = name.endswith((".onnx", "_qdq", "_qop"))
    check = check_onnx if is_onnx else check_tflite
    results = check(arguments.byoc, models, name.removesuffix(".onnx"), target, toolchain, arguments.options, inputs)
    failures = [f"{name} on {target} ({toolchain}): {what}: {why}" for what, why in results if why]
    print("\n".join(failures) if failures else f"{name} on {target} ({toolchain}): {len(results)} comparisons, all agree")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
