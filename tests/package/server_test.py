#!/usr/bin/env python3
"""Runs on another machine: `byoc serve` and `byoc run --remote`, and byoc-server, built alone as it goes onto a board.

Model and inputs are the demo's. The boards are this machine, and an AArch64 in QEMU's user mode.
"""

import argparse
import os
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

LARGEST_SERVER = 1_000_000  # bytes
arguments = None


def run(*words, **options):
    return subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          **options)


class Server:
    """A program that serves, until the end of the block. Private folders are below `folder`."""

    def __init__(self, folder, *command, worker=None):
        self.folder = folder
        self.worker = {} if worker is None else {"BYOC_WORKER": str(worker)}
        self.token = folder / "token"
        self.token.write_text("a token of a test\n")
        self.token.chmod(0o600)
        self.private = folder / "private"
        self.private.mkdir()
        self.command = [*command, "--listen", "127.0.0.1:0", "--token-file", self.token]

    def __enter__(self):
        self.process = subprocess.Popen([str(w) for w in self.command], stderr=subprocess.PIPE, text=True,
                                        env=dict(os.environ, TMPDIR=str(self.private), **self.worker))
        line = self.process.stderr.readline()
        assert line.startswith("listening on "), line
        self.address = line.removeprefix("listening on ").strip()
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.said = self.process.communicate()[1]


class Remote(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)
        self.byoc = arguments.build / "bin" / "byoc"
        self.model = arguments.source / "examples" / "demo" / "vibration_int8.onnx"

    def outputs(self, name):
        return {f.name: f.read_bytes() for f in sorted((self.folder / name).iterdir())}

    def byoc_run(self, model, name, *options, expect=0):
        done = run(self.byoc, "run", model, "--fill", "random:5", "--output-dir", self.folder / name, *options)
        self.assertEqual(done.returncode, expect, done.stdout)
        return done.stdout

    def expect_nothing_left(self, server):
        """It takes the server a moment to see that a client is gone."""
        for _ in range(1000):
            if not list(server.private.iterdir()):
                return
            time.sleep(0.01)
        self.fail(f"left: {list(server.private.iterdir())}")

    def test_a_server_gives_what_this_machine_gives(self):
        library = self.folder / "vibration.so"
        done = run(self.byoc, "export", self.model, "--target", "host", "-o", library)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.byoc_run(self.model, "here", "--target", "host")
        with Server(self.folder, self.byoc, "serve") as server:
            there = ("--remote", server.address, "--token-file", server.token)
            said = self.byoc_run(self.model, "there", *there, "--repeat", "5", "--print-time", "--top", "2")
            self.assertIn("output ", said)
            self.byoc_run(library, "library", *there)
            self.assertEqual(self.outputs("there"), self.outputs("here"))
            self.assertEqual(self.outputs("library"), self.outputs("here"))
            self.expect_nothing_left(server)
        self.assertEqual(server.process.returncode, -signal.SIGTERM)

    def test_graphs(self):
        """Their steps one by one, what they keep from run to run included."""
        library = self.folder / "vibration.so"
        state = arguments.source / "tests" / "lit" / "run" / "Inputs" / "state.byoc"
        self.byoc_run(self.model, "here", "--target", "host")
        one = self.folder / "one.raw"
        one.write_bytes(struct.pack("<f", 1))
        with Server(self.folder, self.byoc, "serve") as server:
            there = ("--remote", server.address, "--token-file", server.token, "--executor", "graph")
            self.byoc_run(self.model, "there", *there)
            self.assertEqual(self.outputs("there"), self.outputs("here"))
            done = run(self.byoc, "export", self.model, "--target", "host", "--executor", "graph", "-o", library)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.byoc_run(library, "library", *there[:4])
            self.assertEqual(self.outputs("library"), self.outputs("here"))
            for words, last in (((), 13), (("--reset",), 11)):
                done = run(self.byoc, "run", state, *there, "--input", one, "--input", one, "--input", one, *words)
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertIn(f"output sum: {last}", done.stdout.split("run 2")[1])
            self.expect_nothing_left(server)

    def test_graphs_of_others(self):
        if shutil.which("cc") is None:
            self.skipTest("no C compiler")
        made = run("python3", arguments.source / "tests" / "lit" / "run" / "Inputs" / "others_graph.py", self.folder)
        self.assertEqual(made.returncode, 0, made.stdout)
        made = run("cc", "-shared", "-fPIC", self.folder / "lib.c", "-o", self.folder / "lib.so")
        self.assertEqual(made.returncode, 0, made.stdout)
        words = ("run", self.folder / "lib.so", "--graph", self.folder / "graph.json", "--params",
                 self.folder / "graph.params", "--input", self.folder / "x.raw")
        with Server(self.folder, self.byoc, "serve") as server:
            done = run(self.byoc, *words, "--remote", server.address, "--token-file", server.token)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn("output z: 11 13", done.stdout)
            self.expect_nothing_left(server)

    def test_sums(self):
        """B85 of the formats reference, as code and as a graph, for inputs by name."""
        model = self.folder / "m.byoc"
        files = []
        for name, values in (("a", (2, 3)), ("b", (4, 7))):
            (self.folder / name).write_bytes(struct.pack("<2f", *values))
            files += ["--input", f"{name}={self.folder / name}"]
        head = 'graph "m" requant=onnx {\n  input %a : f32[1,2]\n  input %b : f32[1,2]\n  %y : f32[1,2] = Add.14(%a, %b)\n'
        constant = '  const %c : f32[1,2] = [8, 9]\n  %z : f32[1,2] = Add.14(%y, %c)\n  output %z\n}\n'
        with Server(self.folder, self.byoc, "serve") as server:
            there = ("--remote", server.address, "--token-file", server.token, "--repeat", "3", "--print-time")
            for executor in ("aot", "graph"):
                for text, expected in (("  output %y\n}\n", (6, 10)), (constant, (14, 19)),
                                       ("  %z : f32[1,2] = Exp.13(%a)\n  output %z\n}\n", (7.389056, 20.085537))):
                    model.write_text(head + text)
                    # Of inputs by name the order does not matter.
                    said = self.byoc_run(model, "out", *there, "--executor", executor, *files[2:], *files[:2])
                    found = struct.unpack("<2f", (self.folder / "out" / "output_0.raw").read_bytes())
                    for f, e in zip(found, expected):
                        self.assertAlmostEqual(f, e, places=5)
                    mean = re.search(r"time of one inference, of 3: .* mean ([0-9.]+)", said)
                    self.assertGreater(float(mean[1]), 0)

    def test_what_cannot_be_is_said(self):
        with Server(self.folder, self.byoc, "serve") as server:
            wrong = self.folder / "wrong"
            wrong.write_text("another token, as long as that\n")
            said = self.byoc_run(self.model, "x", "--remote", server.address, "--token-file", wrong, expect=1)
            self.assertIn("the server refuses: the token is wrong", said)
            there = ("--remote", server.address, "--token-file", server.token)
            said = self.byoc_run(self.model, "x", *there, "--target", "cortex-m4f", expect=1)
            self.assertIn("shared librar", said)
            said = self.byoc_run(self.model, "x", *there, "--executor", "vm", expect=1)
            self.assertIn("a server runs what its own code runs, and graphs, not what is interpreted (found vm", said)
            said = self.byoc_run(self.model, "x", *there, "--compare", expect=2)
            self.assertIn("is not for runs on another machine", said)
        said = self.byoc_run(self.model, "x", *there, expect=1)
        self.assertIn("cannot be reached", said)
        said = self.byoc_run(self.model, "x", "--remote", "nowhere", "--token-file", wrong, expect=1)
        self.assertIn("not an address (found 'nowhere', expected HOST:PORT)", said)
        self.assertFalse((self.folder / "x").exists())

    def build_server(self, compiler, processor):
        if shutil.which(compiler) is None:
            self.skipTest(f"{compiler} is not installed")
        folder = arguments.build / f"server-{processor}"
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        for command in (("cmake", "-S", arguments.source / "sdk" / "run" / "remote" / "server", "-B", folder, "-G", "Ninja",
                         f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_SYSTEM_NAME=Linux",
                         f"-DCMAKE_SYSTEM_PROCESSOR={processor}", *launcher),
                        ("cmake", "--build", folder)):
            done = run(*command)
            self.assertEqual(done.returncode, 0, done.stdout)
        program = folder / "byoc-server"
        self.assertLess(program.stat().st_size, LARGEST_SERVER)
        return program

    def emulated(self, processor, program):
        """The server's command, and the program that its workers are: it cannot start itself, which is no program of this
        machine."""
        command = [f"qemu-{processor}", "-L", f"/usr/{processor}-linux-gnu"]
        worker = self.folder / "worker"
        worker.write_text(f'#!/bin/sh\nexec {" ".join(command)} -0 byoc-worker {program} "$@"\n')
        worker.chmod(0o755)
        return Server(self.folder, *command, program, worker=worker)

    def test_the_server_alone_runs_on_an_aarch64(self):
        program = self.build_server("aarch64-linux-gnu-g++", "aarch64")
        if shutil.which("qemu-aarch64") is None:
            self.skipTest("qemu-aarch64 is not installed")
        self.byoc_run(self.model, "here", "--target", "aarch64-linux-gnu")
        with self.emulated("aarch64", program) as server:
            there = ("--remote", server.address, "--token-file", server.token)
            self.byoc_run(self.model, "there", *there)
            self.assertEqual(self.outputs("there"), self.outputs("here"))
            said = self.byoc_run(self.model, "x", *there, "--target", "host", expect=1)
            self.assertIn("the library is for another machine (found x86-64, 64-bit, expected AArch64, 64-bit)", said)

    def test_the_server_alone_is_built_for_riscv(self):
        program = self.build_server("riscv64-linux-gnu-g++", "riscv64")
        if shutil.which("qemu-riscv64") is None:
            self.skipTest("qemu-riscv64 is not installed")
        with self.emulated("riscv64", program) as server:
            there = ("--remote", server.address, "--token-file", server.token)
            said = self.byoc_run(self.model, "x", *there, expect=1)
            self.assertIn("the server's machine has no name here (found RISC-V, 64-bit)", said)

    def test_its_usage(self):
        program = self.build_server("c++", "host")
        done = run(program)
        self.assertEqual(done.returncode, 2)
        self.assertIn("usage: byoc-server", done.stdout)
        done = run(program, "--token-file", "/nowhere/token")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere/token", done.stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--build", type=Path, required=True)
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=["server_test.py", *rest])
