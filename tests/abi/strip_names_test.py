#!/usr/bin/env python3
"""byoc export --strip-names: what layers are called is in nothing that is written, whatever its form, but in the map."""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BYOC = sys.argv.pop(1)
# Every name inside has the word in it.
MODEL = """graph "secret_net" requant=onnx {
  input %x : f32[1,2,6,6]
  const %secret_w : f32[4,2,3,3] = zeros
  const %secret_b : f32[4] = hex"0000803f0000803f0000803f0000803f"
  %secret_a = Conv.11(%x, %secret_w, %secret_b) @"secret_conv1/BiasAdd"
  %secret_r = Relu.13(%secret_a) @"secret_relu1"
  %y = Neg.13(%secret_r) @"secret_neg"
  output %y
}"""
# Nodes of which only a run knows some dims, and one that nobody takes on quantised tensors and that is left as it is.
OPEN_MODEL = """graph "secret_open" requant=onnx symbols=[N, secret_count] {
  input %x : f32[N,4]
  const %secret_first : i64[1] = [0]
  %secret_where : i64[2,secret_count] = NonZero.13(%x) @"secret_where"
  %secret_moved : i64[secret_count,2] = Transpose.21(%secret_where) {perm=[1,0]} @"secret_transpose"
  %y : i64[1,2] = ReduceMax.20(%secret_moved, %secret_first) {keepdims=1} @"secret_max"
  output %y
}"""
LITERAL_MODEL = """graph "secret_literal" requant=onnx {
  const %secret_s : f32[] = [0.5]
  const %secret_z : i16[] = [0]
  input %x : i16[1,8]
  %secret_fx : f32[1,8] = DequantizeLinear.13(%x, %secret_s, %secret_z) @"secret_dq"
  %secret_r : f32[1,8] = Sigmoid.13(%secret_fx) @"secret_sigmoid"
  %y : i16[1,8] = QuantizeLinear.13(%secret_r, %secret_s, %secret_z) @"secret_q"
  output %y
}"""
NAMES = {"secret_conv1/BiasAdd", "secret_relu1", "secret_neg"}


class StripNames(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = Path(self.scratch.name)
        (self.folder / "m.byoc").write_text(MODEL)

    def tearDown(self):
        self.scratch.cleanup()

    def byoc(self, *words):
        return subprocess.run([BYOC, *words], cwd=self.folder, capture_output=True, text=True)

    def export(self, out, *words, target="host"):
        before = set(self.folder.rglob("*"))
        result = self.byoc("export", "m.byoc", "--target", target, "-q", "--name", "net", *words, "-o", out)
        self.assertEqual((result.returncode, result.stderr), (0, ""), out)
        return [f for f in self.folder.rglob("*") if f not in before and f.is_file()]

    def clear(self):
        for path in self.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != "m.byoc":
                path.unlink()

    def secrets(self, written):
        return {str(f.relative_to(self.folder)) for f in written if b"secret" in f.read_bytes()}

    def test_every_form(self):
        forms = [("m.a", []), ("m.o", []), ("m.so", []), ("m.tar", []), ("objects.tar", ["--tar-of", "objects"]),
                 ("folder/", []), ("g.so", ["--executor", "graph"]), ("work.a", ["--work-dir", "work"]),
                 ("debug.a", ["-g"]), ("hooks.a", ["--profile-hook"]), ("vm.so", ["--executor", "vm"]),
                 ("m.byocm", ["--executor", "interpreted"])]
        told = 0
        for out, words in forms:
            with self.subTest(out=out):
                told += len(self.secrets(self.export(out, *words)))
                stem = out.rstrip("/").replace(".", "_")
                self.clear()
                written = self.export(out, *words, "--strip-names", f"{stem}.names.json")
                self.assertEqual(self.secrets(written), {f"{stem}.names.json"})
                self.assertGreater(len(written), 1)
                self.clear()
        self.assertGreater(told, len(forms) - 3)  # without the option they are nearly everywhere

    def test_the_map(self):
        self.export("m.a", "--strip-names", "names.json")
        names = json.loads((self.folder / "names.json").read_text())
        self.assertEqual(names["schema"], 1)
        self.assertEqual(set(names["nodes"].values()), NAMES)
        self.assertEqual(names["nodes"]["n00000"], "secret_conv1/BiasAdd")
        self.assertTrue({"secret_w", "secret_b"} <= set(names["values"].values()))
        self.assertNotIn("x", names["values"].values())
        manifest = (self.folder / "m.json").read_text()
        self.assertIn("n00000", manifest)

    def test_open_dims(self):
        """Those of inputs are the interface, as the inputs are; others are nobody's business."""
        for executor, out in (("vm", "m.so"), ("interpreted", "m.byocm")):
            with self.subTest(executor):
                (self.folder / "m.byoc").write_text(OPEN_MODEL)
                written = self.export(out, "--executor", executor, "--strip-names", "names.json")
                self.assertEqual(self.secrets(written), {"names.json"})
                self.assertEqual(json.loads((self.folder / "names.json").read_text())["dims"], {"d00000": "secret_count"})
                shown = self.byoc("inspect", out, "--bytecode").stdout
                self.assertIn("(x: f32[N,4])", shown)
                self.assertIn(b"i64[2,d00000]", (self.folder / out).read_bytes())
                self.clear()

    def test_operators_that_are_left_as_they_are(self):
        (self.folder / "m.byoc").write_text(LITERAL_MODEL)
        report = self.folder / "r.json"
        for executor in ("aot", "vm"):
            with self.subTest(executor):
                self.export("m.so", "--executor", executor, "--report", "r.json")
                written = self.export("n.so", "--executor", executor, "--report", "r.json", "--strip-names", "names.json")
                self.assertEqual(self.secrets(written), {"names.json"})
                self.assertNotIn(b"secret", report.read_bytes())
                self.clear()

    def test_the_same_library(self):
        """But for names: what it computes and costs is the same."""
        sizes = []
        for words in ([], ["--strip-names", "names.json"]):
            self.export("m.a", *words, target="cortex-m4f")
            listing = subprocess.run(["arm-none-eabi-size", "-t", "m.a"], cwd=self.folder, capture_output=True, text=True,
                                     check=True).stdout
            sizes.append(listing.splitlines()[-1].split()[:4])
        self.assertEqual(sizes[0], sizes[1])

    def test_names_may_be_asked_for_all_the_same(self):
        self.export("m.a", "--strip-names", "names.json", "--pin", "secret_conv1*=c", "--tap", "secret_relu")
        result = self.byoc("export", "m.byoc", "--target", "host", "-q", "--strip-names", "names.json", "--pin", "nobody=c",
                           "-o", "m.a")
        self.assertIn("no node has this name (found 'nobody'", result.stderr)

    def test_errors_have_the_models_words(self):
        model = MODEL.replace("%secret_r = Relu.13", "%secret_r : f32[1,4,4,4] = com.acme.Bump.1")
        (self.folder / "m.byoc").write_text(model)
        result = self.byoc("export", "m.byoc", "--target", "cortex-m4f", "-q", "--strip-names", "names.json", "-o", "m.a")
        self.assertEqual(result.returncode, 1)
        self.assertIn("com.acme.Bump 'secret_relu1'", result.stderr)
        self.assertIn("no codegen supports operator", result.stderr)
        self.assertNotIn("n0000", result.stderr)
        self.assertFalse((self.folder / "names.json").exists())

    def test_no_file_of_another_kind(self):
        result = self.byoc("export", "m.byoc", "--target", "host", "--strip-names", "m.a", "-o", "m.a")
        self.assertEqual(result.returncode, 1)
        self.assertFalse((self.folder / "m.a").exists())


if __name__ == "__main__":
    unittest.main()
