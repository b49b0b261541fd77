#!/usr/bin/env python3
"""What `byoc run --compare` and `--bisect` see of steps: bytes beside their buffers, inputs that change, bytes that
nothing has written, status codes, faults, loops without an end. Each names the step and its plug-in, on a host and on a
simulated board."""

import json
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from plugin_case import PluginCase

HERE = Path(__file__).resolve().parent
BYOC = str(Path(sys.argv.pop(1)).resolve())
MODEL = """graph "m" requant=onnx {
  input %x : f32[2,4]
  %n : f32[2,4] = Neg.13(%x)
  %r : f32[2,4] = Relu.14(%n)
  %y : f32[2,4] = Softmax.13(%r) {axis=-1}
  output %y
}
"""
STEP = r"step 'm_relu' of codegen 'test\.stray' \(Relu\) "
OTHER_BYTES = STEP + "gives something else where other bytes were in its memory before"
FOUND = {
    "behind": STEP + "writes beside its output 0: 3 bytes behind its end",
    "before": STEP + "writes beside its output 0: 3 bytes before its start",
    "workspace": STEP + "writes beside its workspace 0: 1 bytes behind its end",
    "input": STEP + "changes its input 0",
    "unwritten": OTHER_BYTES,
    "beside": OTHER_BYTES,
    "status": STEP + "returned 7, expected 0",
}


class Watch(PluginCase):
    PLUGINS = ("stray.cpp",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "m.byoc").write_text(MODEL)
        cls.targets = ["host"]
        if shutil.which("qemu-system-arm") and shutil.which("arm-none-eabi-gcc"):
            cls.targets.append("cortex-m4f")

    def run_it(self, does, target, *words):
        result = subprocess.run([BYOC, "run", "m.byoc", "--target", target, "--plugin", "./stray.so", "--prefer", "test.stray,c", "--plugin-option",
                                 f"test.stray.does={does}", "--fill", "random:1", "--no-profile", *words],
                                cwd=self.folder, capture_output=True, text=True)
        return result.returncode, result.stdout + result.stderr

    def each(self, table):
        for target in self.targets:
            for does, text in table.items():
                if target != "host" and does not in ("behind", "workspace", "unwritten"):
                    continue
                with self.subTest(target=target, does=does):
                    yield does, text, target

    def test_a_sound_plugin(self):
        for target in self.targets:
            code, out = self.run_it("nothing", target, "--compare")
            self.assertEqual(code, 0, out)
            self.assertIn("all 3 tensors agree with the evaluator", out)

    def test_compare_names_the_step(self):
        for does, text, target in self.each(FOUND):
            code, out = self.run_it(does, target, "--compare", "-q")
            self.assertEqual(code, 1, out)
            self.assertRegex(out, text)

    def test_faults_and_loops(self):
        step = r", in step 'm_relu' of codegen 'test\.stray' \(Relu\)"
        for target in self.targets:
            code, out = self.run_it("fault", target, "--compare", "-q")
            self.assertEqual(code, 1, out)
            self.assertRegex(out, (r"exit code 139 \(Segmentation fault\) and no result" if target == "host" else
                                   r"the model faulted on cortex-m4f at pc .*") + step)
            code, out = self.run_it("loop", target, "--compare", "-q", "--timeout", "2")
            self.assertEqual(code, 1, out)
            self.assertRegex(out, f"the model did not finish on {target}" + step)

    def test_a_profile_names_the_step_too(self):
        result = subprocess.run([BYOC, "run", "m.byoc", "--plugin", "./stray.so", "--prefer", "test.stray,c", "--plugin-option", "test.stray.does=status"],
                                cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"the run function failed, in step 'm_relu' of codegen 'test\.stray'.*found 7")

    def test_what_to_do_next(self):
        code, out = self.run_it("links", "host", "-q")
        self.assertEqual(code, 1)
        self.assertRegex(out, r"expected --link FILE, with the object or static library that defines it; plug-ins ask for: nowhere")
        code, out = self.run_it("no C", "host", "-q")
        self.assertEqual(code, 1)
        self.assertIn("--work-dir FOLDER keeps the sources that are cited", out)
        code, out = self.run_it("no C", "host", "-q", "--work-dir", "kept")
        self.assertNotIn("keeps the sources", out)
        self.assertIn("this is no C;", (self.folder / "kept/src/m_stray.c").read_text())

    def test_bisect_judges_each_step(self):
        for does, text in {"behind": FOUND["behind"], "status": FOUND["status"],
                           "off": "DIFFERS: tensor 'r': 1 of 8 elements"}.items():
            with self.subTest(does=does):
                code, out = self.run_it(does, "host", "--bisect", "--stats", "s.json", "--report", "r.html")
                self.assertEqual(code, 1, out)
                self.assertRegex(out, text.replace(STEP, ""))
                self.assertRegex(out, r"1 of 4 steps are not as they should be; the first is step 'm_relu' of codegen "
                                      r"'test\.stray'")
                found = json.loads((self.folder / "s.json").read_text())["bisection"]
                verdicts = {s["symbol"]: s["verdict"] for s in found["steps"]}
                self.assertEqual(verdicts, {"m_Neg_0": "agrees", "m_copy": "unseen", "m_Softmax_0": "agrees",
                                            "m_relu": "differs" if does == "off" else "wrong"})
                self.assertEqual({c["name"]: c["bad"] for c in found["codegens"]}, {"c": 0, "test.stray": 1})
                self.assertEqual([r["bad"] for r in found["regions"]].count(1), 1)
                self.assertIn("DIFFERS" if does == "off" else "WRONG", (self.folder / "r.html").read_text())
                self.assertRegex(out, r"m_relu +\S+ +test\.stray +" + ("DIFFERS" if does == "off" else "WRONG"))

    def test_bisect_of_a_sound_model_and_where_it_cannot(self):
        for target in self.targets:
            code, out = self.run_it("nothing", target, "--bisect")
            self.assertEqual(code, 0, out)
            self.assertRegex(out, r"m_Softmax_0 +\S+ +c +agrees within")
        code, out = self.run_it("nothing", "host", "--bisect", "--executor", "graph")
        self.assertEqual(code, 1)
        self.assertIn("steps are given values one by one in a program around them", out)


if __name__ == "__main__":
    unittest.main()
