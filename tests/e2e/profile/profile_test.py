"""Hooks around steps: a program that uses them, what they cost where it does not, and the table of its log.

usage: profile_test.py BYOC SOURCE_DIR MODELS_DIR [unittest arguments]
MODELS_DIR is what tests/networks wrote.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BYOC, SOURCE, MODELS = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
KWS = MODELS / "ds_cnn_int8.tflite"


def run(*command, **options):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, stdin=subprocess.DEVNULL, **options)


class Case(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)

    def done(self, *command):
        result = run(*command)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def log(self, *options):
        """What the program around a model of this machine prints."""
        self.done(BYOC, "export", KWS, "--target", "host", "--name", "m", "-q", "-o", self.dir / "m.a", "--profile-hook",
                  *options)
        program = self.dir / "program"
        self.done("cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-I", self.dir, "-I", SOURCE / "include",
                  SOURCE / "tests/e2e/profile/main.c", self.dir / "m.a", "-lm", "-o", program)
        return self.done(program)


class Hooks(Case):
    def test_are_called_around_each_step(self):
        out = self.log()
        steps = json.loads((self.dir / "m.json").read_text())["steps"]
        found = re.findall(r"byoc-step (\d+) (\d+) (\w+)", out)
        self.assertEqual([(int(i), s) for i, _, s in found], [(i, s["symbol"]) for i, s in enumerate(steps)])
        self.assertEqual({count for _, count, _ in found}, {"6"})  # ten between two readings, four are taken off
        self.assertNotIn("tap", out)

    def test_taps_are_of_the_steps_that_are_named(self):
        steps = json.loads(self.done(BYOC, "run", KWS, "--target", "host", "-q", "--stats", "/dev/stdout"))["steps"]
        symbol = steps[2]["symbol"].split("_", 1)
        out = self.log("--tap", "0", "--tap", f"m_{steps[2]['symbol'][len('ds_cnn_int8_'):]}")
        self.assertEqual([line.split()[1] for line in out.splitlines() if line.startswith("tap")], ["0", "2"], symbol)
        bad = run(BYOC, "export", KWS, "--target", "host", "-q", "-o", self.dir / "x.a", "--tap", "99")
        self.assertEqual(bad.returncode, 1)
        self.assertIn("--tap': names no step of the model (found '99'", bad.stderr)
        bad = run(BYOC, "export", KWS, "--target", "host", "-q", "-o", self.dir / "x.so", "--profile-hook", "--executor",
                  "graph")
        self.assertIn("is for the executor aot", bad.stderr)

    def test_cost_next_to_nothing_where_there_are_none(self):
        for target in ("cortex-m4f", "cortex-m55"):
            counted = [json.loads(self.done(BYOC, "run", KWS, "--target", target, "-q", "--no-profile", "--stats",
                                            "/dev/stdout", *options))["instructions"]
                       for options in ([], ["--profile-hook"])]
            self.assertLess(counted[0], counted[1] + 1000)
            self.assertLess(counted[1], counted[0] * 1.02, (target, counted))


class Log(Case):
    def report(self, text, *options):
        (self.dir / "uart.txt").write_text(text)
        return run(BYOC, "report", "from-log", self.dir / "uart.txt", "--manifest", self.dir / "m.json", *options)

    def refused(self, text, *says):
        done = self.report(text)
        self.assertEqual(done.returncode, 1, done.stdout)
        for s in says:
            self.assertIn(s, done.stderr)

    def test_becomes_the_table_of_a_run(self):
        text = self.log()
        done = self.report("noise\n" + text.replace(" 6 ", " 7 ", 3) + text + "[rtt] more\r\n", "-o", self.dir / "s.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        stats = json.loads((self.dir / "s.json").read_text())
        self.assertEqual({s["cycles"] for s in stats["steps"]}, {6})
        self.assertEqual(stats["cycles"], 6 * len(stats["steps"]))
        self.assertIn("run 2 of the log", done.stdout)
        self.assertRegex(done.stdout, r"# +layer +kernel +MACs")
        whole = self.report(text.replace("cycles", "nanoseconds"), "-o", self.dir / "s.json")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        self.assertEqual(json.loads((self.dir / "s.json").read_text())["nanoseconds"], 6 * len(stats["steps"]))

    def test_what_is_no_profile_of_the_model(self):
        text = self.log()
        lines = text.splitlines()
        self.refused("nothing here\n", "has no whole profile of this model")
        self.refused("\n".join(lines[:3] + lines[4:]), "has no whole profile", "lines are missing or damaged")
        self.refused(text.replace("byoc-profile 1", "byoc-profile 2"), "a profile of another format")
        self.refused(text.replace("cycles", "furlongs"), "a profile in another unit")
        self.refused(re.sub("m_[Cc]onv_0", "m_conv_9", text, count=1), "is of another export than the manifest", "m_conv_9")
        start = next(i for i, line in enumerate(lines) if "byoc-profile" in line)
        self.refused("\n".join(["byoc-profile 1 m 1 cycles", lines[start + 1], "byoc-end"]),
                     "is of another export than the manifest", "1 steps")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
