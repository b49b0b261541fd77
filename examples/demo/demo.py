#!/usr/bin/env python3
"""Shows byoc at work: a vibration classifier on simulated Cortex-M CPUs, then a firmware that links it. ./dev demo."""

import argparse
import array
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MODEL = HERE / "vibration_int8.onnx"
MACS = 284800
TARGETS = {"Cortex-M4": "cortex-m4f", "Cortex-M55": "cortex-m55"}
SHOWN = 160  # readings of a signal that are drawn
BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # dots of a Unicode braille cell, by row and column

COLOUR = sys.stdout.isatty() and "NO_COLOR" not in os.environ


def paint(code, text):
    return f"\033[{code}m{text}\033[0m" if COLOUR else text


def bold(text):
    return paint("1", text)


def dim(text):
    return paint("2", text)


def heading(text):
    print(f"\n{bold(text)}\n")


def run(*command, shown=None, **options):
    """Runs a program to its end and gives what it printed; a failure ends the demo with that."""
    words = [str(word) for word in command]
    if shown is not None:
        print(dim(f"  $ {shown}"))
    # QEMU sends semihosting text to standard error.
    result = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            **options)
    if result.returncode != 0:
        sys.exit(f"failed: {' '.join(words)}\n{result.stdout}")
    return result.stdout


def read_signal(path):
    """The three axes of a .npy file of float32 [1, 3, 1, n]."""
    data = path.read_bytes()
    start = 10 + struct.unpack_from("<H", data, 8)[0]
    values = array.array("f", data[start:])
    length = len(values) // 3
    return [values[axis * length:(axis + 1) * length] for axis in range(3)]


def draw(values, columns=40, rows=2):
    """A curve in braille dots, `rows` lines of `columns` characters, scaled to its own largest reading."""
    largest = max(max(abs(value) for value in values), 1e-9)
    cells = [[0x2800] * columns for _ in range(rows)]
    heights, previous = rows * 4, None
    for x in range(columns * 2):
        value = values[x * len(values) // (columns * 2)]
        y = min(heights - 1, int((1.0 - value / largest) / 2.0 * heights))
        # Neighbouring dots are joined, so that steep flanks stay a line.
        low, high = (y, y) if previous is None else (min(y, previous), max(y, previous))
        for dot in range(low, high + 1):
            cells[dot // 4][x // 2] |= BRAILLE[dot % 4][x % 2]
        previous = y
    return ["".join(map(chr, row)) for row in cells], largest


def classify(byoc, target, signals):
    """(probabilities of each signal, statistics) of one simulation, in which the model runs once for each signal."""
    with tempfile.TemporaryDirectory() as folder:
        stats = Path(folder, "stats.json")
        inputs = [word for signal in signals for word in ("--input", signal)]
        run(byoc, "run", MODEL, "--target", target, *inputs, "--output-dir", folder, "--stats", stats, "--no-profile",
            "--quiet")
        outputs = [Path(folder, f"run_{i}", "output_0.raw").read_bytes() for i in range(len(signals))]
        return [struct.unpack("<4f", output) for output in outputs], json.loads(stats.read_text())


def show_answers(byoc, table):
    """Classifies every signal on every target.

    Gives {target: statistics}, the number of right answers, that of all, and whether the targets agreed to the bit.
    """
    classes, stats, answers, right, total, agreed = table["classes"], {}, {}, 0, 0, True
    heads = "vibration, vertical axis, 0.1 s".ljust(43) + "truth".ljust(15) + "".join(name.ljust(24) for name in TARGETS)
    print("  " + bold(heads + "peak"), flush=True)
    for target in TARGETS.values():
        files = [HERE / "signals" / signal["file"] for signal in table["signals"]]
        answers[target], stats[target] = classify(byoc, target, files)
    for index, signal in enumerate(table["signals"]):
        curve, largest = draw(read_signal(HERE / "signals" / signal["file"])[1][:SHOWN])
        print("  " + paint("36", curve[0]))
        print("  " + paint("36", curve[1]) + "   " + classes[signal["label"]].ljust(15), end="")
        given = set()
        for target in TARGETS.values():
            probabilities = answers[target][index]
            answer = max(range(len(classes)), key=lambda i: probabilities[i])
            good = answer == signal["label"]
            text = f"{classes[answer]} {probabilities[answer]:.0%}"
            print(paint("32" if good else "31", ("✓ " if good else "✗ ") + text.ljust(22)), end="")
            right, total = right + good, total + 1
            given.add(probabilities)
        agreed = agreed and len(given) == 1
        print(dim(f"{largest:.2f} g"))
    return stats, right, total, agreed


def show_costs(stats):
    rows = [("", list(TARGETS)), ("instructions per inference", []), ("instructions per multiply-accumulate", []),
            ("flash, code and tables", []), ("flash, weights", []), ("RAM, workspace", []), ("RAM, stack", [])]
    for target in TARGETS.values():
        found = stats[target]
        flash, ram = found["flash"], found["ram"]
        values = (f"{found['instructions']:,}", f"{found['instructions'] / MACS:.2f}",
                  f"{flash['text'] + flash['rodata'] + flash['data']:,} B", f"{flash['weights']:,} B",
                  f"{ram['workspace']:,} B", f"{ram['stack']:,} B")
        for (_, cells), value in zip(rows[1:], values):
            cells.append(value)
    for name, cells in rows:
        print("  " + name.ljust(40) + "".join(cell.rjust(16) for cell in cells))


def show_firmware(byoc):
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder, "vibration.a")
        start = time.monotonic()
        run(byoc, "export", MODEL, "--target", "cortex-m4f", "--name", "vibration", "-o", archive,
            shown=f"byoc export {MODEL.name} --target cortex-m4f --name vibration -o vibration.a")
        seconds = time.monotonic() - start
        header = archive.with_suffix(".h")
        print(f"  {seconds:.2f} s: {archive.name}, {archive.stat().st_size:,} bytes, and {header.name}, which declares\n")
        for line in header.read_text().splitlines():
            if line.startswith(("int32_t vibration_run(", "#define VIBRATION_WORKSPACE_")):
                print("    " + line)
        print("\n  examples/firmware has start-up code, a linker script, main.c, and in its CMakeLists.txt the line\n")
        print("    byoc_add_model(vibration MODEL vibration_int8.onnx FOR cortex-m4f)\n")
        build = Path(folder, "firmware")
        run("cmake", "-G", "Ninja", "-S", ROOT / "examples" / "firmware", "-B", build,
            f"-DCMAKE_TOOLCHAIN_FILE={ROOT}/toolchains/cortex-m4f.cmake", f"-Dbyoc_DIR={ROOT}/cmake", f"-DBYOC_PROGRAM={byoc}",
            shown="cmake -G Ninja -B build -DCMAKE_TOOLCHAIN_FILE=toolchains/cortex-m4f.cmake -Dbyoc_DIR=cmake")
        run("cmake", "--build", build, shown="cmake --build build")
        image = build / "firmware.elf"
        for line in run("arm-none-eabi-size", image, shown="arm-none-eabi-size build/firmware.elf").splitlines():
            print("    " + line.replace(str(image), image.name))
        output = run("qemu-system-arm", "-M", "mps2-an386", "-nographic", "-semihosting", "-kernel", image, timeout=60,
                     shown="qemu-system-arm -M mps2-an386 -nographic -semihosting -kernel build/firmware.elf")
        for line in output.splitlines():
            print("    " + paint("32", line))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--byoc", default=ROOT / "build" / "bin" / "byoc", type=Path)
    byoc = parser.parse_args().byoc.resolve()
    table = json.loads((HERE / "signals" / "signals.json").read_text())
    heading("What is wrong with this machine?")
    print(f"  A neural network of {MACS:,} multiply-accumulates ({MODEL.name}, {MODEL.stat().st_size:,} bytes, ONNX, int8)\n"
          "  listens to an accelerometer on a rotating machine. byoc compiles it for two microcontrollers; QEMU runs the\n"
          "  result on signals that it has never seen. The signals are simulated: see examples/demo/CARD.md.\n")
    stats, right, total, agreed = show_answers(byoc, table)
    same = "Both processors gave the same bits." if agreed else "The processors differ in the last bits."
    print(f"\n  {bold(f'{right} of {total}')} answers are right. {same}")
    heading("What it costs")
    show_costs(stats)
    print(dim("\n  Counted by QEMU, one instruction at a time. Instructions are not cycles: a real core also waits."))
    heading("From the model to a firmware")
    show_firmware(byoc)
    print()


if __name__ == "__main__":
    main()
