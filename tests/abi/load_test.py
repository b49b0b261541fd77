#!/usr/bin/env python3
"""Loads plug-ins that are wrong in one way each, and looks for them by manifest, through `byoc plugins`."""

import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
BYOC = sys.argv.pop(1)
# The minor that this byoc speaks, and how it says so.
MINOR = int(re.search(r"#define BYOC_ABI_MINOR (\d+)u", (HERE.parents[1] / "include/byoc/abi/base.h").read_text())[1])
SPEAKS = f"speaks ABI 1.0 to 1.{MINOR}" if MINOR else "speaks ABI 1.0"


def build(folder, name, *defines, options=()):
    path = Path(folder, name)
    subprocess.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Wno-override-init", "-Werror", "-shared", "-fPIC",
                    "-fvisibility=hidden", f"-I{HERE.parents[1] / 'include'}", *[f"-D{d}" for d in defines],
                    str(HERE / "plugins" / "odd.c"), *options, "-o", str(path)], check=True)
    return path


def byoc(*words, **environment):
    result = subprocess.run([BYOC, *map(str, words)], capture_output=True, text=True, cwd="/",
                            env={**os.environ, "HOME": "/nonexistent", "XDG_DATA_HOME": "", "BYOC_PLUGIN_PATH": "",
                                 **{key: str(value) for key, value in environment.items()}})
    return result.returncode, result.stdout, result.stderr


class Load(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def refuses(self, define, *parts):
        path = build(self.folder, f"{define}.so", define)
        code, _, errors = byoc("plugins", "--load", "--plugin", path)
        self.assertEqual(code, 1, errors)
        for part in (str(path), *parts):
            self.assertIn(part, errors)

    @unittest.skipIf("BYOC_SANITIZED" in os.environ, "this byoc has a sanitizer itself")
    def test_sanitizers(self):
        """The runtime of gcc's AddressSanitizer would end the process in the middle of loading."""
        for option, name in (("address", "AddressSanitizer"), ("thread", "ThreadSanitizer")):
            path = build(self.folder, f"{option}.so", "SOUND", options=[f"-fsanitize={option}"])
            code, out, errors = byoc("plugins", "--load", "--plugin", path)
            self.assertEqual((code, out), (1, ""))
            self.assertEqual(errors, f"{path}: error: plug-in cannot be used: it is built with another sanitizer than byoc "
                                     f"(found {name}, which byoc does not have, expected a plug-in without "
                                     f"-fsanitize={option}, or a byoc with it)\n")
        # A compiler that leaves the runtime to the program.
        path = build(self.folder, "ubsan.so", "ODD_UNRESOLVED", "no_such_function_anywhere=__ubsan_handle_add_overflow")
        self.assertIn("found UndefinedBehaviorSanitizer, whose runtime it does not bring along",
                      byoc("plugins", "--load", "--plugin", path)[2])
        path = build(self.folder, "ubsan_gcc.so", "SOUND", options=["-fsanitize=undefined"])
        self.assertEqual(byoc("plugins", "--load", "--plugin", path)[0], 0)

    def test_other_runtime(self):
        stub = Path(self.folder, "libc++.so.1")
        subprocess.run(["gcc", "-shared", "-x", "c", "/dev/null", "-Wl,-soname,libc++.so.1", "-o", stub], check=True)
        path = build(self.folder, "runtime.so", "SOUND", options=["-Wl,--no-as-needed", str(stub)])
        code, _, errors = byoc("plugins", "--load", "--plugin", path)
        self.assertEqual(code, 1)
        self.assertIn("it needs another C++ runtime than byoc (found libc++.so.1, expected libstdc++, or one that is "
                      "linked into it and hidden: -static-libstdc++ -Wl,--exclude-libs,ALL)", errors)

    def test_newer_runtime(self):
        """A libstdc++ that has a version which the one that runs here lacks."""
        map_, stub = Path(self.folder, "map"), Path(self.folder, "libstdc++.so.6")
        map_.write_text("GLIBCXX_9.9.99 { global: no_such_function_anywhere; };\n")
        subprocess.run(["gcc", "-shared", "-x", "c", "-", f"-Wl,--version-script={map_}", "-Wl,-soname,libstdc++.so.6", "-o",
                        stub], input=b"void no_such_function_anywhere(void) {}\n", check=True)
        path = build(self.folder, "newer_runtime.so", "ODD_UNRESOLVED", options=[str(stub)])
        errors = byoc("plugins", "--load", "--plugin", path)[2]
        self.assertIn("plug-in cannot be used: it needs a newer C++ runtime than is here (found ", errors)
        self.assertIn("GLIBCXX_9.9.99", errors)

    def test_sound(self):
        code, out, errors = byoc("plugins", "--load", "--plugin", build(self.folder, "sound.so"))
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("test.odd", out)
        self.assertIn(f"ABI 1.{MINOR}", out)

    def test_newer_minor(self):
        code, out, errors = byoc("plugins", "--load", "--plugin", build(self.folder, "newer.so", "ODD_NEWER"))
        self.assertEqual((code, errors), (0, ""))
        self.assertIn(f"ABI 1.{MINOR + 1}", out)

    def test_needs_newer(self):
        self.refuses("ODD_NEEDS_NEWER", f"it needs a newer byoc: it speaks ABI 1.{MINOR + 1}, this byoc", SPEAKS)

    def test_other_major(self):
        self.refuses("ODD_OTHER_MAJOR", "it does not serve this byoc", f"which {SPEAKS}")

    def test_no_query(self):
        self.refuses("ODD_NO_QUERY", "does not export its query function", "expected byoc_plugin_query_v1")

    def test_exports_more(self):
        self.refuses("ODD_EXPORTS_MORE", "exports more than its query function (found byoc_another", "-fvisibility=hidden")

    def test_exports_llvm(self):
        self.refuses("ODD_EXPORTS_LLVM", "exports symbols of LLVM", "LLVMContextCreate")

    def test_expects_llvm(self):
        self.refuses("ODD_EXPECTS_LLVM", "expects symbols of LLVM and does not bring them along", "LLVMShutdown")

    def test_unresolved(self):
        self.refuses("ODD_UNRESOLVED", "cannot be loaded", "no_such_function_anywhere")

    def test_no_shared_object(self):
        text = Path(self.folder, "text.so")
        text.write_text("no ELF")
        self.assertIn("it is no shared object", byoc("plugins", "--load", "--plugin", text)[2])
        self.assertIn("missing.so", byoc("plugins", "--load", "--plugin", Path(self.folder, "missing.so"))[2])

    def test_damaged(self):
        whole = build(self.folder, "whole.so").read_bytes()
        path = Path(self.folder, "damaged.so")
        # Every cut and a scribble over the section table: an error, or loadable, but no crash of ours. The loader of the
        # C library is not asked: a file without its section table does not reach it.
        for size in range(0, len(whole), max(1, len(whole) // 25)):
            path.write_bytes(whole[:size])
            code, _, errors = byoc("plugins", "--load", "--plugin", path)
            self.assertEqual(code, 1, errors)
            self.assertIn("plug-in cannot be used", errors)
        sections = struct.unpack_from("<Q", whole, 40)[0]
        path.write_bytes(whole[:sections] + b"\xff" * (len(whole) - sections))
        code, _, errors = byoc("plugins", "--load", "--plugin", path)
        self.assertEqual(code, 1, errors)

    def manifest(self, folder, name="odd", **changes):
        Path(folder).mkdir(exist_ok=True)
        build(folder, "odd.so")
        fields = {"schema": 1, "id": "test.odd", "name": "Odd", "vendor": "byoc", "version": "1.0", "library": "odd.so",
                  "abi": {"major": 1, "minor": MINOR, "min_host_minor": 0}, **changes}
        path = Path(folder, f"{name}.byoc.json")
        path.write_text(json.dumps({key: value for key, value in fields.items() if value is not None}))
        return path

    def test_found_by_id_without_loading(self):
        folder = Path(self.folder, "installed")
        self.manifest(folder)
        code, out, _ = byoc("plugins", BYOC_PLUGIN_PATH=folder)
        self.assertEqual(code, 0)
        self.assertIn(f"{folder}/odd.so", out)
        code, out, errors = byoc("plugins", "--load", "--plugin", "test.odd", BYOC_PLUGIN_PATH=f"/nowhere:{folder}")
        self.assertEqual((code, errors), (0, ""))
        # The user's folder comes after the variable's.
        user = Path(self.folder, "user", "byoc", "plugins")
        user.parent.mkdir(parents=True)
        self.manifest(user)
        code, out, _ = byoc("plugins", BYOC_PLUGIN_PATH=folder, XDG_DATA_HOME=Path(self.folder, "user"))
        self.assertIn(f"hidden by one before it: {user}/odd.byoc.json", out)
        # Nothing is loaded to list it.
        (folder / "odd.so").write_text("no library")
        self.assertEqual(byoc("plugins", BYOC_PLUGIN_PATH=folder)[0], 0)

    def test_unknown_id(self):
        code, _, errors = byoc("plugins", "--load", "--plugin", "test.nobody", BYOC_PLUGIN_PATH="/nowhere")
        self.assertEqual(code, 1)
        self.assertIn("there is no such plug-in (found none in /nowhere", errors)

    def test_twice_in_a_folder(self):
        folder = Path(self.folder, "twice")
        self.manifest(folder)
        self.manifest(folder, "again")
        errors = byoc("plugins", "--load", "--plugin", "test.odd", BYOC_PLUGIN_PATH=folder)[2]
        self.assertIn("two manifests are of this plug-in", errors)

    def test_broken_manifests(self):
        folder = Path(self.folder, "broken")

        def says(part, **changes):
            path = self.manifest(folder, **changes)
            code, _, errors = byoc("plugins", "--load", "--plugin", path)
            self.assertEqual(code, 1)
            self.assertIn(part, errors)

        says("is not a field of a plug-in manifest", colour="red")
        says("is missing", version=None)
        says("'id': has the wrong type (found number, expected a string)", id=5)
        says("is not known (found 2, expected 1)", schema=2)
        says("is missing", abi=None)
        says("'major': has the wrong type", abi={"major": -1, "minor": 0, "min_host_minor": 0})
        says("is no version number (found 70000)", abi={"major": 70000, "minor": 0, "min_host_minor": 0})
        says("is empty", id="")
        says("do not say the same (found 2.0, expected 1.0)", version="2.0")
        says("do not say the same (found test.other, expected test.odd)", id="test.other")
        later = MINOR + 1
        says(f"needs at least 1.{later}, this byoc speaks ABI 1.{MINOR}",
             abi={"major": 1, "minor": later, "min_host_minor": later})
        says(f"it speaks ABI 2.0, this byoc speaks ABI 1.{MINOR}", abi={"major": 2, "minor": 0, "min_host_minor": 0})
        says("its library is not there", library="gone.so")
        path = Path(folder, "text.byoc.json")
        path.write_text("{")
        self.assertIn("no JSON object", byoc("plugins", "--load", "--plugin", path)[2])
        # Among installed ones, a broken manifest is a warning.
        code, _, errors = byoc("plugins", BYOC_PLUGIN_PATH=folder)
        self.assertEqual(code, 0)
        self.assertIn("warning", errors)

    def test_options_of_plugins(self):
        model = HERE.parents[1] / "tests/unit/ir/samples/dense-float.byoc"
        command = ("export", model, "--target", "host", "--dim", "N=1", "--dim", "input length=4", "-o",
                   Path(self.folder, "x.a"))
        _, _, errors = byoc(*command, "--plugin-option", "test.odd.mode=1")
        self.assertIn("an option is for a plug-in that is not used", errors)
        _, _, errors = byoc(*command, "--plugin-option", "c.mode=1")
        self.assertIn("the plug-in has no such option (found 'mode', expected kernels, layout, arithmetic)", errors)
        sound = build(self.folder, "once.so")
        _, _, errors = byoc(*command, "--plugin", sound, "--plugin-option", "test.odd.mode=1")
        self.assertIn("the plug-in has no such option (found 'mode', expected none: it has no options)", errors)
        _, _, errors = byoc(*command, "--plugin", sound, "--plugin", sound)
        self.assertIn("two plug-ins have this id", errors)
        _, _, errors = byoc(*command, "--plugin", sound)
        self.assertIn("could not be created and did not say why", errors)


if __name__ == "__main__":
    unittest.main()
