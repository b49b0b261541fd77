"""Models through the LLVM backend on many targets: exact as golden.py has it, with a report of which nodes went where and, on
simulated boards, instructions beside the C backend's.

usage: llvm_matrix.py BYOC MODELS_DIR [--model NAME ...] [--target NAME ...] [--inputs 0,1] [--json FILE]

Without names: all models of golden/golden.json with their ONNX forms, on every level of x86-64, AArch64, RISC-V with
vectors, Cortex-M4F and M55. Exit code 77 means skipped: the models are not there.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

import golden

TARGETS = ("x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64-linux-gnu", "riscv64gcv", "cortex-m4f", "cortex-m55")
PREFER = ["--prefer", "llvm,c"]


def has_level(target):
    """Whether this machine runs it, where it is one of x86-64."""
    needed = {"x86-64-v3": "avx2", "x86-64-v4": "avx512bw"}.get(target)
    return needed is None or needed in pathlib.Path("/proc/cpuinfo").read_text()


def names_of(models):
    names = list(json.loads((models / "golden/golden.json").read_text())["models"])
    stems = sorted(f.stem for f in models.glob("*.onnx"))
    known = {n.split(".")[0].removesuffix("_qdq").removesuffix("_qop") for n in names}
    forms = [s for s in stems if s.removesuffix("_qdq").removesuffix("_qop") in known]
    # A float model in both forms: the ONNX one has a name of its own.
    return names + [f"{s}.onnx" if s in names else s for s in forms]


def placed(byoc, model, target, folder):
    report = folder / "report.json"
    golden_command = [byoc, "partition", str(model), "--target", target, *PREFER, "--report", str(report), "-q"]
    subprocess.run(golden_command, check=True, capture_output=True)
    out = collections.defaultdict(collections.Counter)
    for node in json.loads(report.read_text())["nodes"]:
        out[node["codegen"]][node["op"]] += 1
    return {codegen: dict(ops) for codegen, ops in out.items()}


def instructions(byoc, known, target, options, folder):
    stats = folder / "stats.json"
    command = [byoc, "run", str(known.model), "--target", target, "--input", str(known.inputs[0][0]), "-q", "--no-profile",
               "--stats", str(stats), *options]
    subprocess.run(command, check=True, capture_output=True)
    return json.loads(stats.read_text())["instructions"]


def check(byoc, known, target, inputs):
    with tempfile.TemporaryDirectory() as temporary:
        folders = golden.run(byoc, known, target, "clang", PREFER, inputs, temporary)
        differences = [f"{what}: {wrong}" for k, (outputs, dumps) in zip(inputs, folders)
                       for what, wrong in golden.check(known, k, outputs, dumps, PREFER) if wrong]
        out = {"model": known.name, "target": target, "nodes": placed(byoc, known.model, target, pathlib.Path(temporary)),
               "differences": differences}
        if target.startswith("cortex"):
            for name, options in (("llvm,c", PREFER), ("c", ["--prefer", "c"])):
                out.setdefault("instructions", {})[name] = instructions(byoc, known, target, options, pathlib.Path(temporary))
    return out


def show(row):
    nodes = "; ".join(f"{codegen}: " + ", ".join(f"{n} {op}" for op, n in sorted(ops.items()))
                      for codegen, ops in sorted(row["nodes"].items()))
    counted = row.get("instructions")
    cost = f"  {counted['llvm,c']:,} instructions, C {counted['c']:,}" if counted else ""
    print(f"{row['model']:22} {row['target']:18} {'agrees ' if not row['differences'] else 'DIFFERS'} {nodes}{cost}", flush=True)
    for difference in row["differences"][:3]:
        print(f"    {difference}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("byoc")
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--model", action="append")
    parser.add_argument("--target", action="append")
    parser.add_argument("--inputs", default="0")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    if not (arguments.models / "golden/golden.json").exists():
        print(f"skipped: no golden/golden.json in {arguments.models}")
        sys.exit(77)
    rows = []
    for name in arguments.model or names_of(arguments.models):
        known = golden.Golden(arguments.models, name)
        inputs = [k for k in map(int, arguments.inputs.split(",")) if k < len(known.inputs)]
        for target in arguments.target or TARGETS:
            if not has_level(target):
                print(f"{name:22} {target:18} skipped: this machine has no such level")
                continue
            rows.append(check(arguments.byoc, known, target, inputs))
            show(rows[-1])
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")
    bad = [r for r in rows if r["differences"]]
    print(f"{len(rows)} runs, {len(bad)} differ")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
