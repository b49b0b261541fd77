"""Two exports of one model: files that keep apart, and a header of one that does not go with the library of the other.

usage: two_exports_test.py BYOC SOURCE_DIR [unittest arguments]
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from commands import finish, run  # noqa: E402

BYOC, SOURCE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
DEMO = SOURCE / "examples/demo/vibration_int8.onnx"
STATE = SOURCE / "tests/lit/run/Inputs/state.byoc"
M4F = ["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]
LLD = ["-fuse-ld=lld", "-B/usr/lib/llvm-19/bin"]
ARM = "arm-none-eabi-gcc -mthumb"


class Case(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)

    def export(self, out, *arguments, model=DEMO, target="host"):
        run(BYOC, "export", model, "--target", target, "--name", "v", "-q", "-o", self.dir / out, *arguments)
        return self.dir / out

    def contents(self):
        return {str(p.relative_to(self.dir)): p.read_bytes() for p in self.dir.rglob("*") if p.is_file()}

    def refused(self, *command):
        before = self.contents()
        done = finish(BYOC, *command)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(self.contents(), before)
        return done.stderr


class Files(Case):
    def test_side_by_side(self):
        """Each has its own header, manifest and example, and works."""
        self.export("first.a")
        self.export("m4.a", "--sbom", "spdx", target="cortex-m4f")
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()),
                         ["first.a", "first.h", "first.json", "first_example_main.c",
                          "m4.a", "m4.h", "m4.json", "m4.spdx.json", "m4_example_main.c"])
        for name, target in (("first", "host"), ("m4", "cortex-m4f")):
            manifest = json.loads((self.dir / f"{name}.json").read_text())
            self.assertEqual((manifest["library"], manifest["prefix"], manifest["target"]["name"]), (f"{name}.a", "v", target))
            self.assertIn(f'#include "{name}.h"', (self.dir / f"{name}_example_main.c").read_text())
            run(BYOC, "run", self.dir / f"{name}.a", "--fill", "ones", "-q", "--no-profile")
        run("cc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", self.dir / "first_example_main.c", self.dir / "first.a",
            "-lm", "-o", self.dir / "first")
        run(self.dir / "first")
        run(*M4F, "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "--specs=nosys.specs", self.dir / "m4_example_main.c",
            self.dir / "m4.a", "-lm", "-Wl,--gc-sections", "-o", self.dir / "m4.elf")
        run(BYOC, "verify", self.dir / "m4.elf", "--manifest", self.dir / "m4.json")

    def test_one_name_with_two_suffixes(self):
        self.export("kws.a", target="cortex-m4f")
        for command in (["export", DEMO, "--target", "host", "-q", "-o", self.dir / "kws.so"],
                        ["build-tree", self.dir / "x.c", "--target", "host", "-o", self.dir / "kws.o"],
                        ["pack-constants", DEMO, "--target", "host", "-o", self.dir / "kws.o"]):
            with self.subTest(command[0]):
                (self.dir / "x.c").write_text("int x(void) { return 1; }\n")
                own = "kws.so" if command[0] == "export" else "kws.o"
                self.assertIn(f"kws.json: error: belongs to another library than '{own}', and is left as it is (found 'kws.a', ",
                              self.refused(*command))
        run(BYOC, "export", DEMO, "--target", "host", "-q", "--force", "-o", self.dir / "kws.so")
        self.assertEqual(json.loads((self.dir / "kws.json").read_text())["library"], "kws.so")
        self.assertIn("kws.json: error: belongs to another library than 'kws.a'",
                      self.refused("export", DEMO, "--target", "host", "-q", "-o", self.dir / "kws.a"))

    def test_the_same_output_again(self):
        """For another target, of another model, under another name: all files are replaced together."""
        self.export("kws.a", target="cortex-m4f")
        self.export("kws.a", target="host")
        run(BYOC, "export", STATE, "--target", "host", "-q", "-o", self.dir / "kws.a")
        self.assertIn("state_run(", (self.dir / "kws.h").read_text())
        run(BYOC, "pack", self.export("folder/"), "-o", self.dir / "kws.a")
        self.assertIn("v_run(", (self.dir / "kws.h").read_text())

    def test_files_of_others(self):
        for name in ("kws.h", "kws.json", "kws_example_main.c"):
            with self.subTest(name):
                (self.dir / name).write_text("mine")
                command = ["export", DEMO, "--target", "host", "-q", "-o", self.dir / "kws.a"]
                self.assertIn(f"{name}: error: may be somebody else's, and is left as it is", self.refused(*command))
                run(BYOC, *command, "--force")
                self.assertNotEqual((self.dir / name).read_text(), "mine")
                for file in self.dir.iterdir():
                    file.unlink()

    def test_a_header_of_a_table(self):
        self.export("sys.a")
        folder = self.export("v/")
        self.assertIn("sys.h: error: belongs to another library than 'all.a'",
                      self.refused("pack", folder, "--system-library", "sys", "-o", self.dir / "all.a"))

    def test_folders_on_the_way_are_made(self):
        self.export("new/deep/v.a", "--report", self.dir / "new/deep/r.json")
        self.export("new/folder/v/")
        run(BYOC, "pack", "--as", "cmake", self.dir / "new/folder/v", "-o", self.dir / "packages/v")
        (self.dir / "x.c").write_text("int x(void) { return 1; }\n")
        run(BYOC, "build-tree", self.dir / "x.c", "--target", "host", "-o", self.dir / "built/x.a")
        run(BYOC, "pack-constants", DEMO, "--target", "host", "-o", self.dir / "data/d.a")
        self.assertIn("x.c: error: cannot be written (found a file, expected a folder or nothing)",
                      self.refused("export", DEMO, "--target", "host", "-q", "-o", self.dir / "x.c/v.a"))
        self.refused("export", self.dir / "none.onnx", "--target", "host", "-q", "-o", self.dir / "never/v.a")
        self.assertFalse((self.dir / "never").exists())

    def test_in_a_cache(self):
        for out in ("one/m4.a", "two/m4.a"):
            self.export(out, "--cache", self.dir / "cache")
        for file in (self.dir / "one").iterdir():
            self.assertEqual(file.read_bytes(), (self.dir / "two" / file.name).read_bytes())
        (self.dir / "three").mkdir()
        (self.dir / "three/m4.h").write_text("mine")
        self.assertIn("m4.h: error: may be somebody else's",
                      self.refused("export", DEMO, "--target", "host", "--name", "v", "-q", "-o", self.dir / "three/m4.a",
                                   "--cache", self.dir / "cache"))


class Links(Case):
    """The program is compiled with one header and linked with a library."""

    MAIN = '#include "v.h"\nvoid *volatile keep;\nint main(void) { keep = (void *)v_run; return 0; }\n'

    def link(self, header, library, *compiler):
        (self.dir / "main.c").write_text(self.MAIN)
        return finish(*compiler, "-I", header.parent, self.dir / "main.c", "-xnone", library, "-lm", "-o", self.dir / "program",
                      *(["-Wl,--gc-sections"] if "arm-none-eabi-gcc" in compiler else []))

    def expect_linked(self, *words):
        done = self.link(*words)
        self.assertEqual(done.returncode, 0, done.stderr)

    def expect_refused(self, *words):
        done = self.link(*words)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"undefined (reference to|symbol:) [`']?v_run__header_is_of_another_export_[0-9a-f]{8}")

    def test_another_layout(self):
        """Linked by GNU ld and LLD, from C and C++, in every form."""
        arm = [*M4F, "--specs=nosys.specs"]
        lld = [*arm, *LLD, "-Wl,--defsym=__bss_start__=0,--defsym=__bss_end__=0"]
        hosts = [["cc", "-xc", "-std=c99"], ["cc", *LLD], ["c++", "-xc++"], ["cc", "-flto"]]
        for target, compilers, forms in (("host", hosts, ("a", "o", "so")), ("cortex-m4f", [arm, lld], ("a", "o"))):
            header = self.export(f"{target}_other/v.a", "--reuse-inputs", target=target)
            for form in forms:
                for options in ([], ["--lto"] if form != "so" else ["--toolchain", "gnu"]):
                    library = self.export(f"{target}_{form}/v.{form}", *options, target=target)
                    for compiler in compilers:
                        with self.subTest(target=target, form=form, options=options, compiler=compiler):
                            self.expect_linked(library, library, *compiler)
                            self.expect_refused(header, library, *compiler)

    def test_another_target_of_the_same_layout(self):
        """The M7's header compiles for the M4's program only where the program says that it knows better."""
        m4, m7 = self.export("m4/v.a", target="cortex-m4f"), self.export("m7/v.a", target="cortex-m7")
        self.expect_refused(m7, m4, *M4F, "--specs=nosys.specs", "-DV_ANY_TARGET")

    def test_other_weights(self):
        """A library of other weights of the same layout goes with the header, which differs by the model's hash alone."""
        text = ('graph "g" requant=onnx {{ input %x : f32[4] const %w : f32[4] = {} '
                '%y : f32[4] = Add.13(%x, %w) output %y }}')
        libraries = []
        for name, weights in (("a", [1, 2, 3, 4]), ("b", [5, 6, 7, 8])):
            (self.dir / f"{name}.byoc").write_text(text.format(weights))
            libraries.append(self.export(f"{name}/v.a", model=self.dir / f"{name}.byoc"))
        self.assertEqual(*(re.sub(r'#define V_ID ".*"', "", library.with_suffix(".h").read_text()) for library in libraries))
        self.expect_linked(libraries[0], libraries[1], "cc", "-xc")

    def test_with_state(self):
        library = self.export("v.a", model=STATE)
        names = run("nm", "--defined-only", library)
        for function in ("v_init", "v_run"):
            tied = re.findall(rf"^([0-9a-f]+) T {function}__header_is_of_another_export_", names, re.MULTILINE)
            plain = re.findall(rf"^([0-9a-f]+) T {function}$", names, re.MULTILINE)
            self.assertEqual(len(tied), 1)
            self.assertEqual(tied, plain, "one function with two names")

    def test_without_the_header(self):
        """Plain names are there for whatever declares them by itself."""
        library = self.export("v.a")
        (self.dir / "main.c").write_text("int v_run(const void *, const void *, void *);\nint main(void) { return v_run == 0; }\n")
        run("cc", self.dir / "main.c", library, "-lm", "-o", self.dir / "program")
        run(self.dir / "program")

    def test_compilers_without_aliases(self):
        """They compile a function more instead."""
        folder = self.export("v/", "--prefer", "c", model=STATE)
        root = (folder / "src/v.c").read_text()
        self.assertIn("#if defined(__GNUC__) && defined(__ELF__)\n", root)
        (folder / "src/v.c").write_text(root.replace("defined(__GNUC__) && defined(__ELF__)", "0"))
        run("cc", "-std=c99", "-w", f"-I{folder}/include", f"-I{folder}/src", folder / "v_example_main.c",
            *folder.glob("src/*.c"), *folder.glob("lib/*_constants.o"), "-lm", "-o", self.dir / "program")
        run(self.dir / "program")


class Targets(Case):
    """A header stops a compiler that makes code which cannot call the library."""

    OTHERS = {"cortex-m4f": {f"{ARM} -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16": True,
                             f"{ARM} -mcpu=cortex-m7 -mfloat-abi=hard -mfpu=fpv5-d16": True,
                             f"{ARM} -mcpu=cortex-m33 -mfloat-abi=hard": True,
                             f"{ARM} -mcpu=cortex-m4 -mfloat-abi=softfp -mfpu=fpv4-sp-d16": False,
                             f"{ARM} -mcpu=cortex-m3": False,
                             "clang-19 --target=arm-none-eabi -mcpu=cortex-m4 -mfloat-abi=hard": True,
                             "clang-19 --target=arm-none-eabi -mcpu=cortex-m0": False,
                             "cc": False},
              "x86-64-v3": {"cc": True, "clang-19": True, f"{ARM} -mcpu=cortex-m3": False}}

    def test_compilers(self):
        for target, compilers in self.OTHERS.items():
            library = self.export(f"{target}/v.a", target=target)
            (self.dir / "main.c").write_text('#include "v.h"\n')
            for compiler, fits in compilers.items():
                command = [*compiler.split(), "-ffreestanding", "-fsyntax-only", f"-I{library.parent}", self.dir / "main.c"]
                if not shutil.which(command[0]):
                    continue
                with self.subTest(target=target, compiler=compiler):
                    done = finish(*command)
                    self.assertEqual(done.returncode == 0, fits, done.stderr)
                    if fits:
                        continue
                    self.assertIn(f"this header is of a library of model v for {target}, and the compiler makes code for another "
                                  "core or float ABI", done.stderr)
                    run(*command, "-DV_ANY_TARGET")

    def test_two_headers_in_one_source(self):
        """Those of different exports are refused, those of one layout are one."""
        a, b = self.export("a.a"), self.export("b.a", "--reuse-inputs")
        shutil.copy(a.with_suffix(".h"), self.dir / "again.h")
        for second, fits in (("again.h", True), (b.with_suffix(".h").name, False)):
            (self.dir / "main.c").write_text(f'#include "a.h"\n#include "{second}"\n')
            done = subprocess.run(["cc", "-fsyntax-only", self.dir / "main.c"], capture_output=True, text=True)
            self.assertEqual(done.returncode == 0, fits, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
