"""Hooks around steps: a program that uses them, what they cost where it does not, and the table of its log.

usage: profile_test.py BYOC SOURCE_DIR MODELS_DIR [unittest arguments]
MODELS_DIR is what tests/networks wrote.
"""

import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from commands import finish  # noqa: E402

BYOC, SOURCE, MODELS = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
KWS = MODELS / "ds_cnn_int8.tflite"


class Case(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)

    def done(self, *command):
        result = finish(*command)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def log(self, *options):
        """What the program around a model of this machine prints."""
        self.done(BYOC, "export", KWS, "--target", "host", "--name", "m", "-q", "-o", self.dir / "m.a", "--profile-hook",
                  *options)
        program = self.dir / "program"
        self.done("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-I", self.dir, "-I", SOURCE / "include",
                  SOURCE / "tests/e2e/profile/main.c", self.dir / "m.a", "-lm", "-o", program)
        return self.done(program)


class Hooks(Case):
    def test_are_called_around_each_step(self):
        out = self.log()
        steps = json.loads((self.dir / "m.json").read_text())["steps"]
        found = re.findall(r"byoc-step (\d+) (\d+) (\w+)", out)
        self.assertEqual([(int(i), s) for i, _, s in found], [(i, s["symbol"]) for i, s in enumerate(steps)])
        self.assertEqual({count for _, count, _ in found}, {"6"})  # ten between two readings, four are taken off
        self.assertNotIn("tap", out)

    def test_taps_are_of_the_steps_that_are_named(self):
        steps = json.loads(self.done(BYOC, "run", KWS, "--target", "host", "-q", "--stats", "/dev/stdout"))["steps"]
        symbol = steps[2]["symbol"].split("_", 1)
        out = self.log("--tap", "0", "--tap", f"m_{steps[2]['symbol'][len('ds_cnn_int8_'):]}")
        self.assertEqual([line.split()[1] for line in out.splitlines() if line.startswith("tap")], ["0", "2"], symbol)
        bad = finish(BYOC, "export", KWS, "--target", "host", "-q", "-o", self.dir / "x.a", "--tap", "99")
        self.assertEqual(bad.returncode, 1)
        self.assertIn("--tap': names no step of the model (found '99'", bad.stderr)
        bad = finish(BYOC, "export", KWS, "--target", "host", "-q", "-o", self.dir / "x.so", "--profile-hook", "--executor",
                  "graph")
        self.assertIn("is for the executor aot", bad.stderr)

    def test_cost_next_to_nothing_where_there_are_none(self):
        for target in ("cortex-m4f", "cortex-m55"):
            counted = [json.loads(self.done(BYOC, "run", KWS, "--target", target, "-q", "--no-profile", "--stats",
                                            "/dev/stdout", *options))["instructions"]
                       for options in ([], ["--profile-hook"])]
            self.assertLess(counted[0], counted[1] + 1000)
            self.assertLess(counted[1], counted[0] * 1.02, (target, counted))


class Counters(Case):
    """byoc/rt/profile.h on the counters of cores. QEMU has mcycle, which counts instructions there; it has neither DWT nor
    PMU of M cores, so theirs run on memory, and on a board where they stand still."""

    def build(self, target, counter, *command):
        self.done(BYOC, "export", KWS, "--target", target, "--name", "m", "-q", "-o", self.dir / "m.a", "--profile-hook")
        elf = self.dir / "counters.elf"
        self.done(*command, "-std=c99", "-Wall", "-Wextra", "-Werror", "-Os", f"-DCOUNTER={counter}", "-I", self.dir, "-I",
                  SOURCE / "include", SOURCE / "tests/e2e/profile/counters.c", self.dir / "m.a", "-lm",
                  "-Wl,--gc-sections", "-o", elf)
        return elf

    def test_mcycle(self):
        elf = self.build("riscv32imc", "mcycle", "riscv64-unknown-elf-gcc", "--specs=picolibc.specs", "--oslib=semihost",
                         "--crt0=semihost", "-march=rv32imc", "-mabi=ilp32", "-mcmodel=medany", "-T", "picolibc.ld",
                         "-Wl,--defsym=__flash=0x80000000,--defsym=__flash_size=0x400000",
                         "-Wl,--defsym=__ram=0x80400000,--defsym=__ram_size=0x200000,--defsym=__stack_size=0x4000")
        done = finish("qemu-system-riscv32", "-M", "virt", "-bios", "none", "-nographic", "-icount", "shift=0",
                   "-semihosting-config", "enable=on,target=native", "-kernel", elf)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        (self.dir / "uart.txt").write_text(done.stdout + done.stderr)  # semihosting writes to the latter
        self.done(BYOC, "report", "from-log", self.dir / "uart.txt", "--manifest", self.dir / "m.json", "-o",
                  self.dir / "s.json")
        read = [s["cycles"] for s in json.loads((self.dir / "s.json").read_text())["steps"]]
        counted = [s["instructions"] for s in json.loads(self.done(
            BYOC, "run", KWS, "--target", "riscv32imc", "-q", "--stats", "/dev/stdout"))["steps"]]
        self.assertEqual(len(read), len(counted))
        for step, (a, b) in enumerate(zip(read, counted)):
            self.assertLess(abs(a - b), 150 + b / 100, (step, read, counted))

    def test_dwt_and_pmu_where_they_stand_still(self):
        firmware = SOURCE / "examples/firmware"
        for counter in ("dwt", "pmu"):
            elf = self.build("cortex-m4f", counter, "arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16",
                             "-mfloat-abi=hard", "-I", firmware, firmware / "console.c", firmware / "startup.c",
                             "-nostartfiles", "-T", firmware / "mps2-an386.ld")
            done = finish("qemu-system-arm", "-M", "mps2-an386", "-nographic", "-semihosting", "-kernel", elf)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertRegex(done.stdout + done.stderr, r"byoc-step 0 0 m_\w+\r?\n")

    def test_dwt_and_pmu_on_memory(self):
        compiler = shutil.which("i686-linux-gnu-gcc")
        if not compiler:
            self.skipTest("no compiler for 32-bit x86")
        program = self.dir / "registers"
        self.done(compiler, "-static", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-I", SOURCE / "include",
                  SOURCE / "tests/e2e/profile/registers.c", "-o", program)
        done = finish(program)
        if done.returncode == 77:
            self.skipTest("this kernel gives 32-bit processes none of these addresses")
        self.assertEqual((done.returncode, done.stdout.splitlines()), (0, [
            "DEMCR 01000010 DWT_CTRL 40000001 CYCCNT 0 LAR c5acce55", "dwt 1234",
            "DEMCR 01000000 PMU_CTRL 00000005 CNTENSET 80000000", "pmu 5678"]))


class Log(Case):
    def report(self, text, *options):
        (self.dir / "uart.txt").write_text(text)
        return finish(BYOC, "report", "from-log", self.dir / "uart.txt", "--manifest", self.dir / "m.json", *options)

    def refused(self, text, *says):
        done = self.report(text)
        self.assertEqual(done.returncode, 1, done.stdout)
        for s in says:
            self.assertIn(s, done.stderr)

    def test_becomes_the_table_of_a_run(self):
        text = self.log()
        done = self.report("noise\n" + text.replace(" 6 ", " 7 ", 3) + text + "[rtt] more\r\n", "-o", self.dir / "s.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        stats = json.loads((self.dir / "s.json").read_text())
        self.assertEqual({s["cycles"] for s in stats["steps"]}, {6})
        self.assertEqual(stats["cycles"], 6 * len(stats["steps"]))
        self.assertIn("run 2 of the log", done.stdout)
        self.assertRegex(done.stdout, r"# +layer +kernel +MACs")
        whole = self.report(text.replace("cycles", "nanoseconds"), "-o", self.dir / "s.json")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        self.assertEqual(json.loads((self.dir / "s.json").read_text())["nanoseconds"], 6 * len(stats["steps"]))

    def test_what_is_no_profile_of_the_model(self):
        text = self.log()
        lines = text.splitlines()
        self.refused("nothing here\n", "has no whole profile of this model")
        self.refused("\n".join(lines[:3] + lines[4:]), "has no whole profile", "lines are missing or damaged")
        self.refused(text.replace("byoc-profile 1", "byoc-profile 2"), "a profile of another format")
        self.refused(text.replace("cycles", "furlongs"), "a profile in another unit")
        self.refused(re.sub("m_[Cc]onv_0", "m_conv_9", text, count=1), "is of another export than the manifest", "m_conv_9")
        start = next(i for i, line in enumerate(lines) if "byoc-profile" in line)
        self.refused("\n".join(["byoc-profile 1 m 1 cycles", lines[start + 1], "byoc-end"]),
                     "is of another export than the manifest", "1 steps")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
