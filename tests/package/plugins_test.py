#!/usr/bin/env python3
"""Installs byoc into an empty prefix; builds the example plug-ins in a folder that holds nothing else, against it; installs
them too; runs a model that they share with the reference backend, on the host and as firmware, against the evaluator."""

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import struct
import sys
import tempfile
from pathlib import Path

import vendor_operators

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from commands import expect, run  # noqa: E402

WARNINGS = "-Wall -Wextra -Wpedantic -Werror"
HELLO, PLAIN, BITCODE = "org.example.hello", "org.example.plain-c", "org.example.bitcode"


def arguments_of(description):
    """--source and --build, which every test of the installed byoc is given."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--source", required=True, type=lambda p: Path(p).resolve())
    parser.add_argument("--build", required=True, type=Path)
    return parser.parse_args()


@contextlib.contextmanager
def installed(build):
    """A folder that is HOME, and byoc installed in it: {folder, prefix}. No plug-in of this machine is found."""
    for variable in ("BYOC_PLUGIN_PATH", "XDG_DATA_HOME"):
        os.environ.pop(variable, None)
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["HOME"] = scratch
        prefix = Path(scratch, "installed")
        run("cmake", "--install", build, "--prefix", prefix)
        yield scratch, prefix


def build_plugin(source, scratch, prefix):
    folder = Path(scratch, source.name)
    shutil.copytree(source, folder)
    run("cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
        "-DCMAKE_BUILD_TYPE=Release", env={**os.environ, "CFLAGS": WARNINGS, "CXXFLAGS": WARNINGS})
    run("cmake", "--build", folder / "build")
    run("cmake", "--install", folder / "build", "--prefix", prefix)


def check_size(prefix):
    """What is installed has neither symbols nor debug information."""
    for file in (prefix / "bin" / "byoc", prefix / "lib" / "libbyoc.so"):
        sections = run("readelf", "-SW", file)
        expect(".symtab" not in sections and ".debug" not in sections, f"{file} is stripped")
    size = Path(prefix, "bin", "byoc").stat().st_size
    program = run("readelf", "--wide", "--dynamic", "--segments", "--dyn-syms", prefix / "bin" / "byoc")
    for mark in ("GNU_RELRO", "BIND_NOW", "__stack_chk_fail", "__memcpy_chk"):
        expect(mark in program, f"byoc is hardened: {mark}")
    expect(size < 130_000_000, f"byoc has less than 130 MB, but {size} bytes")


def exported(library):
    lines = run("nm", "-D", "--defined-only", library).splitlines()
    return [line.split()[-1] for line in lines]


def exported_functions(archive):
    out = run("llvm-nm-19", "--defined-only", "--extern-only", "--format=posix", archive)
    return [line.split()[0] for line in out.splitlines() if " T " in line]


def check_runs(byoc, model, scratch):
    random.seed(1)
    values = Path(scratch, "x.raw")
    values.write_bytes(struct.pack("<288f", *[random.uniform(-2, 2) for _ in range(288)]))
    both = ["--plugin", HELLO, "--plugin", PLAIN, "--prefer", PLAIN]
    for target in ("host", "cortex-m4f"):
        for plugins in (both, ["--plugin", HELLO], ["--plugin", PLAIN],
                        ["--plugin", HELLO, "--plugin-option", f"{HELLO}.add=false"], [*both, "--lto"]):
            out = run(byoc, "run", model, "--target", target, "--input", values, "--compare", *plugins)
            expect("all" in out and "tensors agree with the evaluator" in out, out)
            expect(("plain_add" in out) == (PLAIN in plugins), out)
    archives = []
    for folder in ("one", "two"):
        Path(scratch, folder).mkdir()
        run(byoc, "export", model, "--target", "cortex-m4f", *both, "-q", "-o", Path(scratch, folder, "m.a"))
        archives.append(Path(scratch, folder, "m.a").read_bytes())
    expect(archives[0] == archives[1], "two exports have the same bytes")


def check_bitcode(byoc, scratch):
    """A model becomes a tree of LLVM and C modules by itself; every tensor is what the evaluator computes."""
    model = Path(scratch, "bitcode.byoc")
    model.write_text("""graph "bitcode" requant=onnx {
  input %x : f32[3,7]
  input %y : f32[3,7]
  %a : f32[3,7] = Add.14(%x, %y) @"sum"
  %b : f32[3,7] = Mul.14(%a, %x) @"product"
  %c : f32[3,7] = Sigmoid.13(%b) @"squash"
  %d : f32[3,7] = Sub.14(%c, %y) @"difference"
  %e : f32[3,7] = Neg.13(%d) @"turned"
  %f : f32[3,7] = Add.14(%e, %a) {activation="relu"} @"fused"
  output %f
  output %b
}
""")
    values = []
    for name in "xy":
        values += ["--input", Path(scratch, name + ".raw")]
        values[-1].write_bytes(struct.pack("<21f", *[random.uniform(-2, 2) for _ in range(21)]))
    for target in ("host", "cortex-m4f", "cortex-m55", "cortex-m0plus", "riscv32imc"):
        for linked in ([], ["--lto"]):
            out = run(byoc, "run", model, "--target", target, "--plugin", BITCODE, "--compare", *linked, *values)
            expect(sum(" bitcode " in line for line in out.splitlines()) == 4, out)
            expect("tensors agree with the evaluator" in out, out)
    run(byoc, "export", model, "--target", "cortex-m4f", "--plugin", BITCODE, "--lto", "-q", "-o",
        Path(scratch, "linked.a"))
    functions = [name for name in exported_functions(Path(scratch, "linked.a")) if "__header_is_of_" not in name]
    expect(functions == ["bitcode_run"], "the steps of the plug-in are inlined")
    report = Path(scratch, "bitcode.json")
    run(byoc, "partition", model, "--target", "cortex-m4f", "--plugin", BITCODE, "--plugin", HELLO, "--plugin", PLAIN,
        "--report", report)
    nodes = {node["name"]: node for node in json.loads(report.read_text())["nodes"]}
    expect(nodes["fused"]["codegen"] == "c", nodes["fused"])
    refusals = {v["codegen"]: v.get("text") for v in nodes["fused"]["verdicts"]}
    expect(refusals[BITCODE] == "no fused activation is known" and refusals[PLAIN] == "no attributes are known" and
           refusals[HELLO] == "hello does not fuse activations", refusals)


def calls_of(library, symbol):
    """What a function of a shared library calls, as objdump shows it."""
    text = run("objdump", "-d", "--no-show-raw-insn", f"--disassemble={symbol}", library)
    return [line.split()[-1] for line in text.splitlines() if "\tcall" in line]


def check_bitcode_and_c(byoc, scratch):
    """A loop in LLVM around a C function: with --lto there is no call left. Weights by reference."""
    model = Path(scratch, "soft.byoc")
    weights = struct.pack("<161f", *[random.uniform(-1, 1) for _ in range(161)]).hex()
    model.write_text(f"""graph "soft" requant=onnx {{
  input %x : f32[40,7]
  const %w : f32[7,23] = hex"{weights}"
  %a : f32[40,7] = Softsign.1(%x) @"soft"
  %b : f32[40,23] = MatMul.13(%a, %w) @"product"
  output %b
}}
""")
    for target in ("host", "native", "cortex-m4f", "cortex-m55"):
        for linked in ([], ["--lto"]):
            out = run(byoc, "run", model, "--target", target, "--plugin", BITCODE, "--fill", "random:3", "--compare", *linked)
            expect("tensors agree with the evaluator" in out, out)
    apart, together = Path(scratch, "apart.so"), Path(scratch, "together.so")
    common = ["--target", "x86-64-v3", "--optimize", "speed", "--plugin", BITCODE, "-q", "--name", "soft"]
    run(byoc, "export", model, *common, "-o", apart)
    run(byoc, "export", model, *common, "--lto", "-o", together)
    called = calls_of(apart, "soft_bitcode_Softsign")
    expect(any("softsign" in c for c in called), f"without --lto the C function is called: {called}")
    code = run("objdump", "-d", "--no-show-raw-insn", together)
    expect("softsign" not in code.lower(), "with --lto nothing of the C function's name is left")
    expect(not [c for c in calls_of(together, "soft_run") if "plt" not in c], code)
    expect("vdivss" in code, "what the C function computes is in the loop")
    # The weights are in the library as they were described, and in no module.
    with tempfile.TemporaryDirectory() as work:
        run(byoc, "export", model, *common, "-o", Path(work, "m.a"), "--work-dir", Path(work, "w"))
        modules = [f.read_bytes() for f in Path(work, "w").rglob("*.bc")]
        expect(modules and not any(bytes.fromhex(weights)[:32] in m for m in modules), "no module has weights")


def check_report(byoc, model, scratch):
    report = Path(scratch, "report.json")
    command = [byoc, "partition", model, "--target", "cortex-m4f", "--plugin", HELLO, "--plugin", PLAIN, "--prefer", PLAIN]
    out = run(*command, "--report", report, "--require-coverage", f"{HELLO}=50%")
    expect("%" in out, out)
    nodes = {node["name"]: node for node in json.loads(report.read_text())["nodes"]}
    owners = {name: node["codegen"] for name, node in nodes.items()}
    expect(owners == {"conv": "c", "relu": HELLO, "skip": PLAIN, "bias": HELLO, "positive": HELLO, "squash": "c"}, owners)
    expect(nodes["skip"]["decided_by"] == "order" and nodes["skip"]["against"] == HELLO, nodes["skip"])
    refusals = {v["codegen"]: v.get("text") for v in nodes["bias"]["verdicts"]}
    expect(refusals[PLAIN] == "constant inputs are not known", refusals)
    out = run(*command, "-q", "--require-coverage", f"{HELLO}=51%", "--require-coverage", "c=100%macs", code=1)
    expect(f"'{HELLO}': covers less than was required (found 50.0 % of nodes, expected 51 %)" in out, out)
    expect("'c'" not in out, out)
    run(*command, "--pin", "skip=c", "--report", Path(scratch, "report.html"))
    expect("could take it" in Path(scratch, "report.html").read_text(), "the page says who could have taken a node")


def by_callback(program, model, folder):
    """The sources of a model go through a compiler of the program's, which is tried like any other."""
    folder.mkdir()
    arm = "arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16"
    out = run(program, model, "cortex-m4f", "m.a", HELLO, cwd=folder,
              env={**os.environ, "HOST_API_CC": f"{arm} -mfloat-abi=hard"})
    manifest = json.loads((folder / "m.a.by_cc.json").read_text())
    expect(f"{len(manifest['constants'])} constants for cortex-m4f" in out, out)
    expect((folder / "by_cc/constants/constants.c").exists(), "the callback for constants")
    expect(manifest["toolchain"] == "our cc", manifest["toolchain"])
    expect({"by_cc.o", "by_cc_steps.o"} <= set(run("ar", "t", folder / "m.a.by_cc.a").split()), "its objects")
    out = run(program, model, "cortex-m4f", "soft.a", HELLO, cwd=folder, code=1,
              env={**os.environ, "HOST_API_CC": f"{arm} -mfloat-abi=soft"})
    expect("our cc" in out and "does not fit target cortex-m4f" in out, out)


def check_tools(program, byoc, model, scratch):
    """What the tool does beside the export, a program does through the API, and it comes out the same."""
    folder = Path(scratch, "tools")
    folder.mkdir()
    values = folder / "x.raw"
    values.write_bytes(struct.pack("<288f", *[i / 64 - 2 for i in range(288)]))
    out = run(program, model, values, folder)
    for line in (r"[1-9]\d* targets", r"[1-9]\d* nodes, with their steps", r"compared [1-9]\d* tensors of 2 runs, \d+ exact, no "
                 "difference", r"[1-9]\d* steps counted, [1-9]\d* dumped, .*: 1", "exported m for host, the same outputs",
                 r"\d+ constants verified, \d+ regions", "script 1, header 1", "imported graph", r"library m for host: [1-9]\d* "
                 "modules", "archive m, version 7",
                 "refused: steps and tensors of a library that was exported before are not known",
                 "refused: the model was compiled without ExportRequest::trace", "error: the codegens have ended"):
        expect(re.search(f"^{line}$", out, re.MULTILINE), f"{line}: {out}")
    run(byoc, "pack", folder / "m", "-o", folder / "by_tool.a")
    expect((folder / "by_tool.a").read_bytes() == (folder / "m.a").read_bytes(), "packed as by the tool")
    expect((folder / "table.h").exists() and (folder / "glue.a").exists() and (folder / "data.h").exists(), "all are there")


def check_host_api(source, byoc, prefix, model, scratch):
    """A program that is linked with byoc::byoc sees and exports what the tool does; the library shows nothing else."""
    folder = Path(shutil.copytree(source / "tests/package/host_api", Path(scratch, "host_api")))
    run("cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
        env={**os.environ, "CXXFLAGS": WARNINGS})
    run("cmake", "--build", folder / "build")
    program = folder / "build/host_api"
    ours, theirs = Path(scratch, "api"), Path(scratch, "tool")
    for path in (ours, theirs):
        path.mkdir()
    out = run(program, model, "cortex-m4f", ours / "mixed.a", HELLO)
    expect("input x: f32" in out and f"Relu 'relu': {HELLO} (order)" in out and "steps, workspace" in out, out)
    run(byoc, "export", model, "--target", "cortex-m4f", "--plugin", HELLO, "-q", "-o", theirs / "mixed.a")
    by_callback(program, model, Path(scratch, "callback"))
    for name in sorted(path.name for path in theirs.iterdir()):
        expect((ours / name).read_bytes() == (theirs / name).read_bytes(), f"{name} is the tool's to the byte")
    out = run(program, model, "cortex-m99", ours / "mixed.a", code=1)
    expect("error" in out and "cortex-m99" in out, out)
    out = run(program, model, "cortex-m4f", ours / "mixed.a", "org.example.nobody", code=1)
    expect("org.example.nobody" in out, out)
    out = run(program, model, "host", ours / "host.so", HELLO)
    expect(re.search(r"loaded mixed, c, [1-9][0-9]* imports, [1-9][0-9]{2,} bytes of manifest", out), out)
    check_tools(folder / "build/host_tools", byoc, model, scratch)
    names = run("nm", "-DC", "--defined-only", "--extern-only", prefix / "lib/libbyoc.so")
    # The C++ API, and that of byoc/rt/runtime.h.
    ours_all = re.compile(r" (byoc::|byoc_model_\w+$|byoc_thread_pool_\w+$|byoc_runtime_version$)")
    strangers = [line for line in names.splitlines() if not ours_all.search(line)]
    expect(not strangers, strangers)
    expect("byoc::ir::" not in names and "::Impl::" not in names, names)


def random_graph(count):
    """Graph text of float nodes, each of which reads the one before it and perhaps one further back."""
    lines = ['graph "random" requant=onnx {', "  input %0 : f32[24]"]
    for n in range(1, count + 1):
        op, arity = random.choice((("Relu.13", 1), ("Add.13", 2), ("Add.13", 2), ("Neg.13", 1), ("Sigmoid.13", 1)))
        operands = f"%{n - 1}" + (f", %{random.randrange(max(0, n - 6), n)}" if arity == 2 else "")
        lines.append(f"  %{n} : f32[24] = {op}({operands}) #{n}")
    return "\n".join(lines + [f"  output %{count}", "}"]) + "\n"


def check_random_partitions(byoc, scratch):
    """Whatever part of a graph a plug-in gets, every tensor is what the evaluator computes for the whole."""
    values = Path(scratch, "r.raw")
    model = Path(scratch, "random.byoc")
    for seed in range(5):
        random.seed(seed)
        model.write_text(random_graph(30))
        values.write_bytes(struct.pack("<24f", *[random.uniform(-1, 1) for _ in range(24)]))
        pins = [word for n in range(1, 31) if random.randrange(3) == 0 for word in ("--pin", f"#{n}=c")]
        out = run(byoc, "run", model, "--target", "host", "--input", values, "--compare", "--no-profile", "--plugin", HELLO,
                  "--plugin", PLAIN, "--prefer", random.choice((HELLO, PLAIN)), *pins)
        expect("tensors agree with the evaluator" in out, out)


def main():
    arguments = arguments_of(__doc__)
    with installed(arguments.build) as (scratch, prefix):
        byoc = prefix / "bin" / "byoc"
        check_size(prefix)
        for example in ("hello-plugin", "plain-c-plugin", "bitcode-plugin", "vendor-operators"):
            build_plugin(arguments.source / "examples" / example, scratch, prefix)
        for name in ("hello", "plain_c", "bitcode", "vendor_operators"):
            symbols = exported(prefix / "lib/byoc/plugins" / f"{name}.so")
            expect(symbols == ["byoc_plugin_query_v1"], symbols)
        listed = run(byoc, "plugins")
        expect(all(id in listed for id in (HELLO, PLAIN, BITCODE)) and "cannot be used" not in listed, listed)
        expect(f"{HELLO}.add=<true|false>  claim Add as well (default true)" in
               run(byoc, "plugins", "--load", "--plugin", HELLO), "the options are shown")
        model = Path(shutil.copy(arguments.source / "tests/package/mixed.byoc", scratch))
        check_report(byoc, model, scratch)
        check_runs(byoc, model, scratch)
        check_bitcode(byoc, scratch)
        check_bitcode_and_c(byoc, scratch)
        check_host_api(arguments.source, byoc, prefix, model, scratch)
        check_random_partitions(byoc, scratch)
        vendor_operators.check(byoc, scratch, run, expect)
        for id in (HELLO, PLAIN, BITCODE):
            out = run(byoc, "check-plugin", id, "--graphs", "5", "--shapes", "2")
            expect(" 0 failed" in out and "ok      agreement" in out, out)


if __name__ == "__main__":
    main()
