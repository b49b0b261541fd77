#!/usr/bin/env python3
"""Every command of byoc with inputs that are damaged, or well-formed and wrong.

A case takes a command line that works, mutates one of its input files (mutate.py) or one of its option values, and runs
it in a folder of its own, with --isolate off and the network untouched. It must end within 10 s and in 2 GB with exit
code 0, 1 or 2, say why where that is not 0, leave its inputs as they were, and write nothing but its outputs. What goes
wrong is kept in the folder that --keep names. The same seed gives the same cases.
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutate import TEXTS, INTEGERS, mutate

ROOT = Path(__file__).resolve().parents[2]
ABI = ROOT / "include" / "byoc" / "abi" / "base.h"
OTHERS = ROOT / "tests" / "lit" / "run" / "Inputs" / "others_graph.py"  # writes a graph, its parameters and its library
LIMITS = (10, 2 << 30)  # seconds; bytes, resident
SANITIZED = (60, 1 << 40)  # such programs take more of both
# Long options whose values are changed where a command line has them; `out` and `in/...` stay what they are.
KEPT = ("-o", "--output", "--output-dir", "--report", "--header", "--stats")
# Files that a command reads, beside those in its words.
BESIDE = {"compare": ["engine/results.txt", "engine/output_0.npy", "engine/tensor_0.npy"]}
# Stands for another engine: it gives the results that lie beside it. It is run, so it is left as it is.
ENGINE = """#!/bin/sh
cp "$(dirname "$0")"/*.npy "$(dirname "$0")"/results.txt "$4"
"""


def command_lines(target):
    """{command: [words]} with the files of `in`; a word that is one of its files may be mutated."""
    host = ["--target", "host"]
    return [
        ("export", ["in/m.onnx", "--target", target, "-o", "out/m.a", "--report", "out/r.json"]),
        ("export", ["in/m.tflite", "--target", "in/target.json", "-o", "out/m.tar"]),
        ("export", ["in/m.byoc", *host, "-o", "out/m.so", "--max-ram", "64KiB"]),
        ("run", ["in/m.onnx", *host, "--input", "in/x.npy", "--output-dir", "out"]),
        ("run", ["in/m.tflite", *host, "--input", "in/z.raw", "--output-dir", "out", "--compare"]),
        ("run", ["in/lib.so", "--input", "in/x.npy", "--output-dir", "out"]),
        ("run", ["in/i.a", "--input", "in/x.npz", "--output-dir", "out", "--output-form", "npy", "--top", "2"]),
        ("run", ["in/i.tar", "--fill", "random:3", "--output-dir", "out"]),
        ("inspect", ["in/i.a", "--json"]),
        ("inspect", ["in/i.json"]),
        ("inspect", ["in/m.onnx", "--prepared"]),
        ("inspect", ["in/m.tflite", "--prepared"]),
        ("inspect", ["in/m.byoc", "--prepared"]),
        ("inspect", ["in/mlf.tar"]),
        ("inspect", ["in/lib.so"]),
        ("partition", ["in/m.tflite", "--target", target, "--report", "out/r.json", "--pin", "#0=c"]),
        ("build-tree", ["in/f.c", "in/g.ll", "in/h.o", "--target", target, "-o", "out/t.a"]),
        ("build-tree", ["in/m.a", "--target", target, "--toolchain", "in/toolchain.json", "-o", "out/t.o"]),
        ("pack", ["in/tree", "-o", "out/p.a"]),
        ("pack", ["in/tree", "-o", "out/p.tar"]),
        ("pack-constants", ["in/y.raw", "--symbol", "logo", "--align", "16", "--target", target, "-o", "out/c.a"]),
        ("linker-fragment", ["in/m.json", "--place", "flash=QSPI", "--header", "out/m.h", "-o", "out/m.ld"]),
        ("verify", ["in/image.elf", "--manifest", "in/i.json"]),
        ("verify", ["in/firmware.elf", "--manifest", "in/fw.json", "--target", "cortex-m4f", "--dump", "in/flash.hex"]),
        ("verify", ["in/firmware.elf", "--manifest", "in/fw.json", "--dump", "in/flash.bin@0x8000"]),
        ("verify", ["in/signed.bin", "--key", "in/public.pem"]),
        ("sign", ["in/w.bin", "--key", "in/key.pem", "-o", "out/signed.bin"]),
        ("new", ["out/project", "--board", "nucleo-f446re", "--model", "in/m.onnx", "--name", "kws"]),
        ("compare", ["in/m.onnx", "--python", "in/engine/engine.sh", "--input", "in/x.npy"]),
        ("plugins", ["--plugin", "in/acme.byoc.json"]),
        ("targets", []),
        ("completion", ["bash"]),
        ("completion", ["fish"]),
        ("run", ["in/i.byocm", "--input", "in/x.npy", "--output-dir", "out", "--max-memory", "1MiB"]),
        ("run", ["in/vm.so", "--fill", "ones", "--output-dir", "out"]),
        ("run", ["in/others/lib.so", "--graph", "in/others/graph.json", "--params", "in/others/graph.params",
                 "--input", "x=in/others/x.raw", "--output-dir", "out"]),
        ("inspect", ["in/i.byocm"]),
        ("inspect", ["in/vm.so", "--bytecode"]),
        ("inspect", ["in/others/graph.json", "--html"]),
        ("inspect", ["in/others/graph.params", "--json"]),
        ("inspect", ["in/w.bin"]),
        ("inspect", ["in/w.hex", "--html"]),
        ("inspect", ["in/logo.elf"]),
        ("diff", ["in/w.bin", "in/other_w.bin", "-o", "out/d.delta"]),
        ("diff", ["in/w.bin", "in/w.delta", "--apply", "-o", "out/w.bin"]),
        ("replay", ["in/s.byocrec"]),
        ("batch", ["in/matrix.json", "--emit", "ninja", "-o", "out/build.ninja"]),
        ("report", ["from-log", "in/uart.txt", "--manifest", "in/i.json", "-o", "out/s.json"]),
        ("cc", ["-target", target, "-O2", "-c", "in/f.c", "-o", "out/f.o"]),
        ("check-plugin", ["in/plugin/plain.byoc.json", "--only", "manifest"]),
        ("plugins", ["--plugin", "in/plugin/plain.byoc.json", "--load"]),
    ]


def npy(array_bytes, descr, shape):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + array_bytes


def make_inputs(byoc, folder, target):
    """Files of every kind that a command reads, made by byoc itself where it writes them."""
    def run(*words):
        subprocess.run([byoc, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    folder.mkdir(parents=True)
    shutil.copy(ROOT / "examples" / "demo" / "vibration_int8.onnx", folder / "m.onnx")
    networks = byoc.parent.parent / "networks"
    networks = networks if networks.is_dir() else ROOT / "build" / "networks"
    shutil.copy(networks / "lstm_int8.tflite", folder / "m.tflite")
    shutil.copy(ROOT / "tests" / "package" / "mixed.byoc", folder / "m.byoc")
    (folder / "x.npy").write_bytes(npy(bytes(3 * 512 * 4), "<f4", (1, 3, 1, 512)))
    with zipfile.ZipFile(folder / "x.npz", "w") as z:
        z.write(folder / "x.npy", "arr_0.npy")
    (folder / "y.raw").write_bytes(bytes(range(256)) * 8)
    (folder / "z.raw").write_bytes(bytes(400))
    (folder / "f.c").write_text("int f(int x) { return x + 1; }\n")
    (folder / "g.ll").write_text("define i32 @g(i32 %x) {\n  %y = add i32 %x, 2\n  ret i32 %y\n}\n")
    (folder / "acme.byoc.json").write_text(
        '{"schema": 1, "id": "com.acme", "name": "Acme", "vendor": "Acme", "version": "1", "license": "Apache-2.0", '
        '"library": "libacme.so", "abi": {"major": 1, "minor": 0, "min_host_minor": 0}}')
    shutil.copy(ROOT / "toolchains" / f"{target}.json", folder / "target.json")
    (folder / "toolchain.json").write_text('{"command": "arm-none-eabi-gcc", "flags": ["-O2"]}')
    run("export", "m.onnx", "--target", target, "-o", "m.a", "--name", "m")
    run("export", "m.onnx", "--target", target, "-o", "mlf.tar", "--name", "n")
    run("export", "m.onnx", "--target", "host", "-o", "lib.so", "--name", "s")
    run("export", "m.onnx", "--target", target, "-o", "tree/", "--name", "t")
    run("export", "m.onnx", "--target", "host", "-o", "i.a", "--name", "i")
    run("export", "m.onnx", "--target", "host", "-o", "i.tar", "--name", "i")
    subprocess.run(["cc", "i_example_main.c", "i.a", "-lm", "-o", "image.elf"], cwd=folder, check=True)
    run("export", "m.onnx", "--target", "cortex-m4f", "-o", "fw.a", "--name", "fw")
    subprocess.run(["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard",
                    "--specs=nosys.specs", "fw_example_main.c", "fw.a", "-o", "firmware.elf"], cwd=folder, check=True,
                   stderr=subprocess.DEVNULL)
    for form, file in (("ihex", "flash.hex"), ("binary", "flash.bin")):
        subprocess.run(["arm-none-eabi-objcopy", "-O", form, "firmware.elf", file], cwd=folder, check=True)
    (folder / "h.c").write_text("int h(int x) { return x + 3; }\n")
    run("build-tree", "h.c", "--target", target, "-o", "h.o")
    run("export", "m.onnx", "--executor", "interpreted", "-o", "i.byocm")
    run("export", "m.onnx", "--target", "host", "--executor", "vm", "-o", "vm.so", "--name", "v")
    run("export", "m.onnx", "--target", target, "-o", "w.a", "--name", "w", "--weights-blob", "w.bin")
    run("export", "m.onnx", "--target", target, "-o", "w.a", "--name", "w", "--weights-blob", "other_w.bin",
        "--no-optimise", "all")
    run("export", "m.onnx", "--target", target, "-o", "w.a", "--name", "w", "--weights-blob", "w.hex")
    run("diff", "w.bin", "other_w.bin", "-o", "w.delta")
    for words in (["genpkey", "-algorithm", "ed25519", "-out", "key.pem"],
                  ["pkey", "-in", "key.pem", "-pubout", "-out", "public.pem"]):
        subprocess.run(["openssl", *words], cwd=folder, check=True)
    run("sign", "w.bin", "--key", "key.pem", "-o", "signed.bin")
    run("run", "m.onnx", "--target", "host", "--input", "x.npy", "--output-dir", "engine", "--output-form", "npy", "-q")
    shutil.copy(folder / "x.npy", folder / "engine" / "tensor_0.npy")
    (folder / "engine" / "results.txt").write_text("an engine\n1\n-1 signal\n")
    (folder / "engine" / "engine.sh").write_text(ENGINE)
    (folder / "logo.c").write_text(f'extern const char logo[64]; const char logo[64] = "{"l" * 64}"; int main(void) {{ '
                                   'return logo[3]; }')
    subprocess.run(["arm-none-eabi-gcc", "-nostdlib", "-Wl,-e,main", "logo.c", "-o", "logo.elf"], cwd=folder, check=True)
    steps = json.loads((folder / "i.json").read_text())["steps"]
    (folder / "uart.txt").write_text(f"byoc-profile 1 i {len(steps)} cycles\n" + "byoc-end\n".join(
        ["".join(f"byoc-step {k} {k + 6} {step['symbol']}\n" for k, step in enumerate(steps)), ""]))
    (folder / "matrix.json").write_text(json.dumps({
        "models": ["m.onnx", {"model": "m.tflite", "name": "second", "options": ["-O2"]}], "targets": [target, "host"],
        "variants": {"small": ["--optimize", "size"]}, "exclude": [{"target": "host", "model": "second"}]}))
    (folder / "others").mkdir()
    subprocess.run([sys.executable, OTHERS, folder / "others"], check=True)
    subprocess.run(["cc", "-shared", "-fPIC", "lib.c", "-o", "lib.so"], cwd=folder / "others", check=True)
    (folder / "plugin").mkdir()
    subprocess.run(["cc", "-shared", "-fPIC", "-I", ROOT / "include", ROOT / "examples" / "plain-c-plugin" / "plain_c.c",
                    "-o", "plain.so"], cwd=folder / "plugin", check=True)
    minor = int(re.search(r"BYOC_ABI_MINOR (\d+)", ABI.read_text())[1])
    (folder / "plugin" / "plain.byoc.json").write_text(json.dumps(
        {"schema": 1, "id": "org.example.plain-c", "name": "Plain C", "vendor": "Example", "version": "1.0",
         "license": "Apache-2.0", "library": "plain.so", "abi": {"major": 1, "minor": minor, "min_host_minor": 0}}))
    run("export", "m.onnx", "--target", "host", "--plugin", "plugin/plain.byoc.json", "--record", "s.byocrec", "-o", "s.a")


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Case:
    """One command with one thing changed."""

    def __init__(self, command, words, changed):
        self.command, self.words, self.changed = command, list(words), changed

    @classmethod
    def random(cls, originals, target, seed, index):
        choose = random.Random(f"{seed}/{index}")
        command, words = choose.choice(command_lines(target))
        self = cls(command, words, {})
        files = [w[3:].split("@")[0] for w in words if w.startswith("in/") and not w.endswith(".sh")]
        files += BESIDE.get(command, [])
        inside = [name for name in originals for f in files if name == f or name.startswith(f + "/")]
        values = [i for i, w in enumerate(words)
                  if not w.startswith(("in/", "out", "-")) and (i == 0 or words[i - 1] not in KEPT)]
        if inside and (choose.random() < 0.9 or not values):
            name = choose.choice(inside)
            data = mutate(originals[name], Path(name).suffix, choose)
            self.changed = {name: data}
        elif values:
            at = choose.choice(values)
            self.words[at] = choose.choice((choose.choice(TEXTS), str(choose.choice(INTEGERS)),
                                            self.words[at] + choose.choice(TEXTS)))
        return self

    def run(self, byoc, originals, limits):
        """(exit code, what is wrong or "", bytes)."""
        with tempfile.TemporaryDirectory(prefix="commands-") as name:
            folder = Path(name)
            given = {**originals, **self.changed}
            for file, data in given.items():
                path = folder / "in" / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                if path.suffix == ".sh":
                    path.chmod(0o700)
            for other in ("out", "tmp", "home"):
                (folder / other).mkdir()
            code, errors, size = run_limited([byoc, self.command, *self.words], folder, limits[0])
            problem = self.problem(code, errors, size, limits)
            if not problem and contents(folder / "in") != given:
                problem = "changes its inputs"
            left = sorted(p.name for p in [*folder.iterdir(), *(folder / "tmp").iterdir(), *(folder / "home").iterdir()]
                          if p.name not in ("in", "out", "tmp", "home"))
            if not problem and left:
                problem = f"writes {', '.join(left)}"
            if not problem and code != 0 and contents(folder / "out"):
                problem = f"fails and leaves {', '.join(contents(folder / 'out'))}"
            self.said = errors
            return code, problem, size

    @staticmethod
    def problem(code, errors, size, limits):
        if code is None:
            return f"no end within {limits[0]} s"
        if code not in (0, 1, 2):
            return f"exit code {code}: {errors[-300:]}"
        if size > limits[1]:
            return f"takes {size >> 20} MiB"
        if code != 0 and not errors.strip():
            return "fails without a message"
        return f"internal error: {errors[-300:]}" if "internal error" in errors else ""


def run_limited(words, folder, seconds):
    """(exit code or None, standard error, largest resident size in bytes)."""
    environment = {"PATH": os.environ["PATH"], "TMPDIR": str(folder / "tmp"), "HOME": str(folder / "home"), "LANG": "C.UTF-8"}
    environment |= {key: value for key, value in os.environ.items() if key.startswith(("ASAN_", "LSAN_", "UBSAN_"))}
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
        timer = threading.Timer(seconds, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        late = not timer.is_alive()
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        text = errors.read().decode(errors="replace")
    return (None if late and process.returncode == -signal.SIGKILL else process.returncode), text, usage.ru_maxrss * 1024


def keep(folder, case, index, problem):
    folder = folder / str(index)
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in case.changed.items():
        path = folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "what").write_text(f"byoc {case.command} {' '.join(map(repr, case.words))}\n{problem}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--byoc", default=ROOT / "build" / "bin" / "byoc", type=Path)
    parser.add_argument("--count", default=5000, type=int, help="cases (default: %(default)s)")
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--first", default=0, type=int, help="index of the first case")
    parser.add_argument("--target", default="cortex-m4f")
    parser.add_argument("--keep", default=ROOT / "build" / "fuzz" / "commands", type=Path)
    parser.add_argument("--sanitized", action="store_true", help=f"{SANITIZED[0]} s and any memory for each")
    parser.add_argument("--jobs", default=os.cpu_count(), type=int)
    arguments = parser.parse_args()
    byoc = arguments.byoc.resolve()
    limits = SANITIZED if arguments.sanitized else LIMITS
    with tempfile.TemporaryDirectory() as name:
        make_inputs(byoc, Path(name) / "in", arguments.target)
        originals = contents(Path(name) / "in")
    table, problems = {}, []
    for command, words in command_lines(arguments.target):
        made = Case(command, words, {})
        code, problem, _ = made.run(byoc, originals, limits)
        if problem or code != 0:
            print(f"byoc {command} {' '.join(words)}, undamaged: exit code {code}, {problem or made.said}")

    def one(index):
        case = Case.random(originals, arguments.target, arguments.seed, index)
        code, problem, size = case.run(byoc, originals, limits)
        return index, case, code, problem, size

    with ThreadPoolExecutor(arguments.jobs) as pool:
        for index, case, code, problem, size in pool.map(one, range(arguments.first, arguments.first + arguments.count)):
            row = table.setdefault(case.command, {"cases": 0, 0: 0, 1: 0, 2: 0, "wrong": 0, "MiB": 0})
            row["cases"] += 1
            row["MiB"] = max(row["MiB"], size >> 20)
            if problem:
                row["wrong"] += 1
                problems.append(f"{index}: byoc {case.command} {' '.join(case.words)} "
                                f"({', '.join(case.changed) or 'option'}): {problem}")
                keep(arguments.keep, case, index, problem)
            else:
                row[code] += 1
    columns = ("cases", 0, 1, 2, "wrong", "MiB")
    print(f"{'command':18}" + "".join(f"{c if isinstance(c, str) else f'exit {c}':>9}" for c in columns))
    for command in sorted(table):
        print(f"{command:18}" + "".join(f"{table[command][c]:9}" for c in columns))
    for problem in problems:
        print(problem)
    print(f"{arguments.count} cases, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
