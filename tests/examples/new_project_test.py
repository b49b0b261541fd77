#!/usr/bin/env python3
"""From a model to a firmware in three commands, with an installed byoc on PATH and nothing else said: `byoc new`, and
CMake twice. Each project is built for its board, and run in QEMU with the answer that `byoc run` gives.
"""

import argparse
import os
import re
import struct
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from commands import expect, run  # noqa: E402

# The address of the first byte of flash, and what is filled into the inputs: a line of main.c.
BOARDS = {"nucleo-f446re": 0x08000000, "nrf52840dk": 0, "nucleo-u575zi-q": 0x08000000, "ch32v307vc": 0,
          "mps3-an547": 0x10000000}
FILL = "input_0[i] = 0;"
READELF = {True: "riscv64-unknown-elf-readelf", False: "arm-none-eabi-readelf"}


class User:
    """Somebody with byoc on PATH, whose commands are counted."""

    def __init__(self, prefix):
        self.environment = {name: value for name, value in os.environ.items() if name not in ("byoc_DIR", "byoc_ROOT")}
        self.environment["PATH"] = f"{prefix}/bin{os.pathsep}{os.environ['PATH']}"
        self.commands = []

    def types(self, line, folder):
        self.commands.append(line)
        return run("sh", "-c", line, cwd=folder, env=self.environment, timeout=300)


def largest(data):
    """What main.c prints of these floats."""
    values = struct.unpack(f"<{len(data) // 4}f", data)
    best = max(range(len(values)), key=lambda i: (values[i], -i))
    return f"output 0: element {best} is the largest, {values[best]:.6f}"


def expected(user, model, board, options, scratch):
    """The answer of `byoc run`."""
    out = scratch / "out"
    run("byoc", "run", model, "--target", board, "-q", "--no-profile", "--output-dir", out, *options,
        env=user.environment)
    (file,) = out.iterdir()
    return largest(file.read_bytes())


def check_first_byte(elf, board):
    """The firmware starts where the chip looks, and its constants are those of the export."""
    sections = run(READELF[board.startswith("ch32")], "-SW", elf)
    address = int(re.search(r"\.text +PROGBITS +([0-9a-f]+)", sections).group(1), 16)
    expect(address == BOARDS[board], f"{board} starts at {BOARDS[board]:#x}, found {address:#x}")


def check_project(user, source, board, scratch):
    model = source / "examples/demo/vibration_int8.onnx"
    user.commands.clear()
    user.types(f"byoc new --board {board} --model {model} kws", scratch)
    said = user.types("cmake -B build", scratch / "kws")
    expect("Warning" not in said, said)
    said = user.types("cmake --build build", scratch / "kws")
    expect("warning" not in said, said)
    expect("FLASH:" in said and "SRAM:" in said, "the linker says how full the memories are")
    expect(len(user.commands) <= 3, f"at most three commands, found {user.commands}")
    project = scratch / "kws"
    check_first_byte(project / "build/firmware.elf", board)
    run("byoc", "verify", project / "build/firmware.elf", "--manifest", project / "build/model/vibration_int8.json",
        env=user.environment)
    said = user.types("cmake --build build --target run", project)
    answer = expected(user, model, board, ("--fill", "zeros"), scratch)
    expect(answer in said, f"'{answer}' in what the project said: {said}")
    check_debugger(user, project, answer)
    return project, model


def check_debugger(user, project, answer):
    """GDB stops in a layer, shows its source and its arguments, and what the program prints. QEMU may be gone before it has told
    GDB that the program ended, which GDB takes for an error."""
    said = user.types("gdb-multiarch -q -batch -x qemu/debug.gdb -ex 'tbreak vibration_int8_dense_9' -ex continue -ex 'info args'"
                      " -ex list -ex continue build/simulated.elf || true", project)
    for text in ("main () at ", "in0 = ", "vibration_int8_steps.c:", "int32_t vibration_int8_dense_9(", answer):
        expect(text in said, f"'{text}' in what GDB said: {said}")


def check_own_readings(user, source, project, model, board, scratch):
    """Readings in the place that main.c has for them."""
    signal = source / "examples/demo/signals/01.npy"
    data = signal.read_bytes()
    start = 10 + struct.unpack_from("<H", data, 8)[0]
    readings = struct.unpack(f"<{(len(data) - start) // 4}f", data[start:])
    text = (project / "main.c").read_text()
    expect(text.count(FILL) == 1, f"main.c has '{FILL}' once")
    table = "static const float readings[] = {" + ", ".join(map(repr, readings)) + "};\n"
    (project / "readings.h").write_text(table)
    text = text.replace(FILL, "input_0[i] = readings[i];").replace('#include "board/console.h"',
                                                                   '#include "board/console.h"\n#include "readings.h"')
    (project / "main.c").write_text(text)
    said = user.types("cmake --build build --target run", project)
    answer = expected(user, model, board, ("--input", signal), scratch)
    expect(answer in said, f"'{answer}' in what the project said: {said}")


def check_new_model(user, project):
    """The build exports a model that changed, and nothing else twice."""
    user.types("cmake --build build", project)
    again = user.types("cmake --build build", project)
    expect("Exporting" not in again and "Linking" not in again, f"nothing is left to do: {again}")
    (project / "model/vibration_int8.onnx").touch()
    expect("Exporting" in user.types("cmake --build build", project), "a model that changed is exported")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--build", required=True, type=Path, help="build folder of byoc")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        prefix = Path(scratch, "installed")
        run("cmake", "--install", arguments.build, "--prefix", prefix, "--component", "byoc")
        user = User(prefix)
        for board in BOARDS:
            folder = Path(scratch, f"a folder for {board}")
            folder.mkdir()
            project, model = check_project(user, arguments.source, board, folder)
            print(board, *user.commands, sep="\n  $ ")
            if board == "nucleo-f446re":
                check_own_readings(user, arguments.source, project, model, board, folder)
                check_new_model(user, project)


if __name__ == "__main__":
    main()
