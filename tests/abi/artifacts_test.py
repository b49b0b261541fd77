#!/usr/bin/env python3
"""Every kind of artifact of a plug-in, through export, link and run on the host and on a simulated board; and those that
are refused."""

import json
import struct
import subprocess
import sys
import unittest
from pathlib import Path

from plugin_case import PluginCase

HERE = Path(__file__).resolve().parent
BYOC = sys.argv.pop(1)
MODEL = """graph "relus" requant=onnx {
  input %x : f32[16]
  %a = Relu.13(%x)
  %b = Neg.13(%a)
  %c = Relu.13(%b)
  %d = Add.13(%c, %a)
  output %d
}"""


class Artifacts(PluginCase):
    PLUGINS = ("artifacts.cpp",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "relus.byoc").write_text(MODEL)
        (cls.folder / "x.raw").write_bytes(struct.pack("<16f", *[i - 7.5 for i in range(16)]))

    def byoc(self, command, form, target, *words):
        result = subprocess.run([BYOC, command, "relus.byoc", "--target", target, "--plugin", "./artifacts.so",
                                 "--plugin-option", f"test.artifacts.form={form}", *words], cwd=self.folder,
                                capture_output=True, text=True)
        return result.returncode, result.stdout + result.stderr

    def test_runs(self):
        for form in ("c11", "bitcode", "object", "library"):
            for target in ("host", "cortex-m4f"):
                with self.subTest(form=form, target=target):
                    code, text = self.byoc("run", form, target, "--input", "x.raw", "--compare", "--no-profile")
                    self.assertEqual(code, 0, text)
                    self.assertIn("tensors agree with the evaluator", text)

    def test_manifest(self):
        code, text = self.byoc("export", "library", "cortex-m4f", "-q", "-o", "m.a")
        self.assertEqual((code, text), (0, ""))
        manifest = json.loads((self.folder / "m.json").read_text())
        self.assertEqual(manifest["link_libraries"], ["m"])
        self.assertEqual(manifest["licences"], [{"codegen": "test.artifacts", "spdx": "0BSD", "text": "do as you like"}])
        self.assertIn("relus_code_a_name_that_is_longer_than_a_field.o", manifest["members"])

    def test_other_target(self):
        for form in ("object", "library", "bitcode"):
            code, text = self.byoc("export", form, "cortex-m4f", "-o", "bad.a", "--plugin-option",
                                   "test.artifacts.for-host=true")
            self.assertEqual(code, 1, form)
            self.assertIn("test.artifacts", text)
            self.assertFalse((self.folder / "bad.a").exists())

    def test_constants_of_two_vendors(self):
        """The same content is stored once, with the larger alignment, if it is for the same memory."""
        words = []
        for op, align in (("Relu", 4), ("Neg", 32)):
            subprocess.run(["g++", "-std=c++20", "-O0", "-shared", "-fPIC", "-fvisibility=hidden",
                            "-fvisibility-inlines-hidden", f"-I{HERE.parents[1] / 'include'}", f'-DOP="{op}"',
                            f'-DID="test.{op.lower()}"', f"-DALIGN={align}", str(HERE / "plugins" / "constants.cpp"),
                            "-o", f"{op}.so"], cwd=self.folder, check=True)
            words += ["--plugin", f"./{op}.so"]
        (self.folder / "two.byoc").write_text('graph "two" requant=onnx {\n  input %x : f32[16]\n  %a = Relu.13(%x)\n'
                                              "  %b = Neg.13(%a)\n  output %b\n}")
        (self.folder / "two-flashes.json").write_text(json.dumps(
            {"name": "two-flashes", "extends": "cortex-m4f", "pools": [{"name": "npu_flash", "kind": "flash", "size": 0}]}))

        def export(*more):
            result = subprocess.run([BYOC, "export", "two.byoc", "--target", "two-flashes.json", "-q", *words, *more,
                                     "-o", "two.a"], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual((result.returncode, result.stdout + result.stderr), (0, ""))
            subprocess.run(["ar", "x", "two.a", "two_constants.o"], cwd=self.folder, check=True)
            listing = subprocess.run(["arm-none-eabi-readelf", "-SsW", "two_constants.o"], cwd=self.folder, check=True,
                                     capture_output=True, text=True).stdout
            lines = [line.split() for line in listing.splitlines()]
            sections = {s[-1]: s[-2] for s in lines if len(s) == 8 and s[3] == "OBJECT"}
            aligned = [s[-1] for s in lines if ".rodata" in " ".join(s) and "PROGBITS" in s]
            return sections, aligned

        sections, aligned = export()
        self.assertEqual(sorted(sections), ["two_table_of_Neg", "two_table_of_Relu"])
        self.assertEqual(len(set(sections.values())), 1)
        self.assertEqual(aligned, ["32"])
        sections, aligned = export("--plugin-option", "test.neg.region=npu_flash")
        self.assertEqual(len(set(sections.values())), 2)
        self.assertEqual(aligned, ["4", "32"])

    def test_broken_promises(self):
        code, text = self.byoc("export", "broken", "host", "-o", "bad.a")
        self.assertEqual(code, 1)
        self.assertIn("codegen 'test.artifacts': promised this symbol and does not define it", text)
        code, text = self.byoc("export", "bad-define", "host", "-o", "bad.a")
        self.assertEqual(code, 1)
        self.assertIn("source 'relus_code' has a define that is none", text)
        code, text = self.byoc("export", "undefined", "host", "-o", "bad.a")
        self.assertEqual(code, 1)
        self.assertIn("codegen 'test.artifacts': declared this step, and none of its artifacts defines it", text)


if __name__ == "__main__":
    unittest.main()
