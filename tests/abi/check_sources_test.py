#!/usr/bin/env python3
"""C that a plug-in hands over: checked before it is compiled, compiled where it can do no harm, and named."""

import json
import os
import subprocess
import sys
import time
import unittest
from pathlib import Path

from plugin_case import PluginCase

BYOC = sys.argv.pop(1)
FLOAT = 'graph "m" requant=onnx {\n  input %x : f32[16]\n  %a = Relu.13(%x)\n  output %a\n}'
INTEGER = 'graph "m" requant=onnx {\n  input %x : i32[16]\n  %a = Add.13(%x, %x)\n  output %a\n}'
BODY = "for (int i = 0; i < 16; ++i) out[i] = in[i] < 0 ? 0 : in[i];"
FIRST = '#include "@HEADER@"\n'
STEP = "int32_t @STEP@(const float *in, float *out) {\n  %s\n  " + BODY + "\n  return 0;\n}\n"


class CheckSources(PluginCase):
    PLUGINS = ("verbatim.cpp",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "tmp").mkdir()
        (cls.folder / "float.byoc").write_text(FLOAT)
        (cls.folder / "integer.byoc").write_text(INTEGER)

    def export(self, source, *words, model="float", target="host", options=()):
        (self.folder / "source.c").write_text(source)
        given = [w for o in ("source=source.c", *options) for w in ("--plugin-option", f"test.verbatim.{o}")]
        result = subprocess.run([BYOC, "export", f"{model}.byoc", "--target", target, "-q", "--plugin", "./verbatim.so",
                                 "--name", "m", *given, *words, "-o", "out.a"], cwd=self.folder, capture_output=True, text=True,
                                env={**os.environ, "TMPDIR": str(self.folder / "tmp")})
        said = [line for line in result.stderr.splitlines(True) if not line.startswith("note: '--work-dir'")]
        return result.returncode, result.stdout + "".join(said)

    def finds(self, source, message, **how):
        """A warning by default, nothing with off, an error with error; the same with GNU's compiler."""
        code, text = self.export(source, **how)
        self.assertEqual(code, 0, text)
        self.assertIn("warning", text)
        self.assertIn(message, text)
        self.assertIn("codegen 'test.verbatim': ", text)
        self.assertEqual(self.export(source, "--check-sources", "off", **how), (0, ""))
        code, strict = self.export(source, "--check-sources", "error", **how)
        self.assertEqual((code, strict), (1, text.replace("warning", "error")))
        self.assertEqual(self.export(source, "--toolchain", "gnu", **how), (0, text))

    def is_clean(self, source, **how):
        for words in ([], ["--toolchain", "gnu"]):
            self.assertEqual(self.export(source, "--check-sources", "error", *words, **how), (0, ""))

    def is_ours(self, process):
        try:
            return f"TMPDIR={self.folder}".encode() in (process / "environ").read_bytes()
        except OSError:
            return False

    def test_sound(self):
        self.is_clean(FIRST + STEP % "")
        tables = ('static const float table[2] = {1, 2};\nstatic const char *const names[] = {"a", "b"};\n'
                  "static int shared_with_dma __attribute__((section(\".dma\")));\n")
        self.is_clean("#include <string.h>\n#include <math.h>\n" + FIRST + tables + STEP %
                      "memcpy(out, in, 4); out[1] = sqrtf(table[1]) + fmaxf(in[0], 1) + (names[0] != 0); "
                      "shared_with_dma = 1;")

    def test_writable_data(self):
        self.finds(FIRST + "static int count;\n" + STEP % "++count;",
                   "vendor.c:2:12: warning: 'count': codegen 'test.verbatim': a variable in static storage, which "
                   "instances of the model share (found int, expected const, or a section of its own)")
        self.finds(FIRST + STEP % "static int calls = 0; out[0] = (float)calls++;", "vendor.c:3:14: warning: 'calls': ")
        self.finds(FIRST + "static float table[2] = {1, 2};\n" + STEP % "out[0] = table[1];",
                   "'table': codegen 'test.verbatim': a table that can be written; 'const' keeps it in flash (found "
                   "float[2]")
        self.finds(FIRST + 'static const char *names[] = {"a"};\n' + STEP % "out[0] = (float)names[0][0];",
                   "'names': codegen 'test.verbatim': a table whose pointers can be written; 'const' belongs behind the *")

    def test_heap_and_stdio(self):
        self.finds("#include <stdlib.h>\n" + FIRST + STEP % "free(malloc(4));",
                   "vendor.c:4:8: warning: 'malloc': codegen 'test.verbatim': a function of the heap, which firmware may "
                   "not have (found malloc, expected a workspace, a private value or the instance)")
        self.finds("#include <stdio.h>\n" + FIRST + STEP % 'printf("x");',
                   "vendor.c:4:3: warning: 'printf': codegen 'test.verbatim': input and output, which firmware may not "
                   "have")

    def test_constructors(self):
        self.finds(FIRST + "__attribute__((constructor)) static void start(void) {}\n" + STEP % "",
                   "vendor.c:2:42: warning: 'start': codegen 'test.verbatim': a constructor or destructor: nobody calls it")

    def test_externals(self):
        declared = FIRST + "void driver(void);\n" + STEP % "driver();"
        self.finds(declared, "vendor.c:4:3: warning: 'driver': codegen 'test.verbatim': a function that nobody defines")
        self.finds(FIRST + "extern int board;\n" + STEP % "out[0] = (float)board;",
                   "'board': codegen 'test.verbatim': an object that nobody defines")
        # A function of a link library is one that a header declares.
        (self.folder / "vendor.h").write_text("void driver(void);\n")
        by_header = FIRST + '#include "vendor.h"\n' + STEP % "driver();"
        self.finds(by_header, "'driver': ", options=("header=vendor.h",))
        self.is_clean(by_header, options=("header=vendor.h", "link=true"))
        self.finds(declared, "'driver': ", options=("link=true",))
        # The start of the model's own code is not of the codegen, but it is there.
        self.is_clean(FIRST + "int32_t m_run(const void *a, const void *b, void *c);\n" + STEP % "(void)&m_run;")

    def test_prototypes(self):
        wrong = "#include <stdint.h>\nint32_t @STEP@(float *in, float *out);\n" + STEP.replace("const ", "") % ""
        self.finds(wrong, "vendor.c:3:9: warning: 'm_step': codegen 'test.verbatim': an entry point with another prototype "
                          "than the generated one (found int32_t m_step(float *, float *), expected int32_t "
                          "m_step(const float *in0, float *out0))")
        # What calls cannot tell apart is no difference.
        plain = "int @STEP@(const float *in, float *out);\n" + STEP.replace("int32_t", "int") % ""
        self.is_clean(plain, target="cortex-m4f")
        self.finds(plain, "m_step", options=("workspace=true",))
        # With the generated header it is the compiler's error, and named as well.
        code, text = self.export(FIRST + STEP.replace("const ", "") % "")
        self.assertEqual(code, 1)
        self.assertIn("vendor.c:2:9: error: codegen 'test.verbatim': conflicting types for 'm_step'", text)

    def test_missing_entry_point(self):
        code, text = self.export(FIRST + "static int x(void) { return 1; }\nint y(void);\nint y(void) { return x(); }\n")
        self.assertEqual(code, 1)
        self.assertIn("codegen 'test.verbatim': declared this step, and none of its artifacts defines it", text)

    def test_floating_point(self):
        integers = "int32_t @STEP@(const int32_t *a, const int32_t *b, int32_t *out) {\n  %s\n  (void)a, (void)b, (void)out;\n" \
                   "  return 0;\n}\n"
        self.finds(FIRST + integers % "out[0] = (int32_t)((float)a[0] * 0.5f);",
                   "vendor.c:3:12: warning: 'm_step': codegen 'test.verbatim': floating-point arithmetic in 'm_step', which "
                   "cortex-m3 does in software (found float, expected integers)", model="integer", target="cortex-m3")
        self.is_clean(FIRST + integers % "out[0] = (int32_t)((float)a[0] * 0.5f);", model="integer", target="cortex-m4f")
        self.finds(FIRST + integers % "out[0] = (int32_t)(a[0] * 0.5);",
                   "double arithmetic in 'm_step', which cortex-m4f does in software (found double, expected float or "
                   "integers)", model="integer", target="cortex-m4f")
        self.is_clean(FIRST + integers % "out[0] = (int32_t)(a[0] * 0.5);", model="integer", target="cortex-m7")
        # Of constants the compiler takes care; a model with floats needs them.
        self.is_clean(FIRST + integers % "out[0] = a[0] * (int32_t)(0.5 * 4);", model="integer", target="cortex-m3")
        self.is_clean(FIRST + STEP % "", target="cortex-m3")

    def test_compilers_that_do_not_survive(self):
        for crash, message in (("#pragma clang __debug crash\n", "vendor.c: error: codegen 'test.verbatim': the compiler "
                                                                 "did not survive it (found died of signal"),
                               ("#pragma clang __debug llvm_fatal_error\n", "the compiler did not survive it (found")):
            (self.folder / "out.a").write_text("old")
            code, text = self.export(crash + FIRST + STEP % "", "--toolchain", "clang")
            self.assertEqual(code, 1)
            self.assertIn(message, text)
            self.assertEqual((self.folder / "out.a").read_text(), "old")
            (self.folder / "out.a").unlink()
        # Every line is ten of the one before.
        lines = [f"#define M{i + 1} {' '.join([f'M{i}'] * 10)}\n" for i in range(12)]
        endless = "#define M0 +1\n" + "".join(lines) + FIRST + STEP % "out[0] = 0 M12;"
        code, text = self.export(endless, "--plugin-timeout", "1", "--plugin-memory", "0")
        self.assertEqual(code, 1)
        self.assertIn("vendor.c: error: codegen 'test.verbatim': the compiler did not survive it (found took longer than "
                      "1 s", text)
        if "BYOC_SANITIZED" not in os.environ:  # at the limit, it would be the sanitizer's own memory that is wanting
            code, text = self.export(endless, "--plugin-timeout", "0", "--plugin-memory", "64")
            self.assertEqual(code, 1)
            self.assertIn("(found needed more than 64 MiB of memory", text)
        # GNU's compiler is several processes with files of their own; nothing stays of them.
        code, text = self.export(endless, "--toolchain", "gnu", "--plugin-timeout", "1", "--plugin-memory", "0")
        self.assertEqual(code, 1)
        self.assertIn("(found took longer than 1 s", text)
        self.assertEqual(os.listdir(self.folder / "tmp"), [])
        while any(self.is_ours(process) for process in Path("/proc").glob("[0-9]*")):
            time.sleep(0.05)  # the test's own time limit ends this

    def test_not_for_clang(self):
        nested = FIRST + STEP % "__extension__ int twice(int x) { return 2 * x; } out[0] = (float)twice(1);"
        code, text = self.export(nested, "--toolchain", "gnu")
        self.assertEqual(code, 0, text)
        self.assertIn("vendor.c: warning: codegen 'test.verbatim': cannot be checked by Clang: vendor.c:3:", text)

    def test_manifest_names_the_plugin(self):
        made = []
        for _ in range(2):
            self.assertEqual(self.export(FIRST + STEP % ""), (0, ""))
            made.append((self.folder / "out.json").read_text())
            subprocess.run(["strip", "verbatim.so"], cwd=self.folder, check=True)
        first, second = (json.loads(m)["codegens"] for m in made)
        self.assertEqual([c["id"] for c in first], ["test.verbatim", "c", "llvm"])
        self.assertEqual(first[0]["version"], "1.0")
        self.assertEqual(first[0]["options"], {"source": "source.c"})
        self.assertRegex(first[0]["xxh3_128"], "^[0-9a-f]{32}$")
        self.assertRegex(first[0]["sha256"], "^[0-9a-f]{64}$")
        self.assertNotIn("xxh3_128", first[1])
        # Another build of the same version is another plug-in.
        self.assertNotEqual(first[0]["xxh3_128"], second[0]["xxh3_128"])


if __name__ == "__main__":
    unittest.main()
