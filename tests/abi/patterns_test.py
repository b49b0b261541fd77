#!/usr/bin/env python3
"""check-plugin finds a plug-in that refuses what its own patterns match as operators that it does not have."""

import subprocess
import sys
import tempfile
import unittest

from plugin_case import build_plugin

BYOC = sys.argv.pop(1)


class Patterns(unittest.TestCase):
    def test_own_patterns(self):
        with tempfile.TemporaryDirectory() as folder:
            plugin = build_plugin("declines.cpp", folder)
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
