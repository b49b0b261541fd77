#!/usr/bin/env python3
"""Installs byoc into an empty prefix and builds the examples that lie there, as they are, against it: a codegen that brings
a library's sources, one that brings it compiled, one that links one, and a firmware, without a warning of CMake's. Then what
docs/bring-your-library.md says of each."""

import os
import random
import shutil
from pathlib import Path

from plugins_test import arguments_of, expect, installed, run

SOURCES, PREBUILT, SECOND, LINKED = ("org.example.tiny-nn", "org.example.tiny-nn-prebuilt", "org.example.tiny-nn-two",
                                     "org.example.openblas")


def model_text():
    """Every function of the library, in TensorFlow Lite's rounding."""
    rng = random.Random(1)

    def constant(name, element, dims, quantisation, low, high):
        count = 1
        for d in dims:
            count *= d
        elements = ", ".join(str(rng.randint(low, high)) for _ in range(count))
        return f"  const %{name} : {element}{list(dims)}{quantisation} = [{elements}]\n".replace(" [", "[", 1)

    return ("graph \"tiny\" requant=tflite {\n  input %x : i8[1,8,8,4] q(0.02, 3)\n"
            + constant("w", "i8", (4, 3, 3, 4), " q(0.01, 0)", -127, 127) + constant("b", "i32", (4,), "", -500, 500)
            + constant("d", "i8", (10, 16), " q(0.02, 0)", -127, 127) +
            """  %c : i8[1,8,8,4] q(0.03, -5) = Conv.11(%x, %w, %b) {data_layout="NHWC", filter_layout="OHWI", kernel_shape=[3, 3], pads=[1, 1, 1, 1], activation="relu6"} @"conv"
  %s : i8[1,8,8,4] q(0.04, 1) = Add.14(%c, %x) @"add"
  %m : i8[1,4,4,4] q(0.04, 1) = MaxPool.12(%s) {data_layout="NHWC", kernel_shape=[2, 2], strides=[2, 2]} @"max"
  %a : i8[1,2,2,4] q(0.04, 1) = AveragePool.11(%m) {data_layout="NHWC", kernel_shape=[2, 2], strides=[2, 2]} @"average"
  %f : i8[1,10] q(0.1, 0) = byoc.FullyConnected.1(%a, %d) @"dense"
  %y : i8[1,10] q(0.00390625, -128) = Softmax.13(%f) @"softmax"
  output %y
}
""")


def build(example, scratch, prefix, name=None, change=None, **environment):
    """The installed example, without a warning; `change` edits its texts first."""
    folder = Path(scratch, name or example.name)
    shutil.copytree(example, folder)
    for path in (folder.rglob("*") if change else ()):
        if path.suffix in (".txt", ".cpp"):
            path.write_text(change(path.read_text()))
    said = run("cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
               env={**os.environ, **environment})
    expect("Warning" not in said, said)
    run("cmake", "--build", folder / "build")
    run("cmake", "--install", folder / "build", "--prefix", prefix)


def check_libraries(byoc, scratch):
    model, values = Path(scratch, "tiny.byoc"), Path(scratch, "x.raw")
    model.write_text(model_text())
    values.write_bytes(bytes(random.Random(2).randrange(256) for _ in range(256)))
    for target in ("host", "cortex-m4f"):
        for plugin in (SOURCES, PREBUILT):
            out = run(byoc, "run", model, "--target", target, "--input", values, "--compare", "--plugin", plugin)
            expect("tensors agree with the evaluator" in out, out)
            said = run(byoc, "partition", model, "--target", target, "--plugin", plugin, "--require-coverage",
                       f"{plugin}=100%")
            expect("100.0 % of nodes" in said, said)
    said = run(byoc, "partition", model, "--target", "cortex-m7", "--plugin", PREBUILT)
    expect("there is no library for target cortex-m7" in said, said)
    # Two plug-ins with one library, each with half of the layers: its members are there once.
    pins = [word for node in ("conv", "max", "dense") for word in ("--pin", f"{node}={SECOND}")]
    out = Path(scratch, "both.a")
    run(byoc, "export", model, "--target", "cortex-m4f", "-q", "--plugin", SOURCES, "--plugin", SECOND, *pins, "-o", out)
    members = run("ar", "t", out).split()
    for name in ("convolve_s8", "pool_s8", "add_s8", "softmax_s8", "fully_connected_s8"):
        expect(members.count(f"tn_{name}.o") == 1, members)
    out = run(byoc, "run", model, "--target", "cortex-m4f", "--input", values, "--compare", "--plugin", SOURCES, "--plugin",
              SECOND, *pins)
    expect("tensors agree with the evaluator" in out, out)


def check_linked(byoc, scratch):
    model, values = Path(scratch, "product.byoc"), Path(scratch, "p.raw")
    model.write_text('graph "p" requant=onnx { input %x : f32[2,3] const %w : f32[3,2] = [1, 2, 3, 4, 5, 6] '
                     '%y : f32[2,2] = MatMul.13(%x, %w) output %y }')
    values.write_bytes(bytes(24))
    said = run(byoc, "partition", model, "--target", "host", "--plugin", LINKED, "--require-coverage", f"{LINKED}=100%")
    expect("100.0 % of nodes" in said, said)
    if not shutil.which("cc") or "openblas" not in run("ldconfig", "-p"):
        print("no libopenblas here: nothing is linked")
        return
    out = run(byoc, "run", model, "--target", "host", "--input", values, "--compare", "--plugin", LINKED)
    expect("agree with the evaluator" in out, out)
    out = run(byoc, "check-plugin", LINKED, "--strict", "--graphs", "5")
    expect(" 0 failed" in out, out)


def check_embed_errors(prefix, scratch):
    """What CMake says of files that are not there, or twice."""
    def refused(name, entries, languages="CXX"):
        folder = Path(scratch, name)
        folder.mkdir()
        (folder / "a.cpp").write_text("")
        (folder / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES {languages})\nfind_package(byoc REQUIRED)\n"
            f"byoc_add_plugin(p ID a.b VERSION 1.0 SOURCES a.cpp EMBED {entries})\n")
        said = run("cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}", code=1)
        return " ".join(said.split())

    expect("there is no file" in refused("none", "none.a"), "a file that is not there")
    expect("two files to EMBED are called a.cpp; say <name>=<file>" in refused("twice", "a.cpp a.cpp"), "one name twice")
    expect("EMBED is for plug-ins in C++" in refused("c", "a.cpp", "C"), "a plug-in in C")


def main():
    arguments = arguments_of(__doc__)
    with installed(arguments.build) as (scratch, prefix):
        byoc, documents = prefix / "bin/byoc", prefix / "share/doc/byoc"
        expect((documents / "docs/bring-your-library.md").exists() and (documents / "README.md").exists(), "documents")
        examples = documents / "examples"
        build(examples / "cmsis-nn-like", scratch, prefix)
        build(examples / "cmsis-nn-like", scratch, prefix, name="second",
              change=lambda text: text.replace("tiny_nn.cpp", "@").replace("tiny_nn", "tiny_two")
              .replace("tiny-nn", "tiny-nn-two").replace("tiny-nn-two-prebuilt", "tiny-nn-two-compiled")
              .replace("tiny_two.h", "tiny_nn.h").replace("@", "tiny_nn.cpp"))
        build(examples / "openblas", scratch, prefix)
        lines = sum(len(path.read_text().splitlines()) for path in (examples / "cmsis-nn-like/plugin").iterdir())
        expect(lines <= 250, f"the plug-in for six operators has at most 250 lines, but {lines}")
        check_libraries(byoc, scratch)
        check_linked(byoc, scratch)
        check_embed_errors(prefix, scratch)
        out = run(byoc, "check-plugin", SOURCES, "--target", "cortex-m4f", "--strict", "--graphs", "5")
        expect(" 0 failed" in out and "ok      coverage" in out, out)


if __name__ == "__main__":
    main()
