"""The forms that a library is written in, used as their consumers do.

usage: packs_test.py BYOC SOURCE_DIR MODELS_DIR [unittest arguments]
MODELS_DIR is what tests/networks wrote.
"""

import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))
from commands import run  # noqa: E402

BYOC, SOURCE, MODELS = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute(), pathlib.Path(sys.argv[3])
DEMO = SOURCE / "examples/demo/vibration_int8.onnx"
M4F = ["arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]


TIE = "__header_is_of_another_export_"


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

    def run_network(self, pack, target="cortex-m4f"):
        """The reference outputs of a network, with the model linked in this form."""
        golden = MODELS / "golden/ds_cnn_int8"
        run(BYOC, "run", MODELS / "ds_cnn_int8.tflite", "--target", target, "-q", "--no-profile", "--pack", pack,
            "--input", golden / "input_0.raw", "--output-dir", self.dir)
        self.assertEqual((self.dir / "output_0.raw").read_bytes(), (golden / "output_0.raw").read_bytes())


class OneObject(Case):
    def test_two_models_in_one_firmware(self):
        """Each brings its own kernels, which the other does not see."""
        first, second = self.export("first.o", "--name", "first"), self.export("second.o", "--name", "second")
        self.assertEqual([s for s in symbols(first, "--defined-only") if not s.startswith("first_")], [])
        main = self.dir / "main.c"
        main.write_text('#include "first.h"\n#include "second.h"\n'
                        "void *volatile keep[2];\n"
                        "int main(void) { keep[0] = (void *)first_run; keep[1] = (void *)second_run; return 0; }\n")
        lld = ["-fuse-ld=lld", "-B/usr/lib/llvm-19/bin", "-Wl,--defsym=__bss_start__=0,--defsym=__bss_end__=0"]
        for linker in (["-Wl,--fatal-warnings"], lld):
            run(*M4F, "--specs=nosys.specs", f"-I{self.dir}", main, first, second, "-lm", "-Wl,--gc-sections", *linker,
                "-o", self.dir / "firmware.elf")

    def test_two_models_in_one_object(self):
        """Kernels that both use are there once, and seen by nobody else."""
        folders = [self.export(f"{name}/", "--name", name) for name in ("first", "second")]
        run(BYOC, "pack", *folders, "-o", self.dir / "both.o")
        self.assertEqual([s for s in symbols(self.dir / "both.o", "--defined-only")
                          if not s.startswith(("first_", "second_"))], [])
        main = self.dir / "main.c"
        main.write_text('#include "both_first.h"\n#include "both_second.h"\n'
                        "void *volatile keep[2];\n"
                        "int main(void) { keep[0] = (void *)first_run; keep[1] = (void *)second_run; return 0; }\n")
        elf = self.dir / "firmware.elf"
        run(*M4F, "--specs=nosys.specs", f"-I{self.dir}", main, self.dir / "both.o", "-lm", "-Wl,--gc-sections",
            "-Wl,--fatal-warnings", "-o", elf)
        kernels = [s for s in run("arm-none-eabi-nm", elf).split() if s.startswith("byoc_conv")]
        self.assertGreater(len(kernels), 0)
        self.assertEqual(len(kernels), len(set(kernels)))
        run(BYOC, "verify", elf, "--manifest", self.dir / "both_first.json", "--manifest", self.dir / "both_second.json")

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

    def test_network(self):
        self.run_network("o")


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
        direct = self.export("direct/packed.a", "--name", "v")
        self.assertEqual((self.dir / "packed.a").read_bytes(), direct.read_bytes())
        self.assertEqual((self.dir / "packed.json").read_bytes(), (self.dir / "direct/packed.json").read_bytes())
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
        for out in ("tree.a", "tree.o"):  # a library without a model has nothing beside it
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
        self.assertIn("only .a, .o and .tar hold several libraries",
                      self.refused("pack", *folders, "-o", self.dir / "both.so"))
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


class SharedLibrary(Case):
    MAIN = """#include <stdio.h>
#include "v.h"
static uint64_t workspace[V_WORKSPACE_SIZE / 8 + 1];
int main(void) {
  float input[V_INPUT_SIGNAL_ELEMENTS], output[V_OUTPUT_PROBABILITY_ELEMENTS];
  for (int i = 0; i < V_INPUT_SIGNAL_ELEMENTS; ++i) input[i] = (float)(i % 7) * 0.25f;
  const v_inputs_t in = {input};
  const v_outputs_t out = {output};
  if (v_run(&in, &out, workspace) != 0) return 1;
  for (int i = 0; i < V_OUTPUT_PROBABILITY_ELEMENTS; ++i) printf("%.6f\\n", output[i]);
  return 0;
}
"""

    def run_with(self, library, *command, emulator=()):
        """What a program that is linked with it prints."""
        (self.dir / "main.c").write_text(self.MAIN)
        run(*command, f"-I{library.parent}", self.dir / "main.c", "-xnone", library, f"-Wl,-rpath,{library.parent}", "-lm",
            "-o", self.dir / "main")
        return run(*emulator, self.dir / "main")

    def test_from_c_and_from_cpp(self):
        """The answers of the archive; nothing but the model's names is seen."""
        expected = self.run_with(self.export("v.a", "--name", "v", target="host"), "cc", "-xc")
        library = self.export("so/v.so", "--name", "v", target="host")
        seen = run("llvm-nm-19", "-D", "--defined-only", "--just-symbol-name", library).split()
        self.assertEqual(sorted(s for s in seen if TIE not in s), ["byoc_import_tree", "v_run", "v_step_table"])
        self.assertEqual(len([s for s in seen if s.startswith("v_run" + TIE)]), 1)
        self.assertIn("Library soname: [v.so]", run("readelf", "-d", library))
        for compiler in (("cc", "-xc"), ("c++", "-xc++")):
            self.assertEqual(self.run_with(library, *compiler), expected)

    def test_through_a_folder(self):
        """Packed from a folder it is the same, byte for byte; the time, the place and the locale are in neither."""
        folder = self.export("v/", "--name", "v", target="host")
        for name in ("one", "two"):
            (self.dir / name).mkdir()
        run(BYOC, "pack", folder, "-o", self.dir / "one/v.so", env={**os.environ, "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8"})
        direct = self.export("two/v.so", "--name", "v", target="host")
        self.assertEqual((self.dir / "one/v.so").read_bytes(), direct.read_bytes())
        self.assertNotIn(str(self.dir).encode(), direct.read_bytes())

    def test_for_aarch64(self):
        """Under QEMU, the answers of the archive."""
        compiler, emulator = ("aarch64-linux-gnu-gcc", "-xc"), ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu")
        archive = self.export("v.a", "--name", "v", target="aarch64-linux-gnu")
        library = self.export("so/v.so", "--name", "v", target="aarch64-linux-gnu")
        self.assertEqual(self.run_with(library, *compiler, emulator=emulator),
                         self.run_with(archive, *compiler, emulator=emulator))

    def test_opened_at_run_time(self):
        library = self.export("v.so", "--name", "v", target="host")
        run(sys.executable, "-c", "import ctypes, sys; ctypes.CDLL(sys.argv[1]).v_run", library)

    def test_what_is_missing(self):
        """Is known when it is linked, not when it is loaded."""
        (self.dir / "half.c").write_text("int gone(void);\nint half(void) { return gone(); }\n")
        said = self.refused("build-tree", self.dir / "half.c", "--target", "host", "-o", self.dir / "half.so")
        self.assertIn("half.so: error: cannot be linked: ", said)
        self.assertIn("gone", said)
        self.assertFalse((self.dir / "half.so").exists())

    def test_targets_that_have_none(self):
        for name, text, reason in (("fixed", '"pic": false', "(found code for fixed addresses"),
                                   ("bare", '"gnu_command": "no-such-gcc"', "is not installed (expected no-such-gcc")):
            target = self.dir / f"{name}.json"
            target.write_text(f'{{"extends": "host", "name": "{name}", {text}}}')
            self.assertIn(reason, self.refused("export", DEMO, "--target", target, "-q", "-o", self.dir / "v.so"))

    def test_bare_metal_has_none(self):
        self.assertIn("error: 'cortex-m4f': a shared library cannot be made for this target (found bare metal",
                      self.refused("export", DEMO, "--target", "cortex-m4f", "-q", "-o", self.dir / "v.so"))


class SystemLibrary(Case):
    """Several libraries in one archive, with a table of their functions: no dynamic linker, no --whole-archive."""

    MAIN = """#include <stdint.h>
#include "all.h"
typedef int (*int_function)(int);
static int same(const char *a, const char *b) { while (*a && *a == *b) ++a, ++b; return *a == *b; }
int main(void) {
  for (int i = 0; i < all_count; ++i)
    if (all_find(all_entries[i].name) != all_entries[i].function) return 1;
  for (int i = 1; i < all_count; ++i)
    if (same(all_entries[i - 1].name, all_entries[i].name)) return 2;
  if (all_find("") || all_find("none") || all_find("modA_inplace_updat") || all_find("zzz")) return 3;
  if (((int_function)all_find("modA_inplace_update"))(5) != 6) return 4;
  if (((int_function)all_find("modB_inplace_update"))(5) != 7) return 5;
  if (((int_function)all_find("modA_inplace_update"))(5) != 6) return 6;
  return 0;
}
"""

    def test_of_two_trees(self):
        folders = []
        for name, plus in (("modA", 1), ("modB", 2)):
            (self.dir / f"{name}.c").write_text(f"int {name}_inplace_update(int x) {{ return x + {plus}; }}\n")
            folders.append(self.dir / name)
            run(BYOC, "build-tree", self.dir / f"{name}.c", "--target", "host", "-o", folders[-1])
        run(BYOC, "pack", *folders, "--system-library", "all", "-o", self.dir / "libAll.a")
        (self.dir / "main.c").write_text(self.MAIN)
        for compiler in (("cc", "-xc", "-std=c99", "-pedantic-errors"), ("c++", "-xc++")):
            run(*compiler, "-Wall", "-Wextra", "-Werror", f"-I{self.dir}", self.dir / "main.c", "-xnone",
                self.dir / "libAll.a", "-o", self.dir / "main")
            run(self.dir / "main")

    def test_of_two_models_on_a_board(self):
        """What nobody asks for is not linked: the table brings in its models, one model's functions only that model."""
        folders = [self.export(f"{name}/", "--name", name) for name in ("first", "second")]
        both = self.dir / "both.a"
        run(BYOC, "pack", *folders, "--system-library", "all", "-o", both)
        self.assertEqual(sorted(p.name for p in self.dir.glob("*.h")), ["all.h", "both_first.h", "both_second.h"])
        members = run("ar", "t", both).split()
        self.assertEqual(len(members), len(set(members)), "a shared kernel is there once")
        main = self.dir / "main.c"
        for text, present in (('#include "all.h"\nint main(void) { return all_find("first_run") == 0; }\n', 2),
                              ('#include "both_first.h"\nvoid *volatile keep;\n'
                               "int main(void) { keep = (void *)first_run; return 0; }\n", 1)):
            main.write_text(text)
            elf = self.dir / "firmware.elf"
            run(*M4F, "--specs=nosys.specs", f"-I{self.dir}", main, both, "-lm", "-Wl,--gc-sections",
                "-Wl,--fatal-warnings", "-o", elf)
            runs = [s for s in run("arm-none-eabi-nm", elf).split() if s in ("first_run", "second_run")]
            self.assertEqual(len(runs), present)
            manifests = [word for name in ("first", "second")[:present] for word in ("--manifest", self.dir / f"both_{name}.json")]
            run(BYOC, "verify", elf, *manifests)

    def test_what_is_refused(self):
        folder = self.export("v/", "--name", "v")
        other = self.export("w/", "--name", "w", target="cortex-m0plus")
        out = self.dir / "all.a"
        self.assertIn("not a C identifier (found 'a-b'",
                      self.refused("pack", folder, "--system-library", "a-b", "-o", out))
        self.assertIn("is the name of a model in it", self.refused("pack", folder, "--system-library", "v", "-o", out))
        self.assertIn("a table of functions is for a static library",
                      self.refused("pack", folder, "--system-library", "all", "-o", self.dir / "all.o"))
        said = self.refused("pack", folder, other, "-o", out)
        (self.dir / "data.c").write_text("const int table[3] = {1, 2, 3};\n")
        (self.dir / "dotted.ll").write_text('define void @"a.b"() {\n  ret void\n}\n')
        for file, reason in (("data.c", "error: 'all': the library has no function that others see"),
                             ("dotted.ll", "error: 'a.b': a function cannot be named in C")):
            self.assertIn(reason, self.refused("build-tree", self.dir / file, "--target", "host", "--system-library", "all",
                                               "-o", out))
        self.assertIn("triple differs (found v: thumbv7em", said)
        self.assertIn("w: thumbv6m", said)
        self.assertIn("all_v.h: error: would be written twice", self.refused("pack", folder, folder, "-o", out))
        self.assertFalse(out.exists())


class OneArena(Case):
    MODELS = {"one": "ds_cnn_int8", "two": "autoencoder_int8"}

    def fragment(self, *names):
        run(BYOC, "linker-fragment", *(self.dir / f"{n}.json" for n in names), "-o", self.dir / "both.ld", "--header",
            self.dir / "both.h")
        return (self.dir / "both.h").read_text()

    def evaluated(self, name):
        """The sum of the model's output that one_arena.c prints."""
        size = re.search(r"#define \w+_INPUT_\w+_SIZE (\d+)", (self.dir / f"{name}.h").read_text()).group(1)
        (self.dir / "input.raw").write_bytes(bytes(i * 7 & 255 for i in range(int(size))))
        run(BYOC, "run", MODELS / f"{self.MODELS[name]}.tflite", "--executor", "interpreted", "--input",
            self.dir / "input.raw", "--output-dir", self.dir / "out", "-q")
        total = 0
        for byte in (self.dir / "out/output_0.raw").read_bytes().ljust(4096, b"\0"):
            total = (31 * total + byte) & 0xffffffff
        return total & 0xffffff

    def test_models_take_turns_on_a_board(self):
        for name, model in self.MODELS.items():
            self.export(f"{name}.a", "--name", name, model=MODELS / f"{model}.tflite")
        text = self.fragment(*self.MODELS)
        workspaces = [json.loads((self.dir / f"{n}.json").read_text())["workspace"] for n in self.MODELS]
        self.assertNotEqual(*(w["bytes"] for w in workspaces))
        for what, key in (("SIZE", "bytes"), ("ALIGN", "align")):
            self.assertIn(f"#define BOTH_WORKSPACE_{what} {max(w[key] for w in workspaces)}\n", text)
        self.assertIn("/* What is enough for runs of one, two, one at a time. */\n", text)
        firmware, elf = SOURCE / "examples/firmware", self.dir / "firmware.elf"
        main = pathlib.Path(__file__).resolve().parent / "one_arena.c"
        run(*M4F, "-Os", "-std=c99", "-Wall", "-Wextra", "-Werror", "-I", firmware, "-I", self.dir, main,
            firmware / "console.c", firmware / "startup.c", *(self.dir / f"{n}.a" for n in self.MODELS), "-nostartfiles",
            "-T", firmware / "mps2-an386.ld", "-Wl,--gc-sections", "-lm", "-o", elf)
        done = subprocess.run(["qemu-system-arm", "-M", "mps2-an386", "-nographic", "-semihosting", "-kernel", elf],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said = re.findall(r"^(\w+): (\d+)", done.stdout + done.stderr, re.MULTILINE)
        turn = [(name, str(self.evaluated(name))) for name in self.MODELS]
        self.assertEqual(said, [*turn, *turn, ("damage", "0")])

    def test_names_apart(self):
        """The header's own names are no library's."""
        self.export("both.a", "--name", "both")
        self.export("one.a", "--name", "one")
        self.assertIn("#define BOTH_WORKSPACE_SIZE ", self.fragment("both"))  # of one library it is the same
        said = self.refused("linker-fragment", self.dir / "both.json", self.dir / "one.json", "-o", self.dir / "both.ld")
        self.assertIn("'both': a library has the name of what is made of all (found both, expected another name)", said)


class LinkTimeOptimisation(Case):
    """Calls of the model's code are inlined, and nothing but what the header declares is visible."""

    def test_one_object_and_no_kernel_in_sight(self):
        small, large = self.export("l.a", "--name", "v", "--lto"), self.export("a.a", "--name", "v")
        self.assertEqual(run("ar", "t", small).split(), ["v.o", "v_constants.o"])
        functions = run("llvm-nm-19", "--defined-only", "--extern-only", "--format=posix", small)
        self.assertEqual([line.split()[0] for line in functions.splitlines() if " T " in line and TIE not in line], ["v_run"])
        text = [sum(int(line.split()[0]) for line in run("arm-none-eabi-size", f).splitlines()[1:])
                for f in (small, large)]
        self.assertLess(text[0], text[1])
        manifest = json.loads((self.dir / "l.json").read_text())
        self.assertIn("v_constants.o", manifest["members"])

    def test_runs_in_every_form(self):
        signal = SOURCE / "examples/demo/signals/00.npy"
        for target, packs in (("host", ("a", "o", "so")), ("cortex-m4f", ("a", "o")), ("riscv32imc", ("a",))):
            expected = None
            for lto in ([], ["--lto"]):
                for pack in packs:
                    with self.subTest(f"{target} {lto} {pack}"):
                        run(BYOC, "run", DEMO, "--target", target, "-q", "--no-profile", "--pack", pack, *lto,
                            "--input", signal, "--output-dir", self.dir / "out")
                        found = (self.dir / "out/output_0.raw").read_bytes()
                        expected = expected or found
                        self.assertEqual(found, expected)

    def test_profiled_and_compared(self):
        out = run(BYOC, "run", DEMO, "--target", "cortex-m4f", "--lto", "--compare", "--input",
                  SOURCE / "examples/demo/signals/00.npy")
        self.assertIn("instructions", out)

    def test_two_models_in_one_firmware(self):
        folders = [self.export(f"{name}/", "--name", name, "--lto") for name in ("first", "second")]
        run(BYOC, "pack", *folders, "-o", self.dir / "both.a")
        main = self.dir / "main.c"
        main.write_text('#include "both_first.h"\n#include "both_second.h"\nvoid *volatile keep[2];\n'
                        "int main(void) { keep[0] = (void *)first_run; keep[1] = (void *)second_run; return 0; }\n")
        run(*M4F, "--specs=nosys.specs", f"-I{self.dir}", main, self.dir / "both.a", "-lm", "-Wl,--fatal-warnings",
            "-o", self.dir / "firmware.elf")

    def test_a_model_library(self):
        for flavour in ("source", "objects"):
            tar = self.export("v.tar", "--name", "v", "--lto", "--tar-of", flavour, target="host")
            with tarfile.TarFile(tar) as archive:
                self.assertEqual([n for n in archive.getnames() if n.endswith((".c", ".o"))],
                                 [*(f"./codegen/host/lib/v_{name}.o" for name in ("import_tree", "lib0", "lib1")),
                                  "./codegen/host/src/v_lib0.c"])

    def test_a_folder_builds(self):
        folder = self.export("v/", "--name", "v", "--lto", target="host")
        run("make", "-C", folder)
        self.assertIn("v_run", symbols(folder / "build/v.a", "--defined-only"))

    def test_files_of_the_users_own(self):
        (self.dir / "board.c").write_text("#include <stdint.h>\nint32_t board_id(void) { return 7; }\n")
        library = self.export("b.a", "--name", "b", "--lto", "--add-file", self.dir / "board.c")
        self.assertEqual(run("ar", "t", library).split(), ["b.o", "b_constants.o"])
        self.assertIn("board_id", symbols(library, "--defined-only"))

    def test_what_it_is_not_for(self):
        text = self.refused("export", DEMO, "--target", "cortex-m4f", "--lto", "--toolchain", "gnu", "-q", "-o",
                            self.dir / "v.a")
        self.assertIn("'--lto': link-time optimisation is for C that Clang compiles", text)
        self.assertEqual(list(self.dir.iterdir()), [])


class Constants(Case):
    """Whatever makes the object of the constants, the firmware computes the same."""

    SCRIPT = SOURCE / "examples/cross-compile/objcopy/pack_imports.sh"

    def output(self, target, *arguments):
        signal = SOURCE / "examples/demo/signals/00.npy"
        run(BYOC, "run", DEMO, "--target", target, "-q", "--no-profile", "--input", signal, "--output-dir", self.dir / "out",
            *arguments)
        return (self.dir / "out/output_0.raw").read_bytes()

    def test_every_form_runs(self):
        for target in ("cortex-m4f", "host", "aarch64-linux-gnu"):
            expected = self.output(target)
            for form in ("incbin", "embed", "c", "llvm"):
                with self.subTest(target=target, form=form):
                    self.assertEqual(self.output(target, "--constants-as", form), expected)
        self.assertEqual(self.output(target, "--lto", "--constants-as", "c"), expected)
        expected = self.output("cortex-m4f", "--toolchain", "gnu")
        for form in ("incbin", "c"):
            with self.subTest(target="gnu", form=form):
                self.assertEqual(self.output("cortex-m4f", "--toolchain", "gnu", "--constants-as", form), expected)

    def test_a_command_of_the_user(self):
        """In every pack; verified in the firmware."""
        command = ("--pack-imports", f"sh '{self.SCRIPT}' {{constants}} {{output}}")
        self.assertEqual(self.output("cortex-m4f", *command), self.output("cortex-m4f"))
        main = self.dir / "main.c"
        main.write_text('#include "v.h"\nvoid *volatile keep;\nint main(void) { keep = (void *)v_run; return 0; }\n')
        for out in ("a/v.a", "o/v.o"):
            library = self.export(out, "--name", "v", *command)
            run(*M4F, "--specs=nosys.specs", f"-I{library.parent}", main, library, "-lm", "-Wl,--gc-sections",
                "-Wl,--fatal-warnings", "-o", self.dir / "firmware.elf")
            run(BYOC, "verify", self.dir / "firmware.elf", "--manifest", library.with_suffix(".json"))
        folder = self.export("v/", "--name", "v", *command)
        run(BYOC, "pack", folder, *command, "-o", self.dir / "again.a")
        self.export("v.tar", "--name", "v", *command)
        with tarfile.TarFile(self.dir / "v.tar") as archive:
            objects = [m.name for m in archive if m.name.endswith(".o")]
            constants = archive.extractfile(objects[-1]).read()
        self.assertEqual(constants, (folder / "lib/v_constants.o").read_bytes())

    def test_processors_that_byoc_compiles_nothing_for(self):
        """A description is enough for constants: byoc's own object, and one of the vendor's tools."""
        data = bytes(range(256)) * 3
        (self.dir / "w.bin").write_bytes(data)
        script = self.dir / "assemble.py"
        script.write_text("""import subprocess, sys
triple, constants, output = sys.argv[1:]
lines = []
for line in open(constants).read().splitlines():
    file, symbol, section, align, size, binding = line.split("\\t")
    lines.append(f'.section {section},"a",@progbits\\n.balign {align}\\n.globl {symbol}\\n'
                 f'.type {symbol},@object\\n.size {symbol},{size}\\n{symbol}:\\n.incbin "{file}"\\n')
subprocess.run(["llvm-mc-19", f"-triple={triple}", "-filetype=obj", "-o", output], input="".join(lines), text=True, check=True)
""")
        for name, cpu, machine in (("hexagon", "hexagonv68", "QUALCOMM DSP6"), ("xtensa", "", "Xtensa")):
            with self.subTest(name):
                description = self.dir / f"{name}.json"
                description.write_text(json.dumps({
                    "name": name, "triple": f"{name}-unknown-elf", "cpu": cpu, "gnu_command": f"{name}-elf-gcc",
                    "pools": [{"name": "ram", "kind": "ram", "size": 0}, {"name": "flash", "kind": "flash", "size": 0}]}))
                for out, command in (("own.o", ()), ("theirs.o", ("--pack-imports",
                                     f"'{sys.executable}' '{script}' {{triple}} {{constants}} {{output}}"))):
                    if command and name == "xtensa":
                        continue  # LLVM 19 assembles nothing for it
                    run(BYOC, "pack-constants", self.dir / "w.bin", "--symbol", "w", "--target", description, "--align",
                        "16", *command, "-o", self.dir / out)
                    self.assertIn(machine, run("readelf", "-h", self.dir / out))
                    self.assertRegex(run("readelf", "-sW", self.dir / out), r" 768 OBJECT +GLOBAL DEFAULT +\d+ w\n")
                    run("llvm-objcopy-19", "-O", "binary", "--only-section=.rodata.w", self.dir / out, self.dir / "bytes")
                    self.assertEqual((self.dir / "bytes").read_bytes(), data)
                if name == "hexagon":
                    linked = run("ld.lld-19", "-r", self.dir / "own.o", self.dir / "theirs.o", "-o", self.dir / "l.o",
                                 "--allow-multiple-definition")
                    self.assertEqual(linked, "")

    def test_liars(self):
        """Nothing is written, and what is wrong is said."""
        script = self.dir / "liar.sh"
        for lie, message in (("s/,readonly,/,/", "the constant is in a writable section"),
                             ("s/--add-symbol $symbol/--add-symbol wrong_$symbol/", "the object does not define this constant"),
                             ('s/"$blob" "$folder/"$folder\\/sections" "$folder/', "the section has another size than the constant"),
                             ("s/set -eu/echo out of licences >\\&2; exit 1/", "failed: out of licences (found exit code 1"),
                             ("s/elf32-littlearm/elf32-bigarm/; s/-ld -r/-ld -EB -r/", "byte order (found big endian, expected little endian)")):
            with self.subTest(message):
                script.write_text(run("sed", lie, self.SCRIPT))
                self.assertIn(message, self.refused("export", DEMO, "--target", "cortex-m4f", "-q", "-o", self.dir / "v.a",
                                                    "--pack-imports", f"sh '{script}' {{constants}} {{output}}"))
                self.assertFalse((self.dir / "v.a").exists())

    def test_of_trees_and_files(self):
        (self.dir / "logo.bin").write_bytes(bytes(range(256)) * 5)
        (self.dir / "one.c").write_text("int one(void) { return 1; }\n")
        run(BYOC, "pack-constants", self.dir / "logo.bin", "--symbol", "logo", "--target", "host", "-o", self.dir / "logo.a")
        direct = run("llvm-nm-19", "-S", self.dir / "logo.a").split("\n")[2]
        main = self.dir / "main.c"
        main.write_text('#include "logo.h"\nint main(void) { for (int i = 0; i < 1280; ++i) if (logo[i] != i % 256) return 1;\n'
                        "  return 0; }\n")
        for form in ("elf", "incbin", "embed", "c", "llvm"):
            with self.subTest(form):
                run(BYOC, "pack-constants", self.dir / "logo.bin", "--symbol", "logo", "--target", "host", "--constants-as",
                    form, "-o", self.dir / "logo.a")
                self.assertIn(direct, run("llvm-nm-19", "-S", self.dir / "logo.a"))
                run("cc", f"-I{self.dir}", main, self.dir / "logo.a", "-o", self.dir / "main")
                run(self.dir / "main")
        run(BYOC, "build-tree", self.dir / "one.c", "--target", "host", "--constants-as", "c", "-o", self.dir / "one.a")


class CodeModel(Case):
    """x86-64 beyond the reach of 32-bit offsets."""

    GIB = 1 << 30
    PROGRAM = """#include <stdio.h>
#include "big.h"
static uint64_t sum(const uint8_t *p, uint64_t size) {
  uint64_t s = 0;
  for (uint64_t i = 0; i < size; i += 4096) s += p[i];
  return s + p[size - 1];
}
int main(void) {
  printf("%llu %llu %u %u\\n", (unsigned long long)sum(first, FIRST_SIZE), (unsigned long long)sum(second, SECOND_SIZE),
         first[FIRST_SIZE / 2], third[2]);
  return 0;
}
"""

    def test_2_2_gib(self):
        """Packed, linked by GNU ld and LLD, and read at both ends of every constant."""
        if shutil.disk_usage(self.dir).free < 6 * self.GIB:
            self.skipTest(f"less than 6 GiB free in {self.dir}")
        sizes = {"first": self.GIB * 13 // 10, "second": self.GIB * 9 // 10, "third": 3}
        for name, size in sizes.items():
            with open(self.dir / name, "wb") as file:
                file.truncate(size)
                for at, byte in ((0, 1), (size // 2, 7), (size // 2 // 4096 * 4096, 30), (size - 1, 200)):
                    file.seek(at)
                    file.write(bytes([byte]))
        files = [self.dir / name for name in sizes]
        run(BYOC, "pack-constants", *files, *(word for name in sizes for word in ("--symbol", name)), "--target", "host",
            "-o", self.dir / "big.a")
        sections = run("readelf", "-SW", self.dir / "big.a")
        for name, flags in ((".lrodata.first", "Al"), (".lrodata.second", "Al"), (".rodata.third", "A")):
            self.assertRegex(sections, rf" {name} .* {flags} +0 ")
        (self.dir / "main.c").write_text(self.PROGRAM)
        done = subprocess.run(["cc", f"-I{self.dir}", "-c", self.dir / "main.c", "-o", self.dir / "main.o"],
                              capture_output=True, text=True)
        self.assertIn("compile with -mcmodel=medium", done.stderr)
        for linker in ("bfd", "lld"):
            with self.subTest(linker):
                run("gcc", "-B/usr/lib/llvm-19/bin", f"-fuse-ld={linker}", "-mcmodel=medium", "-Wall", "-Werror",
                    f"-I{self.dir}", self.dir / "main.c", self.dir / "big.a", "-o", self.dir / "main")
                middle = 30 if sizes["first"] // 2 % 4096 == 0 else 7
                self.assertEqual(run(self.dir / "main"), f"231 231 {middle} 200\n")
                run(BYOC, "verify", self.dir / "main", "--manifest", self.dir / "big.json")
                (self.dir / "main").unlink()

    def test_models(self):
        """Whose weights are far away compute what they compute elsewhere."""
        model = MODELS / "resnet8_float.tflite"
        target = self.dir / "far.json"
        target.write_text('{"extends": "host", "name": "far", "code_model": "medium", '
                          '"gnu_flags": ["-march=x86-64", "-mcmodel=medium"]}')
        library = self.export("r.a", "--name", "r", model=model, target=target)
        self.assertTrue(re.search(r" \.lrodata\.r_\S+ .* Al ", run("readelf", "-SW", library)))
        signal = MODELS / "golden/resnet8_float/input_0.raw"
        outputs = []
        for words in (("host",), (target,), (target, "--toolchain", "gnu"), (target, "--pack", "o"), (target, "--pack", "so"),
                      (target, "--constants-as", "llvm"), (target, "--constants-as", "c", "--toolchain", "gnu")):
            run(BYOC, "run", model, "-q", "--no-profile", "--input", signal, "--output-dir", self.dir, "--target", *words)
            outputs.append((self.dir / "output_0.raw").read_bytes())
        self.assertEqual(outputs, outputs[:1] * len(outputs))


class Run(Case):
    """What was exported runs as the model does."""

    def run_both(self, exported, *arguments, target):
        signal, outputs = SOURCE / "examples/demo/signals/00.npy", []
        for what in ((DEMO, "--target", target), (exported, *arguments)):
            folder = self.dir / f"out_{len(outputs)}"
            run(BYOC, "run", *what, "-q", "--no-profile", "--input", signal, "--output-dir", folder)
            outputs.append((folder / "output_0.raw").read_bytes())
        self.assertEqual(outputs[0], outputs[1])

    def test_folders(self):
        for target in ("host", "cortex-m4f"):
            with self.subTest(target):
                self.run_both(self.export(f"{target}/", "--name", "v", target=target), target=target)

    def test_shared_libraries(self):
        """Under any name, with nothing beside it."""
        for target in ("host", "aarch64-linux-gnu"):
            with self.subTest(target):
                library = self.export("v.so", "--name", "v", target=target)
                moved = self.dir / target / "moved.so"
                moved.parent.mkdir()
                library.rename(moved)
                self.run_both(moved, target=target)
        self.run_both(DEMO, "--target", "host", "--pack", "so", target="host")

    def test_objects(self):
        """This machine loads them; the others are linked and simulated."""
        for target in ("host", "aarch64-linux-gnu", "cortex-m4f", "riscv32imc"):
            for form in ("v.a", "v.o", "v.tar"):
                with self.subTest(f"{target} {form}"):
                    self.run_both(self.export(f"{form[2:]}/{form}", "--name", "v", target=target), target=target)

    def test_with_state(self):
        state = SOURCE / "tests/lit/run/Inputs/state.byoc"
        one = self.dir / "one"
        one.write_bytes(struct.pack("<f", 1))
        runs = ["-q", "--no-profile", "--input", one, "--input", one, "--input", one]
        run(BYOC, "run", state, "--target", "host", *runs, "--output-dir", self.dir / "model")
        library = self.export("s.so", "--name", "s", model=state, target="host")
        run(BYOC, "run", library, *runs, "--output-dir", self.dir / "library")
        for k in range(3):
            name = f"run_{k}/output_0.raw"
            self.assertEqual((self.dir / "model" / name).read_bytes(), (self.dir / "library" / name).read_bytes())

    def test_what_cannot_be_run(self):
        folder = self.export("v/", "--name", "v", target="host")
        self.assertIn("the folder is for another target (found cortex-m4f, expected host)",
                      self.refused("run", folder, "--target", "cortex-m4f"))
        (self.dir / "seven.c").write_text("int seven(void) { return 7; }\n")
        for out in ("seven/", "seven.so"):
            run(BYOC, "build-tree", self.dir / "seven.c", "--target", "host", "-o", self.dir / out)
            self.assertIn("is a library without a model", self.refused("run", self.dir / out))
        foreign = self.dir / "foreign.so"
        run("cc", "-shared", "-fPIC", self.dir / "seven.c", "-o", foreign)
        self.assertIn("foreign.so: error: has no import tree", self.refused("run", foreign))
        done = subprocess.run([BYOC, "run", str(folder), "--compare"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("'--compare': needs a model", done.stderr)
        self.assertIn("no input has this name (found 'x', expected", self.refused("run", folder, "--input", "x=y.npy"))
        for form in ("a", "o"):
            device = self.export(f"{form}/m4.{form}", "--name", "v", target="cortex-m4f")
            manifest = device.with_suffix(".json")
            self.assertIn("m4.json: error: the library is for another target (found cortex-m4f, expected host)",
                          self.refused("run", device, "--target", "host"))
            manifest.rename(self.dir / "moved.json")
            self.assertIn(f"m4.{form}: error: says nothing of itself, and its manifest is not beside it (expected "
                          f"{manifest})", self.refused("run", device))
            manifest.write_text("{")
            self.assertIn("m4.json: error: ", self.refused("run", device))
            other = json.loads((self.dir / "moved.json").read_text()) | {"prefix": "w"}
            manifest.write_text(json.dumps(other))
            self.assertIn("m4.json: error: 'prefix': the manifest is of another model (found w, expected v)",
                          self.refused("run", device))
            # That of the same model, exported for another CPU.
            text = self.export("other.a", "--name", "v", target="cortex-m0plus").with_suffix(".json").read_text()
            manifest.write_text(text.replace("m0plus", "m4f"))
            run(BYOC, "run", device, "-q", "--no-profile", "--fill", "ones")
            manifest.write_text(text)
            self.assertIn("CPU architecture", self.refused("run", device))
        both = self.dir / "both.a"
        run(BYOC, "pack", self.export("one/", "--name", "one"), self.export("two/", "--name", "two"), "-o", both)
        self.assertIn("both.a: error: holds several models, and one is run at a time (found one, two",
                      self.refused("run", both))
        run(BYOC, "pack", self.dir / "one", self.dir / "two", "-o", self.dir / "both.tar")
        self.assertIn("both.tar: error: holds several models, and one is taken at a time (found one, two",
                      self.refused("run", self.dir / "both.tar"))
        (self.dir / "eight.c").write_text("int eight(void) { return 8; }\n")
        run(*M4F, "-c", self.dir / "eight.c", "-o", self.dir / "eight.o")
        self.assertIn("eight.o: error: is a library without a model", self.refused("run", self.dir / "eight.o"))
        far = self.export("far.a", "--name", "v", target="aarch64-linux-gnu")
        self.assertIn("runs are timed on this machine only", self.refused("run", far, "--repeat", "2"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
