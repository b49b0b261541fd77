"""The forms that a library is written in, used as their consumers do.

usage: packs_test.py BYOC SOURCE_DIR MODELS_DIR [unittest arguments]
Tests that need the reference models skip without them.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

BYOC, SOURCE, MODELS = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute(), pathlib.Path(sys.argv[3])
DEMO = SOURCE / "examples/demo/vibration_int8.onnx"
M4F = ["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, stdin=subprocess.DEVNULL, **options)
    if done.returncode != 0:
        raise AssertionError(f"{done.returncode} from {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def symbols(file, *options):
    return run("llvm-nm-19", "--extern-only", "--just-symbol-name", *options, file).split()


class Case(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)

    def export(self, out, *arguments, model=DEMO, target="cortex-m4f"):
        run(BYOC, "export", model, "--target", target, "-q", "-o", self.dir / out, *arguments)
        return self.dir / out

    def refused(self, *command):
        done = subprocess.run([BYOC, *map(str, command)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        return done.stderr

    def run_kws(self, pack, target="cortex-m4f"):
        """The reference outputs of the keyword model, with the model linked in this form."""
        if not (MODELS / "kws_int8.tflite").exists():
            self.skipTest(f"no reference models in {MODELS}")
        golden = MODELS / "golden/kws_int8"
        run(BYOC, "run", MODELS / "kws_int8.tflite", "--target", target, "-q", "--no-profile", "--pack", pack,
            "--input", golden / "input_0.raw", "--output-dir", self.dir)
        self.assertEqual((self.dir / "output_0.raw").read_bytes(), (golden / "output_0.raw").read_bytes())


class OneObject(Case):
    def test_two_models_in_one_firmware(self):
        """Each brings its own kernels, which the other does not see."""
        first, second = self.export("a.o", "--name", "first"), self.export("b.o", "--name", "second")
        self.assertEqual([s for s in symbols(first, "--defined-only") if not s.startswith("first_")], [])
        main = self.dir / "main.c"
        main.write_text('#include "first.h"\n#include "second.h"\n'
                        "void *volatile keep[2];\n"
                        "int main(void) { keep[0] = (void *)first_run; keep[1] = (void *)second_run; return 0; }\n")
        lld = ["-fuse-ld=lld", "-B/usr/lib/llvm-19/bin", "-Wl,--defsym=__bss_start__=0,--defsym=__bss_end__=0"]
        for linker in (["-Wl,--fatal-warnings"], lld):
            run(*M4F, "--specs=nosys.specs", f"-I{self.dir}", main, first, second, "-lm", "-Wl,--gc-sections", *linker,
                "-o", self.dir / "firmware.elf")

    def test_what_nobody_calls_is_dropped(self):
        model = self.export("v.o", "--name", "v")
        main = self.dir / "main.c"
        main.write_text("int main(void) { return 0; }\n")
        elf = self.dir / "firmware.elf"
        run(*M4F, "--specs=nosys.specs", main, model, "-lm", "-Wl,--gc-sections", "-o", elf)
        self.assertEqual([s for s in run("arm-none-eabi-nm", elf).split() if s.startswith(("v_", "byoc_"))], [])

    def test_runs_as_the_archive_does(self):
        for target in ("host", "riscv32imc"):
            with self.subTest(target):
                signal = SOURCE / "examples/demo/signals/00.npy"
                outputs = []
                for pack in ("a", "o"):
                    run(BYOC, "run", DEMO, "--target", target, "-q", "--no-profile", "--pack", pack, "--input", signal,
                        "--output-dir", self.dir / pack)
                    outputs.append((self.dir / pack / "output_0.raw").read_bytes())
                self.assertEqual(outputs[0], outputs[1])

    def test_kws(self):
        self.run_kws("o")


class Folder(Case):
    def test_builds_with_make_and_cmake(self):
        """With the compilers of two targets; the sources give what the objects beside them give."""
        signal = SOURCE / "examples/demo/signals/00.npy"
        for target in ("cortex-m4f", "host"):
            with self.subTest(target):
                folder = self.export(f"{target}/", "--name", "v", target=target)
                run("make", "-C", folder, "-j2")
                run("make", "prebuilt", "BUILD=given", cwd=folder)
                run("cmake", "-S", folder, "-B", folder / "cmake",
                    f"-DCMAKE_TOOLCHAIN_FILE={SOURCE.absolute()}/toolchains/{target}.cmake")
                run("cmake", "--build", folder / "cmake")
                for library in ("build/v.a", "given/v.a", "cmake/v.a"):
                    self.assertIn("v_run", symbols(folder / library, "--defined-only"))
        main = self.dir / "main.c"
        main.write_text('#include "v.h"\nint main(void) { return v_run == 0; }\n')
        for library in ("build/v.a", "given/v.a", "cmake/v.a"):
            run("cc", f"-I{self.dir}/host/include", main, self.dir / "host" / library, "-lm", "-o", self.dir / "main")
            run(self.dir / "main")

    def test_packs_again_and_replaces_only_its_own(self):
        folder = self.export("v", "--name", "v")
        first = {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        run(BYOC, "pack", folder, "-o", self.dir / "packed.a")
        (self.dir / "direct").mkdir()
        direct = self.export("direct/packed.a", "--name", "v")
        self.assertEqual((self.dir / "packed.a").read_bytes(), direct.read_bytes())
        self.assertEqual((self.dir / "v.json").read_bytes(), (self.dir / "direct/v.json").read_bytes())
        self.export("v/", "--name", "v")
        self.assertEqual(first, {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()})
        other = self.dir / "other"
        other.mkdir()
        (other / "main.c").write_text("int main;")
        self.assertIn("holds something else", self.refused("export", DEMO, "--target", "host", "-q", "-o", other))
        self.assertEqual([p.name for p in other.iterdir()], ["main.c"])

    def test_a_mixed_tree_of_files(self):
        (self.dir / "half.ll").write_text("define i32 @half(i32 %x) {\n  %y = sdiv i32 %x, 2\n  ret i32 %y\n}\n")
        (self.dir / "api.h").write_text("int half(int);\n")
        (self.dir / "glue.c").write_text('#include "api.h"\nint answer(void) { return half(84); }\n')
        files = [self.dir / "glue.c", self.dir / "half.ll"]
        run(BYOC, "build-tree", *files, "--target", "host", "-o", self.dir / "tree/")
        for out in ("tree.a", "tree.o"):
            run(BYOC, "pack", self.dir / "tree", "-o", self.dir / out)
            main = self.dir / "main.c"
            main.write_text("int answer(void);\nint main(void) { return answer() != 42; }\n")
            run("cc", main, self.dir / out, "-o", self.dir / "main")
            run(self.dir / "main")


class ModelLibrary(Case):
    def unpacked(self, tar):
        """As project generators read it: uncompressed, sources and objects by their folders."""
        folder = self.dir / "project"
        with tarfile.TarFile(tar) as archive:
            archive.extractall(folder)
        return folder / "codegen/host", json.loads((folder / "metadata.json").read_text())

    def build(self, tar, *models):
        host, metadata = self.unpacked(tar)
        self.assertEqual(sorted(metadata["modules"]), sorted(models))
        main = self.dir / "main.c"
        main.write_text("".join(f'#include "tvmgen_{m}.h"\n' for m in models) + "int main(void) { return "
                        + " + ".join(f"({m}_run == 0) + (TVMGEN_{m.upper()}_WORKSPACE_SIZE == 0)" for m in models) + "; }\n")
        run("cc", "-O1", f"-I{host}/include", main, *host.glob("src/*.c"), *host.glob("lib/*.o"), "-lm", "-o",
            self.dir / "main")
        run(self.dir / "main")
        return metadata

    def test_both_flavours_build(self):
        for flavour in ("source", "objects"):
            tar = self.export(f"{flavour}.tar", "--name", "v", "--tar-of", flavour, target="host")
            main = self.build(tar, "v")["modules"]["v"]["memory"]["functions"]["main"][0]
            self.assertGreater(main["workspace_size_bytes"], 0)
            shutil.rmtree(self.dir / "project")

    def test_two_models_in_one(self):
        folders = [self.export(f"{name}/", "--name", name, target="host") for name in ("first", "second")]
        run(BYOC, "pack", *folders, "-o", self.dir / "both.tar")
        self.build(self.dir / "both.tar", "first", "second")
        self.assertIn("only a .tar holds several libraries", self.refused("pack", *folders, "-o", self.dir / "both.a"))
        listing = run(BYOC, "inspect", self.dir / "both.tar")
        self.assertIn("model first: full-model, aot", listing)
        self.assertIn("codegen/host/src/second_lib0.c", listing)

    def test_the_same_bytes_anywhere(self):
        tars = []
        for name, zone in (("one", "UTC"), ("two", "Asia/Tokyo")):
            (self.dir / name).mkdir()
            run(BYOC, "export", DEMO, "--target", "cortex-m4f", "-q", "-o", "v.tar", cwd=self.dir / name,
                env={**os.environ, "TZ": zone, "SOURCE_DATE_EPOCH": "1700000000"})
            tars.append((self.dir / name / "v.tar").read_bytes())
        self.assertEqual(tars[0], tars[1])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
