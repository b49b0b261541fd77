#!/usr/bin/env python3
"""check-plugin finds a plug-in that refuses what its own patterns match as operators that it does not have."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
BYOC = sys.argv.pop(1)


class Patterns(unittest.TestCase):
    def test_own_patterns(self):
        with tempfile.TemporaryDirectory() as folder:
            plugin = Path(folder, "declines.so")
            subprocess.run(["g++", "-std=c++20", "-O0", "-shared", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra",
                            "-Werror", "-fvisibility-inlines-hidden", f"-I{HERE.parents[1] / 'include'}",
                            str(HERE / "plugins" / "declines.cpp"), "-o", str(plugin)], check=True)
            for reason, code in (("op", 1), ("shape", 0)):
                result = subprocess.run([BYOC, "check-plugin", str(plugin), "--only", "verdicts", "--target", "host",
                                         "--plugin-option", f"test.declines.reason={reason}"], capture_output=True,
                                        text=True)
                self.assertEqual(result.returncode, code, result.stdout + result.stderr)
                if code != 0:
                    self.assertIn("Add is refused as an operator that it does not have, and pattern 0 of its own has it "
                                  "(found 'not this one', expected a group, a claim, or the reason why this match is none "
                                  "for it)", result.stdout)
                    self.assertIn("V9: ", result.stdout)


if __name__ == "__main__":
    unittest.main()
