#!/usr/bin/env python3
"""The cost model against QEMU's counts: the estimate of every layer of int8 networks, and the code of every kernel, by
CPU and objective. QEMU counts the same on any machine.

    costs.py BYOC MODELS NETWORK,NETWORK... CPU...

A layer may be 25 % and 250 instructions off, all of a model's together 10 %. A softmax is estimated for inputs near the
largest: how many are far from it, and cost less, is a matter of the data, so that no estimate is too large for it. What
size takes may be at most 2.5 times what speed does. The report says what the statistics say.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

OBJECTIVES = ("speed", "balanced", "size")
LAYER, WHOLE, FEW = 0.25, 0.1, 250


def statistics(byoc, models, name, cpu, objective, folder):
    stats = Path(folder, "stats.json")
    subprocess.run([byoc, "run", str(models / f"{name}.tflite"), "--target", cpu, "--optimize", objective,
                    "--input", str(models / "golden" / name / "input_0.raw"), "--stats", str(stats), "--quiet"], check=True)
    return json.loads(stats.read_text())


def check_estimates(what, stats):
    problems = []
    estimated = counted = 0
    for step in stats["steps"]:
        found, guess = step["instructions"], step["estimated_instructions"]
        if guess is None:
            problems.append(f"{what}: {step['kernel']} has no estimate")
            continue
        estimated += guess
        counted += found
        is_softmax = "softmax" in step["kernel"]
        if guess < (1 - LAYER) * found - FEW or (guess > (1 + LAYER) * found + FEW and not is_softmax):
            problems.append(f"{what}: {step['kernel']} was estimated as {guess} instructions and took {found}")
    if abs(estimated / counted - 1) > WHOLE:
        problems.append(f"{what}: all layers were estimated as {estimated} instructions and took {counted}")
    return problems


def check_report(what, byoc, model, cpu, objective, stats, folder):
    report = Path(folder, "report.json")
    subprocess.run([byoc, "export", str(model), "--target", cpu, "--optimize", objective, "-q", "-o", f"{folder}/m.a",
                    "--report", str(report)], check=True)
    told = json.loads(report.read_text())
    problems = []
    for step, expected in zip(told["steps"], stats["steps"], strict=True):
        for name in ("kernel", "estimated_instructions", "constant_bytes", "workspace_bytes", "remark"):
            if step[name] != expected[name]:
                problems.append(f"{what}: the report says {name} {step[name]} of {step['symbol']}, not {expected[name]}")
    kernels = {step["kernel"]: step["kernel_bytes"] for step in stats["steps"]}
    if {kernel["kernel"]: kernel["estimated_bytes"] for kernel in told["kernels"]} != kernels:
        problems.append(f"{what}: the report has the kernels {told['kernels']}, not {kernels}")
    if sum(kernel["steps"] for kernel in told["kernels"]) != len(stats["steps"]):
        problems.append(f"{what}: not every step has a kernel in the report")
    code = stats["flash"]["text"]
    if not 0.5 * code < sum(kernels.values()) < 1.2 * code:
        problems.append(f"{what}: kernels of {sum(kernels.values())} bytes in a library with {code} bytes of code")
    return problems


def main():
    byoc, models, names, *cpus = sys.argv[1:]
    models, names = Path(models), names.split(",")
    problems = []
    for cpu in cpus:
        for name in names:
            took = {}
            for objective in OBJECTIVES:
                what = f"{name} on {cpu}, {objective}"
                with tempfile.TemporaryDirectory() as folder:
                    stats = statistics(byoc, models, name, cpu, objective, folder)
                    problems += check_estimates(what, stats)
                    problems += check_report(what, byoc, models / f"{name}.tflite", cpu, objective, stats, folder)
                took[objective] = stats["instructions"]
            if not took["speed"] <= 1.001 * took["balanced"] or took["size"] > 2.5 * took["speed"]:
                problems.append(f"{name} on {cpu}: {took}")
            print(f"{name} on {cpu}: {took}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
