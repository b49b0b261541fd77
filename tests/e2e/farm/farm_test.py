"""byoc among what build farms have: as a compiler behind ccache, sccache and distcc, with a cache of whole exports, and
under ninja. Whoever compiled, the bytes are the same.

usage: farm_test.py BYOC SOURCE_DIR [unittest arguments]
"""

import ctypes
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

import services

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from commands import finish  # noqa: E402

BYOC, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
BYOC_CC = pathlib.Path(BYOC).with_name("byoc-cc")
DEMO = SOURCE / "examples/demo"
TARGETS = ("cortex-m4f", "cortex-m55", "riscv32imc", "host")
SOURCE_TEXT = '#include <string.h>\n#include "scale.h"\nvoid f(char *to, const char *from) { memcpy(to, from, SCALE); }\n'


def needs(*programs):
    missing = [p for p in programs if shutil.which(p) is None]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


class Case(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)
        shutil.copy(DEMO / "vibration_int8.onnx", self.dir)

    def done(self, *command, **options):
        result = finish(*command, **{"cwd": self.dir, **options})
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result

    def export(self, out, *options, target="cortex-m4f", model="vibration_int8.onnx", **how):
        out = self.dir / out
        out.parent.mkdir(exist_ok=True)
        said = self.done(BYOC, "export", model, "--target", target, "-o", out, *options, **how)
        return {p.name: p.read_bytes() for p in out.parent.iterdir()
                if p.is_file() and p.stem.startswith(out.stem)}, said


class Compiler(Case):
    """byoc cc by itself: what launchers ask of a compiler."""

    def setUp(self):
        super().setUp()
        (self.dir / "a.c").write_text(SOURCE_TEXT)
        (self.dir / "scale.h").write_text("#define SCALE 4\n")

    def cc(self, *arguments, target="cortex-m4f"):
        return self.done(BYOC, "cc", "-target", target, *arguments)

    def test_every_way_to_the_object_gives_the_same_bytes(self):
        for target in TARGETS:
            with self.subTest(target):
                self.cc("-O2", "-c", "a.c", "-o", "a.o", target=target)
                self.cc("-O2", "-E", "a.c", "-o", "a.i", target=target)
                self.cc("-O2", "-Wpedantic", "-Werror", "-c", "a.i", "-o", "i.o", target=target)
                shutil.copy(self.dir / "a.i", self.dir / "odd")
                self.cc("-O2", "-x", "cpp-output", "-c", "odd", "-o", "x.o", target=target)
                self.done(BYOC_CC, f"--target={target}", "-O2", "-c", "a.c", "-o", "cc.o")
                (self.dir / "words").write_text("-O2 -c a.c -o at.o")
                self.cc("@words", target=target)
                first = (self.dir / "a.o").read_bytes()
                for name in ("i.o", "x.o", "cc.o", "at.o"):
                    self.assertEqual((self.dir / name).read_bytes(), first, name)
                out = finish("sh", "-c", f"'{BYOC}' cc -target {target} -O2 -c a.c -o - | cmp - a.o", cwd=self.dir)
                self.assertEqual(out.returncode, 0, out.stdout + out.stderr)

    def test_dependencies(self):
        self.assertEqual(self.cc("-MM", "a.c").stdout, "a.o: a.c scale.h\n")
        self.assertIn("newlib/string.h", self.cc("-M", "a.c").stdout)
        self.cc("-MMD", "-MP", "-MF", "rule", "-MT", "thing", "-c", "a.c", "-o", "a.o")
        self.assertEqual((self.dir / "rule").read_text(), "thing: a.c scale.h\nscale.h:\n")
        self.cc("-MD", "-c", "a.c", "-o", "b.o")
        self.assertIn("scale.h", (self.dir / "b.d").read_text())

    def test_what_it_says_of_itself(self):
        said = self.done(BYOC_CC, "--version").stdout
        self.assertIn("clang version 19", said)
        self.assertIn("\nbyoc ", said)
        self.assertIn("linux", self.done(BYOC_CC, "-dumpmachine").stdout)
        self.assertIn("-none-", self.cc("-dumpmachine").stdout)
        self.assertTrue(pathlib.Path(self.done(BYOC_CC, "-print-resource-dir").stdout.strip()).is_dir())
        self.assertIn('"-cc1"', self.cc("-###", "-c", "a.c").stderr)
        self.assertFalse((self.dir / "a.o").exists())
        self.assertIn("__ARM_FEATURE_DSP 1", self.cc("-dM", "-E", "-x", "c", "/dev/null").stdout)

    def test_sources_options_and_headers(self):
        (self.dir / "b.c").write_text("int g(void) { return SCALE; }\n")
        self.cc("-std=c99", "-g", "-O1", "-I.", "-DSCALE=3", "-USCALE", "-DSCALE=4", "-ffunction-sections", "-c", "b.c",
                "a.c")
        self.assertTrue((self.dir / "a.o").exists() and (self.dir / "b.o").exists())
        self.cc("-S", "-DSCALE=3", "b.c")
        self.assertIn("#3", (self.dir / "b.s").read_text())
        # This machine's own headers are not a bare target's.
        (self.dir / "h.c").write_text("#include <sys/epoll.h>\n")
        self.assertIn("'sys/epoll.h' file not found", finish(BYOC, "cc", "-target", "cortex-m4f", "-c", "h.c",
                                                          cwd=self.dir).stderr)

    def test_what_it_does_not_do(self):
        (self.dir / "bad.c").write_text("int f( {")
        (self.dir / "s.s").write_text("nop\n")
        for words, says in ((["a.c"], "neither assembles nor links"), (["-c", "s.s"], "neither assembles nor links"),
                            (["-c", "bad.c"], "bad.c:1:8: error: expected"),
                            (["-c", "none.c"], "no such file or directory: 'none.c'"),
                            (["-target", "cortex-m4x", "-c", "a.c"], "unknown target triple 'cortex-m4x'"),
                            (["-target", "none.json", "-c", "a.c"], "none.json: error: cannot be opened"),
                            (["-c", "a.c", "-o", "none/a.o"], "none/a.o"), (["@none"], "none"),
                            (["-c", "a.c", "-emit-pch"], "emit-pch"),
                            (["-x", "c-header", "scale.h"], "is not among what it does"),
                            (["-c", "a.c", "--nonsense"], "--nonsense")):
            with self.subTest(words):
                done = finish(BYOC, "cc", *words, cwd=self.dir)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn(says, done.stderr)
                self.assertFalse((self.dir / "bad.o").exists())
        done = finish(BYOC, "--diagnostics", "json", "cc", "a.c", cwd=self.dir)
        self.assertEqual(done.returncode, 1)
        self.assertIn("comes first", done.stderr)
        self.assertIn("byoc cc -target cortex-m4f", self.done(BYOC, "cc", "--help").stdout)


class Launchers(Case):
    def plain(self, *options, target="cortex-m4f"):
        return self.export("plain/m.a", "-q", *options, target=target)[0]

    def test_any_launcher_changes_no_byte(self):
        for target, options in (("cortex-m4f", ["-g"]), ("cortex-m55", []), ("riscv32imc", []), ("host", ["-g"])):
            with self.subTest(target=target, options=options):
                launched = self.export("launched/m.a", "-q", "--compiler-launcher", "env", *options, target=target)[0]
                self.assertEqual(launched, self.plain(*options, target=target))

    def test_ccache_is_told_which_compiler_it_is(self):
        """Unless the user says something else, and not for a compiler that is another program."""
        launcher = self.dir / "launcher"
        launcher.write_text('#!/bin/sh\necho "$CCACHE_COMPILERCHECK" >> "$SEEN"\nexec "$@"\n')
        launcher.chmod(0o755)
        unset = {name: value for name, value in os.environ.items() if name != "CCACHE_COMPILERCHECK"}
        for name, options, given, expected in (("clang", [], {}, r"string:[0-9a-f]{32}"), ("gnu", ["--toolchain", "gnu"], {}, ""),
                                               ("own", [], {"CCACHE_COMPILERCHECK": "none"}, "none")):
            with self.subTest(name):
                seen = self.dir / name
                self.export("launched/m.a", "-q", "--compiler-launcher", launcher, *options,
                            env={**unset, **given, "SEEN": str(seen)})
                lines = set(seen.read_text().split("\n")[:-1])
                self.assertEqual(len(lines), 1)
                self.assertRegex(lines.pop(), f"^{expected}$")

    @needs("ccache", "redis-server")
    def test_two_caches_of_ccache_share_a_redis(self):
        for toolchain in ("clang", "gnu"):
            expected = self.plain("--toolchain", toolchain)
            with self.subTest(toolchain), services.redis(self.dir) as address:
                counts = []
                for name in ("one", "two"):
                    variables = services.ccache_variables(self.dir / (toolchain + name), address)
                    made = self.export("launched/m.a", "-q", "--toolchain", toolchain, "--compiler-launcher", "ccache",
                                       env=variables)[0]
                    self.assertEqual(made, expected)
                    counts.append(services.ccache_counts(variables))
                cold, warm = counts
                self.assertEqual(cold["hits"], 0)
                self.assertGreater(cold["misses"], 5)
                self.assertEqual((warm["hits"], warm["misses"]), (cold["misses"], 0))
                self.assertGreater(warm["remote"], 0)

    @needs("sccache")
    def test_sccache_hits(self):
        variables = {**os.environ, "SCCACHE_DIR": str(self.dir / "kept"), "SCCACHE_IDLE_TIMEOUT": "20",
                     "SCCACHE_SERVER_PORT": str(services.free_port())}
        self.addCleanup(finish, "sccache", "--stop-server", env=variables)

        def hits():
            lines = finish("sccache", "--show-stats", env=variables).stdout.splitlines()
            return sum(int(line.split()[-1]) for line in lines if line.startswith("Cache hits  "))

        for toolchain in ("clang", "gnu"):
            with self.subTest(toolchain):
                expected = self.plain("--toolchain", toolchain)
                before = hits()
                for _ in range(2):
                    made = self.export("launched/m.a", "-q", "--toolchain", toolchain, "--compiler-launcher", "sccache",
                                       env=variables)[0]
                    self.assertEqual(made, expected)
                self.assertGreater(hits() - before, 5)

    @needs("distcc", "distccd")
    def test_two_servers_of_distcc(self):
        with services.distcc(self.dir / "farm", BYOC) as (client, logs):
            made = self.export("launched/m.a", "-q", "-j", "4", "--compiler-launcher", "distcc",
                               env={**os.environ, **client})[0]
            self.assertEqual(made, self.plain())
            for log in logs:
                self.assertGreater(services.compiled_at(log), 0, log.read_text())

    def test_byoc_without_its_link(self):
        """Behind a launcher Clang is a command, which stands beside byoc."""
        with tempfile.TemporaryDirectory(dir=pathlib.Path(BYOC).parent) as folder:
            os.link(BYOC, f"{folder}/byoc")
            done = finish(f"{folder}/byoc", "export", "vibration_int8.onnx", "--target", "cortex-m4f", "-o", "x.a",
                          "--compiler-launcher", "/usr/bin/env", cwd=self.dir, env={**os.environ, "PATH": folder})
        self.assertEqual(done.returncode, 1)
        self.assertIn("'--compiler-launcher': byoc-cc is not installed", done.stderr)

    def test_what_cannot_be_launched(self):
        for words, says in ((["--lto"], "with --lto nothing is compiled that could be kept"),
                            (["--toolchain", "gnu", "--compiler-launcher", "no-such"], "no-such is not installed"),
                            (["--compiler-launcher", "no-such"], "no-such is not installed"),
                            (["--compiler-launcher", "false"], "")):
            with self.subTest(words):
                launcher = [] if "--compiler-launcher" in words else ["--compiler-launcher", "env"]
                done = finish(BYOC, "export", "vibration_int8.onnx", "--target", "cortex-m4f", "-q", "-o", "x.a", *launcher,
                           *words, cwd=self.dir)
                self.assertEqual(done.returncode, 1)
                self.assertIn(says, done.stderr)
                self.assertFalse((self.dir / "x.a").exists())


class Kept(Case):
    """Whole exports as entries of --cache."""

    def cached(self, out, *options, **how):
        files, said = self.export(out, "--cache", self.dir / "cache", *options, **how)
        return files, "as it was made before" in said.stdout, said.stderr

    def entries(self):
        return [p for p in (self.dir / "cache").rglob("*") if p.is_file()]

    def whole(self):
        """The entry that has a whole export in it is the largest."""
        return max(self.entries(), key=lambda p: p.stat().st_size)

    def test_the_second_export_takes_everything(self):
        plain = self.export("plain/m.a", "--report", self.dir / "plain/m.report.json")[0]
        first, kept, _ = self.cached("first/m.a", "--report", self.dir / "first/m.report.json")
        self.assertFalse(kept)
        # From another folder, to another one, by other words for the same.
        (self.dir / "elsewhere").mkdir()
        (self.dir / "vibration_int8.onnx").rename(self.dir / "elsewhere/vibration_int8.onnx")
        again, kept, _ = self.cached("again/m.a", "--report=" + str(self.dir / "again/m.report.json"), "-j", "1",
                                     model="elsewhere/vibration_int8.onnx")
        self.assertTrue(kept)
        self.assertEqual(first, plain)
        self.assertEqual(again, plain)
        self.assertIn("m.report.json", plain)
        for options in (["--optimize", "size"], ["--name", "other"], ["--report", self.dir / "x/m.report.html"]):
            self.assertFalse(self.cached("x/m.a", *options, model="elsewhere/vibration_int8.onnx")[1], options)

    def test_what_is_not_kept(self):
        for options in (["--work-dir", self.dir / "work"], ["--add-file", self.dir / "f.c"]):
            (self.dir / "f.c").write_text("int f(void);\nint f(void) { return 1; }\n")
            for _ in range(2):
                self.assertFalse(self.cached("x/m.a", *options)[1], options)

    def test_a_description_of_a_target_is_its_contents(self):
        board = self.dir / "board.json"
        board.write_text((SOURCE / "toolchains/cortex-m4f.json").read_text())
        self.assertEqual([self.cached("x/m.a", target=board)[1] for _ in range(2)], [False, True])
        board.write_text((SOURCE / "toolchains/cortex-m7.json").read_text())
        self.assertFalse(self.cached("x/m.a", target=board)[1])

    def test_damaged_entries_are_made_anew(self):
        expected = self.cached("x/m.a")[0]
        whole = self.whole()
        good = whole.read_bytes()
        other = next(p for p in self.entries() if p != whole)
        head = good[:good.index(b"\n", good.index(b"\n", good.index(b"\n") + 1) + 1) + 1]
        for what, bad in {"a flipped bit": good[:-9] + bytes([good[-9] ^ 1]) + good[-8:], "cut off": good[:-1],
                          "empty": b"", "another's": other.read_bytes(), "longer": good + b"x"}.items():
            with self.subTest(what):
                whole.write_bytes(bad)
                files, kept, said = self.cached("x/m.a")
                self.assertEqual((files, kept), (expected, False))
                self.assertEqual(said.count("\n"), 1)
                self.assertIn("an entry is damaged, and is made anew", said)
                # A warning is no reason not to keep it.
                self.assertTrue(self.cached("x/m.a")[1])
        self.hostile(whole, head, expected)

    def hostile(self, whole, head, expected):
        """Right hashes of what is no export: what somebody writes who knows the format."""
        xxhash = ctypes.CDLL("libxxhash.so.0")

        class Hash(ctypes.Structure):
            _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]

        xxhash.XXH3_128bits.restype = Hash
        magic, key = head.split(b"\n")[:2]
        huge = (1 << 60).to_bytes(8, "little")
        for body in (b"", b"x" * 40, huge, bytes(8) + huge, bytes(16)):
            with self.subTest(body):
                h = xxhash.XXH3_128bits(body, ctypes.c_size_t(len(body)))
                whole.write_bytes(b"\n".join([magic, key, f"{h.high:016x}{h.low:016x}".encode(), body]))
                files, kept, said = self.cached("x/m.a")
                self.assertEqual((files, kept), (expected, False))
                self.assertIn("is not one of it, and is made anew", said)

    def test_the_limit_counts_them(self):
        self.cached("x/m.a")
        size = self.whole().stat().st_size
        all_of_them = sum(p.stat().st_size for p in self.entries())
        # Used again, it is not the one that goes.
        for p in self.entries():
            os.utime(p, (1, 1))
        self.assertTrue(self.cached("x/m.a", "--cache-limit", str(all_of_them - 1))[1])
        self.assertEqual(self.whole().stat().st_size, size)
        self.assertLess(sum(p.stat().st_size for p in self.entries()), all_of_them)
        self.cached("x/m.a", "--cache-limit", str(size - 1))
        self.assertFalse(self.cached("x/m.a")[1])


class Rebuilt(Case):
    """What was read is in the depfile, so that a build runs again when it changes, and only then."""

    def write_external(self, elements=64):
        """An Add whose constant is in w.bin: onnx.proto's fields by number."""
        def varint(n):
            out = b""
            while n > 127:
                out, n = out + bytes([n & 127 | 128]), n >> 7
            return out + bytes([n])

        def field(number, content):
            if isinstance(content, int):
                return varint(number << 3) + varint(content)
            data = content.encode() if isinstance(content, str) else content
            return varint(number << 3 | 2) + varint(len(data)) + data

        def value(name):
            return field(1, name) + field(2, field(1, field(1, 1) + field(2, field(1, field(1, elements)))))

        tensor = (field(1, elements) + field(2, 1) + field(8, "w") +
                  field(13, field(1, "location") + field(2, "w.bin")) + field(14, 1))
        node = field(1, "x") + field(1, "w") + field(2, "y") + field(4, "Add")
        graph = field(1, node) + field(2, "g") + field(5, tensor) + field(11, value("x")) + field(12, value("y"))
        (self.dir / "external.onnx").write_bytes(field(1, 8) + field(7, graph) + field(8, field(2, 17)))
        self.weights(0, elements)

    def weights(self, value, elements=64):
        (self.dir / "w.bin").write_bytes(bytes([value, 0, 0, 0]) * elements)

    @needs("cmake", "ninja")
    def test_external_data_rebuilds(self):
        self.write_external()
        (self.dir / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES C)\n"
            f"include({SOURCE}/cmake/ByocAddModel.cmake)\n"
            "byoc_add_model(m MODEL external.onnx FOR host)\n"
            'file(WRITE ${CMAKE_BINARY_DIR}/main.c "int main(void) { return 0; }")\n'
            "add_executable(program ${CMAKE_BINARY_DIR}/main.c)\ntarget_link_libraries(program PRIVATE m)\n")
        self.done("cmake", "-G", "Ninja", "-S", ".", "-B", "b", f"-DBYOC_PROGRAM={BYOC}")

        def build():
            said = self.done("ninja", "-C", "b").stdout
            return "Exporting" in said, "no work to do" in said, (self.dir / "b/m/m.a").read_bytes()

        exported, _, first = build()
        self.assertTrue(exported)
        self.assertEqual(build(), (False, True, first))
        self.weights(1)
        exported, _, second = build()
        self.assertTrue(exported)
        self.assertNotEqual(first, second)
        self.assertEqual(build(), (False, True, second))
        # What is kept of both is told apart by what is in the file.
        self.weights(0)
        self.assertEqual(build(), (True, False, first))

    def test_kept_exports_go_by_external_data(self):
        self.write_external()
        made = []
        for value in (0, 0, 1, 1):
            self.weights(value)
            files, said = self.export("x/m.a", "--cache", self.dir / "cache", "--depfile", self.dir / "m.d",
                                      model="external.onnx")
            made.append((files["m.a"], "made before" in said.stdout))
            self.assertIn("w.bin", (self.dir / "m.d").read_text())
        self.assertEqual([kept for _, kept in made], [False, True, False, True])
        self.assertNotEqual(made[0][0], made[2][0])

    def test_headers_of_gnus_compiler(self):
        for toolchain, launcher in (("clang", []), ("clang", ["--compiler-launcher", "env"]), ("gnu", [])):
            with self.subTest(toolchain=toolchain, launcher=launcher):
                self.export("x/m.a", "-q", "--toolchain", toolchain, *launcher, "--depfile", self.dir / "m.d")
                self.assertIn("/string.h", (self.dir / "m.d").read_text())

    def test_headers_of_added_sources(self):
        """Compiled in a worker, as what plug-ins hand over is."""
        (self.dir / "a.c").write_text('#include "own.h"\nint added(void);\nint added(void) { return OWN; }\n')
        (self.dir / "own.h").write_text("#define OWN 3\n")
        for toolchain in ("clang", "gnu"):
            with self.subTest(toolchain):
                self.export("x/m.a", "-q", "--toolchain", toolchain, "--add-file", self.dir / "a.c", "--depfile",
                            self.dir / "m.d")
                self.assertIn(f"{self.dir}/own.h", (self.dir / "m.d").read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
