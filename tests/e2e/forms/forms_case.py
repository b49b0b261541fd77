"""What tests of packages share: folders of one network for three targets, and programs that print what it answers."""

import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from commands import run  # noqa: E402

BYOC, SOURCE, MODELS, BUILD = (pathlib.Path(a).absolute() for a in sys.argv[1:5])
SHARED = pathlib.Path(os.environ.get("BYOC_SHARED", SOURCE.parent / "shared"))
GOLDEN = MODELS / "golden/ds_cnn_int8"
CONSUMER = pathlib.Path(__file__).absolute().parent / "consumer"
BOARD = SOURCE / "examples/firmware"
TARGETS = ("cortex-m4f", "riscv32imc", "host")

COMPILE = {
    "cortex-m4f": ["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"],
    "riscv32imc": ["riscv64-unknown-elf-gcc", "-march=rv32imc", "-mabi=ilp32", "-mcmodel=medany", "--specs=picolibc.specs"],
    "host": ["gcc"],
}
LINK = {
    "cortex-m4f": ["-nostartfiles", "-T", BOARD / "mps2-an386.ld", "-Wl,--gc-sections", "-Wl,-z,noexecstack"],
    "riscv32imc": ["--oslib=semihost", "--crt0=semihost", "-T", "picolibc.ld", "-Wl,--gc-sections",
                   *(f"-Wl,--defsym=__{name}=0x{value:x}" for name, value in (
                       ("flash", 0x80000000), ("flash_size", 0x400000), ("ram", 0x80400000), ("ram_size", 0x200000),
                       ("stack_size", 0x4000)))],
    "host": [],
}
RUN = {
    "cortex-m4f": ["qemu-system-arm", "-M", "mps2-an386", "-nographic", "-semihosting", "-kernel"],
    "riscv32imc": ["qemu-system-riscv32", "-M", "virt", "-bios", "none", "-nographic", "-semihosting-config",
                   "enable=on,target=native", "-kernel"],
    "host": [],
}
BOARD_SOURCES = {"cortex-m4f": [BOARD / "startup.c", BOARD / "console.c"], "riscv32imc": [], "host": []}


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.all = pathlib.Path(folder.name)
        for target in (*TARGETS, "c"):
            run(BYOC, "export", MODELS / "ds_cnn_int8.tflite", "--name", "ds_cnn", "--target", target, "-q", "-o",
                cls.all / target, "--prefer", "c")  # forms with sources want them in C
        cls.signal = (GOLDEN / "input_0.raw").read_bytes()
        values = ",".join(map(str, struct.unpack(f"{len(cls.signal)}b", cls.signal)))
        (cls.all / "signal.h").write_text(f"#include <stdint.h>\nstatic const int8_t test_signal[] = {{{values}}};\n")
        cls.expected = list(struct.unpack("12b", (GOLDEN / "output_0.raw").read_bytes()))

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def pack(self, form, *targets, out="package", options=(), **environment):
        run(BYOC, "pack", "--as", form, *(self.all / t for t in targets), *options, "-o", self.dir / out, **environment)
        return self.dir / out

    def refused(self, *arguments):
        done = subprocess.run([BYOC, "pack", *map(str, arguments), "-o", self.dir / "refused"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertFalse((self.dir / "refused").exists())
        return done.stderr

    def link(self, target, *arguments):
        """A program of these headers and libraries, in options of a compiler."""
        elf = self.dir / f"{target}.elf"
        run(*COMPILE[target], "-Os", f"-I{self.all}", f"-I{BOARD}", CONSUMER / "main.c", *BOARD_SOURCES[target], *arguments,
            *LINK[target], "-o", elf)
        return elf

    def build(self, form, package, target, *options):
        """The same by CMake, as a user of the package writes it."""
        folder = self.dir / f"build-{target}"
        toolchain = [] if target == "host" else [f"-DCMAKE_TOOLCHAIN_FILE={SOURCE}/toolchains/{target}.cmake"]
        run("cmake", "-G", "Ninja", "-S", CONSUMER, "-B", folder, *toolchain, f"-DFORM={form}", f"-DPACKAGE={package}",
            f"-DSIGNAL={self.all}", f"-DBOARD={BOARD}", f"-DBOARD_SOURCES={';'.join(map(str, BOARD_SOURCES[target]))}",
            f"-DBOARD_OPTIONS={';'.join(map(str, [*COMPILE[target][4:4], *LINK[target]]))}", *options)
        run("ninja", "-C", folder)
        return folder / "firmware.elf"

    def check(self, target, program):
        said = run(*RUN[target], program, timeout=120)
        self.assertEqual([int(n) for n in re.findall(r"output (-?\d+)", said)], self.expected, said)
