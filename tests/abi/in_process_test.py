#!/usr/bin/env python3
"""A plug-in in byoc's own process: exit() and crashes of it are told by name, byoc ends with another exit code than 0,
what was on disk stays, and nothing temporary is left behind."""

import json
import os
import signal
import subprocess
import sys
import unittest

from plugin_case import PluginCase

BYOC = sys.argv.pop(1)
MODEL = """graph "relus" requant=onnx {
  input %x : f32[16]
  %a = Relu.13(%x)
  %b = Neg.13(%a)
  output %b
}"""
# Sanitizers have their own word on crashes.
SANITIZED = "BYOC_SANITIZED" in os.environ


class InProcess(PluginCase):
    PLUGINS = ("wild.c",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "tmp").mkdir()
        (cls.folder / "relus.byoc").write_text(MODEL)

    def byoc(self, *words, wild):
        return subprocess.run([BYOC, *words], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, "WILD": wild, "TMPDIR": str(self.folder / "tmp")})

    def export(self, wild, *words):
        (self.folder / "old.a").write_text("old")
        before = sorted(os.listdir(self.folder))
        result = self.byoc(*words, "export", "relus.byoc", "--target", "host", "-q", "--plugin", "./wild.so", "-o", "old.a",
                           wild=wild)
        self.assertEqual((self.folder / "old.a").read_text(), "old", wild)
        self.assertEqual(sorted(os.listdir(self.folder)), before, wild)
        return result

    def test_exit(self):
        for call in ("create", "extension", "verdicts", "update", "compile", "destroy"):
            for how in ("exit", "quick_exit", "thread"):
                with self.subTest(call=call, how=how):
                    result = self.export(f"{call}:{how}")
                    name = {"update": "update_constants"}.get(call, call)
                    self.assertEqual((result.returncode, result.stdout), (1, ""))
                    self.assertEqual(result.stderr, f"./wild.so: error: codegen 'test.wild': ended the process in {name}(); "
                                                    "with --isolate it has one of its own\n")
                    self.assertEqual(os.listdir(self.folder / "tmp"), [])
        for call in ("load", "query"):
            result = self.export(f"{call}:exit")
            self.assertEqual((result.returncode, result.stderr), (1, "./wild.so: error: the plug-in: ended the process while "
                                                                     "it was loaded; with --isolate it has one of its own\n"))

    def test_what_was_told_before_is_told(self):
        result = self.export("compile:last words")
        self.assertEqual(result.returncode, 1)
        self.assertIn("error: codegen 'test.wild': no licence\n", result.stderr)
        self.assertIn("codegen 'test.wild': ended the process in compile()", result.stderr)

    def test_forms(self):
        result = self.export("compile:exit", "--diagnostics", "json", "--exit-codes", "cause")
        self.assertEqual(result.returncode, 5)
        lines = [json.loads(line) for line in result.stderr.splitlines()]
        self.assertIn("ended the process in compile()", lines[0]["message"])
        self.assertEqual(lines[-1], {"end": "plug-in"})

    def test_other_commands(self):
        for words in (["run", "relus.byoc", "--target", "host"], ["partition", "relus.byoc", "--target", "host"]):
            result = self.byoc(*words, "--plugin", "./wild.so", wild="verdicts:exit")
            self.assertEqual(result.returncode, 1, words)
            self.assertIn("codegen 'test.wild': ended the process in verdicts()", result.stderr)

    @unittest.skipIf(SANITIZED, "the sanitizer tells crashes itself")
    def test_crashes(self):
        for what, number in (("crash", signal.SIGSEGV), ("abort", signal.SIGABRT), ("overflow", signal.SIGSEGV)):
            with self.subTest(what=what):
                result = self.export(f"compile:{what}")
                self.assertEqual(result.returncode, -number)
                self.assertIn(f"error: codegen 'test.wild': died of {number.name} in compile(); ", result.stderr)
        result = self.export("compile:crash", "--diagnostics", "json")
        self.assertIn("died of SIGSEGV in compile()", json.loads(result.stderr)["message"])

    def test_children_may_exit(self):
        """A plug-in that starts a process which ends is no plug-in that ends."""
        result = self.byoc("export", "relus.byoc", "--target", "host", "-q", "--plugin", "./wild.so", "-o", "new.a",
                           wild="compile:fork")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue((self.folder / "new.a").exists())


if __name__ == "__main__":
    unittest.main()
