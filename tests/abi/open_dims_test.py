#!/usr/bin/env python3
"""Nodes of which only a run knows the length of some dims, and who compiles them: by --prefer and --pin as all others, by
plug-ins in processes of their own, and in recorded sessions.

The plug-in is the C backend, under another id."""

import argparse
import json
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

MODEL = """graph "open" requant=onnx symbols=[N, K] {
  input %x : f32[N,4]
  const %w : f32[4,3] = [1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1]
  const %b : f32[3] = [10, 20, 30]
  %p : f32[N,3] = MatMul.13(%x, %w) @"product"
  %m : f32[N,3] = Add.14(%p, %b) @"sum"
  %k : i64[2,K] = NonZero.13(%m) @"where"
  output %m
  output %k
}"""
# A node that is known beside one that is not.
MIXED = """graph "mixed" requant=onnx symbols=[N] {
  input %x : f32[N,4]
  input %z : f32[4]
  const %w : f32[4,3] = [1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1]
  %p : f32[N,3] = MatMul.13(%x, %w) @"product"
  %m : f32[4] = Neg.13(%z) @"negative"
  output %p
  output %m
}"""
# How many dims there are only a run knows.
SHAPED = """graph "shaped" requant=onnx symbols=[N, S] {
  input %x : f32[N,4]
  input %s : i64[S]
  %m : f32[N,4] = Neg.13(%x) @"negative"
  %r : f32? = Reshape.14(%m, %s) @"shaped"
  output %r
}"""
arguments = None


class OpenDims(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "m.byoc").write_text(MODEL)
        for n in (1, 3):
            head = str({"descr": "<f4", "fortran_order": False, "shape": (n, 4)}).encode()
            values = struct.pack(f"<{4 * n}f", *[i % 7 - 3 for i in range(4 * n)])
            (self.folder / f"{n}.npy").write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + values)

    def byoc(self, *words, code=0):
        done = subprocess.run([str(w) for w in (arguments.byoc, *words)], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def export(self, out, *words, code=0):
        return self.byoc("export", "m.byoc", "--target", "host", "--executor", "vm", "-q", "--plugin", arguments.plugin,
                         "--report", "report.json", *words, "-o", out, code=code)

    def owners(self):
        """{name of an open node: id of its codegen}"""
        report = json.loads((self.folder / "report.json").read_text())
        return {row["node"].split("'")[1]: row["codegen"] for row in report.get("open", [])}

    def outputs(self, library, n):
        self.byoc("run", library, "--input", f"{n}.npy", "-q", "--output-dir", "out")
        return {f.name: f.read_bytes() for f in sorted((self.folder / "out").iterdir())}

    def test_who_gets_them(self):
        """A vendor's before a reference codegen, unless the user says otherwise."""
        self.export("m.so")
        self.assertEqual(self.owners(), {"product": "test.c", "sum": "test.c"})
        expected = self.outputs("m.so", 3)
        for words, owners in ((["--prefer", "c"], {"product": "c", "sum": "c"}),
                              (["--prefer", "test.c,c"], {"product": "test.c", "sum": "test.c"}),
                              (["--prefer", "llvm"], {"product": "test.c", "sum": "test.c"}),
                              (["--pin", "prod*=c"], {"product": "c", "sum": "test.c"}),
                              (["--prefer", "c", "--pin", "op:Add=test.c"], {"product": "c", "sum": "test.c"})):
            self.export("m.so", *words)
            self.assertEqual(self.owners(), owners, words)
            self.assertEqual(self.outputs("m.so", 3), expected, words)

    def test_who_takes_them_is_not_idle(self):
        (self.folder / "m.byoc").write_text(MIXED)
        self.assertEqual(self.export("m.so", "--pin", "negative=c"), "")
        self.assertEqual(self.owners(), {"product": "test.c"})
        said = self.export("m.so", "--prefer", "c")
        self.assertIn("note: codegen 'test.c' takes nothing of this model", said)

    def test_names_do_not_matter(self):
        self.export("m.so", "--strip-names", "names.json", "--pin", "product=c")
        self.assertEqual(self.owners(), {"n00000": "c", "n00001": "test.c"})

    def test_what_is_not_heeded_is_an_error(self):
        for pin, said in (("product=llvm", "MatMul 'product'': the codegen that it is pinned to does not support operator MatMul: llvm: "
                                           "takes no dims that only a run knows"),
                          ("op:NonZero=c", "NonZero 'where'': the codegen that it is pinned to does not support operator NonZero: c: found "
                                           "dims that only a run knows, expected known ones"),
                          ("product=nobody", "'--pin': there is no such codegen (found 'nobody'"),
                          ("nothing=c", "'--pin': no node has this name (found 'nothing'")):
            text = self.export("m.so", "--pin", pin, code=1)
            self.assertIn(said, text)
            self.assertEqual(text.count("error"), 1, text)
        (self.folder / "m.byoc").write_text(SHAPED)
        self.export("m.so", "--pin", "negative=c")
        text = self.export("m.so", "--pin", "shaped=c", code=1)
        self.assertIn("Reshape 'shaped'': is pinned to a codegen, and no codegen supports it: its types are known only when it runs",
                      text)
        self.assertIn("'--prefer': there is no such codegen", self.export("m.so", "--prefer", "nobody", code=1))

    def test_isolated(self):
        self.export("m.so")
        here, outputs = (self.folder / "m.so").read_bytes(), self.outputs("m.so", 1)
        self.export("m.so", "--isolate")
        self.assertEqual(self.owners(), {"product": "test.c", "sum": "test.c"})
        self.assertEqual((self.folder / "m.so").read_bytes(), here)
        self.assertEqual(self.outputs("m.so", 1), outputs)

    def test_recorded(self):
        self.export("m.so")
        here = (self.folder / "m.so").read_bytes()
        for isolate in ([], ["--isolate"]):
            self.export("m.so", "--record", "m.byocrec", *isolate)
            self.assertEqual((self.folder / "m.so").read_bytes(), here)
            for again in ([], ["--isolate"]):
                text = self.byoc("replay", "m.byocrec", "--plugin", arguments.plugin, "--same", *again)
                self.assertIn("verdicts() on 3 nodes: ok\n", text)
                self.assertTrue(text.endswith("compile() of 2 regions: ok\nthe plug-in says what it said\n"), text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--byoc", type=Path, required=True)
    parser.add_argument("--plugin", type=Path, required=True)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=["open_dims_test.py", *rest])
