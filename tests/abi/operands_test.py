#!/usr/bin/env python3
"""B52 of the formats reference: f(a, b) = b - a with inputs declared as a, b is b - a, through a plug-in and through the
reference backend, for ranks, element types, buffers that begin inside others, and broadcasting, which a plug-in that does
not do it refuses by name."""

import itertools
import subprocess
import sys
import unittest
from pathlib import Path

from plugin_case import PluginCase

HERE = Path(__file__).resolve().parent
BYOC = sys.argv.pop(1)
C_TYPES = {"f32": "float", "f64": "double", "i8": "int8_t", "u8": "uint8_t", "i16": "int16_t", "i32": "int32_t",
           "i64": "int64_t"}


def elements(shape):
    n = 1
    for d in shape:
        n *= d
    return n


def model(dtype, a, b, out):
    text = lambda shape: f"{dtype}[{','.join(map(str, shape))}]"
    return (f'graph "minus" requant=onnx {{\n  input %a : {text(a)}\n  input %b : {text(b)}\n'
            f"  %y : {text(out)} = Sub.14(%b, %a)\n  output %y\n}}\n")


def broadcast(values, shape, out):
    """The values of a tensor of this shape as one of the shape `out`."""
    shape = (1,) * (len(out) - len(shape)) + tuple(shape)
    strides, stride = [], 1
    for d in reversed(shape):
        strides.insert(0, 0 if d == 1 else stride)
        stride *= d
    return [values[sum(i * s for i, s in zip(index, strides))] for index in itertools.product(*map(range, out))]


class Operands(PluginCase):
    PLUGINS = ("minus.cpp",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plugin = cls.folder / "minus.so"

    def check(self, dtype, a, b, out, *plugin, offset=0, kernel=None):
        """Exports b - a, calls it with buffers that begin `offset` elements inside others, and compares all results."""
        (self.folder / "minus.byoc").write_text(model(dtype, a, b, out))
        result = subprocess.run([BYOC, "export", "minus.byoc", "--target", "host", "-q", *plugin, "-o", "minus.a"],
                                cwd=self.folder, capture_output=True, text=True)
        # A plug-in that takes nothing is said.
        told = [line for line in result.stderr.splitlines() if "takes nothing of this model" not in line]
        self.assertEqual((result.returncode, told), (0, []))
        if kernel:
            self.assertIn(kernel, (self.folder / "minus.json").read_text())
        left, right = [3 + i for i in range(elements(a))], [40 + 2 * i for i in range(elements(b))]
        expected = [y - x for x, y in zip(broadcast(left, a, out), broadcast(right, b, out))]
        lists = [", ".join(map(str, [0] * offset + values)) for values in (left, right, expected)]
        # An array of the type is as aligned as its element, and no more, where it begins inside another.
        (self.folder / "main.c").write_text(f"""#include <string.h>
#include "minus.h"
static uint64_t workspace[1024];
int main(void) {{
  static {C_TYPES[dtype]} a[] = {{{lists[0]}}}, b[] = {{{lists[1]}}};
  static const {C_TYPES[dtype]} expected[] = {{{lists[2]}}};
  static {C_TYPES[dtype]} y[{len(expected) + offset}];
  const minus_inputs_t inputs = {{a + {offset}, b + {offset}}};
  const minus_outputs_t outputs = {{y + {offset}}};
  if (minus_run(&inputs, &outputs, workspace) != 0) return 1;
  return memcmp(y, expected, sizeof y) == 0 ? 0 : 2;
}}
""")
        subprocess.run(["gcc", "-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all", "main.c", "minus.a", "-lm", "-o", "main"],
                       cwd=self.folder, check=True)
        code = subprocess.run([self.folder / "main"]).returncode
        self.assertEqual(code, 0, f"{dtype} {a} {b} {plugin} offset {offset}")

    def test_b52_operands_keep_their_order(self):
        use = ("--plugin", "./minus.so")
        for plugin in (use, (*use, "--plugin-option", "test.minus.turned=true"), ()):
            kernel = "minus" if plugin else None
            self.check("f32", (7,), (7,), (7,), *plugin, kernel=kernel)
            self.check("f32", (2, 3, 4), (2, 3, 4), (2, 3, 4), *plugin, kernel=kernel)

    def test_b52_element_types(self):
        for dtype in ("f64", "i8", "u8", "i16", "i64"):
            self.check(dtype, (5,), (5,), (5,), "--plugin", "./minus.so", kernel="minus")

    def test_b52_buffers_inside_others(self):
        for dtype in ("f32", "i8"):
            for plugin in (("--plugin", "./minus.so"), ()):
                self.check(dtype, (6,), (6,), (6,), *plugin, offset=1)

    def test_b52_broadcasting_is_computed_or_refused_by_name(self):
        use = ("--plugin", "./minus.so")
        for a, b, out in (((3,), (2, 3), (2, 3)), ((2, 3), (3,), (2, 3)), ((2, 1), (1, 3), (2, 3))):
            self.check("f32", a, b, out, *use)
            result = subprocess.run([BYOC, "partition", "minus.byoc", "--target", "host", *use], cwd=self.folder,
                                    capture_output=True, text=True)
            self.assertIn("test.minus: minus does not broadcast", result.stdout)


if __name__ == "__main__":
    unittest.main()
