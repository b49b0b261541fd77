#!/usr/bin/env python3
"""What a codegen hands over wrongly: one error each, which names the codegen with one prefix; repeats are counted, and
what only follows from an error is not told."""

import subprocess
import sys
import unittest

from plugin_case import PluginCase

BYOC = sys.argv.pop(1)
WHO = "error: codegen 'test.handover': "
NODES = 109
MORE = f" (and {NODES - 1} more)"

# What is wrong -> the one line that is told.
ONCE = {
    "unknown header": "relus_handover.c:3:10: " + WHO + "'nowhere.h' file not found",
    "library twice": "relus.byoc: " + WHO + "static library 'acme' was given twice",
    "source twice": "relus.byoc: " + WHO + "C source 'twice' was given twice",
    "header twice": "relus.byoc: " + WHO + "header 'acme.h' was given twice with different text",
    "constant twice": "relus.byoc: " + WHO + f"constant 'relus_c' was given twice (and {2 * NODES - 2} more)",
    "bad object": "acme.o: " + WHO + "is not an object file (found no ELF header, expected ELF)",
    "bad library": "acme: " + WHO + "is no static library",
    "bad bitcode": "acme.bc: " + WHO + "is not an LLVM module: Expected a single module",
    "public symbol": "error: 'relus_run': codegen 'test.handover': defines what is defined already (found relus.o and "
                     "relus_handover.o, expected one definition)",
    "extra operand": "relus.byoc: " + WHO + "names value 99 of region 'relus_0', which does not exist (expected less than 2)",
    "wrong operand": "relus.byoc: error: 'relus_relu': codegen 'test.handover': reads 'r0', which no step computes before it"
                     + MORE,
    "no outputs": "relus.byoc: " + WHO + "step 'relus_relu' has no outputs" + MORE,
    "no step": "relus.byoc: " + WHO + "claimed Relu '' and computes 'r0' in no step" + MORE,
    "workspace": "relus.byoc: " + WHO + "a workspace of step 'relus_relu' is larger than target 'host' could have" + MORE
                 + " (found 1099511627776 bytes, expected less than 2^40 bytes)",
    "not claimed": "relus.byoc: " + WHO + "step symbol 'acme_relu_0' was not claimed" + MORE,
    "private": "relus.byoc: " + WHO + "a private value has an alignment that is no power of two" + MORE + " (found 3)",
    "no source": "error: 'relus_relu': codegen 'test.handover': declared this step, and none of its artifacts defines it" + MORE,
}


class Errors(PluginCase):
    PLUGINS = ("handover.cpp",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        lines, last = ['graph "relus" requant=onnx {', "  input %x : f32[16]"], "x"
        for i in range(NODES):
            lines += [f"  %r{i} = Relu.13(%{last})", f"  %n{i} = Neg.13(%r{i})"]
            last = f"n{i}"
        (cls.folder / "relus.byoc").write_text("\n".join([*lines, f"  output %{last}", "}"]))

    def export(self, fault, target="host", out="m.a", *words):
        result = subprocess.run([BYOC, "export", "relus.byoc", "--target", target, "-q", "--plugin", "./handover.so",
                                 "--plugin-option", f"test.handover.fault={fault}", *words, "-o", out], cwd=self.folder,
                                capture_output=True, text=True)
        said = [line for line in result.stderr.splitlines(True) if not line.startswith("note: '--work-dir'")]
        return result.returncode, result.stdout + "".join(said)

    def test_nothing_wrong(self):
        self.assertEqual(self.export(""), (0, ""))

    def test_one_error_that_names_it(self):
        for fault, line in ONCE.items():
            with self.subTest(fault=fault):
                self.assertEqual(self.export(fault), (1, line + "\n"))

    def test_the_same_isolated(self):
        for fault in ("extra operand", "no outputs", "no step", "workspace", "not claimed", "private", "constant twice"):
            with self.subTest(fault=fault):
                self.assertEqual(self.export(fault, "host", "m.a", "--isolate"), (1, ONCE[fault] + "\n"))

    def test_undefined_function(self):
        code, text = self.export("undefined function", "host", "shared.so")
        self.assertEqual(code, 1)
        self.assertIn("shared.so: error: 'acme_missing': codegen 'test.handover': names what nobody defines (found "
                      "relus_handover.o, expected a definition among its artifacts, or a link library that has one)\n", text)
        self.assertNotIn("collect2", text)

    def test_what_does_not_fit(self):
        code, text = self.export("large workspace", "cortex-m4f")
        self.assertEqual(code, 1)
        self.assertIn("the workspace does not fit into any RAM of target 'cortex-m4f' (found 16777", text)
        self.assertIn("workspace of step 'relus_relu", text)
        self.assertIn("of codegen 'test.handover' 16777216", text)
        self.assertEqual(self.export("workspace", "cortex-m4f")[1],
                         "relus.byoc: " + WHO + "a workspace of step 'relus_relu' is larger than target 'cortex-m4f' could "
                         "have" + MORE + " (found 1099511627776 bytes, expected less than 2^32 bytes)\n")


if __name__ == "__main__":
    unittest.main()
