"""Xtensa by the user's GCC: exports for the core that there is a compiler of here, LX106, and the gate for ESP32.

usage: xtensa_test.py BYOC SOURCE_DIR NETWORKS [unittest arguments]

No compiler of Debian makes code for windowed registers. A stand-in calls that of LX106, and says in its objects that they
are for them: what byoc reads, packs and refuses is tried with it, and no code of it is run.
"""

import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from commands import finish, run  # noqa: E402

BYOC, SOURCE, NETWORKS = (pathlib.Path(a).absolute() for a in sys.argv[1:4])
COMPILER = "xtensa-lx106-elf-gcc"
MODEL = NETWORKS / "ds_cnn_int8.tflite"
# LX106 comes without a C library.
STRING_H = """#include <stddef.h>
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
void *memmove(void *, const void *, size_t);
"""
START_C = """#include "net.h"
static int8_t in[NET_INPUT_0_ELEMENTS], out[NET_OUTPUT_0_ELEMENTS];
static uint64_t workspace[(NET_WORKSPACE_SIZE + 7) / 8];
void *memcpy(void *to, const void *from, unsigned n);
void *memset(void *to, int value, unsigned n);
void *memcpy(void *to, const void *from, unsigned n) {
  for (unsigned i = 0; i < n; ++i) ((char *)to)[i] = ((const char *)from)[i];
  return to;
}
void *memset(void *to, int value, unsigned n) {
  for (unsigned i = 0; i < n; ++i) ((char *)to)[i] = (char)value;
  return to;
}
int32_t start(void);
int32_t start(void) {
  const net_inputs_t inputs = {in};
  const net_outputs_t outputs = {out};
  return net_run(&inputs, &outputs, workspace);
}
"""
SCRIPT = """SECTIONS {
  .text 0x40200000 : { *(.literal .literal.*) *(.text .text.*) }
  .rodata : { *(.rodata .rodata.*) }
  .bss 0x3ffe8000 (NOLOAD) : { *(.bss .bss.*) }
}
"""
STAND_IN = """#!/bin/sh
# Calls the compiler of LX106; its objects say that they are for windowed registers.
for word; do
  shift
  [ "$word" = -mabi=windowed ] || set -- "$@" "$word"
done
xtensa-lx106-elf-gcc -isystem {folder} -ffreestanding -U__XTENSA_CALL0_ABI__ -D__XTENSA_WINDOWED_ABI__ \\
  -U__XTENSA_SOFT_FLOAT__ "$@" || exit $?
[ -f out.o ] && sed -i 's/ABI=1/ABI={abi}/' out.o
exit 0
"""


@unittest.skipUnless(shutil.which(COMPILER), f"{COMPILER} is not installed")
class Xtensa(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        self.write("string.h", STRING_H)

    def write(self, name, text):
        (self.dir / name).write_text(text)
        return self.dir / name

    def stand_in(self, chip, abi):
        """The environment in which the chip's compiler is there."""
        folder = self.dir / "bin"
        folder.mkdir(exist_ok=True)
        program = folder / f"xtensa-{chip}-elf-gcc"
        program.write_text(STAND_IN.format(folder=self.dir, abi=abi))
        program.chmod(0o755)
        return os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}

    def export(self, target, out, **options):
        return finish(BYOC, "export", MODEL, "--name", "net", "--target", target, "-q", "-o", out, **options)

    def test_the_core_that_there_is_a_compiler_of(self):
        """The library wants nothing but memcpy(), memset() and the compiler's own, links, and its constants stay in flash."""
        target = self.write("lx106.json", json.dumps({
            "extends": "esp32", "name": "lx106", "cpu": "lx106", "abi": "call0", "isa": [], "gnu_command": COMPILER,
            "gnu_flags": ["-mabi=call0", "-mlongcalls", "-ffreestanding", "-isystem", str(self.dir)]}))
        done = self.export(target, self.dir / "net.a")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        # Division and the like are in the ROM of the chips with this core, and in no library of its compiler.
        own = {"memcpy", "memset"}
        wanted = set(json.loads((self.dir / "net.json").read_text())["undefined"])
        self.assertTrue(all(name in own or name.startswith("__") for name in wanted), wanted)
        rom = "".join(f"void {name}(void);\nvoid {name}(void) {{}}\n" for name in sorted(wanted - own))
        run(COMPILER, "-Os", "-ffreestanding", "-fno-tree-loop-distribute-patterns", "-nostdlib", f"-I{self.dir}", "-T",
            self.write("net.ld", SCRIPT), "-e", "start", self.write("start.c", START_C), self.write("rom.c", rom), self.dir / "net.a",
            "-o", self.dir / "net.elf")
        run(BYOC, "verify", self.dir / "net.elf", "--manifest", self.dir / "net.json")
        self.assertIn("Machine:                           Tensilica Xtensa Processor",
                      run("xtensa-lx106-elf-readelf", "-h", self.dir / "net.elf"))

    def test_objects_of_other_calls_are_refused(self):
        done = self.export("esp32", self.dir / "net.a", env=self.stand_in("esp32", 1))
        self.assertEqual(done.returncode, 1)
        self.assertIn("calls (.xtensa.info) (found call0, expected windowed)", done.stderr)

    def test_a_component_for_the_chips(self):
        for chip in ("esp32", "esp32s3"):
            done = self.export(chip, f"{self.dir}/{chip}/", env=self.stand_in(chip, 0))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            run(BYOC, "export", MODEL, "--name", "net", "--target", "riscv32imc", "-q", "-o", f"{self.dir}/riscv32imc/")
            package = self.dir / f"{chip}_component"
            run(BYOC, "pack", "--as", "esp-idf", self.dir / chip, self.dir / "riscv32imc", "-o", package,
                env=self.stand_in(chip, 0))
            self.assertIn(f'IDF_TARGET MATCHES "^({chip})$"', (package / "CMakeLists.txt").read_text())
            self.assertTrue((package / f"lib/{chip}/libnet.a").exists())
            self.assertIn("defined(__XTENSA_WINDOWED_ABI__)", (package / "include/net.h").read_text())
        # No macro of a compiler says which of the two it is for.
        said = run(BYOC, "pack", "--as", "esp-idf", self.dir / "esp32", self.dir / "esp32s3", "-o", self.dir / "both", code=1,
                   env=self.stand_in("esp32", 0))
        self.assertIn("a compiler cannot tell the target from 'esp32'", said)

    def test_what_is_missing_is_said(self):
        done = self.export("esp32s3", self.dir / "net.a", env=os.environ | {"PATH": "/nowhere"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("xtensa-esp32s3-elf-gcc is not installed", done.stderr)
        done = self.export("esp32", self.dir / "net.a", env=self.stand_in("esp32", 0))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = finish(BYOC, "run", self.dir / "net.a")
        self.assertEqual(done.returncode, 1)
        self.assertIn("target has no simulator that is known here", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
