"""The forms that a library is written in, used as their consumers do.

usage: packs_test.py BYOC SOURCE_DIR MODELS_DIR [unittest arguments]
Tests that need the reference models skip without them.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BYOC, SOURCE, MODELS = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
DEMO = SOURCE / "examples/demo/vibration_int8.onnx"
M4F = ["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, stdin=subprocess.DEVNULL, **options)
    if done.returncode != 0:
        raise AssertionError(f"{done.returncode} from {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def symbols(file, *options):
    return run("llvm-nm-19", "--extern-only", "--just-symbol-name", *options, file).split()


class Case(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)

    def export(self, out, *arguments, model=DEMO, target="cortex-m4f"):
        run(BYOC, "export", model, "--target", target, "-q", "-o", self.dir / out, *arguments)
        return self.dir / out

    def refused(self, *command):
        done = subprocess.run([BYOC, *map(str, command)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        return done.stderr

    def run_kws(self, pack, target="cortex-m4f"):
        """The reference outputs of the keyword model, with the model linked in this form."""
        if not (MODELS / "kws_int8.tflite").exists():
            self.skipTest(f"no reference models in {MODELS}")
        golden = MODELS / "golden/kws_int8"
        run(BYOC, "run", MODELS / "kws_int8.tflite", "--target", target, "-q", "--no-profile", "--pack", pack,
            "--input", golden / "input_0.raw", "--output-dir", self.dir)
        self.assertEqual((self.dir / "output_0.raw").read_bytes(), (golden / "output_0.raw").read_bytes())


class OneObject(Case):
    def test_two_models_in_one_firmware(self):
        """Each brings its own kernels, which the other does not see."""
        first, second = self.export("a.o", "--name", "first"), self.export("b.o", "--name", "second")
        self.assertEqual([s for s in symbols(first, "--defined-only") if not s.startswith("first_")], [])
        main = self.dir / "main.c"
        main.write_text('#include "first.h"\n#include "second.h"\n'
                        "void *volatile keep[2];\n"
                        "int main(void) { keep[0] = (void *)first_run; keep[1] = (void *)second_run; return 0; }\n")
        lld = ["-fuse-ld=lld", "-B/usr/lib/llvm-19/bin", "-Wl,--defsym=__bss_start__=0,--defsym=__bss_end__=0"]
        for linker in (["-Wl,--fatal-warnings"], lld):
            run(*M4F, "--specs=nosys.specs", f"-I{self.dir}", main, first, second, "-lm", "-Wl,--gc-sections", *linker,
                "-o", self.dir / "firmware.elf")

    def test_what_nobody_calls_is_dropped(self):
        model = self.export("v.o", "--name", "v")
        main = self.dir / "main.c"
        main.write_text("int main(void) { return 0; }\n")
        elf = self.dir / "firmware.elf"
        run(*M4F, "--specs=nosys.specs", main, model, "-lm", "-Wl,--gc-sections", "-o", elf)
        self.assertEqual([s for s in run("arm-none-eabi-nm", elf).split() if s.startswith(("v_", "byoc_"))], [])

    def test_runs_as_the_archive_does(self):
        for target in ("host", "riscv32imc"):
            with self.subTest(target):
                signal = SOURCE / "examples/demo/signals/00.npy"
                outputs = []
                for pack in ("a", "o"):
                    run(BYOC, "run", DEMO, "--target", target, "-q", "--no-profile", "--pack", pack, "--input", signal,
                        "--output-dir", self.dir / pack)
                    outputs.append((self.dir / pack / "output_0.raw").read_bytes())
                self.assertEqual(outputs[0], outputs[1])

    def test_kws(self):
        self.run_kws("o")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
