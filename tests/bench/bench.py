#!/usr/bin/env python3
"""Counts what the generated code of networks costs on simulated CPUs, by CPU, compiler and objective.

Each model runs in QEMU; its output is compared with the reference, so that no number stands for a wrong answer. The models
are those of the project (tests/networks, which the build writes, and the demo's) and, where they are, those of
../shared/models (or $BYOC_SHARED/models), for which it is known what the peers need (peers.json).
Then float models are timed on this machine: the reference backend, examples/dnnl, ONNX Runtime (host.py); and packing is:
constants beside cp and other encoders, a large model, many small modules (packing.py). --operators: single operators on this machine
(operators.py), or with --cpu on simulated CPUs (operators_cores.py). --growth: how time grows with
models that are twice as large each (growth.py). --farm: many models for many targets by what build farms have (farm.py).
--all: every int8 network by CPU, compiler and objective, beside the records and against the last release (figures.py).
--charts: the charts of README.md and the tables of docs/comparison.md from the figures that were written (charts.py).
"""

import argparse
import json
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import charts
import executors
import farm
import figures
import host
import linked
import packing
import tables

ROOT = Path(__file__).resolve().parents[2]
TARGETS = ("cortex-m4f", "cortex-m7", "cortex-m55", "cortex-m33", "cortex-m3", "cortex-m0plus", "riscv32imc")
CPUS = [(cpu, toolchain) for cpu in TARGETS for toolchain in ("clang", "gnu")]
# Of which docs/simulation.md has an estimate of cycles.
CYCLE_CPUS = {"cortex-m0plus", "cortex-m4f", "cortex-m7", "cortex-m33", "cortex-m55", "cortex-m85"}
# Of which the layers are printed.
LAYER_CPUS = {"cortex-m4f", "cortex-m55"}
# Without an FPU a float model measures the compiler's soft float routines.
FLOAT_CPUS = {"cortex-m4f", "cortex-m7", "cortex-m55", "cortex-m33"}
NETWORKS = ("ds_cnn", "resnet8", "autoencoder", "mobilenet", "stream", "lstm", "unet", "wake_word")
# Of which there are figures besides (--all): large ones.
LARGE_MODELS = ("mobilenet_224_int8",)
FIGURE_CPUS = ("cortex-m0plus", "cortex-m4f", "cortex-m33", "cortex-m7", "cortex-m55", "cortex-m85")
OWN_MODELS = (*(f"{name}_int8" for name in NETWORKS), "ds_cnn_float", "resnet8_float", "autoencoder_float")
SHARED_MODELS = ("kws_int8", "resnet_int8", "ad_int8", "kws_float", "resnet_float", "ad_float")
OBJECTIVES = ("speed", "balanced", "size")
# Of which models are compared by objective.
OBJECTIVE_CPUS = ("cortex-m0plus", "cortex-m4f", "cortex-m55", "riscv32imc")
TIMED_EXPORTS = ("cortex-m4f", "cortex-m55")
TIMED_MODELS = ("ds_cnn_int8", "kws_int8")
EXPORT_LIMIT_SECONDS = 0.5


@dataclass
class Model:
    name: str
    path: Path
    input: Path
    reference: bytes | None  # what the framework's reference kernels give; None: nobody else's answer is known
    macs: int
    is_float: bool


def shared_folder():
    named = os.environ.get("BYOC_SHARED")
    for candidate in [named] if named else [ROOT.parent / "shared", ROOT.parent.parent / "shared"]:
        if (Path(candidate) / "models").is_dir():
            return Path(candidate) / "models"
    return None


def golden_models(folder, names, vector):
    """Models of a folder with a golden.json, on one of their inputs."""
    golden = json.loads((folder / "golden" / "golden.json").read_text())["models"]
    for name in names:
        entry = golden[name]
        files = entry["vectors"][vector]
        yield Model(name, folder / entry["tflite"], folder / "golden" / files["input"],
                    (folder / "golden" / files["output"]).read_bytes(), entry["macs"], name.endswith("_float"))


def all_figures(arguments, peers, networks):
    models = [*find_models(networks), *golden_models(networks, LARGE_MODELS, 0)]
    jobs = [(model, cpu, toolchain) for model in models for cpu in FIGURE_CPUS for toolchain in ("clang", "gnu")
            if not model.is_float and (not arguments.model or model.name in arguments.model)
            and (not arguments.cpu or cpu in arguments.cpu)]

    def measure(model, cpu, toolchain, objective):
        stats = run(arguments.byoc, model, cpu, toolchain, objective)
        return stats if isinstance(stats, str) else stats | {"model_weights": weight_bytes(arguments.byoc, model)}

    return figures.bench(measure, jobs, peers["record_cycles"], arguments.write)


def find_models(networks):
    demo = ROOT / "examples" / "demo"
    models = [Model("vibration_int8", demo / "vibration_int8.onnx", demo / "signals" / "01.npy", None, 284800, False)]
    models += golden_models(networks, OWN_MODELS, 0)
    shared = shared_folder()
    if shared is None:
        print("no models in ../shared/models (or $BYOC_SHARED/models), which the peers' figures are of\n")
        return models
    return [*models, *golden_models(shared, SHARED_MODELS, 4)]


def same(model, output):
    """Integers bit for bit; floats within 1e-5 of the largest."""
    if model.reference is None or output == model.reference:
        return True
    if not model.is_float or len(output) != len(model.reference):
        return False
    count = len(output) // 4
    found, expected = (struct.unpack(f"<{count}f", data) for data in (output, model.reference))
    largest = max(abs(value) for value in expected)
    return all(abs(a - b) <= 1e-5 * largest for a, b in zip(found, expected))


def run(byoc, model, cpu, toolchain=None, objective="balanced"):
    """The statistics of one simulated inference, or a line of text that says why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        stats = Path(folder, "stats.json")
        command = [str(byoc), "run", str(model.path), "--target", cpu, "--optimize", objective, "--input",
                   str(model.input), "--output-dir", folder, "--stats", str(stats), "--quiet"]
        command += ["--toolchain", toolchain] if toolchain else []
        wants_cycles, wants_layers = (toolchain and cpu in cpus for cpus in (CYCLE_CPUS, LAYER_CPUS))
        command += ["--cycles"] if wants_cycles else [] if wants_layers else ["--no-profile"]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            return (result.stderr.strip().splitlines() or ["failed without a word"])[0]
        if not same(model, Path(folder, "output_0.raw").read_bytes()):
            return "wrong answer"
        return json.loads(stats.read_text()) | {"io": io_bytes(model, folder)}


def io_bytes(model, folder):
    """Bytes of the input and of the outputs that `byoc run` left in the folder."""
    given = model.input.read_bytes()
    header = 10 + struct.unpack_from("<H", given, 8)[0] if model.input.suffix == ".npy" else 0
    return len(given) - header + sum(output.stat().st_size for output in Path(folder).glob("output_*.raw"))


def weight_bytes(byoc, model):
    """Bytes of all constants of a model's file: weights and biases."""
    said = subprocess.run([str(byoc), "inspect", str(model.path), "--json"], capture_output=True, text=True, check=True)
    return json.loads(said.stdout)["constant_bytes"]


def peers_of(peers, table, model, cpu):
    """{peer: value} for a model on a CPU; the Cortex-M7 is measured by the Cortex-M4's rows."""
    rows = peers[table].get("cortex-m4f" if cpu == "cortex-m7" else cpu, {})
    return rows.get(model.name, {})


def instruction_peers(peers, model, cpu):
    found = dict(peers_of(peers, "instructions", model, cpu))
    for peer, per_mac in peers_of(peers, "instructions_per_mac", model, cpu).items():
        found[peer] = per_mac * model.macs
    return found


def ratio(value, peer):
    return f"{value / peer:.2f}" if peer else "-"


def flash_and_ram(stats):
    """KiB: flash without weights; RAM without stack, input and output."""
    return (sum(stats["flash"][part] for part in ("text", "rodata", "data")) / 1024,
            sum(stats["ram"][part] for part in ("workspace", "data", "bss")) / 1024)


def row_of(stats, model, cpu, toolchain, peers):
    """One row of the table, and the same as data."""
    record = {"model": model.name, "cpu": cpu, "toolchain": toolchain}
    if isinstance(stats, str):
        return [model.name, cpu, toolchain, stats], record | {"error": stats}
    instructions = stats["instructions"]
    flash, ram = flash_and_ram(stats)
    others = instruction_peers(peers, model, cpu)
    bound = others.pop("bound", None)
    direct = others.get(f"CMSIS-NN {toolchain}")
    best = min(others.values(), default=None)
    small = min((v for v in peers_of(peers, "flash_without_weights_kib", model, cpu).values()), default=None)
    lean = min((v for v in peers_of(peers, "ram_kib", model, cpu).values()), default=None)
    record |= {
        "macs": model.macs, "instructions": instructions, "instructions_per_mac": instructions / model.macs,
        "cycles": stats["cycles"], "flash_kib": flash, "ram_kib": ram,
        "stack": stats["ram"]["stack"], "to_cmsis_nn": direct and instructions / direct,
        "to_best_peer": best and instructions / best, "to_bound": bound and instructions / bound, "stats": stats,
    }
    cycles = stats["cycles"]
    row = [model.name, cpu, toolchain, f"{instructions:,}", f"{instructions / model.macs:.2f}",
           f"{cycles / model.macs:.2f}" if cycles else "-", ratio(instructions, direct),
           ratio(instructions, others.get("TFLite Micro")), ratio(instructions, best), ratio(instructions, bound),
           f"{flash:.1f}", ratio(flash, small), f"{ram:.1f}", ratio(ram, lean)]
    return row, record


HEADINGS = [
    ("model", -14), ("cpu", -13), ("cc", -5), ("instructions", 13), ("/MAC", 6), ("cyc/M", 6), ("CMSIS", 5), ("TFLM", 5), ("best", 5),
    ("bound", 5), ("flash", 6), ("best", 5), ("RAM", 6), ("best", 5),
]


def line(cells):
    text = []
    for cell, (_, width) in zip(cells, HEADINGS):
        text.append(cell.ljust(-width) if width < 0 else cell.rjust(width))
    return "  ".join(text).rstrip()


def export_seconds(byoc, model, cpu, repeat=5):
    """Median wall time of one export to an archive, kernels compiled anew each time."""
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(repeat):
            start = time.monotonic()
            subprocess.run([str(byoc), "export", str(model.path), "--target", cpu, "-q", "-o", f"{folder}/m.a"], check=True)
            times.append(time.monotonic() - start)
    return statistics.median(times)


def measure_objectives(arguments, models, pool):
    """What each objective costs and gains, by the target's default toolchain."""
    chosen = [(model, cpu) for model in models if not model.is_float for cpu in OBJECTIVE_CPUS
              if not arguments.cpu or cpu in arguments.cpu]
    jobs = {(model.name, cpu, objective): pool.submit(run, arguments.byoc, model, cpu, None, objective)
            for model, cpu in chosen for objective in OBJECTIVES}
    records = []
    for (name, cpu, objective), job in jobs.items():
        stats = job.result()
        record = {"model": name, "cpu": cpu, "objective": objective}
        if isinstance(stats, str):
            records.append(record | {"error": stats})
            continue
        flash, ram = flash_and_ram(stats)
        records.append(record | {"instructions": stats["instructions"], "flash_kib": flash, "ram_kib": ram})
    return records


def measure_boards(arguments, peers, models):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [(model, cpu, toolchain, pool.submit(run, arguments.byoc, model, cpu, toolchain))
                for model in models for cpu, toolchain in CPUS
                if (not arguments.cpu or cpu in arguments.cpu) and (not model.is_float or cpu in FLOAT_CPUS)]
        records = print_boards(jobs, peers)
        by_objective = measure_objectives(arguments, models, pool)
    tables.print_objectives(by_objective, OBJECTIVES)
    return records + by_objective + time_exports(arguments, models)


def print_boards(jobs, peers):
    records = []
    print("Instructions of one inference in QEMU, and estimated cycles of a Cortex-M4 (docs/simulation.md) for each MAC;")
    print("then byoc's instructions divided by those of: CMSIS-NN called directly and built by the same compiler, TFLite")
    print("Micro with CMSIS-NN, the best peer, the bound. Flash without weights and")
    print("RAM (without stack, input and output; TFLite Micro's arena holds the latter) in KiB, each with its ratio to the")
    print("best peer. Below 1 is better.\n")
    print(line([name for name, _ in HEADINGS]))
    for model, cpu, toolchain, job in jobs:
        row, record = row_of(job.result(), model, cpu, toolchain, peers)
        print(line(row), flush=True)
        records.append(record)
    good = [record for record in records if "error" not in record]
    tables.print_peers(good, peers)
    tables.print_sizes(good, peers)
    tables.print_toolchains(good, ROOT / "toolchains")
    tables.print_layers(good, LAYER_CPUS, ROOT / "toolchains")
    return records


def time_exports(arguments, models):
    records = []
    print()
    for model in models:
        for cpu in TIMED_EXPORTS if model.name in TIMED_MODELS else ():
            seconds = export_seconds(arguments.byoc, model, cpu)
            records.append({"model": model.name, "cpu": cpu, "export_seconds": seconds})
            print(f"export of {model.name} for {cpu}: {seconds:.2f} s (median of 5; to be under {EXPORT_LIMIT_SECONDS})")
    return records


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--byoc", default=ROOT / "build" / "bin" / "byoc", type=Path)
    parser.add_argument("--model", action="append", help="only this model (may be repeated)")
    parser.add_argument("--cpu", action="append", help="only this CPU (may be repeated)")
    parser.add_argument("--host", action="store_true", help="only what is timed on this machine")
    parser.add_argument("--cpu-time", action="store_true",
                        help="--host in time of the processor, for a machine that does other things, too")
    parser.add_argument("--linked", action="store_true", help="only what --lto and threads gain on this machine")
    parser.add_argument("--executors", action="store_true", help="only what executors cost on this machine")
    parser.add_argument("--packing", nargs="*", choices=("constants", "model", "modules"), default=None,
                        help="only what packing costs, all of it or these parts")
    parser.add_argument("--operators", nargs="*", default=None, metavar="OPERATOR",
                        help="single operators on this machine beside ONNX Runtime; with --cpu on that CPU, in instructions")
    parser.add_argument("--growth", nargs="*", default=None, metavar="ROW",
                        help="only how time grows with the size of a model, in all rows or those whose names contain one")
    parser.add_argument("--farm", action="store_true",
                        help="only 12 models for 6 targets, with ninja, ccache, redis, distcc and --cache")
    parser.add_argument("--all", action="store_true",
                        help="only the figures of int8 networks, against those of the last release")
    parser.add_argument("--write", action="store_true", help="with --all: they are those of the next release")
    parser.add_argument("--charts", action="store_true",
                        help="only draw the charts of the README and the tables of docs/comparison.md from the figures")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    arguments = parser.parse_args()
    if arguments.charts:
        charts.write()
        return 0
    if arguments.operators is not None:
        if arguments.cpu:
            import operators_cores
            records = operators_cores.bench(arguments.byoc, arguments.cpu, set(arguments.operators))
            if arguments.json:
                arguments.json.write_text(json.dumps(records, indent=2) + "\n")
            return 0
        import operators  # needs numpy
        operators.bench(arguments.byoc, arguments.byoc.parents[1], set(arguments.operators))
        return 0
    if arguments.growth is not None:
        import growth  # needs numpy
        sys.exit(0 if growth.run(arguments.byoc, arguments.growth) else 1)
    if arguments.linked:
        linked.bench(arguments.byoc, arguments.byoc.resolve().parents[1], shared_folder())
        return 0
    if arguments.executors:
        executors.bench(arguments.byoc, shared_folder(), arguments.model)
        return 0
    if arguments.farm:
        records = farm.bench(arguments.byoc, arguments.byoc.resolve().parents[1] / "networks")
        if arguments.json:
            arguments.json.write_text(json.dumps(records, indent=2) + "\n")
        return 1 if any("error" in record for record in records) else 0
    host.CPU_TIME = arguments.cpu_time
    peers = json.loads((Path(__file__).resolve().parent / "peers.json").read_text())
    networks = arguments.byoc.resolve().parents[1] / "networks"
    if arguments.all:
        return 0 if all_figures(arguments, peers, networks) else 1
    models = [model for model in find_models(networks) if not arguments.model or model.name in arguments.model]
    only_packing = arguments.packing is not None
    records = [] if arguments.host or only_packing else measure_boards(arguments, peers, models)
    if not arguments.cpu and not only_packing:
        records += host.bench(arguments.byoc, arguments.byoc.parents[1], networks, shared_folder(), arguments.model)
        records += executors.bench(arguments.byoc, shared_folder(), arguments.model)
    if only_packing or not (arguments.cpu or arguments.host or arguments.model):
        records += packing.bench(arguments.byoc.resolve(), shared_folder(), arguments.packing or ())
    if arguments.json:
        arguments.json.write_text(json.dumps(records, indent=2) + "\n")
    return 1 if any("error" in record for record in records) else 0


if __name__ == "__main__":
    sys.exit(main())
