"""What commands may read and where they write: outputs that would destroy something, files that change, signals, streams.

usage: outputs_test.py BYOC SOURCE_DIR [unittest arguments]
"""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

BYOC, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
DEMO = SOURCE / "examples/demo/vibration_int8.onnx"
SIGNAL = SOURCE / "examples/demo/signals/00.npy"
GRAPH = """graph "g" requant=onnx {
  input %x : f32[4]
  %y : f32[4] = Relu.14(%x)
  output %y
}
"""
WAIT = 20  # seconds, for what takes one


class Case(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name) / "d"
        self.temporary = pathlib.Path(directory.name) / "tmp"
        self.dir.mkdir()
        self.temporary.mkdir()
        shutil.copy(DEMO, self.dir / "mod.onnx")

    def environment(self):
        return {**os.environ, "TMPDIR": str(self.temporary)}

    def byoc(self, *arguments, **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, "timeout": WAIT,
                   "cwd": self.dir, "env": self.environment(), **options}
        return subprocess.run([BYOC, *map(str, arguments)], text=True, **options)

    def done(self, *arguments, **options):
        done = self.byoc(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def contents(self):
        """Every name with what is there: bytes, where a link leads, or the kind of file."""
        out = {}
        for path in sorted(self.dir.rglob("*")):
            name, mode = str(path.relative_to(self.dir)), path.lstat().st_mode
            if stat.S_ISREG(mode):
                out[name] = path.read_bytes()
            else:
                out[name] = os.readlink(path) if stat.S_ISLNK(mode) else stat.S_IFMT(mode)
        return out

    def refused(self, *arguments, says, **options):
        """An error, and nothing is touched."""
        before = self.contents()
        done = self.byoc(*arguments, **options)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(says, done.stderr)
        self.assertNotIn("internal error", done.stderr)
        self.assertEqual(self.contents(), before)
        self.assertEqual(list(self.temporary.iterdir()), [])
        return done.stderr

    def device(self, name, minor):
        """One of the memory driver's: for root one of its own, so that a test that fails costs the machine nothing."""
        if os.geteuid() != 0:
            return f"/dev/{name}"
        own = self.dir / name
        try:
            os.mknod(own, stat.S_IFCHR | 0o666, os.makedev(1, minor))
            own.open("w").close()
        except PermissionError:
            self.skipTest("device nodes cannot be made here")
        return own

    def standard_output(self):
        """As /dev/stdout is."""
        link = self.dir / "stdout"
        link.symlink_to("/proc/self/fd/1")
        return link

    def export(self, *arguments):
        return ["export", "mod.onnx", "--target", "cortex-m4f", "-q", *arguments]

    def compiler(self, lines):
        """A description of a compiler that does this in a shell before it compiles; not for the probe."""
        script = self.dir / "cc"
        script.write_text('#!/bin/sh\n[ "$1" = --version ] && echo 1 && exit\n'
                          f'if [ "$1" != probe.c ]; then\n{lines}\nfi\n'
                          'exec arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard '
                          '-fshort-enums -O2 -std=c99 -ffp-contract=off -c "$@"\n')
        script.chmod(0o755)
        (self.dir / "cc.json").write_text(json.dumps(
            {"name": "own", "compile": [str(script), "{source}", "{flags}", "-o", "{object}"]}))
        return ["--toolchain", self.dir / "cc.json"]


TWICE, READ = "would be written twice", "would replace a file that the command reads"


class Places(Case):
    def test_outputs_of_an_export_are_files_of_their_own(self):
        for report in ("mod.a", "mod.h", "mod.json", "mod_example_main.c", "./mod.a"):
            self.refused(*self.export("-o", "mod.a", "--report", report), says=TWICE)
        self.refused(*self.export("-o", "mod.a", "--system-library", "mod"), says="is the name of a model in it")
        self.refused(*self.export("-o", "mod.a", "--report", "mod.onnx"), says=READ)
        self.refused(*self.export("-o", "w/mod.a", "--work-dir", "w"), says="no other output can lie in it")

    def test_a_model_beside_its_output_is_not_replaced(self):
        for model in ("mod.h", "mod.json", "mod.a", "mod_example_main.c"):
            name = "mod" if model != "mod_example_main.c" else "mod_example_main"
            with self.subTest(model):
                (self.dir / model).write_text(GRAPH)
                prefix = ["--name", "mod"] if name != "mod" else []
                command = ["export", model, "--target", "host", "-q", "-o", "mod.a", *prefix]
                self.refused(*command, "--force", says=READ)
                self.refused(*command, says=READ if model == "mod.a" else "may be somebody else's, and is left as it is")
                (self.dir / model).unlink()

    def test_links_lead_to_inputs_and_outputs(self):
        (self.dir / "report.json").symlink_to("mod.onnx")
        self.refused(*self.export("-o", "mod.a", "--report", "report.json"), says=READ)
        os.link(self.dir / "mod.onnx", self.dir / "hard.json")
        self.refused(*self.export("-o", "mod.a", "--report", "hard.json"), says=READ)
        (self.dir / "there").symlink_to("mod.json")
        self.refused(*self.export("-o", "mod.a", "--report", "there"), says=TWICE)

    def test_links_are_followed_and_stay(self):
        (self.dir / "store").mkdir()
        (self.dir / "mod.a").symlink_to("store/real.a")
        (self.dir / "store/report").write_text("old")
        (self.dir / "r.json").symlink_to("store/report")
        self.done(*self.export("-o", "mod.a", "--report", "r.json"))
        self.assertTrue((self.dir / "mod.a").is_symlink() and (self.dir / "r.json").is_symlink())
        self.assertTrue((self.dir / "store/real.a").read_bytes().startswith(b"!<arch>"))
        self.assertIn("nodes", json.loads((self.dir / "store/report").read_text()))

    def test_devices_and_pipes_are_written_to(self):
        os.mkfifo(self.dir / "pipe")
        reader = subprocess.Popen(["cat", self.dir / "pipe"], stdout=subprocess.PIPE)
        self.done(*self.export("-o", "mod.a", "--report", "pipe"))
        self.assertIn("nodes", json.loads(reader.communicate(timeout=WAIT)[0]))
        self.assertTrue(stat.S_ISFIFO((self.dir / "pipe").stat().st_mode))
        told = self.done("partition", "mod.onnx", "--target", "cortex-m4f", "-q", "--report", self.standard_output())
        self.assertIn("nodes", json.loads(told.stdout))
        null = self.device("null", 3)
        self.done(*self.export("-o", "mod.a", "--report", null))
        self.done("linker-fragment", "mod.json", "-o", null, "--header", null)
        self.done("partition", "mod.onnx", "--target", "cortex-m4f", "-q", "--report", null)
        self.done("run", "mod.onnx", "--target", "host", "-q", "--input", SIGNAL, "--stats", null)
        self.assertTrue(stat.S_ISCHR(os.stat(null).st_mode))
        self.refused("export", "mod.onnx", "--target", "host", "-q", "-o", null,
                     says="null: error: cannot be written (found a character device, expected a folder or nothing)")

    def test_standard_output_that_is_a_file_is_added_to(self):
        (self.dir / "log").write_text("before\n")
        with open(self.dir / "log", "a") as log:
            self.done("partition", "mod.onnx", "--target", "cortex-m4f", "--report", self.standard_output(),
                      stdout=log)
        text = (self.dir / "log").read_text()
        self.assertTrue(text.startswith("before\n"), text[:60])
        self.assertLess(text.index(" regions "), text.index('"nodes"'))

    def test_other_commands(self):
        self.done(*self.export("-o", "mod.a"))
        self.done(*self.export("-o", "mod/"))
        (self.dir / "data.json").write_text("{}")
        fragment = ["linker-fragment", "mod.json"]
        self.refused(*fragment, "-o", "mod.json", says=READ)
        self.refused(*fragment, "-o", "x.ld", "--header", "mod.json", says=READ)
        self.refused(*fragment, "-o", "x.ld", "--header", "x.ld", says=TWICE)
        self.refused("partition", "mod.onnx", "--target", "host", "-q", "--report", "mod.onnx", says=READ)
        self.refused("pack-constants", "data.json", "--target", "cortex-m4f", "-o", "data.a", says=READ)
        self.refused("pack", "mod", "-o", "mod/", says="would replace a folder with a file that the command reads")
        self.refused("pack", "mod", "-o", "mod/lib/mod.o", says=READ)
        run = ["run", "mod.onnx", "--target", "host", "-q", "--input"]
        self.refused(*run, SIGNAL, "--stats", "mod.onnx", says=READ)
        shutil.copy(SIGNAL, self.dir / "in.npy")
        self.refused(*run, "in.npy", "--stats", "in.npy", says=READ)
        self.refused(*run, SIGNAL, "--output-dir", "o", "--dump-tensors", "o", says=TWICE)
        self.refused(*run, SIGNAL, "--output-dir", "o", "--stats", "o/output_0.raw", says=TWICE)
        self.done(*run, SIGNAL, "--output-dir", "o", "--dump-tensors", "t", "--stats", "o/stats.json")
        self.assertTrue((self.dir / "o/stats.json").exists() and (self.dir / "t/index.json").exists())

    def test_a_failed_export_leaves_nothing(self):
        full = self.device("full", 7)
        self.refused(*self.export("-o", "mod.a", "--report", full), says="full: error: cannot be written: No space left")
        self.refused(*self.export("-o", "mod.a", "--report", "no/r.json"),
                     says="no/r.json: error: cannot be written: there is no such folder (found no, expected")
        self.refused("run", "mod.onnx", "--target", "host", "-q", "--input", SIGNAL, "--output-dir", "new/deep",
                     "--stats", full, says="full: error: cannot be written: No space left")

    def test_a_report_may_lie_in_the_folder(self):
        for _ in range(2):
            self.done(*self.export("-o", "mod/", "--report", "mod/report.json"))
            self.assertIn("nodes", json.loads((self.dir / "mod/report.json").read_text()))
        self.refused(*self.export("-o", "mod/", "--report", "mod/tree.json"), says=TWICE)


class Changing(Case):
    """A model that changes while it is read, as by a training that writes it anew."""

    CHANGES = {"cut": "truncate -s 100 {}", "grown": "echo >> {}", "rewritten": "touch -d 2001-01-01 {}",
               "replaced": "cp {0} {0}.new; mv {0}.new {0}", "gone": "rm -f {}"}

    def expect_error(self, path, *arguments):
        done = self.byoc(*arguments)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"{path}: error: changed while it was read", done.stderr)
        self.assertFalse((self.dir / "m.a").exists())
        self.assertEqual([p for p in self.dir.iterdir() if re.search(r"\.[a-z0-9]{6}$", p.name)], [])

    def test_model(self):
        for name, change in self.CHANGES.items():
            with self.subTest(name):
                shutil.copy(DEMO, self.dir / "mod.onnx")
                self.expect_error("mod.onnx", *self.export("-o", "m.a"),
                                  *self.compiler(change.format(self.dir / "mod.onnx")))

    def test_external_data(self):
        self.write_external(4096)
        for name, change in self.CHANGES.items():
            with self.subTest(name):
                (self.dir / "w.bin").write_bytes(bytes(4 * 4096))
                self.expect_error("w.bin", "export", "external.onnx", "--target", "cortex-m4f", "-q", "-o", "m.a",
                                  *self.compiler(change.format(self.dir / "w.bin")))

    def test_a_new_project_has_external_data(self):
        self.write_external(64)
        data = bytes(range(256))
        (self.dir / "w.bin").write_bytes(data)
        subprocess.run([BYOC, "new", "--board", "nucleo-f446re", "--model", "external.onnx", "-q", "project"], cwd=self.dir,
                       check=True)
        self.assertEqual((self.dir / "project/model/w.bin").read_bytes(), data)
        self.assertEqual((self.dir / "project/model/external.onnx").read_bytes(), (self.dir / "external.onnx").read_bytes())

    def write_external(self, elements):
        """An Add whose constant is in w.bin."""
        def field(number, content):
            if isinstance(content, int):
                return varint(number << 3) + varint(content)
            data = content.encode() if isinstance(content, str) else content
            return varint(number << 3 | 2) + varint(len(data)) + data

        def varint(n):
            out = b""
            while n > 127:
                out, n = out + bytes([n & 127 | 128]), n >> 7
            return out + bytes([n])

        def value(name):
            shape = field(2, field(1, field(1, elements)))
            return field(1, name) + field(2, field(1, field(1, 1) + shape))

        entry = field(1, "location") + field(2, "w.bin")
        tensor = field(1, elements) + field(2, 1) + field(8, "w") + field(13, entry) + field(14, 1)
        node = field(1, "x") + field(1, "w") + field(2, "y") + field(4, "Add")
        graph = field(1, node) + field(2, "g") + field(5, tensor) + field(11, value("x")) + field(12, value("y"))
        (self.dir / "external.onnx").write_bytes(field(1, 8) + field(7, graph) + field(8, field(2, 17)))


class Signals(Case):
    def interrupt(self, number, *arguments):
        """Sends the signal while a compiler runs, which has begun with temporary files of its own."""
        with tempfile.TemporaryDirectory() as name:
            marks = pathlib.Path(name)  # of each compiler that runs: the number of what it waits for
            compiler = self.compiler(f"mktemp >/dev/null; sleep {10 * WAIT} & echo $! > {marks}/$$.new; "
                                     f"mv {marks}/$$.new {marks}/$$; wait")
            before = self.contents()
            process = subprocess.Popen([BYOC, *map(str, arguments), *map(str, compiler)], cwd=self.dir,
                                       env=self.environment(), stderr=subprocess.PIPE)
            self.wait_until(lambda: any(mark.suffix != ".new" for mark in marks.iterdir()))
            process.send_signal(number)
            process.communicate(timeout=WAIT)
            self.assertEqual(process.returncode, -number)
            for mark in marks.iterdir():
                if mark.suffix != ".new":
                    sleeper = pathlib.Path("/proc", mark.read_text().strip(), "cmdline")
                    self.wait_until(lambda: not sleeper.exists() or not sleeper.read_bytes())
        self.assertEqual(self.contents(), before)
        self.assertEqual(list(self.temporary.iterdir()), [])

    def wait_until(self, condition):
        end = time.monotonic() + WAIT
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def test_nothing_is_left(self):
        (self.dir / "f.c").write_text("int f(void) { return 1; }\n")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                self.interrupt(number, *self.export("-o", "m.a", "--report", "r.json"))
                self.interrupt(number, "build-tree", "f.c", "--target", "cortex-m4f", "-o", "f.a")

    def test_one_that_is_ignored_stays_so(self):
        """As nohup has it."""
        done = self.byoc(*self.export("-o", "m.a"), *self.compiler("kill -HUP $(ps -o ppid= -p $$)"),
                         preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_file_that_becomes_too_large(self):
        script = f'ulimit -f 1; exec "{BYOC}" export mod.onnx --target cortex-m4f -q -o m.a'
        before = self.contents()
        done = subprocess.run(["sh", "-c", script], cwd=self.dir, env=self.environment(), capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("File too large", done.stderr)
        self.assertEqual(self.contents(), before)


class Streams(Case):
    COMMANDS = (["targets"], ["--help"], ["--version"], ["export", "--help"], ["inspect", "mod.onnx"],
                ["partition", "mod.onnx", "--target", "host"], ["plugins"])

    def test_standard_output_that_is_full(self):
        for command in self.COMMANDS:
            with self.subTest(command), open("/dev/full", "w") as full:
                done = self.byoc(*command, stdout=full)
                self.assertEqual(done.returncode, 1)
                self.assertIn("standard output: error: cannot be written", done.stderr)

    def test_standard_output_that_nobody_reads(self):
        for command in self.COMMANDS:
            with self.subTest(command):
                read, write = os.pipe()
                os.close(read)
                done = self.byoc(*command, stdout=write)
                os.close(write)
                self.assertEqual(done.returncode, 1)
                self.assertIn("standard output: error: cannot be written", done.stderr)

    def test_an_export_that_cannot_say_so_writes_nothing(self):
        before = self.contents()
        with open("/dev/full", "w") as full:
            done = self.byoc("export", "mod.onnx", "--target", "cortex-m4f", "-o", "m.a", stdout=full)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.contents(), before)

    def test_closed_streams_are_not_outputs(self):
        script = f'"{BYOC}" export mod.onnx --target cortex-m4f -o m.a --report r.json >&- 2>&-'
        done = subprocess.run(["sh", "-c", script], cwd=self.dir, env=self.environment())
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.byoc(*self.export("-o", "m.a", "--report", "r.json")).returncode, 0)
        quiet = (self.dir / "m.a").read_bytes()
        done = subprocess.run(["sh", "-c", script.replace("export", "export -q")], cwd=self.dir, env=self.environment())
        self.assertEqual(done.returncode, 0)
        self.assertEqual((self.dir / "m.a").read_bytes(), quiet)

    def test_a_working_folder_that_was_removed(self):
        for command in (["export", self.dir / "mod.onnx", "--target", "host", "-o", self.dir / "m.a"],
                        ["export", self.dir / "mod.onnx", "--target", "host", "-o", "m.so"], ["targets"],
                        ["run", self.dir / "mod.onnx", "--target", "host", "--input", SIGNAL],
                        ["build-tree", "f.c", "--target", "host", "-o", "f.a"]):
            with self.subTest(command):
                gone = self.dir / "gone"
                gone.mkdir()
                words = " ".join(f"'{w}'" for w in [BYOC, *command])
                done = subprocess.run(["sh", "-c", f"rmdir '{gone}'; exec {words}"], cwd=gone, capture_output=True,
                                      text=True, env=self.environment())
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("working folder: error: is not there any more", done.stderr)
                self.assertFalse((self.dir / "m.a").exists())


class Inputs(Case):
    """What is no file with an end is not waited for, and not read for ever."""

    def test_pipes_sockets_and_devices(self):
        os.mkfifo(self.dir / "pipe")
        unix = socket.socket(socket.AF_UNIX)
        self.addCleanup(unix.close)
        unix.bind(str(self.dir / "socket"))
        for path, kind in (("pipe", "a pipe"), ("socket", "a socket"), ("/dev/zero", "a character device")):
            says = f"not a regular file (found {kind}, expected a file)"
            for suffix in ("", ".json", ".c", ".so", ".tar", ".npy", ".pb"):
                link = self.dir / f"in{suffix}"
                link.unlink(missing_ok=True)
                link.symlink_to(path)
            with self.subTest(kind):
                self.refused("inspect", "in", says=says)
                self.refused("inspect", "in.so", says=says)
                self.refused("inspect", "in.tar", says=says)
                self.refused("export", "in", "--target", "host", "--name", "m", "-o", "m.a", says=says)
                self.refused("export", "mod.onnx", "--target", "in.json", "-o", "m.a", says=says)
                self.refused("export", "mod.onnx", "--target", "host", "--toolchain", "in.json", "-o", "m.a", says=says)
                self.refused("export", "mod.onnx", "--target", "host", "--plugin", "./in.so", "-o", "m.a", says=says)
                self.refused("export", "mod.onnx", "--target", "host", "--add-file", "in.c", "-o", "m.a", says=says)
                self.refused("linker-fragment", "in.json", "-o", "m.ld", says=says)
                self.refused("pack-constants", "in", "--target", "host", "-o", "m.a", says=says)
                self.refused("build-tree", "in.c", "--target", "host", "-o", "m.a", says=says)
                self.refused("verify", "in", "--manifest", "in.json", says=says)
                for name in ("in", "in.npy", "in.pb"):
                    self.refused("run", "mod.onnx", "--target", "host", "--input", name, says=says)
                self.refused("run", "mod.onnx", "--target", "host", "--input", SIGNAL, "--link", "in", says=says)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
