#!/usr/bin/env python3
"""V4: a plug-in whose results are off by as much as its verdicts state agrees with the evaluator, in `byoc run --compare`
and in `byoc check-plugin`; one that is off by more does not. What it states is in the reports."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
BYOC = sys.argv.pop(1)

# The second layer, of the reference backend, makes each step of the first two of its own.
MODEL = """graph "near" requant=tflite {
  input %x : i8[8] q(0.5, -3)
  %y : i8[8] q(0.5, -3) = Relu.14(%x)
  %z : i8[8] q(0.5, 7) = Add.14(%y, %y)
  output %z
}
"""


class Agreement(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        subprocess.run(["g++", "-std=c++20", "-O0", "-shared", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror",
                        "-fvisibility-inlines-hidden", f"-I{SOURCE}/include", str(HERE / "plugins/near.cpp"), "-o",
                        str(cls.folder / "near.so")], check=True)
        (cls.folder / "near.byoc").write_text(MODEL)
        (cls.folder / "x").write_bytes(bytes((29 * i + 5) % 100 for i in range(8)))

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def byoc(self, command, off, states, *words, plugin=("--plugin", "./near.so")):
        words = [BYOC, command, *words, *plugin, "--plugin-option", f"test.near.off={off}", "--plugin-option",
                 f"test.near.states={states}"]
        result = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
        return result.returncode, result.stdout + result.stderr

    def run_near(self, off, states, target="host"):
        return self.byoc("run", off, states, "near.byoc", "--target", target, "--input", "x", "--no-profile", "--compare")

    def test_as_stated(self):
        self.assertRegex(self.run_near(0, 0)[1], r"all 2 tensors agree with the evaluator\n")
        for target in ("host", "cortex-m4f"):
            code, out = self.run_near(1, 1, target)
            self.assertEqual(code, 0, out)
            self.assertIn("all 2 tensors agree with the evaluator, 1 of them as near as codegens state: within 1 LSB", out)

    def test_more_than_stated(self):
        code, out = self.run_near(1, 0)
        self.assertEqual(code, 1)
        self.assertRegex(out, r"Relu.*tensor 'y' is the first that differs from the evaluator: 8 of 8 elements, first at index 0")
        code, out = self.run_near(2, 1)
        self.assertEqual(code, 1)
        self.assertRegex(out, r"tensor 'y' is the first that differs from the evaluator by more than its codegen states: 8 of 8 "
                              r".*found .*, expected .* within 1 LSB")

    def test_check_plugin(self):
        for off, states, good in ((1, 1, True), (2, 1, False)):
            code, out = self.byoc("check-plugin", off, states, "./near.so", "--only", "agreement", "--graphs", "1", "--shapes", "6", plugin=())
            self.assertEqual(code == 0, good, out)
            self.assertIn("V4" if not good else "agreement", out)

    def test_reports(self):
        self.byoc("partition", 1, 1, "near.byoc", "--target", "host", "--report", "r.json")
        node, other = json.loads((self.folder / "r.json").read_text())["nodes"]
        self.assertEqual((node["exactness"], node["tolerance"]), ("lsb", 1))
        self.assertEqual((other["exactness"], "tolerance" in other), ("exact", False))
        self.byoc("partition", 1, 1, "near.byoc", "--target", "host", "--report", "r.html")
        self.assertIn("takes it, within 1 LSB", (self.folder / "r.html").read_text())


if __name__ == "__main__":
    unittest.main()
