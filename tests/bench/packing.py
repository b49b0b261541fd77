"""What packing costs beside other ways to the same bytes: constants beside cp, and small C modules beside a compiler.

Runs of what is compared alternate, and the least of each counts, because other programs may be running. Times are wall
and user + system seconds; memory is the peak resident set in MiB.
"""

import json
import os
import pty
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

MIB = 1 << 20
SIZES = (1, 16, 64, 256, 1024)  # MiB
ARM = ["-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]
LIMIT_SECONDS, LIMIT_BYTES = 60, 12 << 30  # of one other way


@dataclass
class Cost:
    wall: float
    cpu: float
    memory: float  # MiB

    def least(self, other):
        return Cost(min(self.wall, other.wall), min(self.cpu, other.cpu), max(self.memory, other.memory))


def measure(command, cwd=None, core=None):
    """The cost of a command, or a word that says why there is none."""

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
        if core is not None:
            os.sched_setaffinity(0, {core})

    start = time.monotonic()
    process = subprocess.Popen([str(c) for c in command], cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               preexec_fn=limit)
    timer = None if core is not None else LIMIT_SECONDS
    status, usage = None, None
    while status is None:
        pid, code, used = os.wait4(process.pid, os.WNOHANG if timer else 0)
        if pid:
            status, usage = code, used
        elif time.monotonic() - start > timer:
            process.kill()
            os.wait4(process.pid, 0)
            process.returncode = -9
            return f"> {timer} s"
        else:
            time.sleep(0.002)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        return "fails"
    return Cost(time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def instructions(command, cwd):
    """What a command executes in user mode, which other programs do not disturb; None without perf and its counters."""
    if not shutil.which("perf"):
        return None
    run = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", *map(str, command)], cwd=cwd, text=True,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    found = re.search(r"^(\d+),[^,]*,instructions", run.stderr, re.MULTILINE)
    return int(found.group(1)) if run.returncode == 0 and found else None


def alternate(commands, repeat, before=None, cwd=None, core=None):
    """{name: least cost} of several commands, taken in turns; what fails or takes too long is not tried again."""
    best = {}
    for _ in range(repeat):
        for name, command in commands.items():
            if isinstance(best.get(name), str):
                continue
            if before:
                before()
            cost = measure(command, cwd, core)
            best[name] = cost if isinstance(cost, str) or name not in best else cost.least(best[name])
    return best


def text(cost):
    return cost if isinstance(cost, str) else f"{cost.wall:.3f} ({cost.cpu:.3f}) {cost.memory:.0f}"


def write_random(path, size):
    with open("/dev/urandom", "rb") as source, open(path, "wb") as out:
        for _ in range(0, size, MIB):
            out.write(source.read(MIB))
    os.sync()


def write_tree(folder, data, size):
    """A folder for `byoc pack`: a function, and the data as a constant."""
    folder.mkdir()
    (folder / "one.c").write_text("int one(void);\nint one(void) { return 1; }\n")
    os.link(data, folder / "weights.bin")
    (folder / "tree.json").write_text(json.dumps({
        "format": 1, "prefix": "", "target": {"extends": "cortex-m4f", "name": "cortex-m4f"}, "modules": [
            {"name": "one", "kind": "c", "file": "one.c", "imports": ["weights"]},
            {"name": "weights", "kind": "constants", "constants": [
                {"symbol": "weights", "file": "weights.bin", "bytes": size, "align": 16}]}]}))


def others(folder, data):
    """{name: command}: how people get data into an object otherwise."""
    (folder / "incbin.S").write_text('.section .rodata.weights,"a"\n.globl weights\n.balign 16\nweights: .incbin "data"\n')
    (folder / "embed.c").write_text('const unsigned char weights[] = {\n#embed "data"\n};\n')
    ways = {
        "gcc .incbin": ["arm-none-eabi-gcc", *ARM, "-c", "incbin.S", "-o", "other.o"],
        "objcopy": ["arm-none-eabi-objcopy", "-I", "binary", "-O", "elf32-littlearm", "data", "other.o"],
        "clang #embed": ["/usr/lib/llvm-19/bin/clang", "--target=thumbv7em-none-eabihf", "-std=c23", "-c", "embed.c", "-o", "other.o"],
    }
    if data.stat().st_size <= 64 * MIB:  # beyond it takes minutes and more memory than there is
        numbers = [f"0x{byte:02x}," for byte in range(256)]
        with open(folder / "hex.c", "w") as out:
            out.write("const unsigned char weights[] = {\n")
            with open(data, "rb") as source:
                while piece := source.read(MIB):
                    out.write("".join(numbers[b] for b in piece) + "\n")
            out.write("};\n")
        ways["gcc hex array"] = ["arm-none-eabi-gcc", *ARM, "-c", "hex.c", "-o", "other.o"]
    return ways


def bench_constants(byoc, folder):
    """1.3 times cp for .a and .tar, 64 MiB more memory than for one byte."""
    print("Constants into a library: wall seconds (CPU seconds) peak MiB; least of alternated runs\n")
    records = []
    data, tiny = folder / "data", folder / "tiny"
    tiny.write_bytes(b"x")
    pack = [byoc, "pack-constants", "--symbol", "weights", "--target", "cortex-m4f"]
    empty = measure([*pack, tiny, "-o", folder / "tiny.a"], folder)
    if isinstance(empty, str):
        print(f"pack-constants {empty}")
        return [{"bench": "constants", "error": empty}]
    for mebibytes in SIZES:
        write_random(data, mebibytes * MIB)
        tree = folder / f"tree{mebibytes}"
        write_tree(tree, data, mebibytes * MIB)
        commands = {"cp": ["cp", "--reflink=never", "data", "copy"],
                    "constants .a": [*pack, data, "-o", folder / "out.a"],
                    "constants .o": [*pack, data, "-o", folder / "out.o"],
                    "tree .a": [byoc, "pack", tree, "-o", folder / "pack.a"],
                    "tree .tar": [byoc, "pack", tree, "-o", folder / "pack.tar"],
                    "tree .o": [byoc, "pack", tree, "-o", folder / "pack.o"]}

        def clean():
            for name in ("copy", "out.a", "out.o", "pack.a", "pack.tar", "pack.o", "other.o"):
                (folder / name).unlink(missing_ok=True)
            os.sync()

        best = alternate(commands, 5 if mebibytes >= 256 else 7, clean, folder)
        clean()
        best |= alternate(others(folder, data), 2, clean, folder)
        clean()
        print(f"{mebibytes} MiB")
        for name, cost in best.items():
            ratio = "" if isinstance(cost, str) else f"  {cost.wall / best['cp'].wall:5.2f} x cp" + \
                f"  CPU {cost.cpu / best['cp'].cpu:5.2f} x"
            more = f"  memory +{cost.memory - empty.memory:.0f} MiB" if name in commands and name != "cp" and ratio else ""
            print(f"  {name:14} {text(cost):28}{ratio}{more}", flush=True)
            records.append({"bench": "constants", "mebibytes": mebibytes, "way": name,
                            **(vars(cost) if isinstance(cost, Cost) else {"none": cost})})
        shutil.rmtree(tree)
        data.unlink()
    return records


def stages(command):
    """{stage: seconds} as the tool shows them on a terminal, and the wall time of all."""
    leader, follower = pty.openpty()
    start = time.monotonic()
    process = subprocess.Popen([str(c) for c in command], stderr=follower, stdout=subprocess.DEVNULL)
    os.close(follower)
    shown = b""
    while True:
        try:
            piece = os.read(leader, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(leader)
    if process.wait() != 0:
        return None, shown.decode(errors="replace")
    wall = time.monotonic() - start
    found = re.findall(r"(\w+)\s+([\d.]+) ms", shown.decode(errors="replace"))
    return {name: float(ms) / 1000 for name, ms in found}, wall


def bench_model(byoc, folder, shared):
    """Twice cp beyond compilation, for a model of 100 MB."""
    model = next(iter(sorted((shared or folder).glob("onnx_light/light_resnet50.onnx"))), None)
    if model is None:
        print("\nno light_resnet50 among the shared models: its export is not measured")
        return []
    print(f"\nExport of {model.name} to .a beside cp of as many bytes as its weights have: seconds, least of 5")
    records = []
    for target in ("aarch64-linux-gnu", "host"):
        best = copy = None
        for _ in range(5):
            (folder / "r.a").unlink(missing_ok=True)
            os.sync()
            found, wall = stages([byoc, "export", model, "--target", target, "-o", folder / "r.a"])
            if found is None:
                print(f"  {target}: {wall}")
                return [{"bench": "resnet50", "target": target, "error": wall}]
            (folder / "copy").unlink(missing_ok=True)
            os.sync()
            if not (folder / "weights").exists():
                manifest = json.loads((folder / "r.json").read_text())
                write_random(folder / "weights", manifest["weight_bytes"])
            cost = measure(["cp", "--reflink=never", folder / "weights", folder / "copy"])
            copy = cost if copy is None else cost.least(copy)
            beyond = wall - found["compile"]
            if best is None or beyond < best[0]:
                best = (beyond, wall, found)
        beyond, wall, found = best
        print(f"  {target:18} {beyond:.3f} beyond compilation, {beyond / copy.wall:.2f} x cp ({copy.wall:.3f}); all {wall:.3f}: "
              + ", ".join(f"{name} {seconds:.3f}" for name, seconds in found.items()), flush=True)
        records.append({"bench": "resnet50", "target": target, "beyond": beyond, "wall": wall, "cp": copy.wall, "stages": found})
    return records


WRAPPER = """#include "regions.h"

/* One region of a model: its arguments, its kernel, its constants. */
int32_t region_%d(const int8_t *input, int8_t *output, uint8_t *workspace) {
  const region_shape_t shape = {1, %d, 10, 64};
  int32_t status = 0;
  if (input == 0 || output == 0) {
    return -1;
  }
  for (int32_t row = 0; row < shape.height; ++row) {
    const int8_t *in = input + row * shape.width * shape.channels;
    int8_t *out = output + row * shape.width * shape.channels;
    status = region_kernel(in, out, workspace, &shape, region_weights_%d);
    if (status != 0) {
      return status;
    }
  }
  return status;
}
"""
HEADER = """#ifndef REGIONS_H_
#define REGIONS_H_
#include <stdint.h>
typedef struct { int32_t batch, height, width, channels; } region_shape_t;
int32_t region_kernel(const int8_t *, int8_t *, uint8_t *, const region_shape_t *, const int8_t *);
"""


def write_wrappers(folder, count):
    names = []
    header = HEADER
    for i in range(count):
        header += f"extern const int8_t region_weights_{i}[64];\nint32_t region_{i}(const int8_t *, int8_t *, uint8_t *);\n" \
            if i == 0 else ""
        names.append(f"region_{i}.c")
        (folder / names[-1]).write_text("#include <stdint.h>\n"
                                        f"extern const int8_t region_weights_{i}[64];\n"
                                        f"int32_t region_{i}(const int8_t *, int8_t *, uint8_t *);\n" + WRAPPER % (i, i + 1, i))
    (folder / "regions.h").write_text(header + "#endif\n")
    return names


def write_kernels(byoc, folder, count):
    """Copies of the largest kernel that a model's export brings, each with a name of its own."""
    source = Path(__file__).resolve().parents[2] / "examples/demo/vibration_int8.onnx"
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([str(byoc), "export", source, "--target", "cortex-m4f", "-q", "-o", f"{scratch}/m/"], check=True)
        kernels = Path(scratch, "m/src").glob("byoc_*.c")  # steps are named after the model
        kernel = max(kernels, key=lambda p: p.stat().st_size)
        for header in Path(scratch, "m").rglob("*.h"):
            shutil.copy(header, folder / header.name)
        code = kernel.read_text()
    function = kernel.stem
    names = []
    for i in range(count):
        names.append(f"kernel_{i}.c")
        (folder / names[-1]).write_text(re.sub(rf"\b{re.escape(function)}\b", f"{function}_{i}", code))
    return names


def bench_modules(byoc, folder):
    """In process at least twice as fast as a compiler's process for each, and linear."""
    print("\nC modules to objects, on one core: wall seconds (CPU seconds) peak MiB; least of alternated runs")
    records = []
    gcc = ["arm-none-eabi-gcc", *ARM, "-std=gnu11", "-O2", "-ffunction-sections", "-fdata-sections", "-Wall", "-Wextra", "-c"]
    for kind, counts in (("wrapper", (250, 500, 1000)), ("kernel", (1000,))):
        for count in counts:
            place = folder / f"{kind}{count}"
            place.mkdir()
            names = write_wrappers(place, count) if kind == "wrapper" else write_kernels(byoc, place, count)
            (place / "all.sh").write_text("set -e\nfor f in " + " ".join(n[:-2] for n in names) + "; do " +
                                          " ".join(gcc) + " $f.c -o $f.gcc.o; done\n")
            commands = {"byoc": [byoc, "build-tree", *names, "--target", "cortex-m4f", "-o", "out.a"]}
            if kind == "wrapper" and count == counts[-1] or kind == "kernel":
                commands["gcc"] = ["sh", "all.sh"]
            best = alternate(commands, 3 if kind == "wrapper" else 1, None, place, core=0)
            for name, cost in best.items():
                each = "" if isinstance(cost, str) else f"  {1000 * cost.wall / count:.2f} ms each, CPU {1000 * cost.cpu / count:.2f}"
                print(f"  {count:5} {kind}s {name:5} {text(cost)}{each}", flush=True)
                records.append({"bench": "modules", "kind": kind, "count": count, "way": name,
                                **(vars(cost) if isinstance(cost, Cost) else {"none": cost})})
            if (executed := instructions(["taskset", "-c", "0", *commands["byoc"]], place)) is not None:
                print(f"        byoc executes {executed / count / 1e6:.2f}M instructions for each", flush=True)
                records.append({"bench": "modules", "kind": kind, "count": count, "way": "byoc", "instructions": executed})
            if len(best) == 2 and not any(isinstance(c, str) for c in best.values()):
                print(f"        byoc is {best['gcc'].wall / best['byoc'].wall:.2f} times as fast "
                      f"(CPU {best['gcc'].cpu / best['byoc'].cpu:.2f})", flush=True)
            shutil.rmtree(place)
    return records


def bench(byoc, shared, only=()):
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        records = []
        if not only or "constants" in only:
            if shutil.disk_usage(folder).free < 8 << 30:
                print(f"less than 8 GiB free in {folder}: packing constants is not measured")
            else:
                records += bench_constants(byoc, folder)
        if not only or "model" in only:
            records += bench_model(byoc, folder, shared)
        if not only or "modules" in only:
            records += bench_modules(byoc, folder)
    return records


if __name__ == "__main__":
    sys.exit("run ./dev bench --packing")
