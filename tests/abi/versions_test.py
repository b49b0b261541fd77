#!/usr/bin/env python3
"""Plug-ins of this minor and of the next one, each with a host of this minor and of the next one.

The headers of the next minor are made of this one's: every struct that may grow has grown (next_minor.py). The host of
the next minor is the host's side of the border built with them."""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
MINOR = int(re.search(r"#define BYOC_ABI_MINOR (\d+)u", (SOURCE / "include/byoc/abi/base.h").read_text())[1])
SPEAKS = f"1.0 to 1.{MINOR}" if MINOR else "1.0"
MODEL = """graph "sums" requant=onnx {
  input %x : f32[6]
  input %y : f32[6]
  const %k : u8[3] = [5, 6, 7]
  %a : f32[6] = Add.14(%x, %y)
  %b : f32[6] = Add.14(%a, %y)
  %c : u8[3] = Identity.13(%k)
  output %b
  output %c
}"""
SUMS = MODEL.replace("  const %k : u8[3] = [5, 6, 7]\n", "").replace("  %c : u8[3] = Identity.13(%k)\n", "").replace(
    "  output %c\n", "")
arguments = None


class Versions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        (cls.folder / "model.byoc").write_text(MODEL)
        (cls.folder / "sums.byoc").write_text(SUMS)
        # {minor: folders of headers}, of which the first one that has a header gives it.
        cls.headers = {MINOR: [SOURCE / "include"], MINOR + 1: [arguments.next_headers, SOURCE / "include"]}

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def build(self, source, minor, *flags):
        compiler = ["g++", "-std=c++20"] if source.suffix == ".cpp" else ["gcc", "-std=c11"]
        path = self.folder / f"{source.stem}{minor}{'-'.join(flags)}.so"
        if not path.exists():
            subprocess.run([*compiler, "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-fvisibility=hidden",
                            *(["-fvisibility-inlines-hidden"] if source.suffix == ".cpp" else []),
                            *[f"-I{folder}" for folder in self.headers[minor]], *flags, str(source), "-o", str(path)],
                           check=True)
        return path

    def host(self, minor, plugin, model="model.byoc", code=0):
        program = arguments.host if minor == MINOR else arguments.next_host
        result = subprocess.run([program, plugin, self.folder / model], capture_output=True, text=True)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result.stdout.replace(str(plugin), "PLUGIN").replace(str(self.folder), "")

    def test_they_agree_on_the_smaller_minor(self):
        for host in (MINOR, MINOR + 1):
            for plugin in self.headers:
                with self.subTest(host=host, plugin=plugin):
                    agreed = min(host, plugin)
                    # It makes nothing of what it claims, which is told.
                    out = self.host(host, self.build(HERE / "plugins/minor.c", plugin), code=1)
                    self.assertIn("claimed Add '' and computes 'b' in no step", out)
                    self.assertIn(f"host 1.{host}, plug-in 1.{plugin}, agreed on 1.{agreed}\n", out)
                    more = "more" if host == MINOR + 1 else "no more"
                    self.assertIn(f"built for 1.{plugin}, spoken to in 1.{agreed}; ", out)
                    self.assertIn(f"; {more} in the host's table, {more} in the target", out)
                    # The constant that it puts in the place of the model's.
                    self.assertIn("compiles 3 nodes, constants sum up to 4", out)

    def test_who_needs_more_is_refused_with_both_versions(self):
        plugin = self.build(HERE / "plugins/minor.c", MINOR + 1, f"-DNEEDS={MINOR + 1}")
        out = self.host(MINOR, plugin, code=1)
        self.assertIn(f"it needs a newer byoc: it speaks ABI 1.{MINOR + 1}, this byoc ", out)
        self.assertIn(f" speaks ABI {SPEAKS}\n", out)
        self.assertNotIn("built for", out)  # nothing of it has run
        self.assertIn(f"agreed on 1.{MINOR + 1}", self.host(MINOR + 1, plugin, code=1))

    def test_they_make_the_same(self):
        """Useful plug-ins, the C++ wrapper too, hand over the same whoever is older."""
        made = {}
        for source, minors in ((SOURCE / "examples/plain-c-plugin/plain_c.c", self.headers),
                               (SOURCE / "examples/hello-plugin/hello.cpp", (MINOR, MINOR + 1))):
            for plugin in minors:
                for host in (MINOR, MINOR + 1):
                    out = self.host(host, self.build(source, plugin), "sums.byoc")
                    self.assertIn("step ", out)
                    made.setdefault(source.stem, set()).add(re.sub(r"^host .*\n", "", out))
        self.assertEqual({name: len(outs) for name, outs in made.items()}, {"plain_c": 1, "hello": 1}, made)

    def test_exports_have_the_same_bytes(self):
        archives = set()
        for minor in self.headers:
            plugin = self.build(SOURCE / "examples/plain-c-plugin/plain_c.c", minor)
            for isolate in ([], ["--isolate"]):
                folder = self.folder / "out"
                folder.mkdir(exist_ok=True)
                result = subprocess.run([arguments.byoc, "export", self.folder / "sums.byoc", "--target", "cortex-m4f", "-q",
                                         "--plugin", plugin, *isolate, "-o", folder / "m.a"], capture_output=True, text=True)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                archives.add((folder / "m.a").read_bytes())
                self.assertIn(b"plain_add", (folder / "m.a").read_bytes())
                shutil.rmtree(folder)
        self.assertEqual(len(archives), 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--byoc", required=True)
    parser.add_argument("--host", required=True, help="the host program, of this minor")
    parser.add_argument("--next-host", required=True, help="the one of the next minor")
    parser.add_argument("--next-headers", required=True, type=Path)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
