#!/usr/bin/env python3
"""`byoc check-plugin` finds in each broken plug-in what is broken, by the right check and by no other; what is sound
passes, the examples and the reference backend among it."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
BYOC = None
BACKEND = None
SMALL = ("--graphs", "6", "--shapes", "2")
MINOR = re.search(r"#define BYOC_ABI_MINOR (\d+)u", (SOURCE / "include/byoc/abi/base.h").read_text())[1]

# {what is broken: (the check that finds it, the requirement)}, in the plug-in of plugins/broken.cpp
BROKEN = {
    "table-size": ("table", "E5"),
    "caps": ("table", "E7"),
    "id": ("table", "E6"),
    "no-domain": ("table", "E6"),
    "query-changes": ("query", "E4"),
    "query-environment": ("query", "E4"),
    "any-major": ("versions", "E5"),
    "option-help": ("options", "O1"),
    "option-default": ("options", "O1"),
    "create-fails": ("options", "O2"),
    "create-silent": ("options", "C4"),
    "verdict-crash": ("claims", "C1"),
    "verdict-missing": ("verdicts", "V1"),
    "verdict-twice": ("verdicts", "V1"),
    "verdict-no-text": ("verdicts", "V2"),
    "verdict-no-reason": ("verdicts", "V2"),
    "verdict-tolerance": ("verdicts", "V4"),
    "claims-unknown": ("verdicts", "V2"),
    "group-order": ("verdicts", "V6"),
    "verdict-changes": ("same-verdicts", "V3"),
    "target-crash": ("targets", "V5"),
    "exit": ("course", "C1"),
    "abort": ("course", "C1"),
    "throws": ("course", "C1"),
    "memory": ("course", "C1"),
    "fails-silently": ("course", "C4"),
    "thread": ("threads", "C2"),
    "keeps": ("lifetime", "C3"),
    "writes": ("lifetime", "C11"),
    "ignores-failure": ("failures", "C4"),
    "other-status": ("failures", "C4"),
    "failure-crash": ("failures", "C4"),
    "not-cancelled": ("cancellation", "C9"),
    "never-asks": ("cancellation", "C9"),
    "prints": ("silence", "C5"),
    "prints-errors": ("silence", "C5"),
    "locale": ("process", "C6"),
    "folder": ("process", "C6"),
    "signal": ("process", "C6"),
    "rounding": ("process", "C6"),
    "environment": ("process", "C6"),
    "leak": ("leaks", "C8"),
    "leak-file": ("leaks", "C8"),
    "leak-thread": ("leaks", "C8"),
    "update-silent": ("course", "C4"),
    "update-ignores-failure": ("failures", "C4"),
    "update-changes": ("deterministic", "A15"),
    "update-size": ("export", "U2"),
    "update-unbound": ("export", "U1"),
    "update-wrong": ("agreement", "V4"),
    "exact-size": ("newer-host", "E7"),
    "address": ("deterministic", "A15"),
    "counts": ("deterministic", "A15"),
    "not-reentrant": ("reentrant", "C10"),
    "unended": ("export", "A1"),
    "unclaimed": ("export", "A2"),
    "region": ("export", "A3"),
    "file-name": ("export", "A5"),
    "output-missing": ("export", "A6"),
    "prototype": ("export", "A9"),
    "static-data": ("objects", "A8"),
    "calls-malloc": ("objects", "A11"),
    "prints-constants": ("constants", "A4"),
    "overrun": ("memory", "A7"),
    "workspace-overrun": ("memory", "A7"),
    "writes-input": ("memory", "A7"),
    "reads-workspace": ("memory", "A7"),
    "skips-output": ("memory", "A7"),
    "overlay": ("memory", "A10"),
    "step-fails": ("memory", "A16"),
    "step-crashes": ("memory", "A16"),
    "first-region": ("mixed", "A6"),
    "open-wrong": ("open-dims", "V4"),
    "open-fails": ("open-dims", "A16"),
    "open-crashes": ("open-dims", "A16"),
    "open-twice": ("open-dims", "V10"),
    "wrong": ("agreement", "V4"),
    "corner": ("agreement", "V4"),
    "ulp": ("agreement", "V4"),
}
# Of plugins/odd.c, whose query function or symbols are wrong.
ODD = {
    "ODD_NO_QUERY": ("symbols", "E1"),
    "ODD_EXPORTS_MORE": ("symbols", "E1"),
    "ODD_EXPORTS_LLVM": ("symbols", "E2"),
    "ODD_EXPECTS_LLVM": ("symbols", "E2"),
    "ODD_UNRESOLVED": ("load", "E3"),
    "ODD_NEEDS_NEWER": ("table", "E5"),
    "ODD_OTHER_MAJOR": ("table", "E5"),
}
# The emitted code is run where nothing else is wrong with it.
CODE = ("export", "objects", "constants", "memory", "agreement", "coverage")


def byoc(*words):
    result = subprocess.run([BYOC, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            stdin=subprocess.DEVNULL, errors="replace")
    return result.returncode, result.stdout, result.stderr


def compile_plugin(source, path, *flags):
    compiler = ["g++", "-std=c++20"] if source.suffix == ".cpp" else ["gcc", "-std=c11"]
    subprocess.run([*compiler, "-Wall", "-Wextra", "-Werror", "-O1", "-fPIC", "-shared", "-fvisibility=hidden",
                    "-fvisibility-inlines-hidden" if source.suffix == ".cpp" else "-fvisibility=hidden",
                    f"-I{SOURCE}/include", *flags, str(source), "-o", str(path)], check=True)
    return path


def failures(text):
    """{(check, requirement)} that a report says."""
    found, check = set(), None
    for line in text.splitlines():
        head = re.match(r"  (ok     |FAILED |skipped) (\S+)", line)
        if head:
            check = head.group(2) if head.group(1) == "FAILED " else None
        elif check and re.match(r" {12}([A-Z]\d+): ", line):
            found.add((check, line.split()[0].rstrip(":")))
    return found


class CheckPlugin(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        cls.sound = compile_plugin(HERE / "plugins/broken.cpp", cls.folder / "sound.so")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def check(self, plugin, *words, size=SMALL):
        """Exit code and report; the report says the same as the exit code."""
        code, out, errors = byoc("check-plugin", plugin, *size, *words)
        self.assertIn(code, (0, 1), errors)
        self.assertEqual(code == 0, not failures(out), out + errors)
        return code, out, errors

    def test_each_broken_plugin_is_found(self):
        def one(item):
            name, expected = item
            plugin = self.folder / f"{name}.so"
            shutil.copy(self.sound, plugin)
            extra = [] if expected[0] in CODE else [word for check in CODE for word in ("--skip", check)]
            # What it shares with another backend takes a program for each graph, and breaks where anything else does.
            extra += ["--only", "mixed"] if expected[0] == "mixed" else ["--skip", "mixed"]
            needs_constants = name == "prints-constants" or name.startswith("update-")
            size = ("--graphs", "60", "--shapes", "2") if needs_constants else SMALL
            if name == "memory":
                extra += ["--memory", "1500"]
            code, out, errors = byoc("check-plugin", plugin, *size, *extra)
            return name, expected, code, out, errors

        broken = dict(BROKEN)
        if "BYOC_SANITIZED" in os.environ:
            del broken["leak"]  # who counts what is allocated is the C library, and does not there
        with ThreadPoolExecutor(2) as pool:
            for name, expected, code, out, errors in pool.map(one, broken.items()):
                with self.subTest(name):
                    self.assertEqual((code, failures(out)), (1, {expected}), out + errors)

    def test_odd_files(self):
        for flag, expected in ODD.items():
            with self.subTest(flag):
                plugin = compile_plugin(HERE / "plugins/odd.c", self.folder / f"{flag}.so", f"-D{flag}", "-Wno-override-init")
                code, out, errors = self.check(plugin)
                self.assertEqual((code, failures(out)), (1, {expected}), out + errors)

    def test_hangs(self):
        plugin = self.folder / "verdict-hangs.so"
        shutil.copy(self.sound, plugin)
        _, out, _ = self.check(plugin, "--timeout", "2")
        self.assertEqual(failures(out), {("claims", "C1")})
        self.assertIn("took longer than 2 s", out)

    def test_sound(self):
        for target in ("host", "cortex-m4f"):
            code, out, errors = self.check(self.sound, "--target", target)
            self.assertEqual(code, 0, out + errors)
            self.assertNotIn("agreement      -", out)
            self.assertRegex(out, r"ok +mixed .*\[[1-9]\d* graphs, [1-9]\d* runs\]")
            self.assertRegex(out, r"ok +agreement .*\[[1-9]\d* graphs, [1-9]\d* runs\]")

    def test_regions_as_onnx(self):
        """The kit's host writes them as byoc does."""
        plugin = self.folder / "asks-for-onnx.so"
        shutil.copy(self.sound, plugin)
        code, out, errors = self.check(plugin, "--skip", "memory", "--skip", "agreement")
        self.assertEqual(code, 0, out + errors)
        self.assertRegex(out, r"ok +export .*\[[1-9]\d* graphs")

    def test_lengths_that_only_a_run_knows(self):
        ran = r"ok +open-dims .*\[[1-9]\d* graphs, [1-9]\d* runs\]"
        plugin, driven = self.folder / "open.so", self.folder / "open-driver.so"
        for copy in (plugin, driven):
            shutil.copy(self.sound, copy)
        self.assertRegex(self.check(plugin, "--only", "open-dims")[1], ran)
        # What its code calls comes with --link.
        driver = self.folder / "driver.o"
        subprocess.run(["gcc", "-fPIC", "-c", "-x", "c", "-", "-o", driver], input="int acme_open(void) { return 0; }\n",
                       text=True, check=True)
        self.assertRegex(self.check(driven, "--only", "open-dims", "--link", driver)[1], ran)
        out = self.check(driven, "--only", "open-dims")[1]
        self.assertEqual(failures(out), {("open-dims", "A12")})
        self.assertIn("acme_open: codegen 'test.broken': names what nobody defines", out)
        out = self.check(plugin, "--only", "open-dims", "--target", "cortex-m4f")[1]
        self.assertIn("such models run here: --target host", out)
        out = self.check(self.sound, "--only", "open-dims")[1]
        self.assertIn("it does not say that it takes dims that only a run knows", out)

    def test_on_a_board(self):
        for name in ("workspace-overrun", "reads-workspace", "overlay", "corner"):
            plugin = self.folder / f"{name}.so"
            shutil.copy(self.sound, plugin)
            out = self.check(plugin, "--target", "cortex-m55", "--only", "memory", "--only", "agreement")[1]
            self.assertEqual(failures(out), {BROKEN[name]}, out)

    def test_examples(self):
        for source in ("examples/hello-plugin/hello.cpp", "examples/plain-c-plugin/plain_c.c"):
            plugin = compile_plugin(SOURCE / source, self.folder / (Path(source).stem + ".so"))
            code, out, errors = self.check(plugin)
            self.assertEqual(code, 0, out + errors)

    def test_reference_backend(self):
        code, out, errors = self.check(BACKEND, "--timeout", "900", size=("--graphs", "4", "--shapes", "1"))
        self.assertEqual(code, 0, out + errors)

    def test_manifest(self):
        folder = self.folder / "with_manifest"
        folder.mkdir()
        shutil.copy(self.sound, folder / "sound.so")
        manifest = folder / "sound.byoc.json"
        text = """{"schema": 1, "id": "test.broken", "name": "", "vendor": "", "version": "%s", "license": "",
          "abi": {"major": 1, "minor": %s, "min_host_minor": 0}, "library": "sound.so"}"""
        manifest.write_text(text % ("1.0", MINOR))
        self.assertRegex(self.check(folder / "sound.so", "--only", "manifest")[1], "ok +manifest")
        self.assertRegex(self.check(manifest, "--only", "manifest")[1], "ok +manifest")
        manifest.write_text(text % ("2.0", MINOR))
        self.assertEqual(failures(self.check(folder / "sound.so", "--only", "manifest")[1]), {("manifest", "E8")})

    def test_junit(self):
        plugin = self.folder / "prints.so"
        shutil.copy(self.sound, plugin)
        path = self.folder / "results.xml"
        _, out, _ = self.check(plugin, "--skip", "export", "--only", "silence", "--only", "process", "--junit", path)
        suites = xml.etree.ElementTree.parse(path).getroot()
        self.assertEqual((suites.tag, suites.get("failures")), ("testsuites", "1"))
        failed = [case for case in suites.iter("testcase") if case.find("failure") is not None]
        self.assertEqual([case.get("name") for case in failed], ["silence"])
        self.assertEqual(failed[0].find("failure").get("type"), "C5")
        self.assertIn("standard output", failed[0].find("failure").text)
        total = sum(int(suite.get("tests")) for suite in suites.iter("testsuite"))
        self.assertEqual(total, int(suites.get("tests")))

    def test_list(self):
        code, out, _ = byoc("check-plugin", "--list")
        self.assertEqual(code, 0)
        names = [line.split()[0] for line in out.splitlines()]
        for check, _ in [*BROKEN.values(), *ODD.values()]:
            self.assertIn(check, names)
        # Every check of the list finds something in some plug-in.
        found = {check for check, _ in [*BROKEN.values(), *ODD.values()]} | {"manifest", "coverage"}
        self.assertEqual(set(names), found)
        # The requirements that the kit speaks of are in the book.
        book = (SOURCE / "docs/plugin-abi.md").read_text()
        for number in set(re.findall(r"\b[A-Z]\d+\b", " ".join(line[:45] for line in out.splitlines()))):
            self.assertIn(f"| {number} |", book)

    def test_wrong_command_lines(self):
        self.assertIn("a plug-in is needed", byoc("check-plugin")[2])
        self.assertIn("there is no such file", byoc("check-plugin", self.folder / "missing.so")[2])
        self.assertIn("there is no such plug-in", byoc("check-plugin", "test.nobody")[2])
        self.assertIn("there is no such check", byoc("check-plugin", self.sound, "--only", "everything")[2])
        self.assertIn("did you mean silence?", byoc("check-plugin", self.sound, "--only", "silense")[2])
        self.assertIn("the plug-in has no such option (found 'slow', expected fast)",
                      byoc("check-plugin", self.sound, "--plugin-option", "test.broken.slow=1")[2])
        self.assertIn("an option is for a plug-in that is not checked (found 'test.other', expected 'test.broken')",
                      byoc("check-plugin", self.sound, "--only", "table", "--plugin-option", "test.other.fast=true")[2])
        code, _, errors = byoc("check-plugin", self.sound, "--only", "table", "-q")
        self.assertEqual((code, errors), (0, ""))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--byoc", required=True)
    parser.add_argument("--backend", required=True, help="the reference backend as a plug-in")
    arguments, rest = parser.parse_known_args()
    BYOC, BACKEND = arguments.byoc, arguments.backend
    unittest.main(argv=[sys.argv[0], *rest])
