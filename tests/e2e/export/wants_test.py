"""The functions that libraries want of the program's other ones: what the manifest says, and links without any.

usage: wants_test.py BYOC SOURCE_DIR NETWORKS [unittest arguments]
"""

import json
import pathlib
import re
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from commands import run  # noqa: E402

BYOC, SOURCE, NETWORKS = (pathlib.Path(a).absolute() for a in sys.argv[1:4])
BOARD = SOURCE / "examples/firmware"
MODELS = ("ds_cnn_int8", "resnet8_int8", "autoencoder_int8")

# Targets, and the compilers' options for a program. The board's core has everything of Armv6-M's.
ARM = {
    "cortex-m0plus": ["-mcpu=cortex-m0plus", "-mthumb"],
    "cortex-m4f": ["-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"],
}
RISCV = ["riscv64-unknown-elf-gcc", "-march=rv32imc", "-mabi=ilp32"]

MEMORY_C = """#include <stddef.h>
void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int value, size_t n);
void *memcpy(void *to, const void *from, size_t n) {
  char *t = to;
  const char *f = from;
  while (n-- > 0) *t++ = *f++;
  return to;
}
void *memset(void *to, int value, size_t n) {
  char *t = to;
  while (n-- > 0) *t++ = (char)value;
  return to;
}
"""
MAIN_C = """#include "console.h"
#include "net.h"
static int8_t in[] = {@INPUT@};
static int8_t out[NET_OUTPUT_0_ELEMENTS];
static uint64_t workspace[(NET_WORKSPACE_SIZE + 7) / 8];
int main(void) {
  const net_inputs_t inputs = {in};
  const net_outputs_t outputs = {out};
  unsigned i;
  if (net_run(&inputs, &outputs, workspace) != 0) return 1;
  for (i = 0; i < sizeof out; ++i) {
    console_text(out[i] < 0 ? "output -" : "output ");
    console_number((uint32_t)(out[i] < 0 ? -out[i] : out[i]), 1);
    console_text("\\n");
  }
  return 0;
}
"""
START_C = """#include "net.h"
static int8_t in[NET_INPUT_0_ELEMENTS], out[NET_OUTPUT_0_ELEMENTS];
static uint64_t workspace[(NET_WORKSPACE_SIZE + 7) / 8];
int32_t _start(void);
int32_t _start(void) {
  const net_inputs_t inputs = {in};
  const net_outputs_t outputs = {out};
  return net_run(&inputs, &outputs, workspace);
}
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def export(self, stem, target, *options):
        run(BYOC, "export", NETWORKS / f"{stem}.tflite", "--name", "net", "--target", target, "-q", *options, "-o",
            self.dir / "net.a")
        return json.loads((self.dir / "net.json").read_text()).get("undefined", [])

    def write(self, name, text):
        (self.dir / name).write_text(text)
        return self.dir / name


class Links(Case):
    """Own memcpy() and memset(), and no other library: not even the compiler's."""

    def test_arm(self):
        for target, flags in ARM.items():
            for toolchain in ("clang", "gnu"):
                for stem in MODELS:
                    with self.subTest(f"{stem} {target} {toolchain}"):
                        wanted = self.export(stem, target, "--toolchain", toolchain, "--freestanding")
                        self.assertLessEqual(set(wanted), {"memcpy", "memset"})
                        self.run_on_board(stem, flags)

    def run_on_board(self, stem, flags):
        data = (NETWORKS / f"golden/{stem}/input_0.raw").read_bytes()
        main = self.write("main.c", MAIN_C.replace("@INPUT@", ",".join(map(str, struct.unpack(f"{len(data)}b", data)))))
        # byoc's functions are for its own code; a division of the console's is folded or taken from there.
        run("arm-none-eabi-gcc", *flags, "-Os", "-ffreestanding", "-fno-tree-loop-distribute-patterns", "-nostdlib",
            f"-I{self.dir}", f"-I{BOARD}", "-T", BOARD / "mps2-an386.ld", "-Wl,--gc-sections", main,
            self.write("memory.c", MEMORY_C), BOARD / "startup.c", BOARD / "console.c", self.dir / "net.a", "-o",
            self.dir / "net.elf")
        said = run("qemu-system-arm", "-M", "mps2-an386", "-nographic", "-semihosting", "-kernel", self.dir / "net.elf",
                   timeout=120)
        expected = (NETWORKS / f"golden/{stem}/output_0.raw").read_bytes()
        self.assertEqual([int(n) for n in re.findall(r"output (-?\d+)", said)],
                         list(struct.unpack(f"{len(expected)}b", expected)))

    def test_riscv(self):
        for toolchain in ("clang", "gnu"):
            for stem in MODELS:
                with self.subTest(f"{stem} {toolchain}"):
                    wanted = self.export(stem, "riscv32imc", "--toolchain", toolchain)
                    self.assertLessEqual(set(wanted), {"memcpy", "memset"})
                    run(*RISCV, "-Os", "-ffreestanding", "-fno-tree-loop-distribute-patterns", "-nostdlib",
                        "-Wl,--fatal-warnings", f"-I{self.dir}", self.write("start.c", START_C),
                        self.write("memory.c", MEMORY_C), self.dir / "net.a", "-o", self.dir / "net.elf")


class Manifest(Case):
    def test_what_there_is(self):
        """Without the option: the names of the compiler's library, and of libm."""
        self.assertEqual(self.export("ds_cnn_int8", "cortex-m4f"), ["memcpy", "memset"])
        self.assertEqual(self.export("ds_cnn_int8", "cortex-m0plus", "--toolchain", "gnu"),
                         ["__aeabi_idiv", "__aeabi_lmul", "memcpy", "memset"])
        self.assertIn("__aeabi_fmul", self.export("ds_cnn_float", "cortex-m0plus"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
