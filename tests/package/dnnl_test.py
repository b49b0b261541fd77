#!/usr/bin/env python3
"""Installs byoc into an empty prefix and builds examples/dnnl against it, in a folder that holds nothing else. Then, for both
flavours: random float graphs against the evaluator; what is refused, and why; real models against the reference backend."""

import array
import json
import os
import random
import re
import struct
import subprocess
from pathlib import Path

import dnnl_graphs
from plugins_test import arguments_of, build_plugin, expect, exported, installed, run

DNNL = "org.example.dnnl"
FLAVOURS = ("source", "graph")
TOLERANCE = 1e-4  # that the plug-in states, relative to the larger of 1 and the value


class Dnnl:
    """The installed tool and plug-in."""

    def __init__(self, byoc):
        self.byoc = byoc

    def __call__(self, command, model, *options, flavour="source", target="host", code=0):
        return run(self.byoc, command, model, "--target", target, "--plugin", DNNL, "--plugin-option",
                   f"{DNNL}.flavour={flavour}", *options, code=code)


def check_random_graphs(dnnl, scratch):
    model, values = Path(scratch, "random.byoc"), Path(scratch, "random.raw")
    for seed in range(8):
        text, size = dnnl_graphs.random_graph(seed)
        model.write_text(text)
        rng = random.Random(seed)
        runs = []
        for i in range(2):
            values = Path(scratch, f"random_{i}.raw")
            values.write_bytes(struct.pack(f"<{size}f", *[rng.uniform(-1, 1) for _ in range(size)]))
            runs += ["--input", values]
        out = dnnl("run", model, *runs, "--compare", "--no-profile", flavour=FLAVOURS[seed % 2])
        expect("tensors agree with the evaluator" in out, out)


def check_fusion(dnnl, scratch):
    """A residual block is two layers, whichever way around it is summed, and leaves one reorder at each border."""
    for operands in ("%x, %b", "%b, %x"):
        model = Path(scratch, "block.byoc")
        model.write_text(f"""graph "block" requant=onnx {{
  input %x : f32[1,8,6,6]
  const %w : f32[8,8,3,3] = splat(0.01)
  const %s : f32[8] = splat(0.5)
  %a = Conv.13(%x, %w) {{pads=[1, 1, 1, 1]}} @"a"
  %n = BatchNormalization.15(%a, %s, %s, %s, %s) @"n"
  %r = Relu.13(%n) @"r"
  %b = Conv.13(%r, %w, %s) {{pads=[1, 1, 1, 1]}} @"b"
  %c = Add.13({operands}) @"c"
  %d = Relu.13(%c) @"d"
  output %d
}}
""")
        values = Path(scratch, "block.raw")
        values.write_bytes(struct.pack("<288f", *[i / 288 - 0.5 for i in range(288)]))
        manifest = {}
        for flavour in FLAVOURS:
            dnnl("run", model, "--input", values, "--compare", "--no-profile", flavour=flavour)
            dnnl("export", model, "-q", "-o", Path(scratch, "block.a"), flavour=flavour)
            manifest[flavour] = json.loads(Path(scratch, "block.json").read_text())
        kernels = [step["kernel"] for step in manifest["source"]["steps"]]
        expect(kernels == ["onednn_reorder", "onednn_conv_relu", "onednn_conv_sum_relu", "onednn_reorder"], kernels)
        expect([step["kernel"] for step in manifest["graph"]["steps"]] == ["onednn_graph"], manifest["graph"])
        expect(all(m["link_libraries"] == ["dnnl"] for m in manifest.values()), manifest)


def check_refusals(dnnl, scratch):
    model = Path(scratch, "refused.byoc")
    for name, case in json.loads((Path(__file__).parent / "dnnl_refusals.json").read_text()).items():
        model.write_text('graph "refused" requant=onnx {\n  ' + "\n  ".join(case["graph"]) + "\n}\n")
        # What the reference backend does not take either is an error with everybody's reasons.
        out = subprocess.run([dnnl.byoc, "partition", model, "--target", "host", "--plugin", DNNL], capture_output=True,
                             text=True)
        expect(re.search(rf"{DNNL}: {re.escape(case['text'])}(;|\n|$)", out.stdout + out.stderr), f"{name}: {out}")
    out = dnnl("partition", model, target="cortex-m4f")
    expect("oneDNN runs on 64-bit hosts, target 'cortex-m4f' is none" in out, out)


def check_export(dnnl, scratch):
    """The same bytes each time."""
    model = Path(scratch, "export.byoc")
    model.write_text(dnnl_graphs.random_graph(3)[0])
    for flavour in FLAVOURS:
        archives = []
        for folder in ("one", "two"):
            Path(scratch, folder).mkdir(exist_ok=True)
            dnnl("export", model, "-q", "-o", Path(scratch, folder, "m.a"), flavour=flavour)
            archives.append(Path(scratch, folder, "m.a").read_bytes())
        expect(archives[0] == archives[1], "two exports have the same bytes")


def floats(path, every=1):
    return array.array("f", path.read_bytes())[::every]


def compare(found, expected, what):
    expect(len(found) == len(expected) != 0, f"{what}: {len(found)} of {len(expected)} elements")
    for index, (a, b) in enumerate(zip(found, expected)):
        expect(abs(a - b) <= TOLERANCE * max(1, abs(b)), f"{what}: found {a}, expected {b} at {index}")


def real_models(scratch, networks):
    """(model, input): networks of tests/networks; ResNet-50 where ../shared is."""
    yield networks / "resnet8_float.onnx", networks / "golden/resnet8_float.onnx/input_0.raw"
    yield networks / "resnet8_float.tflite", networks / "golden/resnet8_float/input_0.raw"
    yield networks / "mobilenet_float.onnx", networks / "golden/mobilenet_float.onnx/input_0.raw"
    shared = os.environ.get("BYOC_SHARED", networks.parents[2] / "shared")
    resnet50 = Path(shared, "models/onnx_light/light_resnet50.onnx")
    if resnet50.exists():
        light, count = Path(scratch, "light.raw"), 3 * 224 * 224
        light.write_bytes(array.array("f", [i / count for i in range(count)]).tobytes())
        yield resnet50, light


def check_real_models(dnnl, scratch, networks):
    for model, values in real_models(scratch, networks):
        dnnl("partition", model, "-q", "--require-coverage", f"{DNNL}=100%macs")
        folder = Path(scratch, model.name)
        common = ["--input", values, "--no-profile", "-q"]
        run(dnnl.byoc, "run", model, "--target", "host", *common, "--output-dir", folder / "c", "--dump-tensors",
            folder / "c_tensors")
        for flavour in FLAVOURS:
            dnnl("run", model, *common, "--output-dir", folder / flavour, "--dump-tensors", folder / f"{flavour}_tensors",
                 flavour=flavour)
            compare(floats(folder / flavour / "output_0.raw"), floats(folder / "c/output_0.raw"), f"{model.name}, {flavour}")
        # Every 101st element of every tensor.
        found, expected = ({f.name.split("_", 1)[-1]: f for f in (folder / f"{by}_tensors").glob("*.raw")}
                           for by in ("source", "c"))
        names = sorted(found.keys() & expected.keys())
        expect(len(names) >= 10, names)
        for name in names:
            compare(floats(found[name], 101), floats(expected[name], 101), f"{model.name}, {name}")


def main():
    arguments = arguments_of(__doc__)
    os.environ["OMP_NUM_THREADS"] = "1"  # tests run side by side
    with installed(arguments.build) as (scratch, prefix):
        build_plugin(arguments.source / "examples/dnnl", scratch, prefix)
        symbols = exported(prefix / "lib/byoc/plugins/dnnl.so")
        expect(symbols == ["byoc_plugin_query_v1"], symbols)
        dnnl = Dnnl(prefix / "bin/byoc")
        listed = run(dnnl.byoc, "plugins", "--load", "--plugin", DNNL)
        expect(f"{DNNL}.flavour=<source|graph>" in listed, listed)
        check_refusals(dnnl, scratch)
        if not Path("/usr/include/oneapi/dnnl/dnnl.h").exists():
            print("oneDNN (libdnnl-dev) is not installed, so nothing ran")
            return
        check_fusion(dnnl, scratch)
        check_export(dnnl, scratch)
        check_random_graphs(dnnl, scratch)
        check_real_models(dnnl, scratch, arguments.build.resolve() / "networks")


if __name__ == "__main__":
    main()
