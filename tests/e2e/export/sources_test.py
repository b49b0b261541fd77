"""The target c: folders of sources that any C99 compiler takes, in silence, and that give the same bits in any byte order.

usage: sources_test.py BYOC SOURCE_DIR NETWORKS [unittest arguments]
"""

import pathlib
import random
import re
import shutil
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from commands import finish, run  # noqa: E402

BYOC, SOURCE, NETWORKS = (pathlib.Path(a).absolute() for a in sys.argv[1:4])
GOLDEN = NETWORKS / "golden"
WARNINGS = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wcast-align", "-Werror"]

# Compilers of machines with other sizes, byte orders and alignments than this one's, and the words for these.
COMPILERS = {
    "gcc": ["-Wcast-align=strict"],
    "clang-19": [],
    "powerpc-linux-gnu-gcc": ["-Wcast-align=strict"],
    "m68k-linux-gnu-gcc": ["-Wcast-align=strict"],
    "xtensa-lx106-elf-gcc": ["-Wcast-align=strict", "-ffreestanding"],  # it comes without a C library
    "avr-gcc": ["-mmcu=atmega1284p"],
}
EMULATORS = {
    "gcc": [],
    "powerpc-linux-gnu-gcc": ["qemu-ppc", "-L", "/usr/powerpc-linux-gnu"],
    "m68k-linux-gnu-gcc": ["qemu-m68k", "-L", "/usr/m68k-linux-gnu"],
}
STRING_H = """#include <stddef.h>
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
void *memmove(void *, const void *, size_t);
"""
HEADERS = {"stddef.h", "stdint.h", "string.h", "limits.h", "float.h", "math.h"}

MAIN = """#include <stdio.h>
#include "net.h"
static int8_t in[NET_INPUT_0_ELEMENTS], out[NET_OUTPUT_0_ELEMENTS];
static uint64_t workspace[(NET_WORKSPACE_SIZE + 7) / 8];
int main(void) {
  const net_inputs_t inputs = {in};
  const net_outputs_t outputs = {out};
  unsigned i;
  if (fread(in, 1, sizeof in, stdin) != sizeof in || net_run(&inputs, &outputs, workspace) != 0) return 1;
  for (i = 0; i < sizeof out; ++i) printf("output %d\\n", out[i]);
  return 0;
}
"""

# For a microcontroller with an int of 16 bits, which ends when it sleeps without interrupts.
AVR_MAIN = """#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdio.h>
#include "net.h"
static int put(char c, FILE *file) {
  (void)file;
  while (!(UCSR0A & _BV(UDRE0))) {
  }
  UDR0 = (uint8_t)c;
  return 0;
}
static int8_t in[] = {@INPUT@};
static int8_t out[NET_OUTPUT_0_ELEMENTS];
static uint8_t workspace[NET_WORKSPACE_SIZE];
int main(void) {
  static FILE uart = FDEV_SETUP_STREAM(put, NULL, _FDEV_SETUP_WRITE);
  const net_inputs_t inputs = {in};
  const net_outputs_t outputs = {out};
  unsigned i;
  UCSR0B = _BV(TXEN0);
  stdout = &uart;
  printf("status %d\\n", (int)net_run(&inputs, &outputs, workspace));
  for (i = 0; i < sizeof out; ++i) printf("output %d\\n", out[i]);
  cli();
  sleep_mode();
  return 0;
}
"""


def small_model(folder):
    """Two convolutions, a depthwise one, a pool and a softmax, for 16 KiB of RAM."""
    numbers = random.Random(7)
    data = {name: numbers.randbytes(size).hex() for name, size in (("w", 72), ("d", 72), ("p", 64))}
    (folder / "small.byoc").write_text(f"""graph "small" requant=tflite {{
  input %x : i8[1,8,8,1] q(0.5, -3)
  const %w : i8[8,3,3,1] q(0.02, 0) = hex"{data["w"]}"
  const %d : i8[8,3,3,1] q(0.02, 0) = hex"{data["d"]}"
  const %p : i8[8,1,1,8] q(0.02, 0) = hex"{data["p"]}"
  %a : i8[1,8,8,8] q(0.4, 5) = Conv.13(%x, %w, _) {{data_layout="NHWC", filter_layout="OHWI", kernel_shape=[3,3], pads=[1,1,1,1]}}
  %b : i8[1,8,8,8] q(0.5, 2) = Conv.13(%a, %d, _) {{data_layout="NHWC", filter_layout="OHWI", kernel_shape=[3,3], group=8, pads=[1,1,1,1]}}
  %c : i8[1,8,8,8] q(0.5, 0) = Conv.13(%b, %p, _) {{data_layout="NHWC", filter_layout="OHWI", kernel_shape=[1,1]}}
  %e : i8[1,1,1,8] q(0.5, 0) = AveragePool.11(%c) {{data_layout="NHWC", kernel_shape=[8,8]}}
  %y : i8[1,1,1,8] q(0.00390625, -128) = Softmax.13(%e) {{axis=3}}
  output %y
}}
""")
    return folder / "small.byoc", numbers.randbytes(64)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        (self.dir / "libc").mkdir()
        (self.dir / "libc/string.h").write_text(STRING_H)

    def export(self, model, *options, out="net"):
        run(BYOC, "export", model, "--target", "c", "--name", "net", "-q", "-o", f"{self.dir / out}/", *options)
        return self.dir / out

    def sources(self, folder):
        return sorted(folder.glob("src/*.c"))

    def each_compiler(self, names):
        for name in names:
            with self.subTest(name):
                if shutil.which(name) is None:
                    self.skipTest(f"{name} is not installed")
                yield name

    def program(self, compiler, folder, *options):
        (self.dir / "main.c").write_text(MAIN)
        out = self.dir / f"net-{compiler}"
        run(compiler, "-static", "-O2", *options, f"-I{folder}/include", f"-I{folder}/src", self.dir / "main.c",
            *self.sources(folder), "-o", out)
        return out

    def outputs(self, said):
        return [int(n) for n in re.findall(r"output (-?\d+)", said)]


class Silence(Case):
    def compile(self, model, compilers=COMPILERS):
        folder = self.export(model)
        for compiler in self.each_compiler(compilers):
            for source in self.sources(folder):
                run(compiler, *WARNINGS, *COMPILERS[compiler], "-O1", f"-I{folder}/include", f"-I{folder}/src",
                    *([f"-I{self.dir}/libc"] if "-ffreestanding" in COMPILERS[compiler] else []),
                    "-c", source, "-o", self.dir / "object.o")

    def test_integers(self):
        self.compile(NETWORKS / "ds_cnn_int8.tflite")

    def test_packed_weights(self):
        self.compile(NETWORKS / "ds_cnn_int4.tflite")

    def test_floats(self):
        """Without xtensa's compiler, which has no <math.h>."""
        self.compile(NETWORKS / "ds_cnn_float.tflite", [c for c in COMPILERS if not c.startswith("xtensa")])

    def test_a_larger_network(self):
        """Two arrays of it are larger than an AVR's address space: the sources say so."""
        self.compile(NETWORKS / "autoencoder_int8.tflite", [c for c in COMPILERS if c != "avr-gcc"])

    def test_no_other_headers(self):
        """The folder and a C library have all that the sources include."""
        folder = self.export(NETWORKS / "ds_cnn_int8.tflite")
        there = {p.name for p in folder.rglob("*.h")}
        for file in [*folder.rglob("*.c"), *folder.rglob("*.h")]:
            included = re.findall(r'#\s*include ([<"])(.*)[>"]', file.read_text())
            self.assertLessEqual({name for mark, name in included if mark == "<"} - {"arm_mve.h", "stdio.h"}, HEADERS, file)
            self.assertLessEqual({name for mark, name in included if mark == '"'}, there, file)
        self.assertEqual([p.name for p in (folder / "include").iterdir()], ["net.h"])
        self.assertEqual(list(folder.rglob("*.o")), [])


class Bits(Case):
    def same(self, stem):
        folder = self.export(NETWORKS / f"{stem}.tflite")
        for compiler in self.each_compiler(EMULATORS):
            program = self.program(compiler, folder)
            for k in range(3):
                with open(GOLDEN / stem / f"input_{k}.raw", "rb") as data:
                    said = run(*EMULATORS[compiler], program, stdin=data)
                expected = (GOLDEN / stem / f"output_{k}.raw").read_bytes()
                self.assertEqual(self.outputs(said), list(struct.unpack(f"{len(expected)}b", expected)))

    def test_ds_cnn(self):
        self.same("ds_cnn_int8")

    def test_residual(self):
        self.same("resnet8_int8")

    def test_autoencoder(self):
        self.same("autoencoder_int8")

    def test_packed_weights(self):
        self.same("ds_cnn_int4")

    def test_int_of_16_bits(self):
        """In a simulated ATmega1284P, compared with byoc's evaluator."""
        for program in ("avr-gcc", "simavr"):
            if shutil.which(program) is None:
                self.skipTest(f"{program} is not installed")
        model, data = small_model(self.dir)
        folder = self.export(model)
        (self.dir / "in.raw").write_bytes(data)
        run(BYOC, "run", model, "--executor", "interpreted", "--input", self.dir / "in.raw", "--output-dir", self.dir / "o",
            "-q")
        expected = struct.unpack("8b", (self.dir / "o/output_0.raw").read_bytes())
        self.assertGreater(len(set(expected)), 2)
        values = ",".join(map(str, struct.unpack("64b", data)))
        (self.dir / "main.c").write_text(AVR_MAIN.replace("@INPUT@", values))
        run("avr-gcc", *WARNINGS[:4], "-mmcu=atmega1284p", "-Os", f"-I{folder}/include", f"-I{folder}/src",
            self.dir / "main.c", *self.sources(folder), "-o", self.dir / "net.elf")
        said = run("simavr", "-m", "atmega1284p", "-f", "16000000", self.dir / "net.elf", timeout=240)
        self.assertIn("status 0", said)
        self.assertEqual(self.outputs(said), list(expected))


class Constants(Case):
    def test_included(self):
        """A file of the assembler's: the same outputs, and refused where bytes are the other way round."""
        stem = "ds_cnn_int8"
        folder = self.export(NETWORKS / f"{stem}.tflite", "--constants-as", "incbin")
        self.assertGreater((folder / "src/net_constants.bin").stat().st_size, 10000)
        with open(GOLDEN / stem / "input_0.raw", "rb") as data:
            said = run(self.program("gcc", folder), stdin=data)
        expected = (GOLDEN / stem / "output_0.raw").read_bytes()
        self.assertEqual(self.outputs(said), list(struct.unpack(f"{len(expected)}b", expected)))
        if shutil.which("powerpc-linux-gnu-gcc") is None:
            self.skipTest("powerpc-linux-gnu-gcc is not installed")
        done = finish("powerpc-linux-gnu-gcc", f"-I{folder}/include", f"-I{folder}/src", "-c",
                      folder / "src/net_constants.c", "-o", self.dir / "c.o")
        self.assertIn("is for machines whose lowest byte is the first: export with --constants-as c", done.stderr)

    def test_reals(self):
        """Numbers of all kinds that C has no literal for, or only one."""
        (self.dir / "reals.byoc").write_text("""graph "reals" requant=onnx {
  input %x : f32[6]
  input %i : i64[2]
  const %c : f32[6] = hex"0000807f000080ff00000080010000000000803fdb0f4940"
  const %k : i64[2] = [-9223372036854775808, 9223372036854775807]
  %y : f32[6] = Add.14(%x, %c)
  %z : i64[2] = Add.14(%i, %k)
  output %y
  output %z
}
""")
        folder = self.export(self.dir / "reals.byoc")
        text = (folder / "src/net_constants.c").read_text()
        self.assertIn("INFINITY,-INFINITY,-0.0f,1e-45f,1.0f,3.1415927f,", text)
        self.assertIn("(-9223372036854775807LL - 1),9223372036854775807LL,", text)
        run("gcc", *WARNINGS, f"-I{folder}/include", f"-I{folder}/src", "-c", folder / "src/net_constants.c", "-o",
            self.dir / "c.o")


class Builds(Case):
    def test_make_and_cmake(self):
        folder = self.export(NETWORKS / "ds_cnn_int8.tflite")
        run("make", "-C", folder, f"BUILD={self.dir}/made")
        self.assertTrue((self.dir / "made/net.a").is_file())
        run("cmake", "-G", "Ninja", "-S", folder, "-B", self.dir / "cmake")
        run("ninja", "-C", self.dir / "cmake")
        self.assertTrue((self.dir / "cmake/net.a").is_file())

    def test_licence(self):
        """Every text says its terms in its first lines, and the folder has them."""
        folder = self.export(NETWORKS / "ds_cnn_int8.tflite")
        for file in folder.rglob("*"):
            if file.is_file() and file.suffix not in (".json",) and file.name != "LICENSE":
                self.assertIn("SPDX-License-Identifier: Apache-2.0", "".join(file.read_text().splitlines(True)[:3]), file)
        self.assertEqual((folder / "LICENSE").read_text(), (SOURCE / "LICENSE").read_text())

    def test_same_bytes(self):
        model = NETWORKS / "ds_cnn_int8.tflite"
        first, second = self.export(model, out="first"), self.export(model, out="second")
        for file in first.rglob("*"):
            if file.is_file():
                self.assertEqual(file.read_bytes(), (second / file.relative_to(first)).read_bytes(), file)


class Refused(Case):
    def refused(self, *options, out="net/"):
        done = finish(BYOC, "export", SOURCE / "examples/demo/vibration_int8.onnx", "--target", "c", "-q", "-o", self.dir / out
                      if not out.endswith("/") else f"{self.dir / out}/", *options)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        return done.stderr

    def test_options_of_objects(self):
        (self.dir / "a.c").write_text("int a;\n")
        for options in (["--lto"], ["--weights-blob", self.dir / "w.bin"], ["--add-file", self.dir / "a.c"],
                        ["--constants-as", "embed"], ["--constants-as", "llvm"], ["--pack-imports", "true"],
                        ["--multiversion", "v3"]):
            with self.subTest(options[0]):
                self.assertIn(f"'{options[0]}': is not for a target of sources", self.refused(*options))

    def test_compiler(self):
        self.assertIn("'--toolchain': nothing is compiled for a target of sources (found gnu", self.refused("--toolchain", "gnu"))

    def test_archive(self):
        self.assertIn("a library for target 'c' is a folder of sources (expected name/)", self.refused(out="net.a"))

    def test_run(self):
        done = finish(BYOC, "run", SOURCE / "examples/demo/vibration_int8.onnx", "--target", "c", "--fill", "ones")
        self.assertIn("a library of sources is not run here", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
