"""Runs a model by ONNX Runtime or TensorFlow Lite, for `byoc compare`.

usage: engine.py onnxruntime|tflite MODEL FOLDER
FOLDER has inputs.json, the names of the inputs, with input_0.npy ..., and maybe all.onnx, the model with its intermediate
values as outputs. Written: output_0.npy ..., tensor_0.npy ... and results.txt: lines with the engine, the number of outputs, and
of each tensor the index (-1: none) and the name. Exit code 3: the engine is not installed.
"""

import importlib
import json
import os
import sys

NOT_INSTALLED = 3


def first_module(names):
    for name in names:
        try:
            return name, importlib.import_module(name)
        except ImportError:
            continue
    sys.exit(NOT_INSTALLED)


def run_onnx(module, path, inputs, optimised):
    options = module.SessionOptions()
    options.log_severity_level = 3
    levels = module.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimised else levels.ORT_DISABLE_ALL
    session = module.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return list(zip(names, session.run(names, inputs)))


def onnxruntime(model, folder, names, arrays):
    _, module = first_module(["onnxruntime"])
    inputs = dict(zip(names, arrays))
    said = f"ONNX Runtime {module.__version__}"
    try:
        results = run_onnx(module, model, inputs, True)
    except Exception as error:  # some models only run as they are
        results = run_onnx(module, model, inputs, False)
        said += f" without optimisation, with which it fails: {error}"
    outputs = [array for _, array in results]
    tensors = []
    if os.path.exists(os.path.join(folder, "all.onnx")):
        tensors = [(name, -1, array) for name, array in run_onnx(module, os.path.join(folder, "all.onnx"), inputs, False)]
    return said, outputs, tensors


def tflite(model, folder, names, arrays):
    name, module = first_module(["ai_edge_litert.interpreter", "tflite_runtime.interpreter", "tensorflow"])
    module = module.lite if name == "tensorflow" else module
    interpreter = module.Interpreter(model_path=model, experimental_preserve_all_tensors=True)
    places = interpreter.get_input_details()
    for place, array in zip(places, arrays):
        interpreter.resize_tensor_input(place["index"], array.shape)
    interpreter.allocate_tensors()
    for place, array in zip(places, arrays):
        interpreter.set_tensor(place["index"], array)
    interpreter.invoke()
    outputs = [interpreter.get_tensor(place["index"]) for place in interpreter.get_output_details()]
    tensors = []
    for place in interpreter.get_tensor_details():
        try:
            tensors.append((place["name"], int(place["index"]), interpreter.get_tensor(place["index"])))
        except ValueError:  # it has no data
            continue
    return f"TensorFlow Lite ({name.split('.')[0]})", outputs, tensors


ENGINES = {"onnxruntime": onnxruntime, "tflite": tflite}


def main():
    engine, model, folder = sys.argv[1:]
    try:
        import numpy
    except ImportError:
        sys.exit(NOT_INSTALLED)
    with open(os.path.join(folder, "inputs.json")) as file:
        names = json.load(file)
    arrays = [numpy.load(os.path.join(folder, f"input_{i}.npy")) for i in range(len(names))]
    said, outputs, tensors = ENGINES[engine](model, folder, names, arrays)
    for i, array in enumerate(outputs):
        numpy.save(os.path.join(folder, f"output_{i}.npy"), array)
    for i, (_, _, array) in enumerate(tensors):
        numpy.save(os.path.join(folder, f"tensor_{i}.npy"), array)
    lines = [said, str(len(outputs)), *(f"{index} {name}" for name, index, _ in tensors)]
    with open(os.path.join(folder, "results.txt"), "w", encoding="utf-8", newline="\n") as file:
        file.write("".join(" ".join(line.splitlines()) + "\n" for line in lines))


main()
