"""The parts of a model's header that help programs: names by position, conversions, checks; and its time.

usage: header_test.py BYOC SOURCE_DIR MODELS_DIR [unittest arguments]
MODELS_DIR is what tests/networks wrote.
"""

import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from commands import finish, run  # noqa: E402

BYOC, SOURCE, MODELS = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute(), pathlib.Path(sys.argv[3])
KWS = MODELS / "ds_cnn_int8.tflite"
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Wundef", "-Werror"]

PROGRAM = r"""
#define KWS_CHECKS
#include "kws.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
static uint64_t workspace[(KWS_WORKSPACE_SIZE + 7) / 8 + 1] __attribute__((aligned(KWS_WORKSPACE_ALIGN)));
KWS_CHECK_WORKSPACE(workspace);
static int8_t in[KWS_INPUT_0_ELEMENTS], out[KWS_OUTPUT_0_SIZE];
int main(void) {
  const float step = KWS_INPUT_0_SCALE;
  kws_inputs_t inputs;
  kws_outputs_t outputs;
  int q;
  inputs.kws_input_0 = in;
  outputs.kws_output_0 = out;
  if (kws_quantise_input_0(1e30f) != 127 || kws_quantise_input_0(-1e30f) != -128) return 1;
  if (kws_quantise_input_0(HUGE_VALF) != 127 || kws_quantise_input_0(-HUGE_VALF) != -128) return 2;
  if (kws_quantise_input_0(NAN) != -128) return 3;
  for (q = -128; q < 128; q++) {
    const float real = kws_dequantise_input_0((int8_t)q);
    if (kws_quantise_input_0(real) != q) return 4;
    if (kws_quantise_input_0(real + 0.25f * step) != q || kws_quantise_input_0(real - 0.25f * step) != q) return 5;
  }
  if (kws_run(&inputs, &outputs, workspace) != 0) return 6;
  if (kws_run(&inputs, &outputs, 0) != BYOC_CHECK_NULL) return 7;
  if (kws_run(&inputs, &outputs, (char *)workspace + 1) != BYOC_CHECK_ALIGNMENT) return 8;
  inputs.kws_input_0 = 0;
  if (kws_run(&inputs, &outputs, workspace) != BYOC_CHECK_NULL) return 9;
  inputs.kws_input_0 = (const int8_t *)workspace + KWS_WORKSPACE_SIZE - 1;
  if (kws_run(&inputs, &outputs, workspace) != BYOC_CHECK_OVERLAP) return 10;
  printf("good\n");
  return 0;
}
"""


class Header(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)

    def export(self, *options, target="host"):
        run(BYOC, "export", KWS, "--target", target, "--name", "kws", "-q", "-o", self.dir / "kws.a", *options)

    def test_helps_programs(self):
        self.export()
        (self.dir / "main.c").write_text(PROGRAM)
        run("gcc", "-std=c99", *STRICT, "-I", self.dir, self.dir / "main.c", self.dir / "kws.a", "-lm", "-o",
            self.dir / "main")
        self.assertIn("good", run(self.dir / "main"))

    def test_no_step_or_tensor_has_the_name_of_a_macro(self):
        names = ["m_output_2", "m_output_1", "m_input_0", "self", "char8_t", "concept", "INT32_MAX", "SIZE_MAX", "int_least8_t"]
        text = 'graph "g" requant=onnx {\n' + "".join(f'  input %{n} "{n}" : f32[2]\n' for n in names)
        text += "".join(f'  %y{i} "{n}_" : f32[2] = Abs.13(%{n}) @"output_{i}"\n' for i, n in enumerate(names))
        (self.dir / "m.byoc").write_text(text + "".join(f"  output %y{i}\n" for i in range(len(names))) + "}\n")
        run(BYOC, "run", self.dir / "m.byoc", "--target", "host", "--compare")
        run(BYOC, "export", self.dir / "m.byoc", "--target", "host", "--name", "m", "-q", "-o", self.dir / "m.a")
        (self.dir / "main.c").write_text('#include <limits.h>\n#include <stddef.h>\n#include "m.h"\nint main(void) { return 0; }\n')
        run("gcc", "-std=c99", *STRICT, "-I", self.dir, self.dir / "main.c", self.dir / "m.a", "-lm", "-o", self.dir / "main")
        run("g++", "-std=c++20", *STRICT, "-x", "c++", "-fsyntax-only", "-I", self.dir, self.dir / "main.c")

    def test_is_cxx_too(self):
        self.export()
        (self.dir / "main.cpp").write_text("#define KWS_CHECKS\n#include \"kws.h\"\nint main() { return kws_quantise_input_0(0); }\n")
        for standard in ("c++98", "c++20"):
            run("g++", f"-std={standard}", *STRICT, "-Wold-style-cast", "-Wno-long-long", "-Wno-variadic-macros", "-I",
                self.dir, "-fsyntax-only", self.dir / "main.cpp")

    def test_a_workspace_that_is_too_small_does_not_compile(self):
        self.export()
        (self.dir / "main.c").write_text("#define KWS_CHECKS\n#include \"kws.h\"\nstatic char small[8];\n"
                                         "KWS_CHECK_WORKSPACE(small);\nint main(void) { return small[0]; }\n")
        done = finish("gcc", "-I", self.dir, "-fsyntax-only", self.dir / "main.c")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("workspace_is_large_enough", done.stderr)

    def test_keeps_its_time_while_it_stays_the_same(self):
        self.export()
        times = {name: (self.dir / name).stat().st_mtime_ns for name in ("kws.h", "kws.a")}
        self.export()
        self.assertEqual((self.dir / "kws.h").stat().st_mtime_ns, times["kws.h"])
        self.assertGreater((self.dir / "kws.a").stat().st_mtime_ns, times["kws.a"])
        self.export("--optimize", "size", "--reuse-inputs")
        self.assertGreater((self.dir / "kws.h").stat().st_mtime_ns, times["kws.h"])

    def test_pools_of_a_description_are_limits(self):
        board = self.dir / "board.json"
        for size, fits in ((8192, False), (262144, True)):
            board.write_text('{"extends": "cortex-m4f", "name": "board", "pools": [{"name": "flash", "kind": "flash", '
                             f'"size": {size}}}]}}')
            done = finish(BYOC, "--exit-codes", "cause", "export", KWS, "--target", board, "--name", "kws", "-o",
                          self.dir / "kws.a", "-q")
            self.assertEqual(done.returncode, 0 if fits else 4, done.stderr)
            if not fits:
                self.assertRegex(done.stderr, r"the library does not fit into memory pool 'flash' of target 'board' \(found "
                                              r"\d+ bytes, code \d+, constants \d+, expected at most 8192 bytes, \d+ fewer\)")
                self.assertFalse((self.dir / "kws.a").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
