"""Runs that are left between steps: <model>_begin() and <model>_step().

usage: resume_test.py BYOC SOURCE_DIR MODELS_DIR [unittest arguments]
MODELS_DIR is what tests/networks wrote.
"""

import json
import os
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from commands import finish, run  # noqa: E402

BYOC, SOURCE, MODELS = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
HERE = pathlib.Path(__file__).resolve().parent
KWS = MODELS / "ds_cnn_int8.tflite"
M4F = ["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]

# More steps than two functions of calls have.
LONG = 'graph "long" requant=onnx {\n  input %v0 : f32[2,3]\n' + "".join(
    f"  %v{i + 1} : f32[2,3] = Softmax.13(%v{i}) {{axis={i % 2}}}\n" for i in range(600)) + "  output %v600\n}\n"
STATE = """graph "state" requant=onnx {
  input %x : f32[3]
  state %before : f32[3] -> %sum = [10.0, 20.0, 30.0]
  %sum : f32[3] = Add.14(%before, %x)
  %y : f32[3] = Softmax.13(%sum) {axis=0}
  output %y
}
"""
LOOP = """graph "loop" requant=onnx {
  input %x : f32[4]
  const %m : i64[] = [5]
  const %c : bool[] = [1]
  %y : f32[4] = Loop.16(%m, %c, %x) {captures=0, body=graph "b" requant=onnx {
    input %i : ?
    input %go : ?
    input %v : ?
    %n = Add.14(%v, %v)
    output %go
    output %n
  }}
  output %y
}
"""
NOTHING = 'graph "nothing" requant=onnx {\n  input %x : f32[3]\n  output %x\n}\n'


class Runs(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)

    def export(self, model, *options, target="host"):
        if not isinstance(model, pathlib.Path):
            text, model = model, self.dir / "model.byoc"
            model.write_text(text)
        run(BYOC, "export", model, "--target", target, "--name", "m", "-q", "--resumable", "-o", self.dir / "m.a", *options)
        return len(json.loads((self.dir / "m.json").read_text())["steps"])

    def expect_the_same(self, model, *options, flags=()):
        steps = self.export(model, "--prefer", "c", *options)
        run("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-I", self.dir, "-I", SOURCE / "include", *flags,
            HERE / "resume.c", self.dir / "m.a", "-lm", "-o", self.dir / "program")
        self.assertEqual(run(self.dir / "program"), f"{max(steps, 1)} steps, 0 faults\n")
        return steps

    def test_network(self):
        self.expect_the_same(KWS)

    def test_states(self):
        self.expect_the_same(STATE)

    def test_loops(self):
        self.expect_the_same(LOOP)

    def test_more_steps_than_a_function_has(self):
        self.assertGreater(self.expect_the_same(LONG), 512)

    def test_no_step(self):
        self.expect_the_same(NOTHING)

    def test_hooks(self):
        self.expect_the_same(KWS, "--profile-hook")

    def test_weights_of_their_own(self):
        self.expect_the_same(KWS, "--weights-blob", self.dir / "w.bin", flags=[f'-DWEIGHTS="{self.dir / "w.bin"}"'])

    def test_on_a_board(self):
        steps = self.export(KWS, target="cortex-m4f")
        firmware = SOURCE / "examples/firmware"
        run(*M4F, "-std=c99", "-Wall", "-Wextra", "-Werror", "-Os", "-I", self.dir, "-I", firmware, HERE / "resume_board.c",
            self.dir / "m.a", firmware / "console.c", firmware / "startup.c", "-nostartfiles", "-T",
            firmware / "mps2-an386.ld", "-Wl,--gc-sections", "-lm", "-o", self.dir / "firmware.elf")
        said = run("qemu-system-arm", "-M", "mps2-an386", "-nographic", "-semihosting", "-kernel", self.dir / "firmware.elf",
                   timeout=60)
        self.assertEqual(re.findall(r"(\w+): *(\d+)", said), [("steps", str(steps)), ("different", "0")])

    def test_costs_nothing_where_it_is_not_used(self):
        sizes = []
        for options in ((), ("--resumable",)):
            run(BYOC, "export", KWS, "--target", "cortex-m4f", "--name", "m", "-q", "-o", self.dir / "m.a", *options)
            run(*M4F, "--specs=nosys.specs", "-I", self.dir, self.dir / "m_example_main.c", self.dir / "m.a", "-lm",
                "-Wl,--gc-sections", "-o", self.dir / "m.elf")
            sizes.append(run("arm-none-eabi-size", self.dir / "m.elf").split()[6])
        self.assertEqual(*sizes)

    def test_names_and_executors(self):
        self.export('graph "n" requant=onnx {\n  input %x : f32[3]\n  %begin : f32[3] = Neg.13(%x)\n'
                    "  %step : f32[3] = Abs.13(%begin)\n  output %step\n}\n", "--no-optimise", "all")
        for options, message in ((("--executor", "vm"), "'--resumable': is for the executor aot (found vm, expected aot)"),
                                 (("--multiversion", "v3"), "'--multiversion': is not with --resumable")):
            done = finish(BYOC, "export", KWS, "--target", "x86-64-v2", "--resumable", "-o", self.dir / "x.a", *options)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
