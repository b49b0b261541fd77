"""Times models of floats and quantised ones on this machine, one thread, each engine for the CPU that is there: the C and the LLVM backend for
the target native, the oneDNN plug-in of examples/dnnl in both flavours, ONNX Runtime. The latter is the npm package
onnxruntime-node, installed into the build folder by this alone. Engines take turns, so that all of them have their share
of whatever else the machine does."""

import array
import json
import os
import shutil
import statistics
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
DNNL = "org.example.dnnl"
SECONDS = "1.0"
LEAST_EQUAL = 1e-3  # outputs may differ by this part of the largest
TARGET = "native"
ROUNDS = 20  # turns of each engine
CPU_TIME = False  # what a process has of the processor, instead of the time that passes: for machines that are busy
BACKENDS = {"C": "c", "LLVM": "llvm,c"}
ENGINES = (*BACKENDS, "dnnl source", "dnnl graph", "ONNX Runtime")
CC = ["cc", "-O2", "-std=gnu11", "-no-pie"]


def quiet(*command, **options):
    """The output, or RuntimeError with the last line of what was said."""
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, stdin=subprocess.DEVNULL, **options)
    if result.returncode != 0:
        lines = (result.stderr.strip() or result.stdout.strip()).splitlines() or ["failed without a word"]
        raise RuntimeError(f"{Path(str(command[0])).name}: {lines[-1]}")
    return result.stdout


def build_plugin(build):
    """The plug-in, built against byoc as it would be installed."""
    prefix, folder = build / "bench/prefix", build / "bench/dnnl"
    quiet("cmake", "--install", build, "--prefix", prefix)
    quiet("cmake", "-G", "Ninja", "-S", ROOT / "examples/dnnl", "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}",
          "-DCMAKE_BUILD_TYPE=Release")
    quiet("cmake", "--build", folder)
    return folder / "dnnl.so"


def install_onnxruntime(build):
    """The folder that node finds the package from, or a reason why it is not there."""
    folder = build / "bench/node"
    if shutil.which("npm") is None or shutil.which("node") is None:
        return None, "npm and node are not installed"
    if not (folder / "node_modules/onnxruntime-node/package.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        try:
            # Its scripts would fetch libraries for GPUs.
            quiet("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder, "onnxruntime-node",
                  timeout=600)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            return None, f"npm cannot install onnxruntime-node ({error})"
    return folder, ""


def build_byoc(byoc, model, values, folder, seconds, *options):
    """A function that runs the model for so many seconds: nanoseconds of one inference."""
    folder.mkdir(parents=True, exist_ok=True)
    quiet(byoc, "export", model, "--target", TARGET, "-q", "-o", folder / "model.a", *options)
    manifest = json.loads(next(folder.glob("*.json")).read_text())
    defines = [f"-DMODEL={manifest['prefix']}", '-DMODEL_HEADER="model.h"',
               f"-DINPUT_BYTES={manifest['inputs'][0]['bytes']}", f"-DOUTPUT_BYTES={manifest['outputs'][0]['bytes']}",
               f"-DWORKSPACE_BYTES={manifest['workspace']['bytes']}"]
    if CPU_TIME:
        defines.append("-DCPU_TIME")
    if manifest.get("instance", {}).get("bytes", 0):
        defines.append("-DHAS_INSTANCE")
    libraries = [f"-l{name}" for name in manifest.get("link_libraries", [])]
    quiet(*CC, "-I", folder, *defines, HERE / "host_main.c", folder / "model.a", *libraries, "-lm", "-o", folder / "main")
    return lambda: float(quiet(folder / "main", values, folder / "output.raw", seconds,
                               env={**os.environ, "OMP_NUM_THREADS": "1"}))


def manifest_of(folder):
    return json.loads(next(folder.glob("*.json")).read_text())


def same(found, expected, dtype):
    """Of integers, off by at most one: engines round where the model does, or once."""
    a, b = (array.array({"f32": "f", "i8": "b", "u8": "B"}[dtype], data) for data in (found, expected))
    most = LEAST_EQUAL * max(map(abs, b)) if dtype == "f32" else 1
    return len(a) == len(b) and all(abs(x - y) <= most for x, y in zip(a, b))


def models(networks, shared):
    """(name, path, input); of each the input is floats between 0 and 1, or bytes, where nobody says otherwise."""
    found = [("vibration_float", ROOT / "examples/demo/vibration_float.onnx", None)]
    for name in ("autoencoder_float", "ds_cnn_float", "resnet8_float", "mobilenet_float", "unet_float"):
        found.append((name, networks / f"{name}.onnx", networks / f"golden/{name}.onnx/input_0.raw"))
    for name in ("lstm_2", "gru_2", "wake_lstm", "kwt1_4", "vit_tiny_2", "minilm_2"):  # tests/networks/sequence.py
        found.append((f"{name}_float", networks / f"{name}_float.onnx", None))
    if shared is not None:
        for name in ("ad_float", "kws_float", "resnet_float"):
            found.append((name, shared / f"{name}.onnx", shared / f"golden/{name}/input_0.raw"))
        for name in ("ad_int8_qdq", "kws_int8_qdq", "resnet_int8_qdq"):
            found.append((name, shared / f"{name}.onnx", None))
        for name in ("light_squeezenet", "light_resnet50"):
            found.append((name, shared / f"onnx_light/{name}.onnx", None))
    return found


def make_input(byoc, model, folder):
    folder.mkdir(parents=True, exist_ok=True)
    quiet(byoc, "export", model, "--target", "host", "-q", "-o", folder / "model.a")
    told = manifest_of(folder)["inputs"][0]
    path = folder / "input.raw"
    if told["dtype"] == "f32":
        size = told["bytes"] // 4
        path.write_bytes(array.array("f", [i / size for i in range(size)]).tobytes())
    else:
        path.write_bytes(bytes((37 * i + 11) % 256 for i in range(told["bytes"])))
    return path


def measure_model(name, path, values, byoc, plugin, node, build, seconds):
    """{engine: milliseconds, or a line of text that says why there are none}"""
    folder = build / "bench/models" / name
    values = values or make_input(byoc, path, folder / "input")
    part = str(float(seconds) / ROUNDS)
    out, runs = {}, {}

    def prepare(engine, make):
        try:
            runs[engine] = make()
        except RuntimeError as error:
            out[engine] = str(error)

    for engine, order in BACKENDS.items():
        prepare(engine, lambda: build_byoc(byoc, path, values, folder / engine, part, "--prefer", order))
    for flavour in ("source", "graph"):
        prepare(f"dnnl {flavour}",
                lambda: build_byoc(byoc, path, values, folder / f"dnnl {flavour}", part, "--plugin", plugin, "--plugin-option",
                                   f"{DNNL}.flavour={flavour}"))
    if node is not None:
        (folder / "ONNX Runtime").mkdir(parents=True, exist_ok=True)
        told = manifest_of(folder / "C")["inputs"][0]
        words = ["node", HERE / "host_onnxruntime.js", path, values, folder / "ONNX Runtime/output.raw", part,
                 {"f32": "float32", "i8": "int8", "u8": "uint8"}[told["dtype"]], ",".join(map(str, told["dims"]))]
        runs["ONNX Runtime"] = lambda: float(quiet(*words, env={**os.environ, "NODE_PATH": str(node / "node_modules")} | ({"BYOC_CPU_TIME": "1"} if CPU_TIME else {})))
    times = {engine: [] for engine in runs}
    for _ in range(ROUNDS):
        for engine in list(runs):
            try:
                times[engine].append(runs[engine]())
            except RuntimeError as error:
                out[engine] = str(error)
                del runs[engine]
    expected = (folder / "C/output.raw").read_bytes()
    for engine in runs:
        right = same((folder / engine / "output.raw").read_bytes(), expected, manifest_of(folder / "C")["outputs"][0]["dtype"])
        out[engine] = statistics.median(times[engine]) / 1e6 if right else "wrong answer"
    return out


def bench(byoc, build, networks, shared, only=None, seconds=SECONDS):
    """Prints the table; returns the figures as records."""
    print("\nModels on this machine, one thread, milliseconds of one inference (median); then how often the time of the")
    if CPU_TIME:
        print("(time of the processor that each process had, for the machine does other things, too)")
    print("LLVM backend fits into that of the C backend, of the faster dnnl flavour and of ONNX Runtime. Above 1, LLVM is faster.\n")
    try:
        plugin = build_plugin(build)
    except RuntimeError as error:
        print(f"the plug-in of examples/dnnl does not build: {error}")
        return [{"host": "dnnl", "error": str(error)}]
    node, reason = install_onnxruntime(build)
    if node is None:
        print(f"without ONNX Runtime: {reason}\n")
    print("model".ljust(18) + "".join(name.rjust(14) for name in ENGINES) + "to C".rjust(7) + "to dnnl".rjust(9) + "to ORT".rjust(8))
    records = []
    for name, path, values in models(networks, shared):
        if only and name not in only:
            continue
        times = measure_model(name, path, values, byoc, plugin, node, build, seconds)
        numbers = {k: v for k, v in times.items() if isinstance(v, float)}
        dnnl = min((numbers[k] for k in ("dnnl source", "dnnl graph") if k in numbers), default=None)
        others = (numbers.get("C"), dnnl, numbers.get("ONNX Runtime"))
        ratios = [f"{time / numbers['LLVM']:.2f}" if time and "LLVM" in numbers else "-" for time in others]
        print(name.ljust(18) + "".join((f"{numbers[e]:.3f}" if e in numbers else "-").rjust(14) for e in ENGINES) +
              ratios[0].rjust(7) + ratios[1].rjust(9) + ratios[2].rjust(8), flush=True)
        record = {"model": name, "host": {k: v for k, v in times.items()}}
        wrong = [f"{k}: {v}" for k, v in times.items() if isinstance(v, str)]
        for text in wrong:
            print(f"  {text}")
        records.append(record | ({"error": "; ".join(wrong)} if wrong else {}))
    return records
