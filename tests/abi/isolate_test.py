#!/usr/bin/env python3
"""byoc --isolate: whatever a plug-in does to its process is an error that names it; what it makes is the same as without;
nothing that was on disk is lost, and nothing is left behind."""

import os
import pty
import subprocess
import sys
import unittest

from plugin_case import PluginCase

BYOC = sys.argv.pop(1)
MODEL = """graph "relus" requant=onnx {
  input %x : f32[16]
  %a = Relu.13(%x)
  %b = Neg.13(%a)
  %c = Relu.13(%b)
  output %c
}"""


class Isolate(PluginCase):
    PLUGINS = ("wild.c", "artifacts.cpp")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "tmp").mkdir()
        (cls.folder / "relus.byoc").write_text(MODEL)

    def byoc(self, *words, wild=""):
        result = subprocess.run([BYOC, *words], cwd=self.folder, capture_output=True, text=True,
                                env={**os.environ, "WILD": wild, "TMPDIR": str(self.folder / "tmp")})
        return result.returncode, result.stdout + result.stderr

    def export(self, *words, plugin="./wild.so", wild=""):
        return self.byoc("export", "relus.byoc", "--target", "host", "-q", "--plugin", plugin, *words, wild=wild)

    def refuses(self, wild, *parts, limits=("--plugin-timeout", "60", "--plugin-memory", "512")):
        """The export fails with the plug-in's name; the archive that was there stays, no temporary file does."""
        (self.folder / "old.a").write_text("old")
        before = sorted(os.listdir(self.folder))
        code, text = self.export("--isolate", "-o", "old.a", *limits, wild=wild)
        self.assertEqual(code, 1, f"{wild}: {text}")
        for part in parts:
            self.assertIn(part, text, wild)
        self.assertEqual((self.folder / "old.a").read_text(), "old")
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        self.assertEqual(os.listdir(self.folder / "tmp"), [], wild)

    def test_each_call_may_crash(self):
        for call, where in (("load", "./wild.so: error: the plug-in died of signal 11 (Segmentation fault); while it"
                                     " was loaded, isolated"),
                            ("query", "./wild.so: error: the plug-in died of signal 11"),
                            ("create", "codegen 'test.wild': died of signal 11 (Segmentation fault); in create()"),
                            ("verdicts", "codegen 'test.wild': died of signal 11 (Segmentation fault); in verdicts()"),
                            ("update", "codegen 'test.wild': died of signal 11 (Segmentation fault); in"
                                       " update_constants()"),
                            ("compile", "codegen 'test.wild': died of signal 11 (Segmentation fault); in compile()"),
                            ("destroy", "codegen 'test.wild': died of signal 11 (Segmentation fault); in destroy()")):
            self.refuses(f"{call}:crash", where)

    def test_each_death_is_told(self):
        self.refuses("compile:abort", "test.wild", "died of signal 6 (Aborted): wild: this cannot go on")
        self.refuses("compile:exit", "test.wild", "ended the process with exit code 0")
        self.refuses("load:exit", "./wild.so", "ended the process with exit code 0")
        self.refuses("verdicts:exit", "test.wild", "ended the process with exit code 0")
        self.refuses("verdicts:kill", "test.wild", "died of signal 9 (Killed)")
        self.refuses("compile:overflow", "test.wild", "died of signal 11")
        self.refuses("compile:scribble", "test.wild", "sent what is no message")

    def test_limits(self):
        self.refuses("verdicts:hang", "codegen 'test.wild': took longer than 1 s; in verdicts()",
                     limits=("--plugin-timeout", "1"))
        self.refuses("compile:hang", "codegen 'test.wild': took longer than 1 s; in compile()", limits=("--plugin-timeout", "1"))

    @unittest.skipIf("BYOC_SANITIZED" in os.environ, "at the limit, it is the sanitizer's own memory that is wanting")
    def test_memory_limit(self):
        self.refuses("create:memory", "needed more than 64 MiB of memory; in create()", limits=("--plugin-memory", "64"))
        self.refuses("compile:memory", "needed more than 64 MiB of memory; in compile()",
                     limits=("--plugin-memory", "64"))

    def test_garbage(self):
        for wild in ("verdicts:pointer", "update:pointer", "compile:pointer", "compile:bytes", "compile:operand"):
            self.refuses(wild, "test.wild", "died of signal 11")
        self.refuses("verdicts:size", "test.wild", "gave a verdict that is none")
        self.refuses("verdicts:code", "test.wild", "gave a verdict of an unknown exactness (found 77)")
        self.refuses("verdicts:node", "test.wild", "gave a verdict on a node that does not exist")
        self.refuses("update:region", "test.wild", "replaces a constant that does not exist (found value 0 of region 77)")
        self.refuses("compile:size", "test.wild", "is not a plain file name")
        self.refuses("compile:code", "test.wild", "an artifact of an unknown kind (found 4711)")
        self.refuses("compile:length", "test.wild")
        self.refuses("compile:count", "test.wild", "there are too many operands of step 'relus_wild_relu' (found ", "expected at most 1048576)")

    def test_what_it_prints_stays_away(self):
        code, text = self.export("--isolate", "-o", "x.a", wild="compile:print")
        self.assertEqual((code, text), (0, ""))

    def test_log(self):
        for isolate in ([], ["--isolate"]):
            code, text = self.export("--plugin-log", *isolate, "-o", "x.a", wild="compile:tell")
            self.assertEqual((code, text), (0, "test.wild: packs weights\n"))
            self.assertEqual(self.export(*isolate, "-o", "x.a", wild="compile:tell"), (0, ""))

    def test_progress_on_a_terminal(self):
        try:
            shown, terminal = pty.openpty()
        except OSError as error:
            self.skipTest(f"this machine has no terminals to give: {error}")
        words = [BYOC, "export", "relus.byoc", "--target", "host", "--plugin", "./wild.so", "--plugin-log", "-o", "x.a"]
        result = subprocess.run(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=terminal,
                                env={**os.environ, "WILD": "compile:tell", "TMPDIR": str(self.folder / "tmp")})
        os.close(terminal)
        text = b""
        try:
            while piece := os.read(shown, 4096):
                text += piece
        except OSError:
            pass  # the other end is closed
        os.close(shown)
        self.assertEqual(result.returncode, 0, text)
        self.assertIn(b"\r\x1b[Ktest.wild: packs weights\r\n", text)
        self.assertIn(b"\r\x1b[K  test.wild: packing  3/10", text)
        self.assertIn(b"\r\x1b[K  test.wild: packing  4\r\x1b[K  codegen ", text)

    def test_warnings_are_told_once(self):
        code, text = self.export("--isolate", "-o", "x.a", wild="create:warn")
        self.assertEqual(code, 0, text)
        self.assertEqual(text.count("wild warns"), 1, text)

    def test_same_bytes(self):
        cases = [("./wild.so", "host", [])]
        for form in ("c11", "bitcode", "object", "library"):
            for target in ("host", "cortex-m4f"):
                cases.append(("./artifacts.so", target, ["--plugin-option", f"test.artifacts.form={form}"]))
        for plugin, target, words in cases:
            with self.subTest(plugin=plugin, target=target, words=words):
                made = []
                for isolate in ([], ["--isolate"]):
                    out = self.folder / "m"
                    out.mkdir(exist_ok=True)
                    code, text = self.byoc("export", "relus.byoc", "--target", target, "-q", "--plugin", plugin, *words,
                                           *isolate, "-o", "m/m.a")
                    self.assertEqual((code, text), (0, ""))
                    made.append({p.name: p.read_bytes() for p in sorted(out.iterdir())})
                self.assertEqual(made[0], made[1])

    def test_partition_and_run(self):
        (self.folder / "x.raw").write_bytes(bytes(64))
        code, text = self.byoc("run", "relus.byoc", "--target", "host", "--plugin", "./wild.so", "--isolate", "--input",
                               "x.raw", "--compare", "--no-profile")
        self.assertEqual(code, 0, text)
        self.assertIn("tensors agree with the evaluator", text)
        code, text = self.byoc("partition", "relus.byoc", "--target", "host", "--plugin", "./wild.so", "--isolate")
        self.assertEqual(code, 0, text)
        self.assertIn("test.wild", text)
        code, text = self.byoc("partition", "relus.byoc", "--target", "host", "--plugin", "./wild.so", "--isolate",
                               wild="destroy:crash")
        self.assertEqual(code, 1, text)
        self.assertIn("codegen 'test.wild': died of signal 11 (Segmentation fault); in destroy()", text)

    def test_errors_as_without(self):
        """What is wrong with options and files is told in the same words."""
        for words in (["--plugin-option", "test.wild.mode=1"], ["--plugin-option", "nobody.mode=1"],
                      ["--plugin", "./wild.so"], ["--plugin", "./missing.so"]):
            told = [self.export(*words, *isolate, "-o", "x.a") for isolate in ([], ["--isolate"])]
            self.assertEqual(told[0][0], 1)
            self.assertEqual(told[0], told[1])


if __name__ == "__main__":
    unittest.main()
