#!/usr/bin/env python3
"""`byoc check-plugin`, as it is without options, finds each of the mistakes in plugins/faulty.cpp: a codegen that is right
but for one form of one operator. Without a mistake the same codegen passes."""

import argparse
import os
import re
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
FAULTS = re.findall(r'^    \{"([a-z0-9-]+)", "', (HERE / "plugins/faulty.cpp").read_text(), re.MULTILINE)
# What decides about agreement; the other checks do not look at numbers.
ONLY = ("--only", "agreement")
BYOC = PLUGIN = None


def check(fault, *options):
    return subprocess.run([BYOC, "check-plugin", PLUGIN, "--plugin-option", f"test.faulty.fault={fault}", *options],
                          capture_output=True, text=True)


class Faults(unittest.TestCase):
    def test_there_are_thirty(self):
        self.assertGreaterEqual(len(FAULTS), 30)
        self.assertEqual(len(FAULTS), len(set(FAULTS)))

    def test_none(self):
        done = check("none", *ONLY)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_is_found(self):
        with ThreadPoolExecutor(max(1, len(os.sched_getaffinity(0)))) as pool:
            for fault, done in zip(FAULTS, pool.map(lambda f: check(f, *ONLY), FAULTS)):
                with self.subTest(fault):
                    self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                    self.assertIn("FAILED  agreement", done.stdout)
                    self.assertIn("V4: ", done.stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--byoc", required=True, type=os.path.abspath)
    parser.add_argument("--plugin", required=True, type=os.path.abspath)
    arguments, rest = parser.parse_known_args()
    BYOC, PLUGIN = arguments.byoc, arguments.plugin
    unittest.main(argv=sys.argv[:1] + rest)
