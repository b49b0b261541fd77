#!/usr/bin/env python3
"""--record keeps what byoc and a plug-in said to each other, also where that fails; `byoc replay` says byoc's part to
another build of the plug-in, without the model."""

import os
import subprocess
import sys
import unittest

from plugin_case import PluginCase

BYOC = sys.argv.pop(1)
MODEL = """graph "relus" requant=onnx {
  input %x : f32[16]
  %a = Relu.13(%x) @"first"
  %b = Neg.13(%a)
  output %b
}"""


class Replay(PluginCase):
    PLUGINS = ("wild.c", "handover.cpp")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "relus.byoc").write_text(MODEL)

    def byoc(self, *words, wild=""):
        result = subprocess.run([BYOC, *words], cwd=self.folder, capture_output=True, text=True,
                                env={**os.environ, "WILD": wild})
        return result.returncode, result.stdout, result.stderr

    def record(self, name, *words, plugin="./wild.so", wild="", command="export"):
        out = ["-q", "-o", "m.a"] if command == "export" else []
        return self.byoc(command, "relus.byoc", "--target", "host", "--plugin", plugin, "--record", name, *words, *out,
                         wild=wild)

    def replay(self, name, *words, plugin="./wild.so", wild=""):
        return self.byoc("replay", name, "--plugin", plugin, *words, wild=wild)

    def test_without_the_model(self):
        self.assertEqual(self.record("s.byocrec"), (0, "", ""))
        self.assertEqual(self.record("t.byocrec"), (0, "", ""))
        record = (self.folder / "s.byocrec").read_bytes()
        self.assertEqual(record, (self.folder / "t.byocrec").read_bytes())
        os.rename(self.folder / "relus.byoc", self.folder / "away.byoc")
        try:
            for isolate in ([], ["--isolate"]):
                code, out, errors = self.replay("s.byocrec", "--same", *isolate)
                self.assertEqual((code, errors), (0, ""))
                self.assertIn("verdicts() on 2 nodes: ok\n", out)
                self.assertTrue(out.endswith("compile() of 1 region: ok\nthe plug-in says what it said\n"), out)
        finally:
            os.rename(self.folder / "away.byoc", self.folder / "relus.byoc")

    def test_what_is_in_it(self):
        self.record("s.byocrec")
        code, out, _ = self.byoc("replay", "s.byocrec")
        self.assertEqual(code, 0)
        self.assertIn("plug-in 'test.wild' 1.0, recorded by byoc ", out)
        self.assertIn("for target 'host'", out)
        self.assertIn("  Relu 'first': claimed\n", out)
        self.assertIn("  Neg '': only Relu\n", out)
        self.assertIn("  step 'relus_wild_relu'\n", out)

    def test_a_customers_crash(self):
        code, _, errors = self.record("crash.byocrec", wild="compile:crash")
        self.assertEqual(code, 1)
        self.assertIn("codegen 'test.wild': died of signal 11", errors)
        code, out, errors = self.replay("crash.byocrec", "--isolate", wild="compile:crash")
        self.assertEqual(code, 1)
        self.assertIn("crash.byocrec: error: codegen 'test.wild': died of signal 11 (Segmentation fault); in compile(), "
                      "isolated", errors)
        self.assertIn("compile() of 1 region: FAILED (it failed when it was recorded)", out)
        code, out, errors = self.replay("crash.byocrec")  # the build that is mended
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("compile() of 1 region: ok (it failed when it was recorded)", out)

    def test_what_byoc_refused(self):
        fault = ["--plugin-option", "test.handover.fault=not claimed"]
        code, _, errors = self.record("refused.byocrec", *fault, plugin="./handover.so")
        self.assertEqual(code, 1)
        self.assertIn("step symbol 'acme_relu_0' was not claimed", errors)
        code, _, errors = self.replay("refused.byocrec", plugin="./handover.so")
        self.assertEqual(code, 1)
        self.assertIn("codegen 'test.handover': byoc refused this when it was recorded: step 'acme_relu_0'", errors)
        code, out, errors = self.replay("refused.byocrec", "--plugin-option", "test.handover.fault=", plugin="./handover.so")
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("  step 'acme_relu_0': is not handed over any more\n", out)

    def test_differences(self):
        self.record("s.byocrec", plugin="./handover.so")
        words = ("s.byocrec", "--plugin-option", "test.handover.fault=large workspace")
        code, out, errors = self.replay(*words, plugin="./handover.so")
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("  step 'relus_relu': is not what was recorded\n", out)
        code, _, errors = self.replay(*words, "--same", plugin="./handover.so")
        self.assertEqual(code, 1)
        self.assertIn("'--same': codegen 'test.handover': says other things than it said (found ", errors)

    def test_other_commands_and_errors(self):
        for command in ("run", "partition"):
            code, _, errors = self.record(f"{command}.byocrec", command=command)
            self.assertEqual((code, errors), (0, ""), command)
            self.assertEqual(self.replay(f"{command}.byocrec", "-q"), (0, "", ""))
        self.assertIn("is another plug-in than the one that was recorded (found 'test.handover', expected 'test.wild')",
                      self.replay("run.byocrec", plugin="./handover.so")[2])
        code, _, errors = self.byoc("export", "relus.byoc", "--target", "host", "--record", "n.byocrec", "-o", "m.a")
        self.assertIn("n.byocrec: error: '--record': is of one plug-in (found 0, expected --plugin, once)", errors)
        model = (self.folder / "relus.byoc").read_text()
        self.assertEqual(self.record("relus.byoc")[0], 1)
        self.assertEqual((self.folder / "relus.byoc").read_text(), model)
        record = bytearray((self.folder / "run.byocrec").read_bytes())
        record[40] ^= 1
        (self.folder / "bad.byocrec").write_bytes(record)
        self.assertEqual(self.replay("bad.byocrec")[2], "bad.byocrec: error: 'recorded session': is damaged: its checksum is "
                                                        "another\n")
        self.assertIn("is no recorded session", self.replay("relus.byoc")[2])


if __name__ == "__main__":
    unittest.main()
