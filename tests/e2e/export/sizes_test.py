"""Flash and stack of a library: what the export says against what a linker and a simulated board say.

usage: sizes_test.py BYOC SOURCE_DIR NETWORKS [unittest arguments]
"""

import json
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from commands import run  # noqa: E402

BYOC, SOURCE, NETWORKS = (pathlib.Path(a).absolute() for a in sys.argv[1:4])
MODELS = ("ds_cnn_int8", "resnet8_int8", "autoencoder_int8")
# Targets and their linkers: those of simulated boards that count a run's stack.
LINKERS = {
    "cortex-m0plus": ["arm-none-eabi-ld"],
    "cortex-m4f": ["arm-none-eabi-ld"],
    "cortex-m55": ["arm-none-eabi-ld"],
    "riscv32imc": ["riscv64-unknown-elf-ld", "-m", "elf32lriscv", "--no-relax"],
}
# The order of a usual script: code, then all that is only read. Tests count bytes of both.
SCRIPT = """SECTIONS {
  .text 0x10000 : { *(.text .text.*) }
  .rodata : { *(.rodata .rodata.*) *(.data.rel.ro .data.rel.ro.*) }
}
"""


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def export(self, stem, target, *options):
        """What the export prints, and the manifest."""
        said = run(BYOC, "export", NETWORKS / f"{stem}.tflite", "--name", "net", "--target", target, *options, "-o",
                   self.dir / "net.a")
        return said, json.loads((self.dir / "net.json").read_text())


class Flash(Case):
    def linked(self, target):
        """Bytes of code and of constants of the archive linked whole."""
        (self.dir / "flash.ld").write_text(SCRIPT)
        run(*LINKERS[target], "-T", self.dir / "flash.ld", "--unresolved-symbols=ignore-all", "-e", "0",
            "--no-warn-rwx-segments", "--whole-archive", self.dir / "net.a", "-o", self.dir / "net.elf")
        told = run("arm-none-eabi-size" if target.startswith("cortex") else "riscv64-unknown-elf-size", "-A",
                   self.dir / "net.elf")
        sizes = dict(re.findall(r"^(\.\S+)\s+(\d+)", told, re.MULTILINE))
        return int(sizes[".text"]) + int(sizes.get(".rodata", 0))

    def test_it_is_what_the_linker_gives(self):
        for target in LINKERS:
            for stem in MODELS:
                with self.subTest(f"{stem} {target}"):
                    said, manifest = self.export(stem, target)
                    flash = manifest["flash"]["code"] + manifest["flash"]["constants"]
                    self.assertEqual(flash, self.linked(target))
                    self.assertRegex(said, rf"flash  code .*: {flash:,} bytes")


class Stack(Case):
    def measured(self, stem, target, *options):
        run(BYOC, "run", NETWORKS / f"{stem}.tflite", "--target", target, "--no-profile", "-q", "--stats",
            self.dir / "stats.json", *options)
        return json.loads((self.dir / "stats.json").read_text())["ram"]["stack"]

    def test_no_run_takes_more(self):
        """And the bound is no more than what the allowance and a few frames could be over it."""
        for target in LINKERS:
            for stem in MODELS:
                for options in ([], ["--toolchain", "gnu"]):
                    with self.subTest(f"{stem} {target} {' '.join(options)}"):
                        _, manifest = self.export(stem, target, *options)
                        bound = manifest["stack"]
                        self.assertEqual(bound["how"], "bounded by the call graph", bound)
                        taken = self.measured(stem, target, *options)
                        self.assertGreaterEqual(bound["bytes"], taken)
                        self.assertLessEqual(bound["bytes"] - bound.get("allowance", 0), taken + 160)

    def test_everybody_is_told(self):
        said, manifest = self.export("ds_cnn_int8", "cortex-m4f")
        bound = manifest["stack"]["bytes"]
        self.assertIn(f"stack {bound:,} at most", said)
        self.assertIn(f"#define NET_STACK_SIZE {bound}\n", (self.dir / "net.h").read_text())
        sections = run("arm-none-eabi-readelf", "-SW", self.dir / "net.a")
        self.assertNotIn("stack_sizes", sections)

    def test_one_object_of_all_code_has_a_bound_too(self):
        _, manifest = self.export("ds_cnn_int8", "cortex-m4f", "--lto")
        self.assertGreater(manifest["stack"]["bytes"], 0)

    def test_a_call_by_a_pointer_has_none(self):
        _, manifest = self.export("ds_cnn_int8", "cortex-m4f", "--profile-hook")
        self.assertEqual(manifest["stack"]["how"], "not bounded")
        self.assertRegex(manifest["stack"]["why"], r"^net_\w+ calls by a pointer$")
        self.assertNotIn("STACK_SIZE", (self.dir / "net.h").read_text())

    def test_hosts_have_none(self):
        _, manifest = self.export("ds_cnn_int8", "host")
        self.assertNotIn("stack", manifest)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
