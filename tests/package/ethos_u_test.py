#!/usr/bin/env python3
"""Installs byoc into an empty prefix and builds examples/ethos-u against it, in a folder that holds nothing else. Then models
that Vela has compiled, one of them our own of the same form: their constants and scratch memory are where the device wants
them, and the stand-in driver gets what it is to get, on this machine and on a simulated Cortex-M55."""

import json
import os
import random
import re
import struct
import subprocess
import sys
from pathlib import Path

from plugins_test import WARNINGS, arguments_of, build_plugin, expect, installed, run

sys.path.append(str(Path(__file__).resolve().parents[1] / "networks"))
import tflite_file  # noqa: E402

ETHOS_U = "org.example.ethos-u"
COMMANDS = b"COP1" + bytes(range(60))


def write_model(path, places=(0, -1, -1, 0, 0, 0), commands=COMMANDS, inputs=(1, 2, 3, 4, 5)):
    """y [1,10] of x [1,6,5,1]; places: where y, commands, weights, scratch, fast scratch and x lie; None: nowhere."""
    file = tflite_file.File()
    main = file.subgraph("main")
    y = main.tensor("y", "INT8", (1, 10), scales=[0.5], zeros=[3])
    stream = main.tensor("_split_1_command_stream", "UINT8", (len(commands),), commands)
    weights = main.tensor("_split_1_flash", "UINT8", (208,), bytes(random.randrange(256) for _ in range(208)))
    scratch = main.tensor("_split_1_scratch", "UINT8", (464,))
    fast = main.tensor("_split_1_scratch_fast", "UINT8", (464,))
    x = main.tensor("x", "INT8", (1, 6, 5, 1), scales=[0.25], zeros=[-1])
    assert (y, stream, weights, scratch, fast, x) == tuple(range(6))
    main.operator("CUSTOM", list(inputs), [y], custom=("ethos-u", b"\x01\x04\x01"))
    main.inputs, main.outputs = [x], [y]
    if places:
        file.describe("OfflineMemoryAllocation", struct.pack("<9i", 0, 1, 6, *places))
    file.write(path)


def build_driver(folder, example, compiler, *flags):
    folder.mkdir()
    run(*compiler, "-std=c99", "-O2", *WARNINGS.split(), *flags, "-c", example / "driver/ethosu_stand_in.c", "-o",
        folder / "stand_in.o")
    run("ar", "rcs", folder / "libethosu_core_driver.a", folder / "stand_in.o")
    return folder / "libethosu_core_driver.a"


def answer(data, count):
    """What the stand-in makes of an input."""
    return bytes((sum(data) + i) % 256 for i in range(count))


def check_runs(byoc, model, size, outputs, targets, folder):
    data = bytes(random.randrange(256) for _ in range(size))
    Path(folder, "x.raw").write_bytes(data)
    for target, driver in targets.items():
        out = run(byoc, "run", model, "--target", target, "--plugin", ETHOS_U, "--link", driver, "--compare", "--input",
                  Path(folder, "x.raw"), "--output-dir", Path(folder, "out"))
        expect("1 of operators that byoc does not know are taken as they are" in out, out)
        expect(Path(folder, "out/output_0.raw").read_bytes() == answer(data, outputs), f"{target}: {out}")


def check_export(byoc, model, target, scratch_bytes, folder):
    """Commands and weights are constants in flash, aligned to 16; scratch memory is in the RAM beside the device."""
    name = model.stem
    run(byoc, "export", model, "--target", target, "--plugin", ETHOS_U, "--check-sources=error", "-q", "-o",
        Path(folder, f"{name}.a"))
    manifest = json.loads(Path(folder, f"{name}.json").read_text())
    constants = {c["symbol"]: c for c in manifest["constants"]}
    for stem in ("ethos_u_commands", "ethos_u_weights"):
        found = [c for symbol, c in constants.items() if stem in symbol]
        expect(len(found) == 1 and found[0]["align"] >= 16 and found[0]["region"] != "u55_sram", manifest["constants"])
    expect(manifest["link_libraries"] == ["ethosu_core_driver"], manifest)
    header = Path(folder, f"{name}.h").read_text()
    size = re.search(r"_WORKSPACE_U55_SRAM_SIZE (\d+)", header)
    expect(size and int(size.group(1)) >= scratch_bytes, header)
    align = re.search(r"_WORKSPACE_U55_SRAM_ALIGN (\d+)", header)
    expect(align and int(align.group(1)) % 16 == 0, header)


# As the bare-metal program of microTVM's Ethos-U demonstration calls a model: it reserves the driver itself.
MAIN = """#include "console.h"
#include "ethosu_driver.h"
#include "tvmgen_detection.h"
#include "data.h"
int main(void) {
  static int8_t output_storage[sizeof expected];
  struct tvmgen_detection_inputs inputs = {.x = input};
  struct tvmgen_detection_outputs outputs = {.y = output_storage};
  struct ethosu_driver *driver = ethosu_reserve_driver();
  struct tvmgen_detection_devices devices = {.ethos_u = driver};
  if (tvmgen_detection_run(&inputs, &outputs, &devices) != 0) return 1;
  ethosu_release_driver(driver);
  for (unsigned i = 0; i < sizeof expected; ++i)
    if ((uint8_t)output_storage[i] != expected[i]) return 2;
  console_text("as expected");
  return 0;
}
"""


def check_demonstration(byoc, model, board, driver, example, folder):
    """A .tar whose sources a Makefile compiles, in a program that hands its driver over. The stand-in can be reserved once."""
    folder.mkdir()
    run(byoc, "export", model, "--target", board, "--plugin", ETHOS_U, "--plugin-option", f"{ETHOS_U}.driver-given=true",
        "--name", "detection", "-q", "-o", folder / "model.tar")
    run("tar", "xf", folder / "model.tar", "-C", folder)
    data = bytes(random.randrange(256) for _ in range(30))
    rows = {"static unsigned char input[]": data, "static const unsigned char expected[]": answer(data, 10)}
    (folder / "data.h").write_text("".join(f"{name} = {{{','.join(map(str, row))}}};\n" for name, row in rows.items()))
    (folder / "main.c").write_text(MAIN)
    firmware = example.parent / "firmware"
    script = (firmware / "mps2-an386.ld").read_text()
    for old, new in (("0x00000000, LENGTH = 4M", "0x10000000, LENGTH = 512K"),
                     ("0x20000000, LENGTH = 4M", "0x30000000, LENGTH = 512K")):
        script = script.replace(old, new)
    (folder / "board.ld").write_text(script)
    run("arm-none-eabi-gcc", "-Wall", "-Werror", "-O2", "-mcpu=cortex-m55", "-mthumb", "-mfloat-abi=hard", "-std=gnu99",
        f"-I{folder}/codegen/host/include", f"-I{firmware}", f"-I{example}/driver", folder / "main.c", firmware / "startup.c",
        firmware / "console.c", *sorted((folder / "codegen/host/src").glob("*.c")), driver, "-lm", "-nostartfiles",
        "-specs=nosys.specs", "-static", "-T", folder / "board.ld", "-o", folder / "demo")
    said = run("qemu-system-arm", "-M", "mps3-an547", "-nographic", "-semihosting", "-kernel", folder / "demo")
    expect("as expected" in said, said)


def check_refusals(byoc, model):
    for text, how in (("the commands do not begin with COP1", {"commands": b"COP2" + bytes(60)}),
                      ("found 2 inputs, expected commands, weights, two of scratch memory, and more", {"inputs": (1, 2, 3)}),
                      ("found commands or weights that are no constants", {"inputs": (1, 3, 4, 3, 5)}),
                      ("found scratch memory that something computes", {"inputs": (1, 2, 5, 4, 5)}),
                      ("found more scratch memory than two inputs", {"inputs": (1, 2, 3, 4, 3, 5)}),
                      ("found scratch memory at 8, expected a multiple of 16", {"places": (0, -1, -1, 8, 0, 0)})):
        write_model(model, **how)
        out = subprocess.run([str(w) for w in (byoc, "partition", model, "--target", "host", "--plugin", ETHOS_U)],
                             capture_output=True, text=True)
        expect(out.returncode != 0 and f"{ETHOS_U}: {text}" in out.stderr, f"{text}: {out}")


def main():
    arguments = arguments_of(__doc__)
    random.seed(11)
    shared = Path(os.environ.get("BYOC_SHARED", arguments.source.parent / "shared"))
    with installed(arguments.build) as (scratch, prefix):
        byoc, example = prefix / "bin/byoc", arguments.source / "examples/ethos-u"
        build_plugin(example, scratch, prefix)
        board = example / "targets/ethos-u55.json"
        targets = {"host": build_driver(Path(scratch, "host_driver"), example, ["gcc"]),
                   board: build_driver(Path(scratch, "board_driver"), example, ["arm-none-eabi-gcc"], "-mcpu=cortex-m55",
                                       "-mthumb", "-mfloat-abi=hard")}
        model = Path(scratch, "small.tflite")
        # Input and output at one place of the scratch memory; at places of their own; where byoc puts them.
        for places in ((0, -1, -1, 0, 0, 0), (64, -1, -1, 0, -1, 128), None):
            write_model(model, places)
            check_runs(byoc, model, 30, 10, targets, scratch)
        check_export(byoc, model, board, 464, scratch)
        check_demonstration(byoc, model, board, targets[board], example, Path(scratch, "demonstration"))
        check_refusals(byoc, model)
        vela = shared / "models/vela/person_detect_vela.tflite"
        if not vela.exists():
            print(f"skipped: {vela} is not there")
            return
        check_runs(byoc, vela, 96 * 96, 2, targets, scratch)
        check_export(byoc, vela, board, 74464, scratch)


if __name__ == "__main__":
    main()
