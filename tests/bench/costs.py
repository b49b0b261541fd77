#!/usr/bin/env python3
"""Measures what the kernels cost that the C backend chooses between, and writes its table of them.

Random layers go through every kernel that may compute them, on a CPU of each kind, at each objective; QEMU counts the
instructions of each step. What a step had to do stands in its remark ("rows 64, copied 1728 ..."); the coefficients are
those with the least relative errors that are not negative. Code is measured in the objects. Of CPUs whose cycles
`byoc run --cycles` estimates there is a second table, measured_cycles.inc, of these, core by core.

    tests/bench/costs.py --write                         # all of backends/c/costs/measured.inc and measured_cycles.inc
    tests/bench/costs.py --cpu cortex-m4f --objective balanced   # one part of it, printed with its errors
    tests/bench/costs.py --cpu cortex-m4f --kernels conv_s8_dsp_twin --write   # the rows of one kernel
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
# What is measured: its table.
TABLES = {"instructions": ROOT / "backends" / "c" / "costs" / "measured.inc",
          "cycles": ROOT / "backends" / "c" / "costs" / "measured_cycles.inc"}
# Machine of the table of instructions: the target that stands for it.
MACHINES = {"armv6m": "cortex-m0plus", "armv7m": "cortex-m3", "armv7em": "cortex-m4f", "armv8_1m": "cortex-m55",
            "rv32": "riscv32imc"}
# Targets of which the table of cycles has rows: the CPU, and its machine.
CORES = {"cortex-m4f": ("cortex-m4", "armv7em"), "cortex-m7": ("cortex-m7", "armv7em"),
         "cortex-m33": ("cortex-m33", "armv7em")}
TARGETS = [*dict.fromkeys([*MACHINES.values(), *CORES])]
OBJECTIVES = ("balanced", "speed", "size")
TERMS = ("starts", "rows", "copied", "results", "products")
# Kernels of which a layer has several: one pass for each set.
PASSES = ("conv_s8,conv_s8_dsp,conv_s8_mve,depthwise_s8,depthwise_s8_dsp,depthwise_s8_mve,fully_connected_s8,"
          "fully_connected_s8_dsp,fully_connected_s8_mve,add_s8,add_s8_mve,average_pool_s8",
          "conv_s8_dsp_twin,depthwise_s8_dsp_taps,depthwise_s8_mve_taps,add_direct_s8,sub_direct_s8,average_pool_s8_small", "conv_s8_dsp_twin_line",
          "conv_s8_dsp_twin_block", "conv_s8_dsp_twin_line_block")
ONLY_SMALL = "conv_s8_small"
# Those that weights of fewer bits go through, by bits.
PACKED = {bits: [",".join(f"{kernel}_w{bits}" for kernel in PASSES[0].split(",") if not kernel.startswith(("add", "average"))),
                 f"{ONLY_SMALL}_w{bits}"] for bits in (4,)}
REMARK = re.compile(r"^(?:([\w ]+): )?((?:\w+ \d+(?:, )?)*)")


@dataclass
class Layers:
    """Graph text of layers that do not depend on each other."""
    rng: random.Random
    bits: int = 8  # of the weights
    lines: list = field(default_factory=list)
    inputs: list = field(default_factory=list)  # bytes of each
    outputs: list = field(default_factory=list)

    def value(self, shape, q=None):
        name = f"x{len(self.lines)}"
        q = q or f"{self.rng.uniform(0.01, 0.1):.6f}, {self.rng.randint(-20, 20)}"
        self.lines.append(f"input %{name} : i8{list(shape)} q({q})")
        self.inputs.append(self.rng.randbytes(int(np.prod(shape))))
        return name

    def constant(self, shape, per_channel):
        name = f"c{len(self.lines)}"
        count = -(-int(np.prod(shape)) * self.bits // 8)
        data = self.rng.randbytes(count)
        if self.bits == 8:
            data = data.replace(b"\x80", b"\x81")  # as TensorFlow Lite has them: conv_s8_dsp_twin takes no others
        data = data.hex()
        scales = [f"{self.rng.uniform(0.002, 0.01):.6f}" for _ in range(per_channel)]
        axis = len(shape) - 1 if per_channel != shape[0] else 0
        q = f"{scales[0]}, 0" if per_channel == 1 else f'axis={axis}, [{", ".join(scales)}], [{", ".join("0" for _ in scales)}]'
        self.lines.append(f'const %{name} : i{self.bits}{list(shape)} q({q}) = hex"{data}"')
        return name

    def bias(self, count):
        name = f"c{len(self.lines)}"
        values = ", ".join(str(self.rng.randint(-5000, 5000)) for _ in range(count))
        self.lines.append(f"const %{name} : i32[{count}] = [{values}]")
        return name

    def results(self):
        """Quantisation of a layer's results: half of them as behind a Relu, which lines need (sum_line.hpp)."""
        return f"{self.rng.uniform(0.5, 2):.6f}, {self.rng.choice((-128, self.rng.randint(-20, 20)))}"

    def node(self, shape, text, q=None):
        name = f"y{len(self.lines)}"
        self.lines.append(f"%{name} : i8{list(shape)} q({q or self.results()}) = {text}")
        self.outputs.append(name)

    def conv(self, height, width, channels, filters, kernel, stride, pad, depthwise=False):
        out = [(n + 2 * pad - k) // stride + 1 for n, k in zip((height, width), kernel)]
        filters = channels if depthwise else filters
        x = self.value((1, height, width, channels))
        shape = (1, *kernel, filters) if depthwise else (filters, *kernel, channels)
        w, b = self.constant(shape, filters), self.bias(filters)
        self.node((1, *out, filters),
                  f'Conv.18(%{x}, %{w}, %{b}) {{data_layout="NHWC", filter_layout="{"IHWO" if depthwise else "OHWI"}", '
                  f'group={channels if depthwise else 1}, kernel_shape=[{kernel[0]}, {kernel[1]}], '
                  f'pads=[{pad}, {pad}, {pad}, {pad}], strides=[{stride}, {stride}]}}')

    def dense(self, rows, depth, units, scales):
        x, w, b = self.value((rows, depth)), self.constant((units, depth), scales), self.bias(units)
        self.node((rows, units), f"byoc.FullyConnected.1(%{x}, %{w}, %{b}) {{keep_num_dims=0}}")

    def pair(self, op, shape):
        a, b = self.value(shape), self.value(shape)
        self.node(shape, f"{op}.18(%{a}, %{b}) {{}}", q="0.2, 3")

    def pool(self, height, width, channels, kernel, layout="NHWC"):
        shape = (1, height, width, channels) if layout == "NHWC" else (1, channels, height, width)
        name = self.value(shape, "0.05, 3")
        out = (height // kernel, width // kernel)
        out = (1, *out, channels) if layout == "NHWC" else (1, channels, *out)
        self.node(out, f'AveragePool.18(%{name}) {{count_include_pad=0, data_layout="{layout}", kernel_shape=[{kernel}, '
                       f'{kernel}], pads=[0, 0, 0, 0], strides=[{kernel}, {kernel}]}}', q="0.05, 3")

    def softmax(self, rows, depth):
        name = self.value((rows, depth), "0.05, 10")
        self.node((rows, depth), f"Softmax.18(%{name}) {{axis=-1, beta=1.0}}", q="0.00390625, -128")

    def write(self, folder, rounding):
        """The model, and the arguments that name its inputs."""
        outputs = "\n".join(f"output %{name}" for name in self.outputs)
        model = Path(folder, "costs.byoc")
        model.write_text(f'graph "costs" requant={rounding} {{\n' + "\n".join(self.lines) + "\n" + outputs + "\n}\n")
        arguments = []
        for i, data in enumerate(self.inputs):
            path = Path(folder, f"input{i}.raw")
            path.write_bytes(data)
            arguments += ["--input", str(path)]
        return model, arguments


def random_layers(seed, only_shared, bits=8, convolutions=True):
    """Layers as networks for microcontrollers have them; `only_shared`: those that conv_s8_small takes besides its own.
    `bits`: of their weights."""
    rng = random.Random(seed)
    layers = Layers(rng, bits)
    for size, channels, filters in ((12, 3, 8), (9, 8, 16), (8, 16, 16), (6, 16, 33), (5, 32, 24), (4, 64, 32), (7, 5, 7),
                                    (10, 1, 16), (3, 48, 20), (2, 64, 64), (16, 16, 16), (8, 20, 12), (6, 6, 10),
                                    (5, 10, 18), (8, 3, 20)) if convolutions else ():
        for kernel, stride in (((3, 3), 1), ((3, 3), 2), ((1, 1), 1), ((1, 1), 2)):
            layers.conv(size, size + rng.randint(0, 3), channels, filters, kernel, stride, (kernel[0] - 1) // 2)
    for kernel, size, channels in (((10, 4), 14, 1), ((5, 5), 9, 4), ((2, 2), 8, 8), ((4, 10), 16, 1)) if convolutions else ():
        layers.conv(size, size, channels, 16, kernel, 2 if kernel[0] > 5 else 1, 1)
    for size, channels in ((5, 64), (8, 16), (12, 8), (25, 4), (6, 32), (17, 6), (4, 24), (3, 40), (20, 12)) if convolutions else ():
        for kernel, stride in (((3, 3), 1), ((3, 3), 2), ((5, 5), 1), ((3, 1), 1), ((2, 2), 1)):
            layers.conv(size, size + rng.randint(0, 4), channels, channels, kernel, stride, kernel[1] // 2, depthwise=True)
    for rows, channels in ((24, 128), (15, 64), (1, 128), (2, 96)) if convolutions else ():
        layers.conv(rows, 1, channels, channels, (3, 1), 1, 1, depthwise=True)
    for rows, depth, units in ((1, 64, 10), (1, 128, 128), (1, 640, 32), (1, 8, 128), (1, 128, 8), (2, 33, 17), (4, 64, 12),
                               (1, 96, 50), (1, 256, 64), (3, 20, 40), (1, 12, 4)):
        for scales in (units, 1):
            layers.dense(rows, depth, units, scales)
    # First layers of many filters, where the products outweigh what is copied.
    for kernel, size, channels, filters in (((10, 4), 25, 1, 64), ((4, 10), 13, 1, 48), ((5, 5), 8, 3, 64), ((3, 3), 9, 3, 32),
                                            ((3, 3), 10, 1, 64)) if convolutions else ():
        layers.conv(size, size - 4, channels, filters, kernel, 2 if kernel[0] > 5 else 1, 1)
    if only_shared:
        return layers
    for shape in ((1, 8, 8, 16), (1, 16, 16, 8), (1, 5, 5, 7), (1, 100), (1, 12, 12, 32)):
        for op in ("Add", "Sub", "Mul"):
            layers.pair(op, shape)
    for size, channels, kernel in ((8, 64, 8), (5, 33, 5), (12, 16, 2), (9, 6, 3), (25, 64, 25), (8, 12, 4), (6, 16, 3)):
        layers.pool(size, size, channels, kernel)
        layers.pool(size, size, min(channels, 16), kernel, "NCHW")
    for rows, depth in ((1, 10), (1, 12), (1, 4), (4, 20), (1, 100), (7, 3), (2, 35)):
        layers.softmax(rows, depth)
    return layers


def target_of(cpu, kernels, folder):
    """The CPU, where kernels are for flash that takes long with such flash; the simulator's takes no longer for that."""
    if "_block" not in kernels:
        return cpu
    pool = next(p for p in json.loads((ROOT / "toolchains" / f"{cpu}.json").read_text())["pools"] if p["kind"] == "flash")
    slow = Path(folder, "slow_flash.json")
    slow.write_text(json.dumps({"name": "slow_flash", "extends": cpu, "pools": [pool | {"latency": 1}]}))
    return str(slow)


def run(byoc, layers, cpu, objective, kernels, folder, cycles):
    """Steps of one inference, with their cycles if these are asked for, and {kernel: bytes of its code}."""
    options = ["--target", target_of(cpu, kernels, folder), "--toolchain", "clang", "--optimize", objective, "--plugin-option", f"c.kernels={kernels}", "-q"]
    stats = Path(folder, "stats.json")
    # Of layers whose products are rounded once, lines are the only form of twins, whatever the objective.
    model, inputs = layers.write(folder, "onnx" if "_line" in kernels else "tflite")
    subprocess.run([str(byoc), "run", str(model), *options, *inputs, "--stats", str(stats),
                    *(["--cycles"] if cycles else [])], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([str(byoc), "export", str(model), *options, "-o", f"{folder}/library/"], check=True)
    sizes = {}
    for path in Path(folder, "library", "lib").glob("byoc_*.o"):
        listed = subprocess.run(["llvm-size-19", "-A", str(path)], capture_output=True, text=True, check=True).stdout
        sections = re.findall(r"^(\.\S+)\s+(\d+)", listed, re.MULTILINE)
        sizes[re.sub(r"^byoc_(\w+)_[0-9a-f]{12}$", r"\1", path.stem)] = sum(
            int(size) for name, size in sections if name.startswith((".text", ".rodata", ".ARM.exidx")))
    return json.loads(stats.read_text())["steps"], sizes


def samples_of(steps, measure):
    """{(kernel, way): [(work, instructions or cycles)]}"""
    out = defaultdict(list)
    for step in steps:
        way, terms = REMARK.match(step["remark"]).groups()
        if not terms:
            continue
        work = dict((name, float(count)) for name, count in (term.split() for term in terms.strip(", ").split(", ")))
        kernel = step["kernel"].removeprefix("byoc_")
        if kernel.endswith(("_exact", "_onnx")):
            continue  # they count as TensorFlow Lite's
        out[kernel, way or ""].append(([1.0] + [work.get(name, 0.0) for name in TERMS], float(step[measure])))
    return out


def fit(samples):
    """Coefficients >= 0 with the least sum of squared relative errors, and the largest relative error."""
    work = np.array([w for w, _ in samples])
    count = np.array([n for _, n in samples])
    a = work / count[:, None]
    used = [i for i in range(a.shape[1]) if np.ptp(work[:, i]) > 0 or i == 0]
    while True:
        x, *_ = np.linalg.lstsq(a[:, used], np.ones(len(samples)), rcond=1e-9)
        if len(used) == 1 or x.min() >= 0:
            break
        used.pop(int(x.argmin()))
    out = np.zeros(a.shape[1])
    out[used] = x
    return out, float(np.abs(a @ out - 1).max())


def all_passes():
    """(kernels, whether only what conv_s8_small takes, bits of weights) of each pass."""
    # ONNX's rounding, which `_line` asks for, has no quantised softmax.
    return (*((kernels, "_line" in kernels, 8) for kernels in PASSES), (ONLY_SMALL, True, 8),
            *((kernels, True, bits) for bits, both in PACKED.items() for kernels in both))


def measures_of(target):
    """{what is measured on it: under which name, and the machine}"""
    found = {"instructions": (machine, machine) for machine, stands in MACHINES.items() if stands == target}
    return found | ({"cycles": CORES[target]} if target in CORES else {})


def measure(byoc, target, objective, passes, report):
    """{what is measured: rows of its table}"""
    measures = measures_of(target)
    samples, sizes = {m: defaultdict(list) for m in measures}, {}
    with tempfile.TemporaryDirectory() as folder:
        for kernels, only_shared, bits in passes:
            for seed in (1, 2):
                steps, found = run(byoc, random_layers(seed, only_shared, bits, "conv" in kernels or "depthwise" in kernels), target, objective, kernels, folder,
                                   "cycles" in measures)
                sizes |= found
                for m in measures:
                    for key, rows in samples_of(steps, m).items():
                        samples[m][key] += rows
    tables = {m: [] for m in measures}
    for m in measures:
        for (kernel, way), points in sorted(samples[m].items()):
            coefficients, worst = fit(points)
            report(f"{target:<13} {objective:<9} {m:<12} {kernel:<24} {way:<12} {len(points):>4} layers, at most "
                   f"{100 * worst:5.1f} % off, {sizes[kernel]:>6} bytes")
            numbers = ", ".join(f"{c:.4g}" for c in coefficients)
            name, machine = measures[m]
            row = (f'{{"{kernel}", "{way}", Machine::{machine}, Objective::{objective}, {sizes[kernel]}, '
                   f"{numbers}}}")
            tables[m].append(f"    {row}," if m == "instructions" else f'    {{"{name}", {row}}},')
    return tables


ROW = re.compile(r'\s*(?:\{"([\w-]+)", )?\{"(\w+)", "[^"]*", Machine::(\w+), Objective::(\w+),')


def kernel_of(row):
    return ROW.match(row).group(2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--byoc", default=ROOT / "build" / "bin" / "byoc", type=Path)
    parser.add_argument("--cpu", action="append", choices=TARGETS, help="only this one (may be repeated)")
    parser.add_argument("--objective", action="append", choices=OBJECTIVES, help="only this one (may be repeated)")
    parser.add_argument("--kernels", action="append", metavar="NAME,NAME...",
                        help="only these convolutions and dense layers, a pass of their own (may be repeated)")
    parser.add_argument("--write", action="store_true", help="write the table; of what was not measured it keeps the rows")
    arguments = parser.parse_args()
    passes, wanted = all_passes(), None
    if arguments.kernels:
        passes, wanted = [(kernels, True, 4 if "_w4" in kernels else 8) for kernels in arguments.kernels], ",".join(arguments.kernels).split(",")
    known = {m: {} for m in TABLES}
    for m, table in TABLES.items():
        for line in table.read_text().splitlines():
            if match := ROW.match(line):
                core, _, machine, objective = match.groups()
                known[m].setdefault((core or machine, objective), []).append(line)
    for target in TARGETS:
        for objective in OBJECTIVES:
            if (arguments.cpu and target not in arguments.cpu) or (arguments.objective and objective not in arguments.objective):
                continue
            for m, rows in measure(arguments.byoc, target, objective, passes, lambda line: print(line, flush=True)).items():
                name = measures_of(target)[m][0]
                if wanted:
                    others = [row for row in known[m].get((name, objective), ()) if kernel_of(row) not in wanted]
                    rows = sorted([*others, *(row for row in rows if kernel_of(row) in wanted)])
                known[m][name, objective] = rows
    names = {"instructions": MACHINES, "cycles": [cpu for cpu, _ in CORES.values()]}
    for m, table in TABLES.items() if arguments.write else ():
        rows = [row for name in names[m] for objective in OBJECTIVES for row in known[m].get((name, objective), ())]
        core = "core, " if m == "cycles" else ""
        table.write_text(f"// Written by tests/bench/costs.py --write: {core}kernel, way, machine, objective, bytes of code; {m} "
                         "of a call, and\n// for each start, row, copied element, result and product.\n" + "\n".join(rows) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
