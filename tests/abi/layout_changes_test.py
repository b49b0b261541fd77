#!/usr/bin/env python3
"""layout_test.py notices a change: each kind of one is made to a copy of the headers."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parents[1] / "include"


class Changes(unittest.TestCase):
    def run_with(self, header, old, new):
        with tempfile.TemporaryDirectory() as folder:
            for part in ("abi", "rt"):
                shutil.copytree(INCLUDE / "byoc" / part, Path(folder, "byoc", part))
            path = Path(folder, "byoc", "abi", header)
            text = path.read_text()
            self.assertEqual(text.count(old), 1)
            path.write_text(text.replace(old, new))
            result = subprocess.run([sys.executable, str(HERE / "layout_test.py"), "--include", folder, "--layout-only"],
                                    capture_output=True, text=True)
        return result.returncode, result.stdout

    def test_nothing_changed(self):
        self.assertEqual(self.run_with("base.h", "struct byoc_string {", "struct byoc_string { "), (0, ""))

    def test_inserted(self):
        code, text = self.run_with("step.h", "  uint64_t macs;", "  uint64_t more;\n  uint64_t macs;")
        self.assertEqual(code, 1)
        self.assertIn("a released layout (1.0.lp64) was changed: byoc_step macs", text)
        self.assertIn("a released layout (1.0.ilp32) was changed: byoc_step macs", text)

    def test_appended(self):
        code, text = self.run_with("step.h", "} byoc_step_t;", "  uint64_t more;\n} byoc_step_t;")
        self.assertEqual(code, 1)
        self.assertIn("new: byoc_step more", text)
        self.assertNotIn("released", text)

    def test_narrowed(self):
        code, text = self.run_with("step.h", "  uint64_t macs;", "  uint32_t macs;")
        self.assertEqual(code, 1)
        self.assertIn("released", text)

    def test_arguments_of_steps(self):
        code, text = self.run_with("../rt/steps.h", "  void* instance; ", "  void* more;\n  void* instance; ")
        self.assertEqual(code, 1)
        self.assertIn("a released layout (1.lp64) was changed: byoc_step_args instance", text)
        self.assertIn("a released layout (1.ilp32) was changed: byoc_step_args instance", text)


if __name__ == "__main__":
    unittest.main()
