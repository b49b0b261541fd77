#!/usr/bin/env python3
"""A second backend that hands over LLVM modules, shared kernels among them, beside the C backend: mixed models run right
on the host and on a simulated board, and two models of one program have each kernel once."""

import re
import shutil
import struct
import subprocess
import sys
import unittest

from plugin_case import PluginCase

BYOC = sys.argv.pop(1)
MODEL = """graph "mixed" requant=onnx {{
  input %x : f32[2,3]
  const %w : f32[3,4] = [{weights}]
  const %b : f32[2,4] = [1, 2, 3, 4, 5, 6, 7, 8]
  %a : f32[2,4] = MatMul.13(%x, %w)
  %c : f32[2,4] = Relu.14(%a)
  %d : f32[2,4] = Add.14(%c, %b)
  output %d
}}"""
PROGRAM = """
#include <stdio.h>
#include "one.h"
#include "two.h"
int main(void) {
  static const float x[6] = {1, 2, 3, -1, 0, 1};
  float y[8], z[8];
  static _Alignas(16) unsigned char w[4096];
  const one_inputs_t i = {x};
  const two_inputs_t j = {x};
  const one_outputs_t o = {y};
  const two_outputs_t p = {z};
  if (RUN_ONE || RUN_TWO) return 1;
  for (int n = 0; n < 8; ++n) printf("%g %g\\n", y[n], z[n]);
  return 0;
}
"""
KERNEL = re.compile(r"\b(toy_(?:add|matmul)_[0-9a-f]{12})\b")


def expected(weights):
    x, b = [[1, 2, 3], [-1, 0, 1]], list(range(1, 9))
    return [max(0, sum(x[r][k] * weights[4 * k + c] for k in range(3))) + b[4 * r + c] for r in range(2) for c in range(4)]


class ToyBackend(PluginCase):
    PLUGINS = ("toy_llvm.cpp",)

    WEIGHTS = {"one": list(range(12)), "two": [5 - i for i in range(12)]}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, weights in cls.WEIGHTS.items():
            (cls.folder / f"{name}.byoc").write_text(MODEL.format(weights=", ".join(map(str, weights))))

    def byoc(self, *words, code=0):
        result = subprocess.run([BYOC, *map(str, words)], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stdout + result.stderr

    def export(self, name, out, *words, target="host"):
        self.byoc("export", f"{name}.byoc", "--target", target, "-q", "--plugin", "./toy_llvm.so", "--name", name, *words, "-o",
                  out)
        return out

    def nm(self, *files):
        return subprocess.run(["nm", *map(str, files)], cwd=self.folder, capture_output=True, text=True, check=True).stdout

    def test_a_mixed_model_runs_right(self):
        table = self.byoc("partition", "one.byoc", "--target", "host", "--plugin", "./toy_llvm.so")
        self.assertRegex(table, r"test\.toy +\d+ regions +2 nodes")
        self.assertRegex(table, r"\n(c|llvm) +\d+ regions +1 nodes")
        (self.folder / "x.raw").write_bytes(struct.pack("<6f", 1, 2, 3, -1, 0, 1))
        for target in ("host", *(["cortex-m4f"] if shutil.which("qemu-system-arm") else [])):
            for isolate in ([], ["--isolate"]):
                text = self.byoc("run", "one.byoc", "--target", target, "--plugin", "./toy_llvm.so", *isolate, "--input",
                                 "x.raw", "--compare", "--no-profile")
                self.assertIn("agree with the evaluator", text)

    def test_cortex_m_archives_have_the_kernels_under_their_names(self):
        names = {name: set(KERNEL.findall(self.nm(self.export(name, f"{name}_m.a", target="cortex-m4f"))))
                 for name in self.WEIGHTS}
        self.assertEqual(names["one"], names["two"])
        self.assertEqual(len(names["one"]), 2, names)

    def test_two_models_share_the_kernels_of_a_program(self):
        for words, suffix, defined in (([], "a", 2), (["--lto"], "a", 0), ([], "o", 0)):
            with self.subTest(words=words, suffix=suffix):
                libraries = [self.export(name, f"{name}.{suffix}", "--force", *words) for name in self.WEIGHTS]
                self.assertEqual(self.run_program(*libraries), list(zip(*map(expected, self.WEIGHTS.values()))))
                # One definition each that both see, or each model's own, merged or local.
                symbols = re.findall(r"^[0-9a-f]+ T (toy_\w+)$", self.nm("program"), re.MULTILINE)
                self.assertEqual(len(symbols), defined, symbols)

    def run_program(self, *libraries):
        text = PROGRAM
        for name in self.WEIGHTS:
            header = (self.folder / f"{name}.h").read_text()
            workspace = f"{name}_run(&{'i' if name == 'one' else 'j'}, &{'o' if name == 'one' else 'p'}, w)"
            self.assertIn(f"{name}_run(", header)
            text = text.replace(f"RUN_{name.upper()}", workspace)
        (self.folder / "program.c").write_text(text)
        subprocess.run(["gcc", "-O1", "program.c", *libraries, "-lm", "-o", "program"], cwd=self.folder, check=True)
        out = subprocess.run(["./program"], cwd=self.folder, capture_output=True, text=True, check=True).stdout
        return [tuple(map(float, line.split())) for line in out.splitlines()]

    def test_effort_decides_what_balanced_spends(self):
        """The sum of two vectors is light: small code where speed and size are balanced; the product is not."""
        # The name of a shared kernel follows from how it is compiled.
        names = {}
        for objective in ("balanced", "size", "speed"):
            self.export("one", f"{objective}.a", "--optimize", objective)
            table = subprocess.run(["nm", f"{objective}.a"], cwd=self.folder, capture_output=True, text=True,
                                   check=True).stdout
            kernels = re.findall(r"^[0-9a-f]+ T (toy_(add|matmul)\w*)$", table, re.MULTILINE)
            names[objective] = {kernel: name for name, kernel in kernels}
            self.assertEqual(sorted(names[objective]), ["add", "matmul"], table)
        self.assertEqual(names["balanced"]["add"], names["size"]["add"])
        self.assertNotEqual(names["speed"]["add"], names["size"]["add"])
        self.assertNotEqual(names["balanced"]["matmul"], names["size"]["matmul"])


if __name__ == "__main__":
    unittest.main()
