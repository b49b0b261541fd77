#!/usr/bin/env python3
"""Nothing of byoc's, and no name of LLVM's, is needed by a plug-in or gets into its process: plug-ins need neither, and load
in a program that has neither; the tool and the library show nothing of LLVM; a plug-in with an LLVM of its own keeps it in
the tool's process, too."""

import argparse
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
FOREIGN = re.compile(r"byoc|llvm|clang", re.IGNORECASE)
# Names of C functions and C++ namespaces.
LLVM = re.compile(r"^LLVM|N4llvm|N5clang|N3lld|^clang_")
MODEL = """graph "relu" requant=onnx {
  input %x : f32[16]
  %y = Relu.13(%x)
  output %y
}"""
arguments = None


def output(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-dW", path))


def names(path, which):
    return [line.split()[-1] for line in output("nm", "-D", which, path).splitlines()]


class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        cls.plugins = [cls.plugin("examples/hello-plugin/hello.cpp"), cls.plugin("examples/plain-c-plugin/plain_c.c"),
                       Path(arguments.backend)]

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def plugin(cls, source, *flags, name=None):
        source = SOURCE / source
        path = cls.folder / f"{name or source.stem}.so"
        compiler = ["g++", "-std=c++20", "-fvisibility-inlines-hidden"] if source.suffix == ".cpp" else ["gcc", "-std=c11"]
        subprocess.run([*compiler, "-Wall", "-Wextra", "-Werror", "-O1", "-fPIC", "-shared", "-fvisibility=hidden",
                        f"-I{SOURCE}/include", str(source), *flags, "-o", str(path)], check=True)
        return path

    def test_plugins_need_and_show_nothing(self):
        for plugin in self.plugins:
            with self.subTest(plugin.name):
                self.assertEqual([library for library in needed(plugin) if FOREIGN.search(library)], [])
                self.assertEqual([name for name in names(plugin, "--undefined-only") if FOREIGN.search(name)], [])
                shown = [name for name in names(plugin, "--defined-only") if FOREIGN.search(name)]
                self.assertEqual(shown, ["byoc_plugin_query_v1"])

    def test_they_load_in_a_program_without_byoc(self):
        program = self.folder / "image"
        subprocess.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{SOURCE}/include",
                        str(HERE / "plugins/image.c"), "-o", str(program), "-ldl"], check=True)
        out = output(program, *self.plugins)
        self.assertEqual(re.findall(r"^plug-in (\S+)", out, re.MULTILINE), ["org.example.hello", "org.example.plain-c", "test.c"])
        libraries = [Path(path).name for path in re.findall(r"^library (\S+)", out, re.MULTILINE)]
        self.assertIn("libc.so.6", libraries)
        self.assertEqual([library for library in libraries if re.search("libbyoc|LLVM|clang", library)], [])
        self.assertEqual(re.findall(r"^found.*", out, re.MULTILINE), [])

    def test_tool_and_library_show_nothing_of_llvm(self):
        for path in (arguments.byoc, arguments.library):
            with self.subTest(path):
                shown = names(path, "--defined-only")
                self.assertEqual([name for name in shown if LLVM.search(name) or name.startswith("byoc_plugin")], [])
        # Nothing that a plug-in could take for its own: the tool is no library.
        self.assertEqual([name for name in names(arguments.byoc, "--defined-only") if "byoc" in name], [])

    def export(self, plugin):
        (self.folder / "relu.byoc").write_text(MODEL)
        return subprocess.run([arguments.byoc, "export", self.folder / "relu.byoc", "--target", "cortex-m4f", "--plugin",
                               plugin, "-q", "-o", self.folder / "relu.a"], capture_output=True, text=True)

    def own_llvm(self, version, *flags):
        """A plug-in linked with a library that calls itself LLVM, and the library."""
        library = self.folder / f"libLLVM-{version}.so"
        flags = [*flags, "-DLIBRARY", "-fvisibility=default", f"-Wl,-soname,{library.name}"]
        self.plugin("tests/abi/plugins/own_llvm.c", *flags, name=library.stem)
        return self.plugin("tests/abi/plugins/own_llvm.c", str(library), f"-Wl,-rpath,{self.folder}",
                           name=f"own_llvm_{version}")

    def test_a_plugin_keeps_its_own_llvm(self):
        """As every LLVM does it, the library gives its symbols a version."""
        script = self.folder / "map"
        script.write_text("LLVM_0 { *; };\n")
        plugin = self.own_llvm("0", f"-Wl,--version-script={script}")
        self.assertIn("libLLVM-0.so", needed(plugin))
        result = self.export(plugin)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("codegen 'test.own-llvm': LLVM 0.77.1 for moon-unknown-elf", result.stderr)
        self.assertIn(b"relu", (self.folder / "relu.a").read_bytes())

    def test_an_llvm_without_versions_is_refused(self):
        """Its names would be found in the tool's LLVM."""
        result = self.export(self.own_llvm("none"))
        self.assertEqual(result.returncode, 1)
        self.assertIn("plug-in cannot be used: it expects symbols of LLVM without a version, which the host's would answer "
                      "(found LLVMGetVersion, expected those of an LLVM whose symbols have versions, or one that is "
                      "linked statically)", result.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--byoc", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--backend", required=True, help="the reference backend as a plug-in")
    arguments, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])
